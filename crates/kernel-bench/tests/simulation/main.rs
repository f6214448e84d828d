//! The error rates that the procedure promises, found by running it on simulated machines whose truth is known. Seeds are
//! fixed, so that a run says the same as the one before; the tables are printed with the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the tables are what the tests are read for")]
#![allow(clippy::cast_precision_loss, reason = "counts of runs are small")]

mod coverage;
mod machine;
mod procedure;
mod rates;
mod rivals;
mod tables;

use fastrand::Rng;

/// Runs an experiment many times; each repetition has a seed of its own.
pub(crate) fn repeat<T: Send>(runs: usize, seed: u64, experiment: impl Fn(&mut Rng) -> T + Sync) -> Vec<T> {
    let one = |run: usize| {
        let mixed = (seed << 32 | run as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        experiment(&mut Rng::with_seed(mixed))
    };
    (0..runs).map(one).collect()
}

/// Share of the runs of which something is true.
pub(crate) fn share<T>(runs: &[T], holds: impl Fn(&T) -> bool) -> f64 {
    runs.iter().filter(|run| holds(run)).count() as f64 / runs.len() as f64
}

/// Three standard errors of a share that is found by so many runs.
pub(crate) fn allowance(expected: f64, runs: usize) -> f64 {
    3.0 * (expected * (1.0 - expected) / runs as f64).sqrt()
}
