//! The signs by which causes are known: what the machine reported, and what the times themselves show.

use super::cause::{Cause, CauseKind};
use crate::decision::Paired;
use crate::measurement::{Arms, Block, Conditions, Process};
use crate::statistics::{Estimate, autocorrelation as lag_one, mean, median, modes};

/// Throttled blocks that are no accident.
const THROTTLED: f64 = 0.02;
/// Migrated or preempted blocks that are no accident.
const DISTURBED: f64 = 0.05;
const STEAL: f64 = 0.01;
const PRESSURE: f64 = 0.05;
/// Wild blocks that show a busy machine where nobody asked it.
const WILD: f64 = 0.05;
/// Four ticks of the clock may be this share of a sample.
const TICKS: f64 = 0.01;
/// Autocorrelation of a wandering series. That of independent blocks is a little below zero, and a wandering one of some
/// twenty blocks loses half of its own with its mean.
const CORRELATED: f64 = 0.1;
/// A steady change smaller than this is none.
const LEAST_TREND: f64 = 0.01;
/// Distance of two speeds, and what they must explain of the variance.
const LEAST_GAP: f64 = 0.03;
/// No clock has speeds this far apart, as a logarithm: such groups are interrupted blocks and others.
const MOST_GAP: f64 = 0.7;
const LEAST_EXPLAINED: f64 = 0.85;
const LEAST_MINORITY: f64 = 0.1;

/// Logarithms of the time of each block, both arms together, process by process.
pub(super) fn series(processes: &[Process]) -> Vec<Vec<f64>> {
    let time = |block: &Block| 0.5 * (block.baseline_ns * block.candidate_ns).ln();
    processes
        .iter()
        .map(|process| process.blocks.iter().map(time).filter(|time| time.is_finite()).collect::<Vec<_>>())
        .filter(|series| series.len() > 2)
        .collect()
}

/// Correlation of each block with the one before, process by process.
pub(super) fn autocorrelation(series: &[Vec<f64>]) -> Option<Estimate> {
    let each: Vec<f64> =
        series.iter().map(|series| lag_one(series)).filter(|value| value.is_finite()).collect();
    Estimate::of(&each)
}

/// Change from the first to the last block, by a line through each process.
pub(super) fn trend(series: &[Vec<f64>]) -> Option<Estimate> {
    Estimate::of(&series.iter().map(|series| change(series)).collect::<Vec<_>>())
}

#[expect(clippy::cast_precision_loss, reason = "a process has few blocks")]
fn change(series: &[f64]) -> f64 {
    let last = (series.len() - 1) as f64;
    let centre = mean(series);
    let along = |index: usize| index as f64 - last / 2.0;
    let together: f64 = series.iter().enumerate().map(|(index, value)| along(index) * (value - centre)).sum();
    let alone: f64 = (0..series.len()).map(|index| along(index).powi(2)).sum();
    last * together / alone
}

/// What the machine reported.
pub(super) fn of_the_machine(processes: &[Process]) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut add = |kind, evidence| causes.push(Cause { kind, evidence });
    let throttled = marked(processes, |block| block.marks.throttled);
    if throttled > THROTTLED {
        add(CauseKind::Throttling, format!("{} of blocks ran at a lowered clock", percent(throttled)));
    }
    let busy: Vec<String> = [
        worst(processes, |now| now.steal.filter(|share| *share > STEAL))
            .map(|share| format!("{} of the time went to other machines", percent(share))),
        worst(processes, |now| {
            now.load.filter(|load| now.processors.is_some_and(|most| *load > f64::from(most)))
        })
        .map(|load| format!("{load:.1} tasks wanted to run")),
        worst(processes, |now| now.pressure.filter(|share| *share > PRESSURE))
            .map(|share| format!("tasks waited for a processor {} of the time", percent(share))),
        Some(marked(processes, |block| block.marks.preempted))
            .filter(|share| *share > DISTURBED)
            .map(|share| format!("{} of blocks were interrupted", percent(share))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !busy.is_empty() {
        add(CauseKind::Load, busy.join("; "));
    }
    if let Some(others) =
        worst(processes, |now| now.device_neighbours.filter(|others| *others > 0).map(f64::from))
    {
        add(CauseKind::SharedDevice, format!("{others:.0} other processes computed on the device"));
    }
    let migrated = marked(processes, |block| block.marks.migrated);
    if migrated > DISTURBED {
        add(CauseKind::Migration, format!("the processor changed in {} of blocks", percent(migrated)));
    }
    causes
}

/// What the samples themselves show.
pub(super) fn of_the_samples(processes: &[Process], paired: &[Paired]) -> Vec<Cause> {
    let mut causes = Vec::new();
    let wild = mean(&paired.iter().map(|process| process.wild).collect::<Vec<_>>());
    let asked = processes.iter().any(|process| process.conditions.load.is_some());
    if wild > WILD && !asked {
        let evidence = format!("{} of blocks are more than 20 % off", percent(wild));
        causes.push(Cause { kind: CauseKind::Load, evidence });
    }
    let typical = Arms {
        baseline: middle(processes, |block| block.baseline_ns),
        candidate: middle(processes, |block| block.candidate_ns),
    };
    if let Some(share) = worst(processes, |now| ticks(now, typical)).filter(|share| *share > TICKS) {
        let evidence = format!("four ticks of the clock are {} of a sample", percent(share));
        causes.push(Cause { kind: CauseKind::ShortSamples, evidence });
    }
    if paired.len() > 1 && paired.iter().all(|process| process.value.to_bits() == paired[0].value.to_bits()) {
        let evidence = "every process says exactly the same, as a coarse clock does".to_owned();
        causes.push(Cause { kind: CauseKind::ShortSamples, evidence });
    }
    if let Some(host) = worst(processes, |now| now.host_ns).filter(|host| *host > typical.candidate) {
        let evidence =
            format!("the host needs {:.1} µs, the device {:.1} µs", host / 1e3, typical.candidate / 1e3);
        causes.push(Cause { kind: CauseKind::LaunchBound, evidence });
    }
    causes
}

/// What the order of the times shows.
pub(super) fn of_the_series(
    series: &[Vec<f64>],
    autocorrelation: Option<Estimate>,
    trend: Option<Estimate>,
) -> Option<Cause> {
    let two = modes(&series.concat()).filter(|modes| {
        (LEAST_GAP..MOST_GAP).contains(&modes.gap)
            && modes.explained > LEAST_EXPLAINED
            && modes.smaller > LEAST_MINORITY
    });
    if let Some(modes) = two {
        let evidence =
            format!("{} of blocks lie {} apart", percent(modes.smaller), percent(modes.gap.exp_m1()));
        return Some(Cause { kind: CauseKind::TwoSpeeds, evidence });
    }
    if let Some(trend) = trend.filter(|trend| trend.value.abs() > LEAST_TREND && trend.p_differs(0.0) < 0.01)
    {
        let direction = if trend.value > 0.0 { "slower" } else { "faster" };
        let evidence =
            format!("calls get {} {direction} within a process", percent(trend.value.exp_m1().abs()));
        return Some(Cause { kind: CauseKind::Drift, evidence });
    }
    let wanders = |found: &Estimate| found.value > CORRELATED && found.p_above(0.0) < 0.05;
    autocorrelation.filter(wanders).map(|found| Cause {
        kind: CauseKind::Drift,
        evidence: format!("each block is like the one before (correlation {:.2})", found.value),
    })
}

/// Four ticks of the clock as a share of the shorter sample.
fn ticks(now: &Conditions, typical: Arms<f64>) -> Option<f64> {
    let calls = now.calls_per_sample.unwrap_or(Arms { baseline: 1, candidate: 1 });
    let sample =
        (typical.baseline * f64::from(calls.baseline)).min(typical.candidate * f64::from(calls.candidate));
    Some(4.0 * now.tick_ns? / sample)
}

fn worst(processes: &[Process], of: impl Fn(&Conditions) -> Option<f64>) -> Option<f64> {
    processes.iter().filter_map(|process| of(&process.conditions)).max_by(f64::total_cmp)
}

fn middle(processes: &[Process], of: fn(&Block) -> f64) -> f64 {
    median(&processes.iter().flat_map(|process| &process.blocks).map(of).collect::<Vec<_>>())
}

fn marked(processes: &[Process], mark: fn(&Block) -> bool) -> f64 {
    let marks: Vec<f64> =
        processes.iter().flat_map(|process| &process.blocks).map(|block| f64::from(mark(block))).collect();
    mean(&marks)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
