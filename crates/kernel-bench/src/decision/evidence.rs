//! One workload as a look sees it, and all of them as one.

use super::{Instability, Paired};
use crate::measurement::Measurement;
use crate::statistics::Estimate;

/// One workload at one look.
pub(super) struct Evidence<'a> {
    pub(super) measurement: &'a Measurement,
    /// Each process as one number; nothing where it has no usable block.
    pub(super) paired: Vec<Option<Paired>>,
    pub(super) estimate: Option<Estimate>,
    pub(super) instability: Option<Instability>,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(measurement: &'a Measurement) -> Self {
        let paired: Vec<Option<Paired>> = measurement.processes.iter().map(Paired::of).collect();
        let present: Vec<Paired> = paired.iter().flatten().cloned().collect();
        let values: Vec<f64> = present.iter().map(|process| process.value).collect();
        Self { measurement, estimate: Estimate::of(&values), instability: Instability::of(&present), paired }
    }

    pub(super) fn processes(&self) -> usize {
        self.paired.iter().flatten().count()
    }

    /// What a verdict may rest on.
    pub(super) fn stable(&self) -> Option<Estimate> {
        self.estimate.filter(|_| self.instability.is_none()).filter(believable)
    }

    /// Probability that stands for the claim of a difference; an unstable workload claims nothing.
    pub(super) fn claim(&self, margin: f64) -> f64 {
        self.stable().map_or(1.0, |estimate| estimate.p_above(margin).min(estimate.p_below(-margin)))
    }
}

/// Fewest processes that a verdict may rest on.
const LEAST_PROCESSES: usize = 3;

/// Enough processes that differ at all. Where every process says exactly the same, a coarse clock speaks, not the kernel,
/// and its certainty is worth nothing.
pub(super) fn believable(estimate: &Estimate) -> bool {
    estimate.size() >= LEAST_PROCESSES && estimate.error > 0.0
}

/// The weighted mean over workloads, process by process.
pub(super) fn geomean(evidence: &[Evidence<'_>]) -> Option<Estimate> {
    let judged: Vec<&Evidence<'_>> =
        evidence.iter().filter(|evidence| evidence.measurement.fault.is_none()).collect();
    let processes = judged.iter().map(|evidence| evidence.paired.len()).max()?;
    let weight: f64 = judged.iter().map(|evidence| evidence.measurement.weight).sum();
    let value = |evidence: &Evidence<'_>, process: usize| {
        Some(evidence.measurement.weight * evidence.paired.get(process)?.as_ref()?.value)
    };
    let values: Vec<f64> = (0..processes)
        .filter_map(|process| judged.iter().map(|evidence| value(evidence, process)).sum::<Option<f64>>())
        .map(|sum| sum / weight)
        .collect();
    Estimate::of(&values)
}
