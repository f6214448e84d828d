//! How close a kernel comes to what this machine can do at all (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measurement::{Arms, Work};

/// Faster than the roof by more than an error of measurement: no kernel, but an error of measurement or a cheat.
const IMPOSSIBLE: f64 = 1.05;

/// What was measured of a machine where no kernel was ever loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ceilings {
    /// Bytes that a copy reads and writes, and how many of them a second moves; the smallest first.
    pub copies: Vec<(f64, f64)>,
    /// Floating point operations a second of each type.
    pub products: BTreeMap<String, f64>,
    /// Nanoseconds of the framework's shortest call.
    pub call_ns: f64,
}

impl Ceilings {
    /// The roof over a workload: memory as near as its bytes lie, and the arithmetic of its type. Of less than the smallest
    /// copy nothing is said, since a call alone takes longer.
    pub fn roof(&self, work: Work, dtype: Option<&str>) -> Roof {
        let bytes = work.bytes.unwrap_or(0.0);
        let near = self.copies.iter().rev().find(|(size, _)| *size <= bytes);
        Roof {
            bytes_per_second: near.map(|(_, speed)| *speed),
            flop_per_second: dtype.and_then(|dtype| self.products.get(dtype)).copied(),
            measured: true,
        }
    }
}

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
