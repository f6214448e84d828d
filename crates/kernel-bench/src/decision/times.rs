//! Times of the two arms, as people ask for them. They describe; no verdict reads them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measurement::{Arms, Process};
use crate::statistics::quantiles;

/// Times of the two arms.
pub type Times = Arms<Summary>;

/// Times of one call, nanoseconds, over all blocks of all processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The smallest.
    pub least: f64,
    /// A twentieth is below.
    pub p05: f64,
    /// Half is below.
    pub median: f64,
    /// All but a twentieth is below.
    pub p95: f64,
}

/// Of these processes; nothing where no block ran.
pub(super) fn times(processes: &[Process]) -> Option<Times> {
    let blocks = || processes.iter().flat_map(|process| &process.blocks);
    let baseline: Vec<f64> = blocks().map(|block| block.baseline_ns).collect();
    let candidate: Vec<f64> = blocks().map(|block| block.candidate_ns).collect();
    (!baseline.is_empty()).then(|| Arms { baseline: summary(&baseline), candidate: summary(&candidate) })
}

fn summary(times: &[f64]) -> Summary {
    let [least, p05, median, p95] = quantiles(times, [0.0, 0.05, 0.5, 0.95]);
    Summary { least, p05, median, p95 }
}
