//! Noise is called by its cause.

use fastrand::Rng;
use kernel_bench::decision::{CauseKind, Noise, Outcome, Sequence, Settings, SuiteVerdict};
use kernel_bench::measurement::{Arms, Conditions, Marks, Measurement};

use crate::machine::{ALL, Machine, machine};

const RUNS: usize = 200;

fn noise(measurement: Measurement) -> Noise {
    Sequence::new(Settings::default()).look(&[measurement]).verdicts.remove(0).noise.unwrap()
}

/// Share of runs in which a cause is named.
fn named(machine: &Machine, processes: usize, kind: CauseKind) -> f64 {
    let named = (0..RUNS).filter(|seed| {
        let measurement = machine.measurement("w", 0.0, processes, &mut Rng::with_seed(*seed as u64));
        noise(measurement).causes.iter().any(|cause| cause.kind == kind)
    });
    named.count() as f64 / RUNS as f64
}

#[test]
fn what_only_the_times_show_is_named() {
    println!(
        "\nCauses named in % of {RUNS} runs of 10 processes\n| machine | drift | two speeds | layout | load |\n|---|---|---|---|---|"
    );
    let kinds = [CauseKind::Drift, CauseKind::TwoSpeeds, CauseKind::Layout, CauseKind::Load];
    let busy = Machine { name: "busy", spikes: 0.2, ..machine("iid 2 %") };
    let rows = [
        (machine("iid 2 %"), None),
        (machine("drift -5 %"), Some(0)),
        (machine("drift +5 %"), Some(0)),
        (machine("wander 3 %"), Some(0)),
        (machine("modes 15 %"), Some(1)),
        (machine("layout 1.5 %"), Some(2)),
        (busy, Some(3)),
        (ALL, Some(3)),
    ];
    for (machine, planted) in rows {
        let rates = kinds.map(|kind| named(&machine, 10, kind));
        let cells: Vec<String> = rates.iter().map(|rate| format!("{:.0}", 100.0 * rate)).collect();
        println!("| {} | {} |", machine.name, cells.join(" | "));
        match planted {
            Some(index) => assert!(rates[index] >= 0.8, "{}: {rates:?}", machine.name),
            None => assert!(rates.iter().all(|rate| *rate <= 0.05), "{}: {rates:?}", machine.name),
        }
    }
}

fn with(change: impl Fn(&mut Conditions), mark: impl Fn(usize, &mut Marks)) -> Vec<CauseKind> {
    let mut measurement = machine("iid 2 %").measurement("w", 0.0, 8, &mut Rng::with_seed(5));
    for process in &mut measurement.processes {
        change(&mut process.conditions);
        for (index, block) in process.blocks.iter_mut().enumerate() {
            mark(index, &mut block.marks);
        }
    }
    noise(measurement).causes.iter().map(|cause| cause.kind).collect()
}

#[test]
fn what_the_machine_reports_is_named() {
    let nothing = |_: usize, _: &mut Marks| {};
    let calm = |_: &mut Conditions| {};
    assert_eq!(with(calm, nothing), []);
    let loaded = |now: &mut Conditions| (now.load, now.processors) = (Some(6.0), Some(2));
    assert_eq!(with(loaded, nothing), [CauseKind::Load]);
    assert_eq!(with(|now| now.steal = Some(0.04), nothing), [CauseKind::Load]);
    assert_eq!(with(|now| now.pressure = Some(0.2), nothing), [CauseKind::Load]);
    assert_eq!(with(|now| now.device_neighbours = Some(1), nothing), [CauseKind::SharedDevice]);
    assert_eq!(with(calm, |index, marks| marks.throttled = index == 3), [CauseKind::Throttling]);
    assert_eq!(with(calm, |index, marks| marks.migrated = index % 5 == 0), [CauseKind::Migration]);
    assert_eq!(with(calm, |index, marks| marks.preempted = index % 5 == 0), [CauseKind::Load]);
    // Times are 100 µs; a tick of 1 µs is 4 % of a sample of one call, and 0.04 % of a hundred.
    assert_eq!(with(|now| now.tick_ns = Some(1000.0), nothing), [CauseKind::ShortSamples]);
    let many = |now: &mut Conditions| {
        now.tick_ns = Some(1000.0);
        now.calls_per_sample = Some(Arms { baseline: 100, candidate: 100 });
    };
    assert_eq!(with(many, nothing), []);
    assert_eq!(with(|now| now.host_ns = Some(2e5), nothing), [CauseKind::LaunchBound]);
}

#[test]
fn the_parts_of_the_spread_are_told_apart() {
    let noise = noise(machine("layout 1.5 %").measurement("w", 0.0, 200, &mut Rng::with_seed(6)));
    // Two arms of 2 % each, and two layouts of 1.5 % each.
    assert!((noise.between_blocks / (0.02 * 2_f64.sqrt()) - 1.0).abs() < 0.1, "{}", noise.between_blocks);
    assert!(
        (noise.between_processes / (0.015 * 2_f64.sqrt()) - 1.0).abs() < 0.15,
        "{}",
        noise.between_processes
    );
}

/// Throttled blocks are left out where the others are enough.
#[test]
fn throttled_blocks_decide_nothing() {
    let mut measurement = machine("iid 2 %").measurement("w", 0.0, 6, &mut Rng::with_seed(7));
    let ratio = |one: &Measurement| {
        Sequence::new(Settings::default()).look(std::slice::from_ref(one)).verdicts[0].effect.unwrap().ratio
    };
    for process in &mut measurement.processes {
        for block in process.blocks.iter_mut().take(9) {
            block.candidate_ns *= 3.0;
            block.marks.throttled = true;
        }
    }
    assert!((ratio(&measurement) - 1.0).abs() < 0.02, "{}", ratio(&measurement));
}

/// A clock that ticks every 20 µs sees samples of 100 µs as all the same. That is no certainty.
#[test]
fn a_coarse_clock_proves_nothing() {
    let mut measurement = machine("iid 2 %").measurement("w", 0.03, 6, &mut Rng::with_seed(8));
    for block in measurement.processes.iter_mut().flat_map(|process| &mut process.blocks) {
        block.baseline_ns = (block.baseline_ns / 2e4).round() * 2e4;
        block.candidate_ns = (block.candidate_ns / 2e4).round() * 2e4;
    }
    let look = Sequence::new(Settings::default()).look(&[measurement]);
    assert_eq!(look.verdicts[0].outcome, Outcome::Inconclusive);
    assert_eq!(look.suite.verdict, SuiteVerdict::Inconclusive);
    let causes = &look.verdicts[0].noise.as_ref().unwrap().causes;
    assert!(causes.iter().any(|cause| cause.kind == CauseKind::ShortSamples), "{causes:?}");
}
