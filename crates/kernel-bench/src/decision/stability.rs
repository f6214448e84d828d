//! The guard before any verdict on speed. Where most of a sample is interruption, a median of it is no median of the
//! kernel, and intervals come out too narrow: measured on a busy machine, 6 of 24 missed the truth. What the guard
//! stops is re-measured with shorter samples, or stays without a verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Paired;
use crate::statistics::{deviation, median};

/// Largest share of wild blocks.
const MOST_WILD: f64 = 0.25;
/// Largest distance between the quartiles in a typical process.
const MOST_SPREAD: f64 = 0.20;
/// Largest share of processes that are nothing like the others.
const MOST_STRANGE: f64 = 0.15;
/// Deviations that make a process strange.
const STRANGE: f64 = 6.0;

/// Why the samples of a workload carry no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Instability {
    /// What is wrong with them.
    pub kind: InstabilityKind,
    /// What was found, as a share.
    pub found: f64,
    /// What is allowed.
    pub allowed: f64,
}

/// Kinds of instability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InstabilityKind {
    /// Too many blocks are further than 20 % from their process's middle.
    WildBlocks,
    /// The middle half of the blocks of a process is too wide.
    WideBlocks,
    /// Too many processes are nothing like the others.
    StrangeProcesses,
}

impl InstabilityKind {
    /// What it is, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::WildBlocks => "too many blocks are more than 20 % off",
            Self::WideBlocks => "the blocks of a process are too wide apart",
            Self::StrangeProcesses => "too many processes are nothing like the others",
        }
    }
}

impl Instability {
    /// What is wrong with these processes, if anything.
    pub fn of(processes: &[Paired]) -> Option<Self> {
        if processes.is_empty() {
            return None;
        }
        let blocks: usize = processes.iter().map(|process| process.blocks.len()).sum();
        #[expect(clippy::cast_precision_loss, reason = "a run has few blocks")]
        let wild = processes.iter().map(|process| process.wild * process.blocks.len() as f64).sum::<f64>()
            / blocks as f64;
        let spreads: Vec<f64> = processes.iter().map(|process| process.spread).collect();
        [
            (InstabilityKind::WildBlocks, wild, MOST_WILD),
            (InstabilityKind::WideBlocks, median(&spreads), MOST_SPREAD),
            (InstabilityKind::StrangeProcesses, strange(processes), MOST_STRANGE),
        ]
        .into_iter()
        .find(|(_, found, allowed)| found > allowed)
        .map(|(kind, found, allowed)| Self { kind, found, allowed })
    }

    /// Whether shorter samples can help.
    pub fn within_processes(&self) -> bool {
        self.kind != InstabilityKind::StrangeProcesses
    }
}

/// Share of processes far from the others, by the others' own measure.
fn strange(processes: &[Paired]) -> f64 {
    let values: Vec<f64> = processes.iter().map(|process| process.value).collect();
    let (centre, width) = (median(&values), deviation(&values));
    let far = values.iter().filter(|value| (*value - centre).abs() > STRANGE * width).count();
    #[expect(clippy::cast_precision_loss, reason = "a run has few processes")]
    let share = far as f64 / values.len() as f64;
    if width > 0.0 { share } else { 0.0 }
}
