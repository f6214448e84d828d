//! From the document of a run to what people and scripts are told of it.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::decision::{
    Change, Effect, Incomparable, Instability, InstabilityKind, Outcome as Decision, Suite, SuiteVerdict,
    Verdict,
};
use kernel_bench::measurement::FaultKind;
use kernel_bench::report::{CheckOutcome, Document, Machine, WorkloadResult};
use kernel_spec::code::bench as code;
use kernel_spec::finding::Subject;
use kernel_spec::report::BenchReport;
use kernel_spec::report::bench::{Bottleneck, ChangeBench, Speedup, VariantBench, WorkloadBench};
use kernel_spec::{Code, Finding};

use super::{BenchOptions, FailOn};
use crate::bench::{Outcome, REFERENCE_APART};

/// Adds what a run says to the report.
pub(super) fn add(
    outcome: &Outcome,
    variant: &str,
    options: &BenchOptions,
    project: &Utf8Path,
    report: &mut BenchReport,
) {
    let about = Subject { variant: Some(variant.to_owned()), ..Subject::default() };
    report
        .findings
        .extend(unmeasured(outcome, project).into_iter().map(|finding| finding.about(about.clone())));
    add_document(&outcome.document, &options.fail_on, report);
}

/// Adds what a document says.
pub(super) fn add_document(document: &Document, fail_on: &[FailOn], report: &mut BenchReport) {
    let variant = &document.subject.variant;
    let mut findings: Vec<Finding> =
        document.workloads.iter().filter_map(|result| fault(&result.verdict)).collect();
    findings.extend(unverified(document));
    findings.extend(asked_for(fail_on, document));
    let about = || Subject { variant: Some(variant.clone()), ..Subject::default() };
    report.findings.extend(findings.into_iter().map(|finding| finding.about(about())));
    report.variants.push(VariantBench {
        variant: variant.clone(),
        id: document.subject.name.clone(),
        verdict: document.suite.verdict.word().to_owned(),
        reasons: document.suite.reasons.clone(),
        speedup: document.suite.speedup.as_ref().map(speedup),
        workloads: document.workloads.iter().map(workload).collect(),
        processes: document.looks.last().map_or(0, |look| look.processes),
        seconds: document.run.seconds,
        machine: machine(&document.machine),
        changes: document.comparison.iter().flat_map(|comparison| &comparison.changes).map(change).collect(),
        document: String::new(),
        reports: Vec::new(),
    });
}

/// What was not even tried.
fn unmeasured(outcome: &Outcome, project: &Utf8Path) -> Vec<Finding> {
    let skipped = outcome.skipped.iter().map(|script| {
        let name = script.strip_prefix(project).unwrap_or(script);
        Finding::note(&code::SCRIPT, format!("`{name}` has no subclass of `Benchmark`"))
    });
    let unverified = outcome.unverified.iter().map(|workload| {
        Finding::warning(&code::NOT_VERIFIED, format!("`{workload}` has no reference and is not measured"))
    });
    skipped.chain(unverified).collect()
}

/// What was measured without having been verified by us.
fn unverified(document: &Document) -> Vec<Finding> {
    let by_script = document.workloads.iter().filter_map(|result| {
        let (place, workload) = (script_comparison(result)?, &result.verdict.workload);
        let message = format!("only a comparison of the script's own ({place}) accepts `{workload}`");
        Some(Finding::warning(&code::NOT_VERIFIED, message))
    });
    let mut findings: Vec<Finding> = by_script.collect();
    let is_faulty = |result: &WorkloadResult| {
        result.verdict.fault.as_ref().is_some_and(|fault| fault.kind != FaultKind::Unsupported)
    };
    if !document.workloads.iter().any(|result| is_faulty(result) || is_verified(result)) {
        findings.push(Finding::error(&code::NOT_VERIFIED, "no workload was verified on this machine"));
    }
    findings
}

/// What `--fail-on` makes a failure.
fn asked_for(fail_on: &[FailOn], document: &Document) -> Vec<Finding> {
    let mut findings = of_suite(fail_on, &document.suite);
    let changes = document.comparison.iter().flat_map(|comparison| &comparison.changes);
    for change in
        changes.filter(|change| fail_on.contains(&FailOn::Slower) && change.outcome == Decision::Slower)
    {
        let message = format!("`{}` is slower than in the earlier run", change.workload);
        findings.push(Finding::error(&code::SLOWER, message));
    }
    findings
}

/// What `--fail-on` makes a failure of a verdict as a whole.
pub(in crate::verbs) fn of_suite(fail_on: &[FailOn], suite: &Suite) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (asked, code, message) in [
        (FailOn::Slower, &code::SLOWER, "the kernel is slower than its baseline"),
        (FailOn::NotFaster, &code::NOT_FASTER, "the kernel is not proven faster than its baseline"),
        (FailOn::Inconclusive, &code::INCONCLUSIVE, "the measurements do not tell"),
    ] {
        if fail_on.contains(&asked) && applies(asked, suite.verdict)
            || fail_on.contains(&FailOn::NotImproved) && is_about(asked, suite.verdict)
        {
            findings.push(Finding::error(code, message).cause(suite.reasons.join("; ")));
        }
    }
    findings
}

/// Two runs that cannot be compared.
pub(super) fn incomparable(reason: Incomparable) -> Finding {
    Finding::error(&code::INCOMPARABLE, "the earlier run cannot be compared with this one")
        .cause(reason.to_string())
}

/// Documents of runs that did not come to their end.
pub(super) fn unfinished<'a>(
    documents: impl IntoIterator<Item = (&'a Utf8PathBuf, &'a Document)>,
) -> Vec<Finding> {
    let warnings = documents.into_iter().flat_map(|(path, document)| {
        document
            .warnings
            .iter()
            .map(move |warning| Finding::warning(&code::INCONCLUSIVE, format!("`{path}`: {warning}")))
    });
    warnings.collect()
}

/// What `--fail-on` makes a failure of what was decided before. `than` ends the words of what is slower.
pub(super) fn of_outcomes<'a>(
    fail_on: &[FailOn],
    outcomes: impl IntoIterator<Item = (&'a str, Decision)>,
    than: &str,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (workload, outcome) in outcomes {
        let news = match outcome {
            Decision::Faster => continue,
            Decision::Slower => (FailOn::Slower, &code::SLOWER, format!("`{workload}` is slower {than}")),
            Decision::Inconclusive => (
                FailOn::Inconclusive,
                &code::INCONCLUSIVE,
                format!("the measurements of `{workload}` do not tell"),
            ),
            Decision::Equivalent | Decision::Invalid => {
                (FailOn::NotFaster, &code::NOT_FASTER, format!("`{workload}` is not proven faster {than}"))
            }
        };
        let (about, code, message) = news;
        if fail_on.contains(&about) {
            findings.push(Finding::error(code, message));
        } else if fail_on.contains(&FailOn::NotFaster) {
            let message = format!("`{workload}` is not proven faster {than}");
            findings.push(Finding::error(&code::NOT_FASTER, message));
        }
    }
    findings.dedup();
    findings
}

pub(super) fn change(change: &Change) -> ChangeBench {
    ChangeBench {
        workload: change.workload.clone(),
        outcome: change.outcome.word().to_owned(),
        speedup: change.effect.as_ref().map(speedup),
    }
}

fn applies(asked: FailOn, verdict: SuiteVerdict) -> bool {
    match asked {
        FailOn::Slower => verdict == SuiteVerdict::Regressed,
        FailOn::NotFaster | FailOn::NotImproved => verdict != SuiteVerdict::Improved,
        FailOn::Inconclusive => verdict == SuiteVerdict::Inconclusive,
    }
}

/// The one word for a verdict that is no improvement.
fn is_about(news: FailOn, verdict: SuiteVerdict) -> bool {
    match verdict {
        SuiteVerdict::Improved => false,
        SuiteVerdict::Regressed => news == FailOn::Slower,
        SuiteVerdict::Inconclusive => news == FailOn::Inconclusive,
        SuiteVerdict::Unchanged | SuiteVerdict::Invalid => news == FailOn::NotFaster,
    }
}

fn fault(verdict: &Verdict) -> Option<Finding> {
    let fault = verdict.fault.as_ref()?;
    let (code, what): (&'static Code, &str) = match fault.kind {
        FaultKind::Error => (&code::FAILED, "raised an exception"),
        FaultKind::Crashed => (&code::CHILD, "could not be measured to its end"),
        FaultKind::Unsupported => (&code::UNSUPPORTED, "needs another device"),
        FaultKind::Incorrect => (&code::INCORRECT, "is wrong"),
        FaultKind::Suspect => (&code::SUSPECT, "is suspect"),
    };
    let message = format!("`{}` {what}", verdict.workload);
    let finding = if fault.kind == FaultKind::Unsupported {
        Finding::note(code, message)
    } else {
        Finding::error(code, message)
    };
    Some(finding.cause(fault.reason.clone()))
}

fn workload(result: &WorkloadResult) -> WorkloadBench {
    let verdict = &result.verdict;
    let microseconds = |nanoseconds: f64| nanoseconds / 1e3;
    let mut reasons: Vec<String> = verdict.fault.iter().map(|fault| fault.reason.clone()).collect();
    if verdict.outcome == Decision::Inconclusive {
        reasons.extend(undecided(verdict));
    }
    WorkloadBench {
        workload: verdict.workload.clone(),
        outcome: verdict.fault.as_ref().map_or(verdict.outcome.word(), |fault| fault.kind.word()).to_owned(),
        reasons,
        verified: is_verified(result),
        verification: verification(result),
        baseline_us: verdict.times.map(|times| microseconds(times.baseline.median)),
        kernel_us: verdict.times.map(|times| microseconds(times.candidate.median)),
        speedup: verdict.effect.as_ref().map(speedup),
        bottleneck: result
            .bottleneck
            .as_ref()
            .map(|found| Bottleneck { kind: found.kind.word().to_owned(), evidence: found.evidence.clone() }),
    }
}

/// Why the measurements of a workload do not tell, and what would.
fn undecided(verdict: &Verdict) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(unstable) = &verdict.instability {
        reasons.push(describe(unstable));
    }
    if let Some(noise) = &verdict.noise {
        reasons.extend(noise.causes.iter().map(|cause| format!("{}: {}", cause.kind.name(), cause.evidence)));
    }
    if let Some(detectable) = &verdict.detectable {
        let percent = 100.0 * detectable.effect;
        let more = detectable
            .processes_needed
            .map_or_else(String::new, |count| format!("; {count} processes would do"));
        reasons.push(format!("a difference of {percent:.1} % could have been seen{more}"));
    }
    reasons
}

fn describe(unstable: &Instability) -> String {
    let (found, allowed) = (100.0 * unstable.found, 100.0 * unstable.allowed);
    match unstable.kind {
        InstabilityKind::WildBlocks => {
            format!("{found:.0} % of the samples are more than 20 % off; {allowed:.0} % are allowed")
        }
        InstabilityKind::WideBlocks => {
            format!("the middle half of the samples spreads over {found:.0} %; {allowed:.0} % is allowed")
        }
        InstabilityKind::StrangeProcesses => {
            format!("{found:.0} % of the processes are nothing like the others; {allowed:.0} % are allowed")
        }
    }
}

/// Whether outputs were judged, by us, and passed every gate.
fn is_verified(result: &WorkloadResult) -> bool {
    let gates = result.correctness.iter().flat_map(|correctness| &correctness.gates);
    let outcomes: Vec<CheckOutcome> = gates.map(|gate| gate.outcome).collect();
    let passed = outcomes.iter().all(|outcome| *outcome == CheckOutcome::Passed);
    result.verdict.fault.is_none() && !outcomes.is_empty() && passed
}

/// How outputs were verified, for people.
fn verification(result: &WorkloadResult) -> String {
    if let Some(place) = script_comparison(result) {
        return format!("by the script's own comparison, {place}");
    }
    let Some(correctness) = result.correctness.as_ref().filter(|_| is_verified(result)) else {
        return String::new();
    };
    let apart = result
        .checks
        .iter()
        .any(|check| check.name == REFERENCE_APART && check.outcome == CheckOutcome::Passed);
    let place = if apart { "another process" } else { "the kernel's own process" };
    let judged = correctness.gates.first().map(|gate| gate.evidence.as_str()).unwrap_or_default();
    let ulp = correctness.largest_ulp.unwrap_or_default();
    format!("{judged} against a reference in {place}, at most {ulp:.1} ulp off")
}

/// Where the script's own comparison is, where only that accepts the outputs.
fn script_comparison(result: &WorkloadResult) -> Option<&str> {
    result.correctness.as_ref()?.comparator.as_deref()?.strip_prefix("script-override ")
}

fn machine(machine: &Machine) -> String {
    let fact = |name: &str| machine.comparability.facts.get(name).cloned().unwrap_or_default();
    format!("{} ({} processors, {} threads)", machine.name, fact("processors"), fact("threads"))
}

pub(in crate::verbs) fn speedup(effect: &Effect) -> Speedup {
    Speedup { ratio: effect.ratio, low: effect.low, high: effect.high }
}
