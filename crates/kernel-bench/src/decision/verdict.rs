//! What is said of one workload.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Instability, Memory, Noise, Settings, Times};
use crate::measurement::Fault;
use crate::statistics::{Estimate, detectable_errors};

/// What was decided about one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The workload.
    pub workload: String,
    /// The decision.
    pub outcome: Outcome,
    /// After how many processes it fell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_after: Option<usize>,
    /// Why speed means nothing here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// The measured effect; never there with a fault, nor where the samples carry no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Why the samples carry no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instability: Option<Instability>,
    /// What could have been seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<Detectable>,
    /// Times of the two arms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Times>,
    /// Where the uncertainty comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// What was decided about memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

/// The decision about one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Faster than the baseline by more than the margin.
    Faster,
    /// Slower than the baseline by more than the margin.
    Slower,
    /// Neither, within the margin of equivalence.
    Equivalent,
    /// The measurements do not tell.
    Inconclusive,
    /// Speed means nothing here: wrong, crashed, suspect.
    Invalid,
}

impl Outcome {
    /// What a mean logarithm means whose difference was claimed or not, by a test of equivalence of this level.
    pub(super) fn of(estimate: &Estimate, claimed: bool, equivalence: f64, level: f64) -> Option<Self> {
        match claimed {
            true if estimate.value > 0.0 => Some(Self::Faster),
            true => Some(Self::Slower),
            false => (estimate.p_within(equivalence) <= level).then_some(Self::Equivalent),
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Equivalent => "equivalent",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
        }
    }
}

/// A speed-up with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// Time of the baseline over time of the candidate.
    pub ratio: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end of the confidence interval.
    pub high: f64,
    /// Confidence of this interval alone; all intervals of the run hold together with `1 - alpha`.
    pub level: f64,
    /// Processes that it rests on.
    pub processes: usize,
    /// Mean logarithm of the ratio.
    pub log_ratio: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
    /// Probability of such a speed-up if the truth were the margin.
    pub p_faster: f64,
    /// Probability of such a slow-down if the truth were the margin.
    pub p_slower: f64,
    /// Probability of so small a difference if the truth were the margin of equivalence.
    pub p_equivalent: f64,
}

impl Effect {
    /// Of this mean logarithm over so many processes, with an interval of this level.
    pub(super) fn new(estimate: &Estimate, processes: usize, level: f64, settings: &Settings) -> Self {
        let (margin, equivalence) = (settings.margin.ln_1p(), settings.equivalence.ln_1p());
        let (low, high) = estimate.interval(level);
        Self {
            ratio: estimate.value.exp(),
            low: low.exp(),
            high: high.exp(),
            level,
            processes,
            log_ratio: estimate.value,
            error: estimate.error,
            freedom: estimate.freedom,
            p_faster: estimate.p_above(margin),
            p_slower: estimate.p_below(-margin),
            p_equivalent: estimate.p_within(equivalence),
        }
    }

    /// With an interval that does not contradict the verdict: Holm's procedure may claim what the plain simultaneous
    /// interval does not exclude, and then the margin itself is a valid bound.
    pub(super) fn compatible(mut self, outcome: Outcome, settings: &Settings) -> Self {
        if outcome == Outcome::Faster {
            self.low = self.low.max(1.0 + settings.margin);
            self.high = self.high.max(self.low);
        } else if outcome == Outcome::Slower {
            self.high = self.high.min(1.0 / (1.0 + settings.margin));
            self.low = self.low.min(self.high);
        }
        self
    }

    /// The mean logarithm again.
    pub fn estimate(&self) -> Estimate {
        Estimate { value: self.log_ratio, error: self.error, freedom: self.freedom }
    }
}

/// What could have been seen with these measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Detectable {
    /// Speed-up that is found in four of five runs, as a share.
    pub effect: f64,
    /// Processes after which a decision about the effect seen here falls in four of five runs; absent where no number
    /// would do, because the effect lies on a margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes_needed: Option<usize>,
}

/// Power that "can be seen" stands for.
const POWER: f64 = 0.8;
/// More processes than anyone would wait for.
const MOST_PROCESSES: f64 = 10_000.0;

impl Detectable {
    /// By a one-sided test of this level; `open` asks what it would take to decide.
    pub(super) fn new(estimate: &Estimate, level: f64, settings: &Settings, open: bool) -> Self {
        let effect = (settings.margin.ln_1p() + estimate.detectable(level, POWER)).exp_m1();
        Self { effect, processes_needed: open.then(|| needed(estimate, level, settings)).flatten() }
    }
}

/// Either test may decide: what counts is the distance of what was seen to the farther of its limits.
fn needed(estimate: &Estimate, level: f64, settings: &Settings) -> Option<usize> {
    let seen = estimate.value.abs();
    let gap = (seen - settings.margin.ln_1p()).max(settings.equivalence.ln_1p() - seen);
    let now = estimate.freedom + 1.0;
    let mut needed = now;
    for _ in 0..8 {
        let distance = estimate.error * detectable_errors(needed - 1.0, level, POWER);
        needed = (now * (distance / gap).powi(2)).clamp(now, MOST_PROCESSES);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the most")]
    (gap > 0.0 && needed < MOST_PROCESSES).then(|| needed.ceil() as usize)
}
