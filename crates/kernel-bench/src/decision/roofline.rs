//! How close a kernel comes to what this machine can do at all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measurement::{Arms, Work};

/// Faster than the roof by more than an error of measurement: no kernel, but an error of measurement or a cheat.
const IMPOSSIBLE: f64 = 1.05;

/// What the machine can do, for the type of one workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Roof {
    /// Bytes in a second.
    pub bytes_per_second: Option<f64>,
    /// Operations in a second.
    pub flop_per_second: Option<f64>,
    /// Whether it was measured on this machine; otherwise it comes from a table.
    pub measured: bool,
}

/// Where the arms stand under the roof.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Roofline {
    /// What limits the workload at best.
    pub bound: Bound,
    /// Operations for each byte, where both are declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intensity: Option<f64>,
    /// Share of the roof that each arm reaches; 1 is the roof.
    pub share: Arms<f64>,
    /// Whether an arm is faster than the machine can be.
    pub impossible: bool,
}

/// What limits a workload at best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Moving bytes.
    Memory,
    /// Computing.
    Compute,
}

impl Roofline {
    /// Of a workload whose calls take these nanoseconds; nothing where work or roof is unknown.
    pub fn of(work: Work, roof: &Roof, nanoseconds: Arms<f64>) -> Option<Self> {
        let least = |amount: Option<f64>, speed: Option<f64>| Some(amount? / speed?);
        let memory = least(work.bytes, roof.bytes_per_second).unwrap_or(0.0);
        let compute = least(work.flop, roof.flop_per_second).unwrap_or(0.0);
        let best = memory.max(compute) * 1e9;
        if !(best.is_finite() && best > 0.0) {
            return None;
        }
        let share = Arms { baseline: best / nanoseconds.baseline, candidate: best / nanoseconds.candidate };
        let intensity = work.flop.zip(work.bytes).map(|(flop, bytes)| flop / bytes);
        Some(Self {
            bound: if compute > memory { Bound::Compute } else { Bound::Memory },
            intensity,
            share,
            impossible: share.baseline.max(share.candidate) > IMPOSSIBLE,
        })
    }
}
