//! Results of several machines. Each machine's verdicts stay its own: across different hardware nothing is averaged, and a
//! claim is only counted where it stands against all claims of all machines. Machines of one kind, three or more, also
//! say something together.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Outcome, Settings, Suite, SuiteVerdict, Verdict};
use crate::statistics::{hartung_knapp, holm};

/// The result of one run on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineResult {
    /// The run's id; the same result twice counts once.
    pub run: String,
    /// The machine's kind: its comparability key.
    pub key: String,
    /// The machine's kind, for people.
    pub machine: String,
    /// Its verdicts.
    pub verdicts: Vec<Verdict>,
    /// Its verdict as a whole.
    pub suite: Suite,
}

/// Results that are not what they say.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Conflict {
    /// One id, two contents.
    #[error("two different results are both called `{0}`")]
    SameRun(String),
}

/// Several machines side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Merged {
    /// Every kind of machine with the verdicts of its runs.
    pub machines: Vec<MergedMachine>,
    /// Every workload over the kinds of machines.
    pub workloads: Vec<MergedWorkload>,
    /// Results that were given more than once.
    pub duplicates: Vec<String>,
}

/// One kind of machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MergedMachine {
    /// Its comparability key.
    pub key: String,
    /// Its name.
    pub machine: String,
    /// The verdict of each of its runs.
    pub suites: BTreeMap<String, SuiteVerdict>,
}

/// One workload over the kinds of machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MergedWorkload {
    /// The workload.
    pub workload: String,
    /// What each kind of machine says, by key.
    pub agreement: BTreeMap<String, Agreement>,
    /// Kinds of machines on which it is faster, after correction for all machines and workloads.
    pub faster_on: usize,
    /// Kinds of machines on which it is slower, after the same correction.
    pub slower_on: usize,
    /// Kinds of machines that measured it.
    pub measured_on: usize,
}

/// What the runs on one kind of machine say of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// The outcomes of its runs, in order.
    pub outcomes: Vec<Outcome>,
    /// Whether they are all the same.
    pub reproduced: bool,
    /// Whether the claim of a difference stands after correction for all machines and workloads.
    pub stands: bool,
    /// Mean speed-up over the machines of this kind; from three on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
    /// Its interval, at `1 - alpha`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
}

/// Puts results side by side.
pub fn merge(settings: &Settings, results: &[MachineResult]) -> Result<Merged, Conflict> {
    let mut distinct: BTreeMap<&str, &MachineResult> = BTreeMap::new();
    let mut duplicates = Vec::new();
    for result in results {
        match distinct.insert(&result.run, result) {
            Some(earlier) if earlier != result => return Err(Conflict::SameRun(result.run.clone())),
            Some(_) => duplicates.push(result.run.clone()),
            None => {}
        }
    }
    let mut machines: BTreeMap<&str, MergedMachine> = BTreeMap::new();
    let mut cells: BTreeMap<(&str, &str), Vec<&Verdict>> = BTreeMap::new();
    for result in distinct.values() {
        let fresh = || MergedMachine {
            key: result.key.clone(),
            machine: result.machine.clone(),
            suites: BTreeMap::new(),
        };
        let machine = machines.entry(&result.key).or_insert_with(fresh);
        machine.suites.insert(result.run.clone(), result.suite.verdict);
        for verdict in &result.verdicts {
            cells.entry((&verdict.workload, &result.key)).or_default().push(verdict);
        }
    }
    Ok(Merged {
        machines: machines.into_values().collect(),
        workloads: workloads(settings, &cells),
        duplicates,
    })
}

fn workloads(settings: &Settings, cells: &BTreeMap<(&str, &str), Vec<&Verdict>>) -> Vec<MergedWorkload> {
    let claims: Vec<f64> = cells.values().map(|verdicts| claim(settings, verdicts)).collect();
    let standing = holm(&claims, settings.alpha / 2.0);
    let mut merged: BTreeMap<&str, MergedWorkload> = BTreeMap::new();
    for (((workload, key), verdicts), stands) in cells.iter().zip(standing) {
        let fresh = || MergedWorkload {
            workload: (*workload).to_owned(),
            agreement: BTreeMap::new(),
            faster_on: 0,
            slower_on: 0,
            measured_on: 0,
        };
        let entry = merged.entry(workload).or_insert_with(fresh);
        let agreement = agreement(settings, verdicts, stands);
        let outcome = agreement.outcomes[0];
        entry.measured_on += usize::from(outcome != Outcome::Invalid);
        entry.faster_on += usize::from(agreement.stands && outcome == Outcome::Faster);
        entry.slower_on += usize::from(agreement.stands && outcome == Outcome::Slower);
        entry.agreement.insert((*key).to_owned(), agreement);
    }
    merged.into_values().collect()
}

/// The claim of one kind of machine is its weakest run's: all must hold. Looks are paid for as in the run itself.
#[expect(clippy::cast_precision_loss, reason = "a run has few looks")]
fn claim(settings: &Settings, verdicts: &[&Verdict]) -> f64 {
    let looks = settings.looks.len() as f64;
    let one = |verdict: &&Verdict| {
        verdict
            .effect
            .filter(|_| verdict.instability.is_none())
            .map_or(1.0, |effect| effect.p_faster.min(effect.p_slower))
    };
    let worst = verdicts.iter().map(one).fold(0.0, f64::max);
    (looks * worst).min(1.0)
}

fn agreement(settings: &Settings, verdicts: &[&Verdict], stands: bool) -> Agreement {
    let outcomes: Vec<Outcome> = verdicts.iter().map(|verdict| verdict.outcome).collect();
    let reproduced = outcomes.iter().all(|outcome| *outcome == outcomes[0]);
    let effects: Vec<_> = verdicts.iter().filter_map(|verdict| verdict.effect).collect();
    let means: Vec<f64> = effects.iter().map(|effect| effect.log_ratio).collect();
    let errors: Vec<f64> = effects.iter().map(|effect| effect.error).collect();
    let pooled = hartung_knapp(&means, &errors).map(|pooled| pooled.mean);
    let interval = pooled.map(|pooled| pooled.interval(1.0 - settings.alpha));
    Agreement {
        stands: stands && reproduced,
        outcomes,
        reproduced,
        speedup: pooled.map(|pooled| pooled.value.exp()),
        interval: interval.map(|(low, high)| (low.exp(), high.exp())),
    }
}
