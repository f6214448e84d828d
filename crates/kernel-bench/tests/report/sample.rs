//! A run of every kind of outcome, from simulated machines: it goes through the real procedure, so that the reports show
//! what a run shows.

use std::collections::BTreeMap;

use fastrand::Rng;
use kernel_bench::decision::{Comparability, Look, Next, Roof, Roofline, Sequence, Settings};
use kernel_bench::measurement::{Arms, Conditions, Fault, FaultKind, Measurement, Order, SizeClass, Work};
use kernel_bench::report::{
    Adoption, AlphaSpent, BaselineDescription, Check, CheckOutcome, Correctness, Document, FileDigest,
    Implementation, Machine as Described, RunDescription, SCHEMA, Subject, WorkloadResult,
};

use crate::machine::{ALL, Machine, empty, machine};

/// A workload as it is simulated.
pub(crate) struct Simulated {
    pub(crate) name: &'static str,
    pub(crate) machine: Machine,
    pub(crate) effect: f64,
    pub(crate) nanoseconds: f64,
    pub(crate) size: SizeClass,
    pub(crate) work: Work,
    pub(crate) memory: Option<Arms<u64>>,
    pub(crate) fault: Option<Fault>,
}

impl Default for Simulated {
    fn default() -> Self {
        Self {
            name: "relu.any/float32",
            machine: machine("iid 2 %"),
            effect: 0.0,
            nanoseconds: 1e5,
            size: SizeClass::Large,
            work: Work::default(),
            memory: Some(Arms { baseline: 1 << 25, candidate: 1 << 25 }),
            fault: None,
        }
    }
}

/// One workload of every kind.
pub(crate) fn every_kind() -> Vec<Simulated> {
    let work = |bytes: f64, flop: f64| Work { bytes: Some(bytes), flop: Some(flop) };
    let fault = |kind, reason: &str| Some(Fault { kind, reason: reason.to_owned() });
    vec![
        Simulated {
            name: "silu_and_mul.decode/bfloat16",
            machine: ALL,
            effect: 0.92,
            nanoseconds: 9_800.0,
            size: SizeClass::Small,
            work: work(66_048.0, 55_040.0),
            memory: Some(Arms { baseline: 132_096, candidate: 132_096 }),
            ..Simulated::default()
        },
        Simulated {
            name: "silu_and_mul.prefill/bfloat16",
            machine: machine("layout 1.5 %"),
            effect: 0.72,
            nanoseconds: 2_210_000.0,
            work: work(541_065_216.0, 450_887_680.0),
            memory: Some(Arms { baseline: 541_065_216, candidate: 360_710_144 }),
            ..Simulated::default()
        },
        Simulated {
            name: "rms_norm.prefill/bfloat16",
            machine: machine("wander 3 %"),
            effect: 0.31,
            nanoseconds: 640_000.0,
            work: work(134_217_728.0, 268_435_456.0),
            ..Simulated::default()
        },
        Simulated {
            name: "gemm_int8.prefill/int8",
            effect: 0.14,
            nanoseconds: 1_900_000.0,
            work: work(67_108_864.0, 137_438_953_472.0),
            ..Simulated::default()
        },
        Simulated {
            name: "rms_norm.odd/float16",
            size: SizeClass::Awkward,
            nanoseconds: 7_100.0,
            ..Simulated::default()
        },
        Simulated {
            name: "gelu_and_mul.odd/float16",
            machine: Machine { layout: 0.04, ..machine("drift +5 %") },
            effect: 0.02,
            nanoseconds: 7_400.0,
            size: SizeClass::Awkward,
            ..Simulated::default()
        },
        Simulated {
            name: "softmax.wide/float32",
            effect: -0.07,
            nanoseconds: 310_000.0,
            ..Simulated::default()
        },
        Simulated {
            name: "gelu_tanh.odd/float16",
            fault: fault(
                FaultKind::Incorrect,
                "row 16, column 1020: got nan, wanted 0.113; the tail is not written",
            ),
            ..Simulated::default()
        },
        Simulated {
            name: "rope.decode/float8",
            fault: fault(FaultKind::Unsupported, "no float8 on this device"),
            ..Simulated::default()
        },
    ]
}

/// Runs the procedure to its end and writes the document.
pub(crate) fn document(simulated: &[Simulated], seed: u64) -> Document {
    let settings = Settings::default();
    let mut rng = Rng::with_seed(seed);
    let mut measurements: Vec<Measurement> = simulated.iter().map(begin).collect();
    let mut sequence = Sequence::new(settings.clone());
    let mut looks = Vec::new();
    let mut processes = settings.looks[0];
    let last = loop {
        for (measurement, simulated) in
            measurements.iter_mut().zip(simulated).filter(|(_, one)| one.fault.is_none())
        {
            measure(measurement, simulated, processes, &mut rng);
        }
        let look = sequence.look(&measurements);
        looks.push(spent(&look));
        match look.next {
            Next::Continue { processes: more } => processes = more,
            Next::Stop { .. } => break look,
            Next::Shorten { .. } => panic!("these machines are noisy, not unstable"),
        }
    };
    let workloads = measurements
        .into_iter()
        .zip(&last.verdicts)
        .map(|(measurement, verdict)| result(measurement, verdict))
        .collect();
    described(settings, looks, workloads, &last)
}

fn begin(simulated: &Simulated) -> Measurement {
    Measurement {
        size: Some(simulated.size),
        work: simulated.work,
        fault: simulated.fault.clone(),
        ..empty(simulated.name)
    }
}

fn measure(measurement: &mut Measurement, simulated: &Simulated, processes: usize, rng: &mut Rng) {
    let before = measurement.processes.len();
    simulated.machine.extend(measurement, simulated.effect.ln_1p(), processes, rng);
    for process in &mut measurement.processes[before..] {
        process.peak_memory = simulated.memory;
        process.conditions = Conditions { load: Some(1.2), processors: Some(2), ..Conditions::default() };
        for (index, block) in process.blocks.iter_mut().enumerate() {
            block.baseline_ns *= simulated.nanoseconds / 1e5;
            block.candidate_ns *= simulated.nanoseconds / 1e5;
            block.marks.preempted = index == 7 && block.order == Order::BaselineFirst;
        }
    }
}

fn spent(look: &Look) -> AlphaSpent {
    let open = look
        .verdicts
        .iter()
        .filter(|verdict| verdict.decided_after.is_none() && verdict.fault.is_none())
        .count();
    AlphaSpent { number: look.number, processes: look.processes, level: look.level, spent: look.spent, open }
}

fn result(measurement: Measurement, verdict: &kernel_bench::decision::Verdict) -> WorkloadResult {
    let roof = Roof { bytes_per_second: Some(4.3e11), flop_per_second: Some(9.6e13), measured: true };
    let medians = verdict
        .times
        .map(|times| Arms { baseline: times.baseline.median, candidate: times.candidate.median });
    let check =
        |name: &str, outcome, evidence: &str| Check { name: name.into(), outcome, evidence: evidence.into() };
    let wrong = verdict.fault.as_ref().filter(|fault| fault.kind == FaultKind::Incorrect);
    let mut gates = vec![
        check("C1 values", CheckOutcome::Passed, ""),
        check("C2 shapes", CheckOutcome::Passed, ""),
        check("C10 streams", CheckOutcome::NotExecuted, "no device"),
    ];
    gates.extend(wrong.map(|fault| check("C5 poison", CheckOutcome::Failed, &fault.reason)));
    WorkloadResult {
        verdict: verdict.clone(),
        shape: BTreeMap::from([("T".into(), 8192), ("D".into(), 11008)]),
        dtype: measurement.workload.split_once('/').map(|(_, dtype)| dtype.to_owned()),
        timer: Some("event".into()),
        cache: Some("cold".into()),
        correctness: Some(Correctness { gates, ..Correctness::default() }),
        implementation: Some(Implementation {
            loaded: "libactivation.abi3.so".into(),
            ran: vec!["act_and_mul_kernel".into()],
            fallback: None,
            proved: true,
        }),
        checks: vec![check("A4 slope", CheckOutcome::Passed, "reported 5.1 µs, seen 5.2 µs")],
        roof: Some(roof),
        roofline: medians.and_then(|medians| Roofline::of(measurement.work, &roof, medians)),
        bottleneck: None,
        first_call_ns: Some(Arms { baseline: 1.2e6, candidate: 3.4e8 }),
        measurement,
    }
}

fn described(
    settings: Settings,
    looks: Vec<AlphaSpent>,
    workloads: Vec<WorkloadResult>,
    last: &Look,
) -> Document {
    let facts = [
        ("device", "NVIDIA L4"),
        ("driver", "570"),
        ("torch", "2.10"),
        ("python", "3.12"),
        ("control", "torch_eager"),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Document {
        schema: SCHEMA.into(),
        run: RunDescription {
            id: "0193-demo".into(),
            tool_version: "0.1.0".into(),
            started: "2026-01-02 03:04 UTC".into(),
            seconds: 108.4,
            command: "kernel-builder bench activation --variant torch210-cxx11-cu128-x86_64-linux --seed 51c"
                .into(),
            seed_commitment: Some("9f86d081884c7d65".into()),
            seed: Some("51c".into()),
            attempts_before: 0,
        },
        subject: Subject {
            name: "activation".into(),
            variant: "torch210-cxx11-cu128-x86_64-linux".into(),
            commit: Some("9f2c1d0a7b6e5f4c3d2b1a0".into()),
            dirty: false,
            files: vec![FileDigest { path: "libactivation.abi3.so".into(), sha256: "3b1f".into() }],
        },
        baseline: BaselineDescription { kind: "torch_eager".into(), detail: None },
        machine: Described {
            name: "NVIDIA L4".into(),
            backend: "cuda".into(),
            comparability: Comparability { facts: BTreeMap::from(facts) },
            environment: BTreeMap::from([("clocks".into(), "not locked".into())]),
        },
        settings,
        looks,
        workloads,
        suite: last.suite.clone(),
        adoption: Some(Adoption { bytes: Some(2_480_000), import_seconds: Some(0.41) }),
        comparison: None,
        warnings: vec!["the clocks are not locked".into()],
    }
}
