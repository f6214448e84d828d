//! A run against a saved one. Only runs of the same kind of machine with the same control may be compared; then what made
//! the machine slower since cancels in each run's own ratio.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::evidence::believable;
use super::{Effect, Outcome, Paired, Settings};
use crate::measurement::Measurement;
use crate::statistics::{difference, holm};

/// What must be the same in two runs: device model, driver, framework, processor, control and the like, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Comparability {
    /// The facts by name.
    pub facts: BTreeMap<String, String>,
}

impl Comparability {
    /// One word for all facts.
    pub fn key(&self) -> String {
        let mut hash = Sha256::new();
        for part in self.facts.iter().flat_map(|(name, value)| [name, value]) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The facts that differ, as people read them.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let names = self.facts.keys().chain(other.facts.keys()).collect::<std::collections::BTreeSet<_>>();
        let told = |facts: &BTreeMap<String, String>, name: &String| {
            facts.get(name).cloned().unwrap_or("unknown".into())
        };
        names
            .into_iter()
            .filter(|name| self.facts.get(*name) != other.facts.get(*name))
            .map(|name| format!("{name}: {} then, {} now", told(&self.facts, name), told(&other.facts, name)))
            .collect()
    }
}

/// Two runs that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Incomparable {
    /// They were not measured under the same circumstances.
    #[error("the runs differ in what decides speed: {}", .0.join("; "))]
    Circumstances(Vec<String>),
    /// They have no workload in common.
    #[error("the runs have no workload in common")]
    Workloads,
}

/// What changed from one run to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The workloads of both.
    pub changes: Vec<Change>,
    /// Workloads of the saved run alone.
    pub gone: Vec<String>,
    /// Workloads of the new run alone.
    pub added: Vec<String>,
}

/// What changed in one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The workload.
    pub workload: String,
    /// Faster, slower, equivalent or inconclusive against the saved run; invalid where either run's measurement is.
    pub outcome: Outcome,
    /// Time then over time now, each against its own control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

/// Compares a run with a saved one, at all of alpha: it is one look.
pub fn compare(
    settings: &Settings,
    before: (&Comparability, &[Measurement]),
    now: (&Comparability, &[Measurement]),
) -> Result<Comparison, Incomparable> {
    let differences = before.0.differences(now.0);
    if !differences.is_empty() {
        return Err(Incomparable::Circumstances(differences));
    }
    let find = |name: &str| before.1.iter().find(|old| old.workload == name);
    let pairs: Vec<(&Measurement, &Measurement)> =
        now.1.iter().filter_map(|new| Some((find(&new.workload)?, new))).collect();
    if pairs.is_empty() {
        return Err(Incomparable::Workloads);
    }
    let only = |these: &[Measurement], those: &[Measurement]| -> Vec<String> {
        let absent = |name: &&String| those.iter().all(|other| other.workload != **name);
        these.iter().map(|one| &one.workload).filter(absent).cloned().collect()
    };
    Ok(Comparison {
        changes: changes(settings, &pairs),
        gone: only(before.1, now.1),
        added: only(now.1, before.1),
    })
}

fn changes(settings: &Settings, pairs: &[(&Measurement, &Measurement)]) -> Vec<Change> {
    let (margin, equivalence) = (settings.margin.ln_1p(), settings.equivalence.ln_1p());
    let estimates: Vec<_> = pairs
        .iter()
        .map(|(old, new)| {
            let valid = old.fault.is_none() && new.fault.is_none();
            let (before, now) = (values(old), values(new));
            difference(&before, &now)
                .filter(|_| valid)
                .filter(believable)
                .map(|estimate| (estimate, before.len() + now.len()))
        })
        .collect();
    let judged = estimates.iter().flatten().count().max(1);
    let claims: Vec<f64> = estimates
        .iter()
        .map(|found| found.map_or(1.0, |(found, _)| found.p_above(margin).min(found.p_below(-margin))))
        .collect();
    let claimed = holm(&claims, settings.alpha / 2.0);
    #[expect(clippy::cast_precision_loss, reason = "a run has few workloads")]
    let level = 1.0 - settings.alpha / judged as f64;
    pairs
        .iter()
        .zip(estimates.into_iter().zip(claimed))
        .map(|((old, new), (found, claimed))| {
            let silent = if old.fault.is_some() || new.fault.is_some() {
                Outcome::Invalid
            } else {
                Outcome::Inconclusive
            };
            let outcome = found.map_or(silent, |(found, _)| {
                Outcome::of(&found, claimed, equivalence, settings.alpha).unwrap_or(Outcome::Inconclusive)
            });
            let effect = found.map(|(found, processes)| {
                Effect::new(&found, processes, level, settings).compatible(outcome, settings)
            });
            Change { workload: new.workload.clone(), outcome, effect }
        })
        .collect()
}

fn values(measurement: &Measurement) -> Vec<f64> {
    measurement.processes.iter().filter_map(Paired::of).map(|process| process.value).collect()
}
