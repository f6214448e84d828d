//! Memory and the roof.

use fastrand::Rng;
use kernel_bench::decision::{
    Bound, Memory, MemoryOutcome, Roof, Roofline, Sequence, Settings, SuiteVerdict,
};
use kernel_bench::measurement::{Arms, Work};

use crate::machine::machine;

fn memory(peaks: &[(u64, u64)]) -> (Option<Memory>, SuiteVerdict) {
    let mut measurement = machine("iid 2 %").measurement("w", 0.1, 6, &mut Rng::with_seed(3));
    for (process, (baseline, candidate)) in measurement.processes.iter_mut().zip(peaks) {
        process.peak_memory = Some(Arms { baseline: *baseline, candidate: *candidate });
    }
    let settings = Settings { require_sizes: false, ..Settings::default() };
    let look = Sequence::new(settings).look(&[measurement]);
    (look.verdicts[0].memory, look.suite.verdict)
}

fn outcome(peaks: &[(u64, u64)]) -> MemoryOutcome {
    memory(peaks).0.unwrap().outcome
}

#[test]
fn what_every_process_measured_alike_is_compared_exactly() {
    assert_eq!(outcome(&[(1000, 1000); 6]), MemoryOutcome::Same);
    assert_eq!(outcome(&[(1000, 1009); 6]), MemoryOutcome::Same);
    assert_eq!(outcome(&[(1000, 1011); 6]), MemoryOutcome::More);
    assert_eq!(outcome(&[(1000, 980); 6]), MemoryOutcome::Less);
    assert_eq!(outcome(&[(0, 0); 6]), MemoryOutcome::Same);
    assert_eq!(outcome(&[(0, 4096); 6]), MemoryOutcome::More);
    assert_eq!(outcome(&[(4096, 0); 6]), MemoryOutcome::Less);
    // Two processes are no proof, and none is no memory.
    assert_eq!(outcome(&[(1000, 2000); 2]), MemoryOutcome::Inconclusive);
    assert_eq!(memory(&[]).0, None);
}

#[test]
fn what_varies_is_tested() {
    let noisy = |permille: u64| -> Vec<(u64, u64)> {
        [998, 1000, 1003, 999, 1001, 1002].iter().map(|noise| (1_000_000, permille * noise)).collect()
    };
    assert_eq!(outcome(&noisy(1000)), MemoryOutcome::Same);
    assert_eq!(outcome(&noisy(1200)), MemoryOutcome::More);
    assert_eq!(outcome(&noisy(700)), MemoryOutcome::Less);
    assert_eq!(outcome(&noisy(1010)), MemoryOutcome::Inconclusive);
}

#[test]
fn a_faster_kernel_that_needs_more_memory_is_no_improvement_unless_allowed() {
    assert_eq!(memory(&[(1000, 1000); 6]).1, SuiteVerdict::Improved);
    assert_eq!(memory(&[(1000, 1500); 6]).1, SuiteVerdict::Regressed);
    let mut measurement = machine("iid 2 %").measurement("w", 0.1, 6, &mut Rng::with_seed(3));
    for process in &mut measurement.processes {
        process.peak_memory = Some(Arms { baseline: 1000, candidate: 1500 });
    }
    let settings = Settings { require_sizes: false, allow_more_memory: true, ..Settings::default() };
    assert_eq!(Sequence::new(settings).look(&[measurement]).suite.verdict, SuiteVerdict::Improved);
}

#[test]
fn the_roof_is_what_limits() {
    let roof = Roof { bytes_per_second: Some(1e12), flop_per_second: Some(1e14), measured: true };
    let times = Arms { baseline: 4e6, candidate: 2e6 };
    let work = |bytes, flop| Work { bytes: Some(bytes), flop: Some(flop) };
    let moving = Roofline::of(work(1e9, 1e9), &roof, times).unwrap();
    assert_eq!((moving.bound, moving.intensity), (Bound::Memory, Some(1.0)));
    assert!((moving.share.candidate - 0.5).abs() < 1e-12 && (moving.share.baseline - 0.25).abs() < 1e-12);
    let computing = Roofline::of(work(1e6, 1e11), &roof, times).unwrap();
    assert!(computing.bound == Bound::Compute && (computing.share.candidate - 0.5).abs() < 1e-12);
    // Faster than the machine can be.
    assert!(!moving.impossible && Roofline::of(work(2.2e9, 1.0), &roof, times).unwrap().impossible);
    // Nothing declared, nothing measured, nothing said.
    assert_eq!(Roofline::of(Work::default(), &roof, times), None);
    assert_eq!(Roofline::of(work(1e9, 1e9), &Roof::default(), times), None);
    assert_eq!(Roofline::of(work(0.0, 0.0), &roof, times), None);
}
