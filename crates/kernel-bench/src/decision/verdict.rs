//! The words a run may end in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measurement::Fault;

/// What was decided about one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The workload.
    pub workload: String,
    /// The decision.
    pub outcome: Outcome,
    /// Why there is no verdict on speed.
    pub fault: Option<Fault>,
    /// The measured effect; never there with a fault.
    pub effect: Option<Effect>,
}

/// The decision about one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Faster than the baseline by more than the margin.
    Faster,
    /// Slower than the baseline by more than the margin.
    Slower,
    /// Neither, within the margin of equivalence.
    Equivalent,
    /// The measurements do not tell.
    Inconclusive,
    /// Speed means nothing here: wrong, crashed, suspect.
    Invalid,
}

/// A speed-up with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// Time of the baseline over time of the candidate.
    pub ratio: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end of the confidence interval.
    pub high: f64,
    /// Confidence of the interval, 0 to 1.
    pub level: f64,
    /// Processes that it rests on.
    pub processes: usize,
}

/// The decision about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SuiteVerdict {
    /// Faster as a whole, slower nowhere, correct everywhere.
    Improved,
    /// Slower somewhere, or as a whole.
    Regressed,
    /// Equivalent everywhere.
    Unchanged,
    /// The measurements do not tell.
    Inconclusive,
    /// Something is wrong, crashed or suspect.
    Invalid,
}
