//! How far an honest output may be from the exact one. Three bounds, of which the widest counts: some units in the last
//! place of the output's own format; what torch's own tests allow for that format; and twice the error of the reference
//! in the output's precision, among values of like size, so that nobody has to round better than torch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::{Float, Number, exponent, power_of_two};

/// A tolerance for one output.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tolerance {
    /// Units in the last place.
    pub ulp: f64,
    /// Share of the exact value.
    pub relative: f64,
    /// Absolute amount.
    pub absolute: f64,
}

impl Tolerance {
    /// What applies where nothing is declared: two units in the last place, or what `torch.testing` allows.
    pub fn of(number: Number) -> Self {
        let (relative, absolute) = match number {
            Number::Float64 | Number::Complex128 => (1e-7, 1e-7),
            Number::Float32 | Number::Complex64 => (1.3e-6, 1e-5),
            Number::Float16 => (1e-3, 1e-5),
            Number::Bfloat16 => (1.6e-2, 1e-5),
            _ => (0.0, 0.0),
        };
        Self { ulp: 2.0, relative, absolute }
    }

    /// What applies to a declared operation, of which it is known how much it sums up: a few units in the last place,
    /// and what the errors of a sum of so many terms come to, added in float32 or what is wider. Functions such as `exp`
    /// are within 4 units where they are fast, and rounding to a short type hides that.
    pub fn declared(number: Number, terms: f64, largest: f64) -> Self {
        let (ulp, unit) = match number {
            Number::Float64 | Number::Complex128 => (4.0, power_of_two(-53)),
            Number::Float32 | Number::Complex64 => (4.0, power_of_two(-24)),
            _ => (2.0, power_of_two(-24)),
        };
        let absolute = if terms > 1.0 { 4.0 * terms.sqrt() * unit * largest } else { 0.0 };
        Self { ulp, relative: 0.0, absolute }
    }

    /// What a sum of `terms` products may be off, each at most `largest` in size and added in float32: an elementwise
    /// bound knows nothing of how errors of a long sum add up.
    #[must_use]
    pub fn with_sum(mut self, terms: f64, largest: f64) -> Self {
        let unit = power_of_two(-24);
        self.absolute = self.absolute.max(4.0 * terms.sqrt() * unit * largest);
        self
    }

    pub(super) fn allows(&self, float: Float, exact: f64) -> f64 {
        (self.ulp * float.step(exact)).max(self.absolute + self.relative * exact.abs())
    }
}

/// Half of the number of kept exponents of f64.
const BIAS: i32 = 1075;

/// The largest error of the reference among values of each binade.
#[derive(Clone, Debug)]
pub struct Worst(Vec<f64>);

impl Worst {
    /// No error anywhere.
    pub fn none() -> Self {
        Self(vec![0.0; 2 * 1075])
    }

    /// Takes the error of one value into account.
    pub fn take(&mut self, exact: f64, error: f64) {
        let at = place(exact);
        self.0[at] = self.0[at].max(error);
    }

    /// The largest error among values in the binade of this one and its neighbours.
    pub fn near(&self, exact: f64) -> f64 {
        let at = place(exact);
        self.0[at.saturating_sub(1)..=(at + 1).min(self.0.len() - 1)].iter().copied().fold(0.0, f64::max)
    }
}

fn place(value: f64) -> usize {
    usize::try_from(exponent(value) + BIAS).unwrap_or_default().min(2 * 1075 - 1)
}
