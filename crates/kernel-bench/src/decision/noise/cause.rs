//! The causes of noise that can be named, and what helps against each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Between processes this many times the variance that blocks explain is layout.
const LAYOUT: f64 = 5.0;

/// One cause of noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// What it is.
    pub kind: CauseKind,
    /// What was seen of it.
    pub evidence: String,
}

/// Kinds of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CauseKind {
    /// The device lowered its clock.
    Throttling,
    /// Others computed on the machine.
    Load,
    /// Others computed on the device.
    SharedDevice,
    /// The thread moved between processors.
    Migration,
    /// Samples are short against the resolution of the clock.
    ShortSamples,
    /// The host needs longer than the device.
    LaunchBound,
    /// Speed changes steadily or slowly.
    Drift,
    /// The machine has two speeds.
    TwoSpeeds,
    /// Where memory came to lie decides.
    Layout,
}

impl CauseKind {
    /// What it is, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throttling => "throttling",
            Self::Load => "busy machine",
            Self::SharedDevice => "shared device",
            Self::Migration => "migration between processors",
            Self::ShortSamples => "samples too short",
            Self::LaunchBound => "launch bound",
            Self::Drift => "drift",
            Self::TwoSpeeds => "two speeds",
            Self::Layout => "memory layout",
        }
    }

    /// What helps.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Throttling => "lock the clocks or let the device cool",
            Self::Load => "stop other work, or measure on a quieter machine",
            Self::SharedDevice => "stop the other processes on the device",
            Self::Migration => "pin the run to processors of its own",
            Self::ShortSamples => "put more calls into a sample",
            Self::LaunchBound => "measure in graph mode, or compare larger workloads",
            Self::Drift => "warm up longer, or lock the clocks",
            Self::TwoSpeeds => "turn off boost states and keep the sibling thread free",
            Self::Layout => "more processes help, more blocks do not",
        }
    }
}

/// The variance between processes against what blocks explain of it.
pub(super) fn layout(seen: f64, explained: f64) -> Option<Cause> {
    (explained > 0.0 && seen > LAYOUT * explained).then(|| Cause {
        kind: CauseKind::Layout,
        evidence: format!(
            "processes differ by {:.2} % where blocks explain {:.2} %",
            100.0 * seen.sqrt(),
            100.0 * explained.sqrt()
        ),
    })
}
