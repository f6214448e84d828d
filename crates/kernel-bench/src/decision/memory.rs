//! Peak memory of the two arms. Allocators are nearly deterministic: what every process measured alike is compared
//! exactly, and only what varies needs a test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measurement::{Arms, Process};
use crate::statistics::{Estimate, median};

/// Processes that must agree before memory is said to be so.
const LEAST_PROCESSES: usize = 3;

/// What was decided about memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// The decision.
    pub outcome: MemoryOutcome,
    /// Peak bytes of the two arms in a typical process.
    pub peak: Arms<u64>,
    /// Candidate over baseline; absent where the baseline needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Whether every process measured the same.
    pub exact: bool,
}

/// The decision about memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryOutcome {
    /// Less than the baseline by more than the margin.
    Less,
    /// The same within the margin.
    Same,
    /// More than the baseline by more than the margin.
    More,
    /// The measurements do not tell.
    Inconclusive,
}

impl MemoryOutcome {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Less => "less",
            Self::Same => "same",
            Self::More => "more",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// Of these processes, at this two-sided level and logarithmic margin; nothing where memory was not measured.
pub(super) fn memory(processes: &[Process], level: f64, margin: f64) -> Option<Memory> {
    let peaks: Vec<Arms<u64>> = processes.iter().filter_map(|process| process.peak_memory).collect();
    let first = *peaks.first()?;
    let exact = peaks.iter().all(|peak| *peak == first);
    let peak = if exact { first } else { typical(&peaks) };
    let ratio = (peak.baseline > 0).then(|| share(peak));
    let outcome = if peaks.len() < LEAST_PROCESSES {
        MemoryOutcome::Inconclusive
    } else if exact {
        compared(first, margin)
    } else {
        tested(&peaks, level, margin)
    };
    Some(Memory { outcome, peak, ratio, exact })
}

fn compared(peak: Arms<u64>, margin: f64) -> MemoryOutcome {
    if peak.baseline == peak.candidate {
        MemoryOutcome::Same
    } else if share(peak).ln() > margin {
        MemoryOutcome::More
    } else if share(peak).ln() < -margin {
        MemoryOutcome::Less
    } else {
        MemoryOutcome::Same
    }
}

fn tested(peaks: &[Arms<u64>], level: f64, margin: f64) -> MemoryOutcome {
    let logarithms: Vec<f64> = peaks.iter().map(|peak| share(*peak).ln()).collect();
    let Some(estimate) = Estimate::of(&logarithms) else { return MemoryOutcome::Inconclusive };
    if estimate.p_above(margin) <= level / 2.0 {
        MemoryOutcome::More
    } else if estimate.p_below(-margin) <= level / 2.0 {
        MemoryOutcome::Less
    } else if estimate.p_within(margin) <= level {
        MemoryOutcome::Same
    } else {
        MemoryOutcome::Inconclusive
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no last byte")]
fn share(peak: Arms<u64>) -> f64 {
    peak.candidate as f64 / peak.baseline as f64
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bytes of a machine fit"
)]
fn typical(peaks: &[Arms<u64>]) -> Arms<u64> {
    let middle =
        |of: fn(&Arms<u64>) -> u64| median(&peaks.iter().map(|peak| of(peak) as f64).collect::<Vec<_>>());
    Arms { baseline: middle(|peak| peak.baseline) as u64, candidate: middle(|peak| peak.candidate) as u64 }
}
