//! The child that never sees the kernel: it makes inputs from seeds nobody else knows and says what the reference makes
//! of them.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::decision::Ceilings;
use kernel_bench::measurement::{Fault, Work};
use kernel_bench::protocol::{
    Bye, Calibrate, Discover, DiscoverAnswer, Open, Random, Reference as AskReference, RefusalKind, Roof,
    Slot, Solo,
};

use super::Bench;
use super::child::{Child, Unanswered};
use super::workload::{Answer, DataSet, Reference, Workload, bytes, size_class};
use crate::process::ProcessError;

/// Sets of inputs for each workload.
const SETS: usize = 3;
/// And where one of them is larger than this.
const FEW_SETS: usize = 2;
const MANY_BYTES: u64 = 256 << 20;

/// A script as the oracle found it.
pub(super) struct Script {
    pub(super) path: Utf8PathBuf,
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

/// Reads a script and makes its references. The outer error concerns the run, the inner one the script.
pub(super) fn consult(
    bench: &Bench,
    number: usize,
    path: &Utf8Path,
    random: &mut Random,
) -> Result<Result<Script, Fault>, ProcessError> {
    let (mut child, found) = match discovered(bench, path, random)? {
        Ok(started) => started,
        Err(fault) => return Ok(Err(fault)),
    };
    let mut script = Script {
        comparison: found.comparison,
        versions: found.versions,
        threads: found.threads,
        ..Script::empty(path)
    };
    let wanted = found.classes.iter().flat_map(|class| {
        class
            .workloads
            .iter()
            .map(move |workload| (format!("{}.{}", class.name, workload.name), class, workload))
    });
    for (index, (id, class, workload)) in wanted.enumerate() {
        if !bench.is_selected(&id) {
            script.others.push(id);
            continue;
        }
        if !workload.verify {
            script.unverified.push(id);
            continue;
        }
        let name = format!("{number}-{index}");
        match prepare(bench, &mut child, &class.name, &workload.name, &name, random) {
            Ok(Prepared { reference, size, work }) => {
                let (class, name) = (class.name.clone(), workload.name.clone());
                let dtype = reference.dtype();
                let alone = f64::INFINITY;
                let mut workload = Workload { id, class, name, reference, dtype, size, work, alone };
                match solo(bench, &mut child, &workload, random) {
                    Ok(time) => workload.alone = time,
                    Err(unanswered) if unanswered.is_recoverable() => {}
                    Err(unanswered) => {
                        script.failed.push((workload.id, child.end_after(unanswered)?.fault()?));
                        child = match discovered(bench, path, random)? {
                            Ok((child, _)) => child,
                            Err(fault) => return Ok(Err(fault)),
                        };
                        continue;
                    }
                }
                script.workloads.push(workload);
            }
            Err(unanswered) => {
                if unanswered.is_recoverable() {
                    script.failed.push((id, unanswered.fault()?));
                    continue;
                }
                script.failed.push((id, child.end_after(unanswered)?.fault()?));
                child = match discovered(bench, path, random)? {
                    Ok((child, _)) => child,
                    Err(fault) => return Ok(Err(fault)),
                };
            }
        }
    }
    if !script.workloads.is_empty() {
        script.ceilings = ceilings(bench, &mut child, &script.workloads);
    }
    if let Ok(answer) = child.ask(&Bye { variant_path: None }, bench.limit) {
        script.excused = answer.changed;
    }
    child.end()?;
    Ok(Ok(script))
}

/// A child that has imported a script, and what is in it.
pub(super) fn discovered<'a>(
    bench: &'a Bench<'a>,
    path: &Utf8Path,
    random: &mut Random,
) -> Result<Result<(Child<'a>, DiscoverAnswer), Fault>, ProcessError> {
    let mut child = match Child::start(bench, random) {
        Ok(child) => child,
        Err(unanswered) => return unanswered.fault().map(Err),
    };
    match child.ask(&Discover { script: path.to_owned() }, bench.limit) {
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
    let answer = child.ask(&Roof { device: bench.device.clone(), types }, bench.limit);
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
    class: &str,
    workload: &str,
    name: &str,
    random: &mut Random,
) -> Result<Prepared, Unanswered> {
    let mut sets: Vec<DataSet> = Vec::new();
    let mut states = Vec::new();
    let mut wanted = SETS;
    while sets.len() < wanted {
        let seed = random.number() >> 1;
        let open = Open {
            class: class.to_owned(),
            workload: workload.to_owned(),
            device: bench.device.clone(),
            slots: vec![Slot { seed, padding: Vec::new(), offsets: Vec::new() }],
        };
        let file = |kind: &str| bench.scratch.data(&format!("{name}-{}.{kind}", sets.len()));
        let question =
            AskReference { slot: 0, inputs: file("inputs"), own: file("own"), exact: file("exact") };
        let answered =
            child.ask(&open, bench.limit).and_then(|opened| Ok((opened, child.ask(&question, bench.limit)?)));
        let (opened, answer) = match answered {
            Ok(both) => both,
            Err(Unanswered::Refused(refusal))
                if matches!(refusal.kind, RefusalKind::NeedsKernel | RefusalKind::Raised) =>
            {
                let seeds = (0..SETS).map(|_| random.number() >> 1).collect();
                let reference = Reference::Beside { reason: refusal.message, seeds };
                return Ok(Prepared { reference, size: None, work: Work::default() });
            }
            Err(other) => return Err(other),
        };
        let inputs = opened.inputs.into_iter().next().unwrap_or_default();
        if fs_err::metadata(&question.inputs).is_ok_and(|file| file.len() > MANY_BYTES) {
            wanted = FEW_SETS;
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
            device: bench.device.clone(),
            slots: slots.collect(),
        },
        bench.limit,
    )?;
    let settled = child.ask(&Calibrate::of(vec!["baseline"], &bench.device), bench.limit)?;
    let calls = settled.baseline.map_or(1, |arm| arm.calls);
    let samples = 40;
    let times = child.ask(&Solo { device: bench.device.clone(), calls, samples }, bench.limit)?;
    Ok(times.times.into_iter().fold(f64::INFINITY, f64::min))
}
