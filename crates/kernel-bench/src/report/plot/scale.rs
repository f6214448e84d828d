//! Logarithmic axes: ratios and times are compared by factors.

use super::{Tick, pixel};

/// A logarithmic axis from values to pixels.
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// An axis that shows these values with some air around, on these pixels. It is at least `least` wide, as a logarithm.
    pub(super) fn around(values: impl Iterator<Item = f64>, least: f64, from: f64, to: f64) -> Self {
        let logs: Vec<f64> = values.filter(|value| value.is_finite() && *value > 0.0).map(f64::ln).collect();
        let (mut low, mut high) = logs
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(*log), high.max(*log)));
        if low > high {
            (low, high) = (0.0, 0.0);
        }
        let air = 0.06 * (high - low) + (0.5 * (least - (high - low))).max(0.0);
        Self { low: low - air, high: high + air, from, to }
    }

    /// The pixel of a value, kept on the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        let log = value.max(f64::MIN_POSITIVE).ln();
        let share = ((log - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        pixel(self.from + share * (self.to - self.from))
    }

    /// Whether a value is on the axis.
    pub(super) fn shows(&self, value: f64) -> bool {
        let log = value.ln();
        log >= self.low && log <= self.high
    }

    /// About so many round values on the axis.
    pub(super) fn ticks(&self, about: usize, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let mut best: Vec<f64> = Vec::new();
        for steps in STEPS {
            let round = self.round(steps);
            if best.is_empty() || (round.len() <= about + 2 && round.len() > best.len()) {
                best = round;
            }
        }
        if best.len() < 3 {
            best = self.even(about);
        }
        best.into_iter().map(|value| Tick { at: self.at(value), label: label(value) }).collect()
    }

    /// These steps in every power of ten on the axis.
    fn round(&self, steps: &[f64]) -> Vec<f64> {
        let power = |log: f64| (log / std::f64::consts::LN_10).floor();
        let (mut exponent, last) = (power(self.low), power(self.high));
        let mut values = Vec::new();
        while exponent <= last {
            let unit = 10_f64.powf(exponent);
            values.extend(steps.iter().map(|step| step * unit).filter(|value| self.shows(*value)));
            exponent += 1.0;
        }
        values
    }

    /// Evenly spaced values: a short stretch of a logarithmic axis is nearly even.
    fn even(&self, about: usize) -> Vec<f64> {
        let (low, high) = (self.low.exp(), self.high.exp());
        #[expect(clippy::cast_precision_loss, reason = "a handful of ticks")]
        let rough = (high - low) / about as f64;
        let unit = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * unit).find(|step| *step >= rough);
        let step = step.unwrap_or(unit);
        let mut value = (low / step).ceil() * step;
        let mut values = Vec::new();
        while value <= high {
            values.push(value);
            value += step;
        }
        values
    }
}

/// Round values in a power of ten, from coarse to fine.
const STEPS: [&[f64]; 5] = [
    &[1.0],
    &[1.0, 3.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
    &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
];
