//! Two runs against each other.

use super::Estimate;

/// Mean of the first minus mean of the second, by independent samples of unequal variance (Welch, with Satterthwaite's
/// degrees of freedom).
pub fn welch(first: &[f64], second: &[f64]) -> Option<Estimate> {
    let (first, second) = (Estimate::of(first)?, Estimate::of(second)?);
    let (left, right) = (first.error.powi(2), second.error.powi(2));
    let spread = left.powi(2) / first.freedom + right.powi(2) / second.freedom;
    let freedom = if spread > 0.0 { (left + right).powi(2) / spread } else { first.freedom + second.freedom };
    Some(Estimate { value: first.value - second.value, error: (left + right).sqrt(), freedom })
}

/// Change of a kernel between two runs, as the logarithm of its speed-up from the first run to the second. Both runs
/// timed the kernel next to the same control, so that each gives logarithms of control over kernel: what made the whole
/// machine slower cancels within each run (difference in differences).
pub fn difference(before: &[f64], now: &[f64]) -> Option<Estimate> {
    welch(now, before)
}
