//! One effect from several machines of one kind: each has its own true effect, drawn around a common mean.

use super::Estimate;
use super::sample::count;

/// What several machines say together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// The common mean.
    pub mean: Estimate,
    /// Variance of the true effects between machines.
    pub between: f64,
}

/// Random-effects mean with the interval of Hartung, Knapp, Sidik and Jonkman (DerSimonian and Laird's variance between
/// machines, one degree of freedom less than machines). Fewer than three machines, or one that measured without error,
/// allow no such statement.
pub fn hartung_knapp(effects: &[f64], errors: &[f64]) -> Option<Pooled> {
    let usable = |value: &f64| value.is_finite() && *value > 0.0;
    if effects.len() < 3 || effects.len() != errors.len() || !errors.iter().all(usable) {
        return None;
    }
    let freedom = count(effects) - 1.0;
    let fixed: Vec<f64> = errors.iter().map(|error| error.powi(-2)).collect();
    let total: f64 = fixed.iter().sum();
    let scale = total - fixed.iter().map(|weight| weight * weight).sum::<f64>() / total;
    let between = ((spread(effects, &fixed) - freedom) / scale).max(0.0);
    let weights: Vec<f64> = errors.iter().map(|error| 1.0 / (error.powi(2) + between)).collect();
    let error = (spread(effects, &weights) / (freedom * weights.iter().sum::<f64>())).sqrt();
    Some(Pooled { mean: Estimate { value: weighted_mean(effects, &weights), error, freedom }, between })
}

fn weighted_mean(values: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    sum / weights.iter().sum::<f64>()
}

fn spread(values: &[f64], weights: &[f64]) -> f64 {
    let centre = weighted_mean(values, weights);
    values.iter().zip(weights).map(|(value, weight)| weight * (value - centre).powi(2)).sum()
}
