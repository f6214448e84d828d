//! The procedure, one look at a time. Each look spends its share of alpha, Holm's procedure keeps the claims of all
//! workloads together within it, and a verdict once given stands. Nothing here knows how samples are taken.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::{Evidence, believable, geomean};
use super::memory::memory;
use super::suite::Geomean;
use super::times::times;
use super::{Detectable, Effect, Noise, Outcome, Paired, Settings, Suite, Verdict};
use crate::measurement::Measurement;
use crate::statistics::{Estimate, holm};

/// A run in progress.
#[derive(Clone, Debug)]
pub struct Sequence {
    settings: Settings,
    taken: usize,
    decided: BTreeMap<String, (Outcome, usize)>,
    geomean: Geomean,
    shortened: BTreeSet<String>,
}

/// What one look at the measurements says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Look {
    /// Which look, from 1.
    pub number: usize,
    /// Processes that were measured.
    pub processes: usize,
    /// What this look spends of alpha.
    pub level: f64,
    /// What has been spent with it.
    pub spent: f64,
    /// Every workload, in the order given.
    pub verdicts: Vec<Verdict>,
    /// The run as a whole.
    pub suite: Suite,
    /// What to do now.
    pub next: Next,
}

/// What to do after a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "do")]
pub enum Next {
    /// Measure on, up to so many processes, and look again.
    Continue {
        /// Processes of the next look, all together.
        processes: usize,
    },
    /// Throw away what was measured of these workloads, shorten their samples, measure them again and look again. It is
    /// said once of a workload, and the look is not spent on it.
    Shorten {
        /// The workloads.
        workloads: Vec<String>,
    },
    /// The verdicts are final.
    Stop {
        /// Why.
        why: Stop,
    },
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Every workload and the whole have a verdict.
    Decided,
    /// The last look is taken.
    LastLook,
    /// What is open is too unstable for more processes to help.
    Unstable,
    /// Whoever measures ended it.
    Ended,
}

impl Sequence {
    /// A run that has not begun.
    pub fn new(settings: Settings) -> Self {
        let (decided, shortened) = (BTreeMap::new(), BTreeSet::new());
        Self { settings, taken: 0, decided, geomean: None, shortened }
    }

    /// Processes that the next look needs; nothing where the last one is taken.
    pub fn next_look(&self) -> Option<usize> {
        self.settings.looks.get(self.taken).copied()
    }

    /// Looks at what was measured so far.
    pub fn look(&mut self, measurements: &[Measurement]) -> Look {
        let evidence: Vec<Evidence<'_>> = measurements.iter().map(Evidence::of).collect();
        let shorten = self.to_shorten(&evidence);
        if !shorten.is_empty() {
            self.shortened.extend(shorten.iter().cloned());
            return self.report(&evidence, Next::Shorten { workloads: shorten });
        }
        self.judge(&evidence);
        self.taken += 1;
        let next = self.next(&evidence);
        self.report(&evidence, next)
    }

    /// Looks a last time, wherever the run is: its budget is spent, or a person ended it. It spends what the next look
    /// would have spent; after the last look it only repeats.
    pub fn conclude(&mut self, measurements: &[Measurement]) -> Look {
        let evidence: Vec<Evidence<'_>> = measurements.iter().map(Evidence::of).collect();
        if self.next_look().is_some() {
            self.judge(&evidence);
            self.taken += 1;
        }
        self.report(&evidence, Next::Stop { why: Stop::Ended })
    }

    fn to_shorten(&self, evidence: &[Evidence<'_>]) -> Vec<String> {
        evidence
            .iter()
            .filter(|evidence| evidence.instability.is_some_and(|unstable| unstable.within_processes()))
            .map(|evidence| evidence.measurement.workload.clone())
            .filter(|workload| !self.shortened.contains(workload) && !self.decided.contains_key(workload))
            .collect()
    }

    /// Gives the verdicts that these measurements allow; what was decided before stays.
    fn judge(&mut self, evidence: &[Evidence<'_>]) {
        let (margin, equivalence) = (self.settings.margin.ln_1p(), self.settings.equivalence.ln_1p());
        let level = self.settings.spending().level();
        let judged: Vec<&Evidence<'_>> =
            evidence.iter().filter(|evidence| evidence.measurement.fault.is_none()).collect();
        let claims: Vec<f64> = judged.iter().map(|evidence| evidence.claim(margin)).collect();
        for (evidence, claimed) in judged.iter().zip(holm(&claims, level / 2.0)) {
            let outcome =
                evidence.stable().and_then(|stable| Outcome::of(&stable, claimed, equivalence, level));
            if let Some(outcome) = outcome {
                let name = evidence.measurement.workload.clone();
                self.decided.entry(name).or_insert((outcome, evidence.processes()));
            }
        }
        if let Some(whole) = geomean(evidence).filter(believable).filter(|_| self.geomean.is_none()) {
            let claimed = whole.p_above(margin).min(whole.p_below(-margin)) <= level / 2.0;
            self.geomean = Outcome::of(&whole, claimed, equivalence, level);
        }
    }

    fn next(&self, evidence: &[Evidence<'_>]) -> Next {
        let open: Vec<&Evidence<'_>> = evidence
            .iter()
            .filter(|evidence| evidence.measurement.fault.is_none())
            .filter(|evidence| !self.decided.contains_key(&evidence.measurement.workload))
            .collect();
        let hopeless = |evidence: &&&Evidence<'_>| {
            evidence.instability.is_some_and(|unstable| unstable.within_processes())
        };
        let measured = evidence.iter().any(|evidence| evidence.measurement.fault.is_none());
        if open.is_empty() && (self.geomean.is_some() || !measured) {
            return Next::Stop { why: Stop::Decided };
        }
        let Some(processes) = self.next_look() else { return Next::Stop { why: Stop::LastLook } };
        if !open.is_empty() && open.iter().filter(hopeless).count() == open.len() {
            return Next::Stop { why: Stop::Unstable };
        }
        Next::Continue { processes }
    }

    fn report(&self, evidence: &[Evidence<'_>], next: Next) -> Look {
        let spending = self.settings.spending();
        let judged = evidence.iter().filter(|evidence| evidence.measurement.fault.is_none()).count();
        let verdicts: Vec<Verdict> = evidence.iter().map(|evidence| self.verdict(evidence, judged)).collect();
        let measurements: Vec<&Measurement> = evidence.iter().map(|evidence| evidence.measurement).collect();
        let whole = geomean(evidence);
        let speedup = whole.map(|whole| self.effect(&whole, whole.size(), 1));
        Look {
            number: self.taken,
            processes: evidence.iter().map(Evidence::processes).max().unwrap_or(0),
            level: spending.level(),
            spent: spending.spent(self.taken),
            suite: Suite::new(&self.settings, &measurements, &verdicts, self.geomean, speedup),
            verdicts,
            next,
        }
    }

    fn verdict(&self, evidence: &Evidence<'_>, judged: usize) -> Verdict {
        let measurement = evidence.measurement;
        let decided = self.decided.get(&measurement.workload);
        let valid = measurement.fault.is_none();
        let outcome = decided.map_or(Outcome::Inconclusive, |(outcome, _)| *outcome);
        let instability = evidence.instability.filter(|_| valid && decided.is_none());
        // The interval of an unstable workload is too narrow, and so is what follows from it.
        let sound = valid && instability.is_none();
        let effect = evidence.estimate.filter(|_| sound).map(|estimate| {
            self.effect(&estimate, evidence.processes(), judged).compatible(outcome, &self.settings)
        });
        let present: Vec<Paired> = evidence.paired.iter().flatten().cloned().collect();
        Verdict {
            workload: measurement.workload.clone(),
            outcome: if valid { outcome } else { Outcome::Invalid },
            decided_after: decided.filter(|_| valid).map(|(_, processes)| *processes),
            fault: measurement.fault.clone(),
            effect,
            instability,
            detectable: evidence.estimate.filter(|_| sound).filter(believable).map(|estimate| {
                let level = self.share(judged) / 2.0;
                Detectable::new(&estimate, level, &self.settings, decided.is_none())
            }),
            times: times(&measurement.processes).filter(|_| valid),
            noise: Noise::of(&measurement.processes, &present).filter(|_| valid),
            memory: memory(&measurement.processes, self.share(judged), self.settings.memory_margin.ln_1p())
                .filter(|_| valid),
        }
    }

    fn effect(&self, estimate: &Estimate, processes: usize, among: usize) -> Effect {
        Effect::new(estimate, processes, 1.0 - self.share(among), &self.settings)
    }

    /// What one of so many statements may spend at one look.
    #[expect(clippy::cast_precision_loss, reason = "a run has few workloads")]
    fn share(&self, among: usize) -> f64 {
        self.settings.spending().level() / among.max(1) as f64
    }
}
