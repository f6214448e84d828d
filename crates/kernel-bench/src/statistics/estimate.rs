//! A mean with its uncertainty, and every question that is asked of it: intervals, one-sided tests, equivalence, and what
//! could have been seen at all.

use super::sample::{count, mean, variance};
use super::student::{cumulative, student_quantile, survival};

/// A mean with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
}

impl Estimate {
    /// The mean of independent values; nothing where fewer than two, or one that is not finite, leave no uncertainty to
    /// estimate.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let error = (variance(values) / count(values)).sqrt();
        Some(Self { value: mean(values), error, freedom: count(values) - 1.0 })
    }

    /// How many values it is the mean of.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
    pub fn size(&self) -> usize {
        self.freedom.round() as usize + 1
    }

    /// The two-sided confidence interval.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let half = student_quantile(0.5 + level / 2.0, self.freedom) * self.error;
        (self.value - half, self.value + half)
    }

    /// Probability of a mean this high if the truth were `limit`.
    pub fn p_above(&self, limit: f64) -> f64 {
        self.tail(self.value - limit)
    }

    /// Probability of a mean this low if the truth were `limit`.
    pub fn p_below(&self, limit: f64) -> f64 {
        self.tail(limit - self.value)
    }

    /// Two one-sided tests: small where the truth is between `-limit` and `limit`.
    pub fn p_within(&self, limit: f64) -> f64 {
        self.p_above(-limit).max(self.p_below(limit))
    }

    /// Distance from a limit at which an effect is seen with this power by a one-sided test of this level.
    pub fn detectable(&self, level: f64, power: f64) -> f64 {
        self.error * (student_quantile(1.0 - level, self.freedom) + student_quantile(power, self.freedom))
    }

    /// Where nothing varied, the truth is what was seen.
    fn tail(&self, distance: f64) -> f64 {
        if self.error > 0.0 {
            survival(distance / self.error, self.freedom)
        } else if distance > 0.0 {
            0.0
        } else {
            1.0
        }
    }

    /// Probability of a mean at least this far from `truth`, in either direction.
    pub fn p_differs(&self, truth: f64) -> f64 {
        if self.error > 0.0 {
            2.0 * cumulative(-((self.value - truth).abs() / self.error), self.freedom)
        } else if (self.value - truth).abs() > 0.0 {
            0.0
        } else {
            1.0
        }
    }
}
