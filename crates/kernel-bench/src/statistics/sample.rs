//! What describes a list of numbers. An empty list has no mean: such questions answer `NaN`, which no comparison takes
//! for a result.

/// Arithmetic mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values)
}

/// Variance of the population that the values were drawn from.
pub fn variance(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (count(values) - 1.0)
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Linear interpolation between the order statistics.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let [value] = quantiles(values, [share]);
    value
}

/// Several quantiles of the same values.
pub fn quantiles<const N: usize>(values: &[f64], shares: [f64; N]) -> [f64; N] {
    if values.is_empty() {
        return [f64::NAN; N];
    }
    let sorted = sorted(values);
    shares.map(|share| {
        let position = share.clamp(0.0, 1.0) * (count(values) - 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the length"
        )]
        let below = position.floor() as usize;
        let above = (below + 1).min(sorted.len() - 1);
        sorted[below] + (sorted[above] - sorted[below]) * position.fract()
    })
}

/// Distance between the quartiles.
pub fn interquartile_range(values: &[f64]) -> f64 {
    let [low, high] = quantiles(values, [0.25, 0.75]);
    high - low
}

/// Median absolute deviation, scaled so that it estimates the standard deviation of normal values.
pub fn deviation(values: &[f64]) -> f64 {
    let centre = median(values);
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    1.482_602_218_505_602 * median(&distances)
}

/// Correlation of each value with the one before.
pub fn autocorrelation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let around: Vec<f64> = values.iter().map(|value| value - centre).collect();
    let together: f64 = around.windows(2).map(|pair| pair[0] * pair[1]).sum();
    together / around.iter().map(|value| value * value).sum::<f64>()
}

/// Ascending.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[expect(clippy::cast_precision_loss, reason = "no list has 2^52 values")]
pub(crate) fn count(values: &[f64]) -> f64 {
    values.len() as f64
}
