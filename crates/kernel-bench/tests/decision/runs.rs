//! Runs against each other: saved ones, and those of other machines.

use std::collections::BTreeMap;

use fastrand::Rng;
use kernel_bench::decision::{
    Comparability, Conflict, Incomparable, MachineResult, Outcome, Sequence, Settings, compare, merge,
};
use kernel_bench::measurement::Measurement;

use crate::machine::machine;

fn facts(driver: &str) -> Comparability {
    let facts =
        [("device", "cpu"), ("driver", driver)].map(|(name, value)| (name.to_owned(), value.to_owned()));
    Comparability { facts: BTreeMap::from(facts) }
}

fn measured(effects: &[(&str, f64)], slower: f64, seed: u64) -> Vec<Measurement> {
    let mut rng = Rng::with_seed(seed);
    let one = |(name, effect): &(&str, f64)| {
        let mut measurement = machine("iid 2 %").measurement(name, effect.ln_1p(), 10, &mut rng);
        for block in measurement.processes.iter_mut().flat_map(|process| &mut process.blocks) {
            block.baseline_ns *= slower;
            block.candidate_ns *= slower;
        }
        measurement
    };
    effects.iter().map(one).collect()
}

#[test]
fn a_kernel_is_compared_with_its_past_and_not_with_the_machine() {
    let settings = Settings::default();
    let before = measured(&[("same", 0.5), ("better", 0.5), ("worse", 0.5), ("gone", 0.5)], 1.0, 1);
    // The machine is 20 % slower today.
    let now = measured(&[("same", 0.5), ("better", 0.65), ("worse", 0.35), ("added", 0.5)], 1.2, 2);
    let comparison = compare(&settings, (&facts("570"), &before), (&facts("570"), &now)).unwrap();
    let outcomes: Vec<_> =
        comparison.changes.iter().map(|change| (change.workload.as_str(), change.outcome)).collect();
    assert_eq!(
        outcomes,
        [("same", Outcome::Equivalent), ("better", Outcome::Faster), ("worse", Outcome::Slower)]
    );
    assert!((comparison.changes[1].effect.unwrap().ratio - 1.1).abs() < 0.02);
    assert_eq!((comparison.gone, comparison.added), (vec!["gone".to_owned()], vec!["added".to_owned()]));
}

#[test]
fn runs_under_other_circumstances_are_not_compared() {
    let settings = Settings::default();
    let runs = measured(&[("w", 0.0)], 1.0, 3);
    let error = compare(&settings, (&facts("570"), &runs), (&facts("575"), &runs)).unwrap_err();
    assert_eq!(error.to_string(), "the runs differ in what decides speed: driver: 570 then, 575 now");
    let other = measured(&[("v", 0.0)], 1.0, 3);
    let error = compare(&settings, (&facts("570"), &runs), (&facts("570"), &other)).unwrap_err();
    assert_eq!(error, Incomparable::Workloads);
    assert_ne!(facts("570").key(), facts("575").key());
    // Names and values do not flow into each other.
    let joined =
        |name: &str, value: &str| Comparability { facts: BTreeMap::from([(name.into(), value.into())]) };
    assert_ne!(joined("ab", "c").key(), joined("a", "bc").key());
}

fn result(run: &str, key: &str, effects: &[(&str, f64)], seed: u64) -> MachineResult {
    let settings = Settings { require_sizes: false, ..Settings::default() };
    let look = Sequence::new(settings).look(&measured(effects, 1.0, seed));
    MachineResult {
        run: run.into(),
        key: key.into(),
        machine: key.into(),
        verdicts: look.verdicts,
        suite: look.suite,
    }
}

#[test]
fn machines_keep_their_own_verdicts() {
    let results = [
        result("1", "L4", &[("a", 0.2), ("b", 0.0)], 1),
        result("2", "H100", &[("a", 0.2), ("b", -0.1)], 2),
        result("3", "cpu", &[("a", 0.0), ("b", 0.0)], 3),
        result("3", "cpu", &[("a", 0.0), ("b", 0.0)], 3),
    ];
    let merged = merge(&Settings::default(), &results).unwrap();
    assert_eq!((merged.machines.len(), &merged.duplicates), (3, &vec!["3".to_owned()]));
    let [a, b] = &merged.workloads[..] else { panic!("two workloads") };
    assert_eq!((a.workload.as_str(), a.faster_on, a.slower_on, a.measured_on), ("a", 2, 0, 3));
    assert_eq!((b.workload.as_str(), b.faster_on, b.slower_on, b.measured_on), ("b", 0, 1, 3));
    assert!(merged.workloads.iter().all(|one| one.agreement.values().all(|cell| cell.speedup.is_none())));
}

#[test]
fn machines_of_one_kind_speak_together_from_three_on() {
    let three: Vec<MachineResult> =
        (0..3).map(|seed| result(&seed.to_string(), "L4", &[("a", 0.2)], seed)).collect();
    let merged = merge(&Settings::default(), &three).unwrap();
    let cell = &merged.workloads[0].agreement["L4"];
    let (low, high) = cell.interval.unwrap();
    assert!(cell.reproduced && cell.stands && low < 1.2 && high > 1.2, "{cell:?}");
    assert!((cell.speedup.unwrap() - 1.2).abs() < 0.02);
    // Two that disagree reproduce nothing.
    let two = [result("1", "L4", &[("a", 0.2)], 1), result("2", "L4", &[("a", 0.0)], 2)];
    let merged = merge(&Settings::default(), &two).unwrap();
    let cell = &merged.workloads[0].agreement["L4"];
    assert!(!cell.reproduced && !cell.stands && cell.speedup.is_none());
    assert_eq!(merged.workloads[0].faster_on, 0);
}

#[test]
fn one_id_with_two_results_is_a_conflict() {
    let results = [result("1", "L4", &[("a", 0.2)], 1), result("1", "L4", &[("a", 0.2)], 2)];
    assert_eq!(merge(&Settings::default(), &results), Err(Conflict::SameRun("1".into())));
}
