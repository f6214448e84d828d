//! Where the uncertainty of a workload comes from. "Inconclusive" alone helps nobody: the causes say what to do.

mod cause;
mod signs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cause::{Cause, CauseKind};

use super::Paired;
use crate::measurement::Process;
use crate::statistics::{deviation, median, variance};

/// Where the uncertainty of a workload comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// Standard deviation between processes that blocks do not explain, of the logarithm of the ratio.
    pub between_processes: f64,
    /// Standard deviation between the blocks of a process, of the logarithm of the ratio.
    pub between_blocks: f64,
    /// Correlation of a block's time with the one before.
    pub autocorrelation: f64,
    /// Change of the time of a call from the first block of a process to the last, as a logarithm.
    pub trend: f64,
    /// What is seen to cause it, the strongest sign first.
    pub causes: Vec<Cause>,
}

impl Noise {
    /// Of these processes and what they come to.
    pub(super) fn of(processes: &[Process], paired: &[Paired]) -> Option<Self> {
        let blocks: Vec<f64> = paired.iter().map(|process| deviation(&process.blocks)).collect();
        let between_blocks = median(&blocks);
        let values: Vec<f64> = paired.iter().map(|process| process.value).collect();
        let explained = explained(paired, between_blocks);
        let seen = if values.len() > 1 { variance(&values) } else { f64::NAN };
        if !seen.is_finite() || !between_blocks.is_finite() {
            return None;
        }
        let series = signs::series(processes);
        let autocorrelation = signs::autocorrelation(&series);
        let trend = signs::trend(&series);
        let mut causes = signs::of_the_machine(processes);
        causes.extend(signs::of_the_samples(processes, paired));
        causes.extend(signs::of_the_series(&series, autocorrelation, trend));
        causes.extend(cause::layout(seen, explained));
        Some(Self {
            between_processes: (seen - explained).max(0.0).sqrt(),
            between_blocks,
            autocorrelation: autocorrelation.map_or(0.0, |found| found.value),
            trend: trend.map_or(0.0, |found| found.value),
            causes,
        })
    }
}

/// Variance of a process's value that the blocks alone would make: the median of normal values has π/2 times the variance
/// of their mean.
fn explained(paired: &[Paired], between_blocks: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a process has few blocks")]
    let counts: Vec<f64> = paired.iter().map(|process| process.blocks.len() as f64).collect();
    std::f64::consts::FRAC_PI_2 * between_blocks.powi(2) / median(&counts)
}
