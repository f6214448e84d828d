//! What a run decides by. Fixed before the first sample: a procedure that is chosen after looking has no error rate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::statistics::Spending;

/// What a run decides by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Probability of any false claim of speed in the whole run.
    pub alpha: f64,
    /// Numbers of processes after which the run may stop, ascending.
    pub looks: Vec<usize>,
    /// Smallest speed-up that counts, as a share: 0.01 is 1 %.
    pub margin: f64,
    /// Largest difference that counts as none, as a share.
    pub equivalence: f64,
    /// A regression larger than this, as a share, must be excluded in every workload of an improvement.
    pub regression: f64,
    /// Smallest difference in peak memory that counts, as a share.
    pub memory_margin: f64,
    /// Whether a kernel that needs more memory may still improve.
    pub allow_more_memory: bool,
    /// Whether an improvement must have been measured at small, large and awkward sizes.
    pub require_sizes: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            looks: vec![6, 10, 16, 24],
            margin: 0.01,
            equivalence: 0.02,
            regression: 0.03,
            memory_margin: 0.01,
            allow_more_memory: false,
            require_sizes: true,
        }
    }
}

/// What settings no verdict can come from.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SettingsError {
    /// Alpha is no probability of error.
    #[error("alpha is {0}; it must lie between 0 and 0.5")]
    Alpha(f64),
    /// The looks are empty, too early, or not ascending.
    #[error("the looks are {0:?}; they must ascend, and the first needs at least 3 processes")]
    Looks(Vec<usize>),
    /// A margin is no share.
    #[error("{name} is {value}; it must be a share of at least {least} and below 1")]
    Share {
        /// Which one.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        least: f64,
    },
}

impl Settings {
    /// These settings, where verdicts can come from them.
    pub fn checked(self) -> Result<Self, SettingsError> {
        if !(self.alpha > 0.0 && self.alpha < 0.5) {
            return Err(SettingsError::Alpha(self.alpha));
        }
        let ascending = self.looks.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || self.looks.first().is_none_or(|first| *first < 3) {
            return Err(SettingsError::Looks(self.looks));
        }
        for (name, value, least) in [
            ("the margin", self.margin, 0.0),
            ("the equivalence margin", self.equivalence, 1e-6),
            ("the regression limit", self.regression, 1e-6),
            ("the memory margin", self.memory_margin, 0.0),
        ] {
            if !(value >= least && value < 1.0) {
                return Err(SettingsError::Share { name, value, least });
            }
        }
        Ok(self)
    }

    /// How alpha is spent.
    pub fn spending(&self) -> Spending {
        Spending::new(self.alpha, self.looks.len())
    }
}
