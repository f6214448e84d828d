//! The child that never sees the kernel: it makes inputs from seeds nobody else knows and says what the reference makes
//! of them.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::decision::Ceilings;
use kernel_bench::measurement::{Fault, Work};
use kernel_bench::protocol::{
    Bye, Calibrate, Discover, DiscoverAnswer, Open, Random, Reference as AskReference, RefusalKind, Roof,
    Slot, Solo,
};
use serde_json::Value;

use super::Bench;
use super::child::{Child, Unanswered};
use super::wanted::{self, Wanted};
use super::workload::{Answer, DataSet, Reference, Workload, bytes, size_class};
use crate::gates::Declared;
use crate::process::ProcessError;

/// Sets of inputs for each workload.
const SETS: usize = 3;
/// And where one of them is larger than this.
const FEW_SETS: usize = 2;
const MANY_BYTES: u64 = 256 << 20;

/// A script as the oracle found it.
pub(super) struct Script {
    pub(super) path: Utf8PathBuf,
    /// The declared operations, as children take them, where it is a file of those.
    pub(super) operations: Option<Value>,
    /// Further files that decide what is measured.
    pub(super) files: Vec<Utf8PathBuf>,
    /// Its own comparison, where it replaced torch's.
    pub(super) comparison: Option<String>,
    /// Versions of what takes part.
    pub(super) versions: std::collections::BTreeMap<String, String>,
    /// Threads that torch computes with.
    pub(super) threads: u32,
    /// What can be measured.
    pub(super) workloads: Vec<Workload>,
    /// What cannot, with the reason.
    pub(super) failed: Vec<(String, Fault)>,
    /// What has no reference.
    pub(super) unverified: Vec<String>,
    /// What was not asked for.
    pub(super) others: Vec<String>,
    /// What this machine can do at most, where that could be measured.
    pub(super) ceilings: Ceilings,
    /// What the script and its references change in the process by themselves.
    pub(super) excused: Vec<String>,
}

impl Script {
    /// A script that cannot even be imported.
    pub(super) fn broken(path: &Utf8Path, fault: Fault) -> Self {
        let name = path.file_name().unwrap_or_default().to_owned();
        Self { failed: vec![(name, fault)], ..Self::empty(path) }
    }

    /// Whether it defines nothing that could be measured, here or elsewhere.
    pub(super) fn is_empty(&self) -> bool {
        self.workloads.is_empty() && self.failed.is_empty() && self.unverified.is_empty()
    }

    fn empty(path: &Utf8Path) -> Self {
        Self {
            path: path.to_owned(),
            operations: None,
            files: Vec::new(),
            comparison: None,
            versions: std::collections::BTreeMap::new(),
            threads: 0,
            workloads: Vec::new(),
            failed: Vec::new(),
            unverified: Vec::new(),
            others: Vec::new(),
            ceilings: Ceilings::default(),
            excused: Vec::new(),
        }
    }
}

/// Reads a script, or takes declared operations, and makes their references. The outer error concerns the run, the inner
/// one the script.
pub(super) fn consult(
    bench: &Bench,
    number: usize,
    path: &Utf8Path,
    declared: Option<&Declared>,
    random: &mut Random,
) -> Result<Result<Script, Fault>, ProcessError> {
    let operations = declared.and_then(|declared| serde_json::to_value(&declared.workloads.operations).ok());
    let operations = operations.as_ref();
    let (mut child, found) = match discovered(bench, path, operations, random)? {
        Ok(started) => started,
        Err(fault) => return Ok(Err(fault)),
    };
    let all = declared.map_or_else(|| wanted::of_script(&found), wanted::of_declared);
    let mut script = Script {
        comparison: found.comparison,
        versions: found.versions,
        threads: found.threads,
        operations: operations.cloned(),
        files: declared.map(wanted::files).unwrap_or_default(),
        ..Script::empty(path)
    };
    for (index, wanted) in all.into_iter().enumerate() {
        if !bench.is_selected(&wanted.id) {
            script.others.push(wanted.id);
            continue;
        }
        if !wanted.verified {
            script.unverified.push(wanted.id);
            continue;
        }
        if let Some(fault) = wanted.fault {
            script.failed.push((wanted.id, fault));
            continue;
        }
        let name = format!("{number}-{index}");
        let prepared = prepare(bench, &mut child, &wanted, &name, random).and_then(|prepared| {
            let Prepared { reference, size, work } = prepared;
            let (dtype, id) = (reference.dtype(), wanted.id.clone());
            let Wanted { class, name, weight, case, .. } = wanted.clone();
            let alone = f64::INFINITY;
            let mut workload =
                Workload { id, class, name, case, weight, reference, dtype, size, work, alone };
            match solo(bench, &mut child, &workload, random) {
                Ok(time) => workload.alone = time,
                Err(unanswered) if unanswered.is_recoverable() => {}
                Err(unanswered) => return Err(unanswered),
            }
            Ok(workload)
        });
        match prepared {
            Ok(workload) => script.workloads.push(workload),
            Err(unanswered) if unanswered.is_recoverable() => {
                script.failed.push((wanted.id, unanswered.fault()?));
            }
            Err(unanswered) => {
                script.failed.push((wanted.id, child.end_after(unanswered)?.fault()?));
                child = match discovered(bench, path, operations, random)? {
                    Ok((child, _)) => child,
                    Err(fault) => return Ok(Err(fault)),
                };
            }
        }
    }
    if !script.workloads.is_empty() {
        script.ceilings = ceilings(bench, &mut child, &script.workloads);
    }
    if let Ok(answer) = child.ask(&Bye { variant_path: None }, bench.workshop.limit) {
        script.excused = answer.changed;
    }
    child.end()?;
    Ok(Ok(script))
}

/// A child that has imported a script, and what is in it.
pub(super) fn discovered<'a>(
    bench: &'a Bench<'a>,
    path: &Utf8Path,
    operations: Option<&Value>,
    random: &mut Random,
) -> Result<Result<(Child<'a>, DiscoverAnswer), Fault>, ProcessError> {
    let mut child = match Child::start(&bench.workshop, random) {
        Ok(child) => child,
        Err(unanswered) => return unanswered.fault().map(Err),
    };
    match child
        .ask(&Discover { script: path.to_owned(), operations: operations.cloned() }, bench.workshop.limit)
    {
        Ok(found) => Ok(Ok((child, found))),
        Err(unanswered) => {
            let unanswered = child.end_after(unanswered)?;
            unanswered.fault().map(Err)
        }
    }
}

/// What this machine can do at most. Nothing depends on it but what is said of the roof.
fn ceilings(bench: &Bench, child: &mut Child, workloads: &[Workload]) -> Ceilings {
    let mut types: Vec<String> = workloads.iter().filter_map(|workload| workload.dtype.clone()).collect();
    types.sort();
    types.dedup();
    let answer = child.ask(&Roof { device: bench.workshop.device.clone(), types }, bench.workshop.limit);
    answer.map_or_else(
        |_| Ceilings::default(),
        |roof| Ceilings { copies: roof.copies, products: roof.products, call_ns: roof.call },
    )
}

/// What the oracle made of a workload.
struct Prepared {
    reference: Reference,
    size: Option<kernel_bench::measurement::SizeClass>,
    work: Work,
}

fn prepare(
    bench: &Bench,
    child: &mut Child,
    wanted: &Wanted,
    name: &str,
    random: &mut Random,
) -> Result<Prepared, Unanswered> {
    let mut sets: Vec<DataSet> = Vec::new();
    let mut states = Vec::new();
    let mut count = SETS;
    while sets.len() < count {
        let seed = random.number() >> 1;
        let open = Open {
            class: wanted.class.clone(),
            workload: wanted.name.clone(),
            device: bench.workshop.device.clone(),
            case: wanted.case.clone(),
            slots: vec![Slot { seed, padding: Vec::new(), offsets: Vec::new() }],
        };
        let file = |kind: &str| bench.workshop.scratch.data(&format!("{name}-{}.{kind}", sets.len()));
        let question =
            AskReference { slot: 0, inputs: file("inputs"), own: file("own"), exact: file("exact") };
        let answered = child
            .ask(&open, bench.workshop.limit)
            .and_then(|opened| Ok((opened, child.ask(&question, bench.workshop.limit)?)));
        let (opened, answer) = match answered {
            Ok(both) => both,
            Err(Unanswered::Refused(refusal))
                if wanted.case.is_none()
                    && matches!(refusal.kind, RefusalKind::NeedsKernel | RefusalKind::Raised) =>
            {
                let seeds = (0..SETS).map(|_| random.number() >> 1).collect();
                let reference = Reference::Beside { reason: refusal.message, seeds };
                return Ok(Prepared { reference, size: None, work: Work::default() });
            }
            Err(other) => return Err(other),
        };
        let inputs = opened.inputs.into_iter().next().unwrap_or_default();
        if fs_err::metadata(&question.inputs).is_ok_and(|file| file.len() > MANY_BYTES) {
            count = FEW_SETS;
        }
        states.push(opened.state);
        sets.push(DataSet {
            seed,
            inputs: question.inputs,
            tensors: inputs,
            answer: Answer {
                own: question.own,
                tensors: answer.own,
                exact: answer.exact.map(|_tensors| question.exact),
                rules: wanted.rules.clone(),
            },
        });
    }
    let first = &sets[0];
    let size = size_class(&first.tensors, &first.answer.tensors);
    let alike = sets.iter().all(|set| alike(&set.tensors, &first.tensors))
        && states.windows(2).all(|pair| pair[0] == pair[1]);
    // Every input is read and every output written once at least.
    let work = Work { bytes: Some(bytes(&first.tensors) + bytes(&first.answer.tensors)), flop: None };
    Ok(Prepared { reference: Reference::Separate { sets, fixed: !alike }, size, work })
}

/// Whether two setups left tensors of the same names, types and shapes.
pub(super) fn alike(
    one: &[kernel_bench::protocol::Tensor],
    other: &[kernel_bench::protocol::Tensor],
) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            (&one.name, &one.dtype, &one.shape) == (&other.name, &other.dtype, &other.shape)
        })
}

/// Nanoseconds of a call of the baseline where no kernel was ever loaded, at best.
pub(super) fn solo(
    bench: &Bench,
    child: &mut Child,
    workload: &Workload,
    random: &mut Random,
) -> Result<f64, Unanswered> {
    let slots = workload.reference.seeds(2).into_iter().map(|seed| Slot {
        seed,
        padding: vec![u32::try_from(random.below(16 << 10)).unwrap_or_default() + 64],
        offsets: Vec::new(),
    });
    child.ask(
        &Open {
            class: workload.class.clone(),
            workload: workload.name.clone(),
            device: bench.workshop.device.clone(),
            case: workload.case.clone(),
            slots: slots.collect(),
        },
        bench.workshop.limit,
    )?;
    let settled =
        child.ask(&Calibrate::of(vec!["baseline"], &bench.workshop.device), bench.workshop.limit)?;
    let calls = settled.baseline.map_or(1, |arm| arm.calls);
    let samples = 40;
    let times =
        child.ask(&Solo { device: bench.workshop.device.clone(), calls, samples }, bench.workshop.limit)?;
    Ok(times.times.into_iter().fold(f64::INFINITY, f64::min))
}
