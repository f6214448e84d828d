//! Fills the result document of one variant from what is known so far. It is written after every workload, so that a run
//! that is cut off keeps what it knew.

use camino::Utf8Path;
use chrono::{DateTime, SecondsFormat};
use kernel_bench::decision::{Look, Roof, Roofline, Verdict};
use kernel_bench::measurement::{Arms, FaultKind};
use kernel_bench::report::{
    Adoption, AlphaSpent, BaselineDescription, Bottleneck, Check, CheckOutcome, Correctness, Document,
    Implementation, RunDescription, SCHEMA, WorkloadResult,
};
use kernel_spec::identifier::hexadecimal;
use kernel_spec::report::gates::Gate;
use sha2::{Digest, Sha256};

use super::outputs::GATES;
use super::progress::Progress;
use super::run::State;
use super::workload::Reference;
use super::{BenchError, machine, suspicion};
use crate::{Result, written};

/// What stands in the document of a run that goes on or was cut off.
const UNFINISHED: &str = "the run is not finished; its verdicts are provisional";

/// Writes a document.
pub fn write(document: &Document, path: &Utf8Path) -> Result<(), BenchError> {
    let text = serde_json::to_string(document).map_err(std::io::Error::from)? + "\n";
    Ok(written::write_document(path, text.as_bytes())?)
}

impl State<'_> {
    /// Writes the document with what is known now. `last` is what was decided, provisionally unless the run is complete.
    pub(super) fn write(&self, progress: &[Progress], last: Look, complete: bool) -> Result<Document> {
        let document = self.document(progress, last, complete)?;
        write(&document, &self.bench.options.output)?;
        Ok(document)
    }

    fn document(&self, progress: &[Progress], last: Look, complete: bool) -> Result<Document> {
        let results = last.verdicts.into_iter().zip(self.measurements(progress));
        let workloads = results.map(|(verdict, measurement)| {
            let one = progress.iter().find(|one| one.workload.id == verdict.workload);
            let limits = one.map(|one| self.limits(one, &verdict)).unwrap_or_default();
            WorkloadResult {
                shape: one
                    .and_then(|one| Some(one.workload.case.as_ref()?.sizes.clone()))
                    .unwrap_or_default(),
                dtype: one.and_then(|one| one.workload.dtype.clone()),
                timer: Some("wall".to_owned()),
                cache: Some("hot".to_owned()),
                correctness: one.map(|one| self.correctness(one)),
                implementation: one.map(|one| self.implementation(one)),
                checks: one.map(checks).unwrap_or_default(),
                roof: limits.roof,
                roofline: limits.roofline,
                bottleneck: limits.bottleneck,
                first_call_ns: None,
                verdict,
                measurement,
            }
        });
        let workloads = workloads.collect();
        let load = self.seen.load.as_ref();
        let script = self.scripts.iter().find(|script| !script.versions.is_empty());
        Ok(Document {
            schema: SCHEMA.to_owned(),
            run: self.description(complete),
            subject: self.bench.subject(self, complete)?,
            baseline: BaselineDescription {
                kind: "reference".to_owned(),
                detail: Some(
                    "`verify_X` of the script, or the declared reference, timed beside the kernel".to_owned(),
                ),
            },
            machine: machine::describe(
                &self.bench.workshop.backend,
                script.map_or(0, |script| script.threads),
                script.map(|script| &script.versions),
                self.seen.confinement,
                &self.control(),
            ),
            settings: self.bench.options.settings.clone(),
            looks: self.looks.clone(),
            workloads,
            suite: last.suite,
            adoption: Some(Adoption {
                bytes: Some(self.bench.bytes),
                import_seconds: load.map(|load| load.seconds),
            }),
            comparison: None,
            warnings: if complete { Vec::new() } else { vec![UNFINISHED.to_owned()] },
        })
    }

    /// Digest of the scripts, whose references are what runs have in common.
    fn control(&self) -> String {
        let mut digest = Sha256::new();
        for script in self.scripts {
            for path in script.files.iter().chain([&script.path]) {
                digest.update(fs_err::read(path).unwrap_or_default());
            }
        }
        hexadecimal(&digest.finalize())[..16].to_owned()
    }

    /// The seed is only shown when nobody can make use of it any more; its digest stands there from the beginning.
    fn description(&self, complete: bool) -> RunDescription {
        let seed = format!("{:016x}", self.bench.workshop.seed);
        let digest = |text: &str| hexadecimal(&Sha256::digest(text.as_bytes()));
        let now = self.bench.workshop.context.source_date;
        let started = i64::try_from(now).ok().and_then(|now| DateTime::from_timestamp(now, 0));
        let workloads: String =
            self.bench.options.workloads.iter().map(|pattern| format!(" --workload '{pattern}'")).collect();
        RunDescription {
            id: digest(&format!("{now} {seed}"))[..32].to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            started: started.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true)).unwrap_or_default(),
            seconds: self.begin.elapsed().as_secs_f64(),
            command: format!(
                "kernel-builder bench --variant {} --seed {}{workloads}",
                self.bench.workshop.variant, self.bench.workshop.seed
            ),
            seed_commitment: Some(digest(&seed)),
            seed: complete.then_some(seed),
            attempts_before: self.bench.attempts_before,
        }
    }

    /// The roof over a workload, and what follows from it for one that was timed.
    fn limits(&self, one: &Progress, verdict: &Verdict) -> Limits {
        let ceilings = &self.scripts[one.script].ceilings;
        let work = one.workload.work;
        let roof = ceilings.roof(work, one.workload.dtype.as_deref());
        let medians = verdict
            .fault
            .is_none()
            .then_some(verdict.times)
            .flatten()
            .map(|times| Arms { baseline: times.baseline.median, candidate: times.candidate.median });
        let roofline = medians.and_then(|medians| Roofline::of(work, &roof, medians));
        let bottleneck =
            medians.and_then(|medians| Bottleneck::of(medians.candidate, roofline.as_ref(), ceilings));
        Limits { roof: roof.bytes_per_second.map(|_| roof), roofline, bottleneck }
    }

    fn correctness(&self, one: &Progress) -> Correctness {
        let failed = one.record.failed;
        let gate = |gate: Gate| {
            let outcome = match failed {
                Some(struck) if struck == gate => CheckOutcome::Failed,
                None if one.record.judged > 0 && !one.by_script => CheckOutcome::Passed,
                _ => CheckOutcome::NotExecuted,
            };
            let evidence = match (outcome, &one.measurement.fault) {
                (CheckOutcome::Failed, Some(fault)) => fault.reason.clone(),
                (CheckOutcome::Passed, _) => format!("{} outputs judged", one.record.judged),
                _ => String::new(),
            };
            Check { name: gate.name().to_owned(), outcome, evidence }
        };
        let script = self.scripts[one.script].comparison.as_deref();
        Correctness {
            gates: GATES.into_iter().map(gate).collect(),
            largest_ulp: (one.record.judged > 0).then_some(one.record.largest_ulp),
            error_ratio: (one.record.judged > 0).then_some(one.record.error_ratio),
            comparator: Some(match script {
                Some(place) if one.by_script => format!("script-override {place}"),
                _ => "judge".to_owned(),
            }),
        }
    }

    fn implementation(&self, one: &Progress) -> Implementation {
        let (files, operators) = self.seen.proofs.get(&one.workload.id).cloned().unwrap_or_default();
        let proved = !files.is_empty();
        let loaded = self.seen.load.as_ref().map(|load| load.kernel.clone()).unwrap_or_default();
        Implementation { loaded, ran: files.into_iter().chain(operators).collect(), fallback: None, proved }
    }
}

/// What limits a workload.
#[derive(Default)]
struct Limits {
    roof: Option<Roof>,
    roofline: Option<Roofline>,
    bottleneck: Option<Bottleneck>,
}

/// What a look spent.
pub(super) fn spent(look: &Look) -> AlphaSpent {
    let open =
        look.verdicts.iter().filter(|verdict| verdict.fault.is_none() && verdict.decided_after.is_none());
    AlphaSpent {
        number: look.number,
        processes: look.processes,
        level: look.level,
        spent: look.spent,
        open: open.count(),
    }
}

/// The checks against cheating.
fn checks(one: &Progress) -> Vec<Check> {
    let suspect = one.measurement.fault.as_ref().filter(|fault| fault.kind == FaultKind::Suspect);
    let check = |name: &'static str, executed: bool| {
        let struck = suspect.filter(|_| one.suspicion.struck() == Some(name));
        let outcome = match (struck, executed) {
            (Some(_), _) => CheckOutcome::Failed,
            (None, true) => CheckOutcome::Passed,
            (None, false) => CheckOutcome::NotExecuted,
        };
        let evidence = struck.map(|fault| fault.reason.clone()).unwrap_or_default();
        Check { name: name.to_owned(), outcome, evidence }
    };
    let beside = match &one.workload.reference {
        Reference::Separate { .. } => None,
        Reference::Beside { reason, .. } => Some(reason.clone()),
    };
    let apart = beside.is_none();
    let measured = !one.measurement.processes.is_empty();
    let mut reference = check(suspicion::REFERENCE_APART, apart);
    reference.evidence = beside.unwrap_or(reference.evidence);
    vec![
        reference,
        check(suspicion::FRESH_INPUTS, apart && measured),
        check(suspicion::TIMED_OUTPUTS, measured && !one.by_script),
        check(suspicion::CLOCKS, one.suspicion.clocks_agreed()),
        check(suspicion::UNTOUCHED, measured),
        check(suspicion::THREADS, measured),
        check(suspicion::TYPES, measured),
        check(suspicion::CHANNEL, measured),
        check(suspicion::ALONE, measured && one.alone.is_finite()),
    ]
}
