//! Holm's step-down procedure: the probability of any false claim among several stays below the level, whatever depends
//! on what.

/// Which hypotheses are rejected at this level, in the order given.
pub fn holm(probabilities: &[f64], level: f64) -> Vec<bool> {
    holm_adjusted(probabilities).into_iter().map(|adjusted| adjusted <= level).collect()
}

/// The smallest level at which each hypothesis is rejected, in the order given.
pub fn holm_adjusted(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|left, right| probabilities[*left].total_cmp(&probabilities[*right]));
    let mut adjusted = vec![1.0; probabilities.len()];
    let mut least = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a run has few workloads")]
        let remaining = (probabilities.len() - rank) as f64;
        least = least.max((remaining * probabilities[index]).min(1.0));
        adjusted[index] = least;
    }
    adjusted
}
