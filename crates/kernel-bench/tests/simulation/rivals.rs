//! How other tools decide, for the table: the rules as they are, on the same simulated machines.

use fastrand::Rng;
use kernel_bench::statistics::{Estimate, mean, median, quantile, variance, welch};

use crate::machine::{BLOCKS, Machine};

/// What a rule says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    Faster,
    Slower,
    Nothing,
}

/// A rule, asked on a machine about a true logarithmic speed-up.
pub(crate) type Rule = fn(&Machine, f64, &mut Rng) -> Claim;

/// The rules of the table.
pub(crate) const RULES: [(&str, Rule); 9] = [
    ("mean + 1.96 SE against one reference sample", one_reference_sample),
    ("one after the other, Mann-Whitney", |m, e, r| ranks(m, e, 0.0, r)),
    ("one after the other, Mann-Whitney, 1 % threshold", |m, e, r| ranks(m, e, 0.01, r)),
    ("one after the other, Welch, 1 % threshold", |m, e, r| means(m, e, 0.01, r)),
    ("one after the other, [min, q3] apart", ranges),
    ("paired, one process of 200 blocks", |m, e, r| one_process(m, e, 0.0, r)),
    ("paired, one process of 200 blocks, 1 % margin", |m, e, r| one_process(m, e, 0.01, r)),
    ("ours, 10 processes, no margin", |m, e, r| processes(m, e, 10, 0.0, r)),
    ("ours, 10 processes, 1 % margin", |m, e, r| processes(m, e, 10, 0.01, r)),
];

const SAMPLES: usize = 100;

fn claim(faster: bool, slower: bool) -> Claim {
    match (faster, slower) {
        (true, _) => Claim::Faster,
        (false, true) => Claim::Slower,
        (false, false) => Claim::Nothing,
    }
}

/// The reference is called once, the kernel a hundred times; it never says slower.
fn one_reference_sample(machine: &Machine, effect: f64, rng: &mut Rng) -> Claim {
    let environment = machine.environment(SAMPLES + 1, rng);
    let (first, second) = machine.layouts(rng);
    let reference = (environment[0] + first + machine.disturbance(rng)).exp();
    let kernel: Vec<f64> = environment[1..]
        .iter()
        .map(|environment| (environment + second + machine.disturbance(rng) - effect).exp())
        .collect();
    let count = SAMPLES as f64;
    let deviation = (variance(&kernel) * (count - 1.0) / count).sqrt();
    claim(mean(&kernel) + 1.96 * deviation / count.sqrt() < reference, false)
}

/// A hundred samples of the baseline, then a hundred of the candidate.
fn in_a_row(machine: &Machine, effect: f64, rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let environment = machine.environment(2 * SAMPLES, rng);
    let (first, second) = machine.layouts(rng);
    let mut sample = |environment: &f64, own: f64| (environment + own + machine.disturbance(rng)).exp();
    let baseline = environment[..SAMPLES].iter().map(|at| sample(at, first)).collect();
    let candidate = environment[SAMPLES..].iter().map(|at| sample(at, second - effect)).collect();
    (baseline, candidate)
}

/// Mann and Whitney's test with the normal approximation, which is good for a hundred samples.
fn ranks(machine: &Machine, effect: f64, threshold: f64, rng: &mut Rng) -> Claim {
    let (baseline, candidate) = in_a_row(machine, effect, rng);
    let above: f64 =
        baseline.iter().map(|base| candidate.iter().filter(|cand| base > cand).count() as f64).sum();
    let count = SAMPLES as f64;
    let sigma = (count * count * (2.0 * count + 1.0) / 12.0).sqrt();
    let significant = ((above - count * count / 2.0).abs() - 0.5) / sigma > 1.959_963_984_540_054;
    let ratio = median(&baseline) / median(&candidate);
    claim(significant && ratio > 1.0 + threshold, significant && ratio < 1.0 / (1.0 + threshold))
}

fn means(machine: &Machine, effect: f64, threshold: f64, rng: &mut Rng) -> Claim {
    let (baseline, candidate) = in_a_row(machine, effect, rng);
    let significant = welch(&baseline, &candidate).is_some_and(|found| found.p_differs(0.0) < 0.05);
    let ratio = mean(&baseline) / mean(&candidate);
    claim(significant && ratio > 1.0 + threshold, significant && ratio < 1.0 / (1.0 + threshold))
}

fn ranges(machine: &Machine, effect: f64, rng: &mut Rng) -> Claim {
    let (baseline, candidate) = in_a_row(machine, effect, rng);
    let range = |times: &[f64]| (quantile(times, 0.0), quantile(times, 0.75));
    let (base, cand) = (range(&baseline), range(&candidate));
    claim(cand.1 < base.0, cand.0 > base.1)
}

fn one_process(machine: &Machine, effect: f64, margin: f64, rng: &mut Rng) -> Claim {
    let process = machine.process(effect, 200, rng);
    let ratios: Vec<f64> =
        process.blocks.iter().map(|block| (block.baseline_ns / block.candidate_ns).ln()).collect();
    decide(&ratios, margin)
}

/// The plain form of what this crate does: one look, one workload.
pub(crate) fn processes(machine: &Machine, effect: f64, count: usize, margin: f64, rng: &mut Rng) -> Claim {
    decide(&values(machine, effect, count, rng), margin)
}

/// Each process as one number.
pub(crate) fn values(machine: &Machine, effect: f64, count: usize, rng: &mut Rng) -> Vec<f64> {
    (0..count)
        .map(|_| {
            let process = machine.process(effect, BLOCKS, rng);
            kernel_bench::decision::Paired::of(&process).expect("blocks").value
        })
        .collect()
}

fn decide(values: &[f64], margin: f64) -> Claim {
    let found = Estimate::of(values).expect("several values");
    claim(found.p_above(margin.ln_1p()) <= 0.025, found.p_below(-margin.ln_1p()) <= 0.025)
}
