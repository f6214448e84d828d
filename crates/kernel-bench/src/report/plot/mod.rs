//! Where everything of a plot lies. Geometry is computed here; templates only draw it, so that the look is changed without
//! touching a number.

mod forest;
mod roofs;
mod samples;
mod scale;

use serde::Serialize;

pub(super) use forest::forest;
pub(super) use roofs::roofs;
pub(super) use samples::{Series, Strips, series, strips};

/// Colours of a plot that stands alone. A page follows its reader's choice instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    Light,
    /// Light on black.
    Dark,
}

/// A mark on an axis.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Tick {
    at: f64,
    label: String,
}

/// A tenth of a pixel is enough, and keeps the page small.
fn pixel(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}
