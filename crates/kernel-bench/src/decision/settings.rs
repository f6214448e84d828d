//! What a run decides by. Fixed before the first sample: a procedure that is chosen after looking has no error rate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run decides by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Probability of any false claim in the whole run.
    pub alpha: f64,
    /// Numbers of processes after which the run may stop, ascending.
    pub looks: Vec<usize>,
    /// Smallest speed-up that counts, as a share: 0.01 is 1 %.
    pub margin: f64,
    /// Largest difference that counts as none, as a share.
    pub equivalence: f64,
    /// Smallest difference in peak memory that counts, as a share.
    pub memory_margin: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { alpha: 0.05, looks: vec![6, 10, 16, 24], margin: 0.01, equivalence: 0.02, memory_margin: 0.01 }
    }
}
