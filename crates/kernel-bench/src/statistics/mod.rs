//! Formulas, each with golden vectors computed by an independent implementation.

mod differences;
mod estimate;
mod holm;
mod modes;
mod pooled;
mod sample;
mod spending;
mod student;

pub use differences::{difference, welch};
pub use estimate::{Estimate, detectable_errors};
pub use holm::{holm, holm_adjusted};
pub use modes::{Modes, modes};
pub use pooled::{Pooled, hartung_knapp};
pub use sample::{
    autocorrelation, deviation, interquartile_range, mean, median, quantile, quantiles, variance,
};
pub use spending::Spending;
pub use student::{cumulative, student_quantile, survival};
