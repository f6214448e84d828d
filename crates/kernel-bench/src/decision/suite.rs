//! The verdict of a run as a whole: the word a task succeeds or fails by.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Effect, MemoryOutcome, Outcome, Settings, Verdict};
use crate::measurement::{FaultKind, Measurement, SizeClass};

/// The decision about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SuiteVerdict {
    /// Faster as a whole, slower nowhere, correct everywhere.
    Improved,
    /// Slower somewhere, or as a whole, or in need of more memory.
    Regressed,
    /// The same, as far as it matters.
    Unchanged,
    /// The measurements do not tell.
    Inconclusive,
    /// Something is wrong, crashed or suspect.
    Invalid,
}

impl SuiteVerdict {
    /// The word itself.
    pub fn word(self) -> &'static str {
        match self {
            Self::Improved => "IMPROVED",
            Self::Regressed => "REGRESSED",
            Self::Unchanged => "UNCHANGED",
            Self::Inconclusive => "INCONCLUSIVE",
            Self::Invalid => "INVALID",
        }
    }
}

/// What is said of a run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Suite {
    /// The decision.
    pub verdict: SuiteVerdict,
    /// Why it is this one.
    pub reasons: Vec<String>,
    /// Geometric mean of the speed-ups, weighted, over processes that measured every workload; never there in an invalid
    /// or unstable run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Effect>,
    /// Whether a regression is excluded everywhere.
    pub non_regression: NonRegression,
}

/// Whether a regression beyond the limit is excluded in every workload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NonRegression {
    /// Whether it is.
    pub holds: bool,
    /// Workloads in which it is not.
    pub open: Vec<String>,
}

/// What the suite's own test said first; such a claim stands.
pub(super) type Geomean = Option<Outcome>;

impl Suite {
    /// From the verdicts of the workloads and the suite's own test.
    pub(super) fn new(
        settings: &Settings,
        measurements: &[&Measurement],
        verdicts: &[Verdict],
        geomean: Geomean,
        speedup: Option<Effect>,
    ) -> Self {
        let non_regression = non_regression(settings, verdicts);
        let (verdict, reasons) = decide(settings, measurements, verdicts, geomean, &non_regression);
        // What is left out of an invalid run's mean may be what is wrong with it, and what is unstable has no interval.
        let unstable = verdicts.iter().any(|verdict| verdict.instability.is_some());
        let speedup = speedup.filter(|_| verdict != SuiteVerdict::Invalid && !unstable);
        Self { verdict, reasons, speedup, non_regression }
    }
}

/// The first that applies.
fn decide(
    settings: &Settings,
    measurements: &[&Measurement],
    verdicts: &[Verdict],
    geomean: Geomean,
    non_regression: &NonRegression,
) -> (SuiteVerdict, Vec<String>) {
    let faults = faults(verdicts);
    if !faults.is_empty() {
        return (SuiteVerdict::Invalid, faults);
    }
    let measured = || verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Invalid);
    if measured().next().is_none() {
        return (SuiteVerdict::Inconclusive, vec!["nothing was measured".to_owned()]);
    }
    let regressions = regressions(settings, verdicts, geomean);
    if !regressions.is_empty() {
        return (SuiteVerdict::Regressed, regressions);
    }
    let unstable =
        named(measured().filter(|verdict| verdict.instability.is_some()), "is not stable enough to judge");
    if !unstable.is_empty() {
        return (SuiteVerdict::Inconclusive, unstable);
    }
    if geomean == Some(Outcome::Faster) {
        let missing = missing(settings, measurements, non_regression);
        let verdict = if missing.is_empty() { SuiteVerdict::Improved } else { SuiteVerdict::Inconclusive };
        return (
            verdict,
            if missing.is_empty() { vec!["faster as a whole, slower nowhere".to_owned()] } else { missing },
        );
    }
    let open =
        named(measured().filter(|verdict| verdict.outcome == Outcome::Inconclusive), "is inconclusive");
    if !open.is_empty() {
        return (SuiteVerdict::Inconclusive, open);
    }
    if geomean == Some(Outcome::Equivalent) {
        return (SuiteVerdict::Unchanged, vec!["the same as a whole, slower nowhere".to_owned()]);
    }
    (SuiteVerdict::Inconclusive, vec!["the workloads are decided, their mean is not".to_owned()])
}

/// What makes a run invalid. A workload that this machine does not support says nothing about the kernel.
fn faults(verdicts: &[Verdict]) -> Vec<String> {
    verdicts
        .iter()
        .filter_map(|verdict| Some((verdict, verdict.fault.as_ref()?)))
        .filter(|(_, fault)| fault.kind != FaultKind::Unsupported)
        .map(|(verdict, fault)| format!("`{}` is {}: {}", verdict.workload, fault.kind.word(), fault.reason))
        .collect()
}

fn regressions(settings: &Settings, verdicts: &[Verdict], geomean: Geomean) -> Vec<String> {
    let mut reasons =
        named(verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Slower), "is slower");
    if geomean == Some(Outcome::Slower) {
        reasons.push("slower as a whole".to_owned());
    }
    if !settings.allow_more_memory {
        let more =
            |verdict: &&Verdict| verdict.memory.is_some_and(|memory| memory.outcome == MemoryOutcome::More);
        reasons.extend(named(verdicts.iter().filter(more), "needs more memory"));
    }
    reasons
}

/// What keeps a faster run from being an improvement.
fn missing(
    settings: &Settings,
    measurements: &[&Measurement],
    non_regression: &NonRegression,
) -> Vec<String> {
    let mut missing: Vec<String> = non_regression
        .open
        .iter()
        .map(|workload| format!("`{workload}` may be more than {:.0} % slower", 100.0 * settings.regression))
        .collect();
    if settings.require_sizes {
        let sizes: BTreeSet<SizeClass> = measurements
            .iter()
            .filter(|measurement| measurement.fault.is_none())
            .filter_map(|measurement| measurement.size)
            .collect();
        missing.extend(
            SizeClass::ALL
                .into_iter()
                .filter(|size| !sizes.contains(size))
                .map(|size| format!("no workload of the size `{}` was measured", size.word())),
        );
    }
    missing
}

/// Every single workload must exclude the regression, so that no correction for their number is needed.
fn non_regression(settings: &Settings, verdicts: &[Verdict]) -> NonRegression {
    let limit = -settings.regression.ln_1p();
    let level = settings.spending().level();
    let excluded =
        |verdict: &Verdict| verdict.effect.is_some_and(|effect| effect.estimate().p_above(limit) <= level);
    let open: Vec<String> = verdicts
        .iter()
        .filter(|verdict| verdict.outcome != Outcome::Invalid && !excluded(verdict))
        .map(|verdict| verdict.workload.clone())
        .collect();
    NonRegression { holds: open.is_empty() && !verdicts.is_empty(), open }
}

fn named<'a>(verdicts: impl Iterator<Item = &'a Verdict>, what: &str) -> Vec<String> {
    verdicts.map(|verdict| format!("`{}` {what}", verdict.workload)).collect()
}
