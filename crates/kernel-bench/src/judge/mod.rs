//! Judges outputs by their bytes. The kernel's own process is not asked whether it is right: it hands out what it made,
//! and this module holds it against a reference that was computed elsewhere, to far more digits.

mod compare;
mod number;
mod rule;
mod tolerance;

pub use compare::{Cause, Expected, Judged, Mismatch, judge};
pub use number::{Number, UnknownNumber};
pub use rule::{Rule, judge_by};
pub use tolerance::{Tolerance, Worst};
