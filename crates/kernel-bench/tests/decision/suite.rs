//! The verdict as a whole, case by case, and settings that make no sense.

use fastrand::Rng;
use kernel_bench::decision::{Look, Next, Outcome, Sequence, Settings, SettingsError, Stop, SuiteVerdict};
use kernel_bench::measurement::{Fault, FaultKind, Measurement, SizeClass};

use crate::machine::{Machine, machine};

fn measured(name: &str, effect: f64, processes: usize) -> Measurement {
    machine("iid 2 %").measurement(
        name,
        f64::ln_1p(effect),
        processes,
        &mut Rng::with_seed(name.len() as u64),
    )
}

fn faulty(name: &str, kind: FaultKind) -> Measurement {
    Measurement { fault: Some(Fault { kind, reason: "it was seen".into() }), ..measured(name, 0.5, 6) }
}

fn look(measurements: &[Measurement]) -> Look {
    Sequence::new(Settings { require_sizes: false, ..Settings::default() }).look(measurements)
}

#[test]
fn a_fault_makes_the_run_invalid_and_hides_every_speed_of_it() {
    for kind in [FaultKind::Error, FaultKind::Crashed, FaultKind::Incorrect, FaultKind::Suspect] {
        let look = look(&[measured("good", 0.3, 6), faulty("bad", kind)]);
        assert_eq!((look.suite.verdict, look.suite.speedup), (SuiteVerdict::Invalid, None));
        assert_eq!(look.suite.reasons, [format!("`bad` is {}: it was seen", kind.word())]);
        assert_eq!((look.verdicts[0].outcome, look.verdicts[1].outcome), (Outcome::Faster, Outcome::Invalid));
        let bad = &look.verdicts[1];
        assert!(
            bad.effect.is_none() && bad.times.is_none() && bad.noise.is_none() && bad.detectable.is_none()
        );
    }
}

#[test]
fn what_the_machine_does_not_support_says_nothing() {
    let look = look(&[measured("good", 0.3, 6), faulty("absent", FaultKind::Unsupported)]);
    assert_eq!(look.suite.verdict, SuiteVerdict::Improved);
    let only = self::look(&[faulty("absent", FaultKind::Unsupported)]);
    assert_eq!(
        (only.suite.verdict, only.next),
        (SuiteVerdict::Inconclusive, Next::Stop { why: Stop::Decided })
    );
    assert_eq!(only.suite.reasons, ["nothing was measured"]);
    assert_eq!(self::look(&[]).suite.verdict, SuiteVerdict::Inconclusive);
}

#[test]
fn one_slower_workload_outweighs_all_faster_ones() {
    let look = look(&[measured("good", 0.5, 6), measured("bad one", -0.1, 6)]);
    assert_eq!(look.suite.verdict, SuiteVerdict::Regressed);
    assert_eq!(look.suite.reasons, ["`bad one` is slower"]);
    assert!(!look.suite.non_regression.holds && look.suite.non_regression.open == ["bad one"]);
}

#[test]
fn weights_move_the_mean() {
    let mut heavy = measured("heavy", 0.5, 6);
    heavy.weight = 3.0;
    let look = look(&[heavy, measured("light 1", 0.0, 6)]);
    let ratio = look.suite.speedup.unwrap().ratio;
    assert!((ratio - 1.5_f64.powf(0.75)).abs() < 0.02, "{ratio}");
}

#[test]
fn an_improvement_needs_every_size() {
    let sized = |size, name: &str| Measurement { size: Some(size), ..measured(name, 0.3, 6) };
    let all = [(SizeClass::Small, "a"), (SizeClass::Large, "bb"), (SizeClass::Awkward, "ccc")];
    let measurements = all.map(|(size, name)| sized(size, name));
    assert_eq!(Sequence::new(Settings::default()).look(&measurements).suite.verdict, SuiteVerdict::Improved);
    assert_eq!(
        Sequence::new(Settings::default()).look(&measurements[1..]).suite.verdict,
        SuiteVerdict::Inconclusive
    );
}

/// A verdict once given stands, whatever later processes say.
#[test]
fn verdicts_stand() {
    let mut sequence = Sequence::new(Settings { require_sizes: false, ..Settings::default() });
    let noisy = Machine { layout: 0.2, ..machine("iid 2 %") };
    let open = |processes| noisy.measurement("open", 0.0, processes, &mut Rng::with_seed(9));
    let first = sequence.look(&[measured("early", 0.3, 6), open(6)]);
    assert_eq!((first.verdicts[0].outcome, first.next), (Outcome::Faster, Next::Continue { processes: 10 }));
    let second = sequence.look(&[measured("early", -0.3, 10), open(10)]);
    assert_eq!((second.verdicts[0].outcome, second.verdicts[0].decided_after), (Outcome::Faster, Some(6)));
    let effect = second.verdicts[0].effect.unwrap();
    assert!(effect.low <= effect.high && effect.low >= 1.01, "the interval does not contradict the verdict");
}

/// A budget may end a run between two looks: what it then spends is what the next look would have.
#[test]
fn an_ended_run_is_judged_once() {
    let mut sequence = Sequence::new(Settings { require_sizes: false, ..Settings::default() });
    let look = sequence.conclude(&[measured("w", 0.3, 8)]);
    assert_eq!((look.number, look.processes, look.spent), (1, 8, 0.0125));
    assert_eq!((look.suite.verdict, look.next), (SuiteVerdict::Improved, Next::Stop { why: Stop::Ended }));
    // Two processes are too few for any verdict.
    let mut short = Sequence::new(Settings { require_sizes: false, ..Settings::default() });
    let early = short.conclude(&[measured("w", 1.0, 2)]);
    assert_eq!(
        (early.verdicts[0].outcome, early.suite.verdict),
        (Outcome::Inconclusive, SuiteVerdict::Inconclusive)
    );
    // Nothing measured in time is nothing known.
    let look = sequence.conclude(&[measured("w", 0.3, 1)]);
    assert!(look.verdicts[0].effect.is_none());
}

#[test]
fn times_that_are_no_times_are_left_out() {
    let mut broken = measured("w", 0.3, 6);
    for process in &mut broken.processes {
        process.blocks[0].candidate_ns = 0.0;
        process.blocks[1].baseline_ns = f64::NAN;
        process.blocks[2].candidate_ns = -5.0;
        process.blocks[3].baseline_ns = f64::INFINITY;
    }
    broken.processes[5].blocks.clear();
    let look = look(&[broken]);
    assert_eq!((look.verdicts[0].outcome, look.processes), (Outcome::Faster, 5));
}

#[test]
fn settings_are_checked() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        settings.checked()
    };
    assert!(Settings::default().checked().is_ok() && with(|one| one.looks = vec![20]).is_ok());
    assert_eq!(with(|one| one.alpha = 0.0), Err(SettingsError::Alpha(0.0)));
    assert!(matches!(with(|one| one.alpha = f64::NAN), Err(SettingsError::Alpha(_))));
    for looks in [vec![], vec![2, 6], vec![6, 6], vec![10, 6]] {
        let error = Settings { looks: looks.clone(), ..Settings::default() }.checked();
        assert_eq!(error, Err(SettingsError::Looks(looks)));
    }
    let error = with(|one| one.margin = -0.01).unwrap_err();
    assert_eq!(error.to_string(), "the margin is -0.01; it must be a share of at least 0 and below 1");
    assert!(with(|one| one.equivalence = 0.0).is_err() && with(|one| one.memory_margin = 1.0).is_err());
}
