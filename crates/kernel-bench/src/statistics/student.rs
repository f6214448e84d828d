//! Student's t distribution. The tails come from `statrs`; its quantile loses digits where there are many degrees of
//! freedom or the probability is very small, so that the tails are inverted here.

use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};

/// The heaviest tail that is asked about, one degree of freedom, doubles its way in about 30 steps.
const MOST_STEPS: usize = 200;
/// A step this small leaves an error of its square.
const ENOUGH: f64 = 1e-12;

/// Probability of a value of at most `t`.
pub fn cumulative(t: f64, freedom: f64) -> f64 {
    distribution(freedom).map_or(f64::NAN, |student| student.cdf(t))
}

/// Probability of a value above `t`, with all its digits where it is small.
pub fn survival(t: f64, freedom: f64) -> f64 {
    cumulative(-t, freedom)
}

/// The value that is not exceeded with this probability.
pub fn student_quantile(probability: f64, freedom: f64) -> f64 {
    let Some(student) = distribution(freedom) else { return f64::NAN };
    if !(0.0..=1.0).contains(&probability) {
        return f64::NAN;
    }
    if probability > 0.5 {
        return -student_quantile(1.0 - probability, freedom);
    }
    if probability == 0.0 {
        return f64::NEG_INFINITY;
    }
    // The normal quantile is nearer to zero, and the tail is convex: Newton's method cannot overshoot from there.
    let mut t = Normal::standard().inverse_cdf(probability);
    for _ in 0..MOST_STEPS {
        let step = (student.cdf(t) - probability) / student.pdf(t);
        t -= step;
        if step.abs() <= ENOUGH * t.abs() {
            break;
        }
    }
    t
}

fn distribution(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok()
}
