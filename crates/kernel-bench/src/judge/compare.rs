//! Holds one output against its reference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::{Float, Number};
use super::tolerance::{Tolerance, Worst};

/// How much worse than the reference's own rounding errors may be on average before they tell of a narrower type.
const DOWNGRADE: f64 = 16.0;

/// What an output should be.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// Its format.
    pub number: Number,
    /// The reference in the output's own precision, in its own format.
    pub own: &'a [u8],
    /// The format of that.
    pub own_number: Number,
    /// The reference in float64, where it can be had; otherwise the one above counts as exact.
    pub exact: Option<&'a [u8]>,
    /// How far off it may be.
    pub tolerance: Tolerance,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// Values that were looked at.
    pub values: usize,
    /// Values that are wrong.
    pub wrong: usize,
    /// Largest distance from the exact value.
    pub largest_error: f64,
    /// Largest distance in units in the last place.
    pub largest_ulp: f64,
    /// Mean error over the mean error of the reference's own rounding.
    pub error_ratio: f64,
    /// Why it is refused, if it is.
    pub cause: Option<Cause>,
    /// The first wrong value.
    pub first: Option<Mismatch>,
}

/// Why an output is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It has not as many values as it should.
    Size,
    /// Values that were put there beforehand are still there.
    NotWritten,
    /// Values are further off than any of the bounds allows.
    Value,
    /// Each value may pass, but all together are as wrong as a narrower type makes them.
    Precision,
    /// The output as a whole is too far from the reference.
    Whole,
}

/// A wrong value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mismatch {
    /// Where, counted in values.
    pub index: usize,
    /// What is there.
    #[serde(with = "special")]
    #[schemars(with = "String")]
    pub got: f64,
    /// What should be.
    #[serde(with = "special")]
    #[schemars(with = "String")]
    pub want: f64,
}

/// Judges an output by its bytes.
pub fn judge(output: &[u8], expected: &Expected) -> Judged {
    match Values::read(output, expected) {
        Ok(values) => values.judge(output, expected),
        Err(judged) => judged,
    }
}

/// An output and its reference as numbers.
pub(super) struct Values {
    pub(super) got: Vec<f64>,
    /// The reference in the output's precision.
    pub(super) own: Vec<f64>,
    /// The reference in float64.
    pub(super) exact: Vec<f64>,
}

impl Values {
    /// Reads them; where there are not as many as there should be, that is the judgement.
    pub(super) fn read(output: &[u8], expected: &Expected) -> Result<Self, Judged> {
        let own = expected.own_number.values(expected.own);
        let got = expected.number.values(output);
        let exact =
            expected.exact.map_or_else(|| own.clone(), |bytes| expected.own_number.widest().values(bytes));
        if got.len() != exact.len() || own.len() != exact.len() {
            return Err(Judged {
                wrong: got.len().max(exact.len()),
                cause: Some(Cause::Size),
                ..Judged::empty(got.len())
            });
        }
        Ok(Self { got, own, exact })
    }

    /// Judges them one by one.
    pub(super) fn judge(&self, output: &[u8], expected: &Expected) -> Judged {
        let Self { got, own, exact } = self;
        match expected.number.float() {
            Some(float) => Comparison { float, expected, got, own, exact }.run(),
            None => whole(output, expected.own, got, own),
        }
    }
}

/// Whole numbers and truth values must be equal.
fn whole(output: &[u8], own: &[u8], got: &[f64], want: &[f64]) -> Judged {
    let mut judged = Judged::empty(got.len());
    if output == own {
        return judged;
    }
    let size = output.len() / got.len().max(1);
    for (index, (one, other)) in output.chunks(size.max(1)).zip(own.chunks(size.max(1))).enumerate() {
        if one != other {
            judged.refuse(Cause::Value, index, got[index], want[index]);
            judged.largest_error = judged.largest_error.max((got[index] - want[index]).abs());
        }
    }
    judged
}

struct Comparison<'a> {
    float: Float,
    expected: &'a Expected<'a>,
    got: &'a [f64],
    own: &'a [f64],
    exact: &'a [f64],
}

impl Comparison<'_> {
    fn run(&self) -> Judged {
        let mut worst = Worst::none();
        let (mut own_square, mut square, mut size, mut finite) = (0.0, 0.0, 0.0, 0.0);
        for (own, exact) in self.own.iter().zip(self.exact) {
            if own.is_finite() && exact.is_finite() {
                worst.take(*exact, (own - exact).abs());
            }
        }
        let mut judged = Judged::empty(self.got.len());
        for (index, ((got, own), exact)) in self.got.iter().zip(self.own).zip(self.exact).enumerate() {
            let want = self.float.round(*exact);
            if !got.is_finite() || !want.is_finite() {
                // Where the reference's own precision overflows, it may be followed.
                if !same(*got, want) && !same(*got, *own) {
                    let cause = if got.is_nan() { Cause::NotWritten } else { Cause::Value };
                    judged.refuse(cause, index, *got, want);
                }
                continue;
            }
            let error = (got - exact).abs();
            let step = self.float.step(*exact);
            judged.largest_error = judged.largest_error.max(error);
            judged.largest_ulp = judged.largest_ulp.max(error / step);
            let allowed = self.expected.tolerance.allows(self.float, *exact).max(2.0 * worst.near(*exact));
            if error > allowed {
                judged.refuse(Cause::Value, index, *got, want);
            }
            if own.is_finite() {
                square += error * error;
                size += exact * exact;
                // The reference cannot be nearer than its format rounds.
                own_square += (own - exact).powi(2).max(step * step / 12.0);
                finite += 1.0;
            }
        }
        if finite > 0.0 {
            judged.error_ratio = (square / own_square).sqrt();
            let share = if size > 0.0 { (square / size).sqrt() } else { 0.0 };
            if judged.cause.is_none()
                && judged.error_ratio > DOWNGRADE
                && share > narrower(self.expected.number)
            {
                judged.cause = Some(Cause::Precision);
            }
        }
        judged
    }
}

/// The mean relative error from which on a narrower type must have taken part.
fn narrower(number: Number) -> f64 {
    match number {
        Number::Float64 | Number::Complex128 => 1e-9,
        Number::Float32 | Number::Complex64 => 5e-5,
        Number::Float16 => 8e-3,
        _ => 6e-2,
    }
}

/// Equal, where NaN equals NaN.
#[expect(clippy::float_cmp, reason = "infinities are meant, and are equal exactly")]
pub(super) fn same(one: f64, other: f64) -> bool {
    one == other || (one.is_nan() && other.is_nan())
}

impl Judged {
    pub(super) fn empty(values: usize) -> Self {
        Self {
            values,
            wrong: 0,
            largest_error: 0.0,
            largest_ulp: 0.0,
            error_ratio: 0.0,
            cause: None,
            first: None,
        }
    }

    pub(super) fn refuse(&mut self, cause: Cause, index: usize, got: f64, want: f64) {
        self.wrong += 1;
        self.cause.get_or_insert(cause);
        self.first.get_or_insert(Mismatch { index, got, want });
    }

    /// Whether the output is right.
    pub fn is_right(&self) -> bool {
        self.cause.is_none()
    }

    /// What is wrong with it, for people.
    pub fn describe(&self) -> Option<String> {
        let at = self.first.map_or_else(String::new, |first| {
            format!(", first at {}: got {}, want {}", first.index, first.got, first.want)
        });
        Some(match self.cause? {
            Cause::Size => {
                format!("the output has {} values, which is not what the reference has", self.values)
            }
            Cause::NotWritten => {
                format!("{} of {} values are NaN, as they were before the call{at}", self.wrong, self.values)
            }
            Cause::Value => format!("{} of {} values are wrong{at}", self.wrong, self.values),
            Cause::Whole => format!("the output as a whole is too far from the reference{at}"),
            Cause::Precision => format!(
                "the errors are {:.0} times those of the reference's own rounding, as if a narrower type had been used",
                self.error_ratio
            ),
        })
    }
}

/// JSON has no NaN and no infinities.
mod special {
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_string())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
