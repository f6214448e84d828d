//! A mean with its uncertainty, and every question that is asked of it: intervals, one-sided tests, equivalence, and what
//! could have been seen at all.

use statrs::distribution::{ContinuousCDF, Normal};

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

    /// Distance from a limit at which a one-sided test of this level sees an effect with this power.
    pub fn detectable(&self, level: f64, power: f64) -> f64 {
        if self.error > 0.0 { self.error * detectable_errors(self.freedom, level, power) } else { 0.0 }
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

/// Standard errors at which a one-sided test of this level sees an effect with this power. Both the run that names the
/// effect and the run that is to see it estimate their error, `E` times σ with mean `k` and variance `v`: the effect is
/// `c` standard errors of the first, so that `c·E₁ − t·E₂ + Z ≥ 0` must hold with the power. The usual `t + t` forgets
/// that the first error is an estimate; with six processes it sees the effect in 66 to 70 of 100 runs instead of 80.
pub fn detectable_errors(freedom: f64, level: f64, power: f64) -> f64 {
    let critical = student_quantile(1.0 - level, freedom);
    let squared = Normal::standard().inverse_cdf(power).powi(2);
    let k = 4.0 * freedom / (4.0 * freedom + 1.0);
    let v = 1.0 - k * k;
    // (c − t)²·k² = z²·(1 + (c² + t²)·v), solved for c.
    let (a, half) = (k * k - squared * v, critical * k * k);
    let rest = critical.powi(2) * k * k - squared * (1.0 + critical.powi(2) * v);
    if a > 0.0 { (half + (half * half - a * rest).sqrt()) / a } else { f64::INFINITY }
}
