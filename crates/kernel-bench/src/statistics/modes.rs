//! Does a list of times have one speed or two? Clocks that switch and neighbours on the same core make two.

use super::sample::{count, mean, sorted};

/// Two groups of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// Distance between the means of the groups.
    pub gap: f64,
    /// Share of the values in the smaller group.
    pub smaller: f64,
    /// Share of the variance that the two means explain: 0.64 for normal values, 0.75 for uniform ones, near 1 for two
    /// speeds.
    pub explained: f64,
}

/// The split into two groups that explains most.
pub fn modes(values: &[f64]) -> Option<Modes> {
    let sorted = sorted(values);
    let centre = mean(&sorted);
    let total: f64 = sorted.iter().map(|value| (value - centre).powi(2)).sum();
    if sorted.len() < 4 || !total.is_finite() || total <= 0.0 {
        return None;
    }
    let (size, sum) = (count(&sorted), sorted.iter().sum::<f64>());
    let (mut below, mut low) = (0.0, 0.0);
    let mut best: Option<Modes> = None;
    for value in &sorted[..sorted.len() - 1] {
        below += value;
        low += 1.0;
        let gap = (sum - below) / (size - low) - below / low;
        let explained = low * (size - low) / size * gap * gap / total;
        if best.is_none_or(|best| explained > best.explained) {
            best = Some(Modes { gap, smaller: low.min(size - low) / size, explained });
        }
    }
    best
}
