//! The whole procedure: looks, Holm, equivalence, guard and stop, as a run uses it.

use fastrand::Rng;
use kernel_bench::decision::{Look, Next, Outcome, Sequence, Settings, SuiteVerdict};
use kernel_bench::measurement::{Measurement, SizeClass};
use kernel_bench::statistics::median;

use crate::machine::{ALL, MACHINES, Machine, empty, machine};
use crate::{allowance, repeat, share};

fn settings(margin: f64) -> Settings {
    Settings { margin, require_sizes: false, ..Settings::default() }
}

/// Runs to the end. A workload whose samples are to be shortened is measured anew.
fn run(machine: &Machine, effects: &[f64], settings: &Settings, rng: &mut Rng) -> Look {
    let names: Vec<String> = (0..effects.len()).map(|index| format!("w{index}")).collect();
    let mut measurements: Vec<Measurement> = names.iter().map(|name| empty(name)).collect();
    let mut sequence = Sequence::new(settings.clone());
    let mut processes = sequence.next_look().unwrap();
    loop {
        for (measurement, effect) in measurements.iter_mut().zip(effects) {
            machine.extend(measurement, effect.ln_1p(), processes, rng);
        }
        let look = sequence.look(&measurements);
        match &look.next {
            Next::Stop { .. } => return look,
            Next::Continue { processes: more } => processes = *more,
            Next::Shorten { workloads } => {
                for measurement in measurements.iter_mut().filter(|one| workloads.contains(&one.workload)) {
                    measurement.processes.clear();
                }
            }
        }
    }
}

fn outcomes(look: &Look) -> Vec<Outcome> {
    look.verdicts.iter().map(|verdict| verdict.outcome).collect()
}

fn different(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Faster | Outcome::Slower)
}

#[test]
fn one_workload_over_four_looks() {
    const RUNS: usize = 300;
    println!(
        "\nOne workload, looks at 6, 10, 16, 24: % Faster Slower Equivalent Inconclusive (mean processes), {RUNS} runs"
    );
    println!("| machine | +0 % | +1 % | +2 % | +3 % | +5 % | +10 % |\n|---|---|---|---|---|---|---|");
    for machine in &MACHINES {
        let mut cells = Vec::new();
        for effect in [0.0, 0.01, 0.02, 0.03, 0.05, 0.10] {
            let runs = repeat(RUNS, 9, |rng| run(machine, &[effect], &settings(0.01), rng));
            let of = |wanted: Outcome| share(&runs, |look| outcomes(look)[0] == wanted);
            let (faster, slower) = (of(Outcome::Faster), of(Outcome::Slower));
            let (equivalent, open) = (of(Outcome::Equivalent), of(Outcome::Inconclusive));
            let processes = runs.iter().map(|look| look.processes as f64).sum::<f64>() / RUNS as f64;
            cells.push(format!(
                "F{:.0} S{:.0} E{:.0} I{:.0} ({processes:.0})",
                100.0 * faster,
                100.0 * slower,
                100.0 * equivalent,
                100.0 * open
            ));
            assert!(slower <= 0.01, "{} at {effect}: slower in {slower}", machine.name);
            if effect == 0.0 {
                assert!(faster <= 0.01 && equivalent >= 0.85, "{}: {faster} {equivalent}", machine.name);
            }
            if effect >= 0.03 {
                assert!(equivalent <= 0.05, "{} at {effect}: equivalent in {equivalent}", machine.name);
            }
            if effect >= 0.05 {
                assert!(faster >= 0.95, "{} at {effect}: faster in {faster}", machine.name);
            }
        }
        println!("| {} | {} |", machine.name, cells.join(" | "));
    }
}

/// Without a margin the looks are all that keeps identical code from being called different.
#[test]
fn four_looks_spend_no_more_than_alpha() {
    const RUNS: usize = 2000;
    println!("\nFalse claims of one workload over four looks in % of {RUNS} runs, margin 0 (at most 5)");
    for name in ["iid 2 %", "layout 1.5 %", "all"] {
        // An equivalence margin that nothing reaches: every run looks four times.
        let strict = Settings { equivalence: 1e-6, ..settings(0.0) };
        let runs = repeat(RUNS, 10, |rng| run(&machine(name), &[0.0], &strict, rng));
        let rate = share(&runs, |look| outcomes(look).iter().copied().any(different));
        println!("{name}: {:.1}", 100.0 * rate);
        assert!(rate <= 0.05 + allowance(0.05, RUNS), "{name}: {rate}");
        assert!(share(&runs, |look| look.number == 4) > 0.9);
    }
}

#[test]
fn twelve_workloads_over_four_looks() {
    const RUNS: usize = 200;
    for (margin, allowed) in [(0.0, 0.05 + allowance(0.05, RUNS)), (0.01, 0.02)] {
        let runs = repeat(RUNS, 11, |rng| run(&ALL, &[0.0; 12], &settings(margin), rng));
        let any = share(&runs, |look| outcomes(look).iter().copied().any(different));
        println!(
            "\n12 identical workloads, `all`, margin {margin}: any false claim in {:.1} % of {RUNS} runs",
            100.0 * any
        );
        assert!(any <= allowed, "{any}");
    }
    let half: Vec<f64> = (0..12).map(|index| if index < 6 { 0.05 } else { 0.0 }).collect();
    let runs = repeat(RUNS, 12, |rng| run(&ALL, &half, &settings(0.01), rng));
    let found = share(&runs, |look| outcomes(look)[..6].iter().all(|outcome| *outcome == Outcome::Faster));
    let falsely = share(&runs, |look| outcomes(look)[6..].iter().copied().any(different));
    let processes = median(&runs.iter().map(|look| look.processes as f64).collect::<Vec<_>>());
    println!(
        "6 of 12 workloads at +5 %: all found in {:.0} %, any false claim in {:.1} % of {RUNS} runs, {processes} processes",
        100.0 * found,
        100.0 * falsely
    );
    assert!(found >= 0.9 && falsely <= 0.02, "{found} {falsely}");
}

#[test]
fn the_suite_gets_the_verdict_that_is_true() {
    const RUNS: usize = 150;
    println!(
        "\nVerdict of a suite of six in % of {RUNS} runs\n| truth | machine | IMPROVED | REGRESSED | UNCHANGED | INCONCLUSIVE |\n|---|---|---|---|---|---|"
    );
    let truths: [(&str, [f64; 6], SuiteVerdict); 4] = [
        ("all +5 %", [0.05; 6], SuiteVerdict::Improved),
        ("half +10 %, half 0", [0.1, 0.0, 0.1, 0.0, 0.1, 0.0], SuiteVerdict::Improved),
        ("all 0", [0.0; 6], SuiteVerdict::Unchanged),
        ("five +10 %, one -8 %", [0.1, 0.1, 0.1, 0.1, 0.1, -0.08], SuiteVerdict::Regressed),
    ];
    for (truth, effects, wanted) in truths {
        for name in ["iid 2 %", "layout 1.5 %", "all"] {
            let runs =
                repeat(RUNS, 13, |rng| run(&machine(name), &effects, &settings(0.01), rng).suite.verdict);
            let of = |verdict: SuiteVerdict| 100.0 * share(&runs, |one| *one == verdict);
            let (improved, regressed) = (of(SuiteVerdict::Improved), of(SuiteVerdict::Regressed));
            let (unchanged, open) = (of(SuiteVerdict::Unchanged), of(SuiteVerdict::Inconclusive));
            println!("| {truth} | {name} | {improved:.0} | {regressed:.0} | {unchanged:.0} | {open:.0} |");
            let right = of(wanted);
            let wrong = 100.0 - right - open;
            assert!(wrong <= 1.0, "{truth} on {name}: {wrong} % wrong");
            assert!(
                right >= if name == "iid 2 %" { 95.0 } else { 60.0 },
                "{truth} on {name}: {right} % right"
            );
        }
    }
}

/// Samples that are mostly interruption: the guard asks for shorter ones, and never gives a verdict on speed.
#[test]
fn where_most_is_interruption_there_is_no_verdict_on_speed() {
    const RUNS: usize = 200;
    let busy = Machine { name: "busy", sigma: 0.05, spikes: 0.6, ..machine("iid 2 %") };
    for effect in [0.0, 0.03, -0.03] {
        let runs = repeat(RUNS, 14, |rng| run(&busy, &[effect], &settings(0.01), rng));
        assert!(
            runs.iter()
                .all(|look| outcomes(look) == [Outcome::Inconclusive]
                    && look.verdicts[0].instability.is_some())
        );
        let shown = |look: &Look| look.verdicts[0].effect.is_some() || look.suite.speedup.is_some();
        assert!(!runs.iter().any(shown), "an interval that is too narrow is not shown");
        assert!(runs.iter().all(|look| look.processes < 24), "a hopeless run stops early");
    }
}

/// How often the guard stops what is only noisy.
#[test]
fn the_guard_leaves_noisy_machines_alone() {
    const RUNS: usize = 1000;
    for machine in &MACHINES {
        let runs = repeat(RUNS, 15, |rng| {
            let one = machine.measurement("w", 0.0, 6, rng);
            Sequence::new(settings(0.01)).look(&[one])
        });
        let stopped = share(&runs, |look| look.verdicts[0].instability.is_some());
        println!("{}: the guard stops {:.1} % of first looks", machine.name, 100.0 * stopped);
        assert!(stopped <= 0.05, "{}: {stopped}", machine.name);
    }
}

#[test]
fn sizes_are_asked_for() {
    let mut rng = Rng::with_seed(1);
    let mut one = machine("iid 2 %").measurement("w", 0.1, 6, &mut rng);
    one.size = Some(SizeClass::Small);
    let look = Sequence::new(Settings::default()).look(&[one]);
    assert_eq!(look.suite.verdict, SuiteVerdict::Inconclusive);
    assert_eq!(
        look.suite.reasons,
        ["no workload of the size `large` was measured", "no workload of the size `awkward` was measured"]
    );
}
