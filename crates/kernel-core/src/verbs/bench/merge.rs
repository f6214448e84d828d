//! `bench merge`: the kept runs of several machines side by side. Nothing is measured.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use kernel_bench::decision::{MachineResult, Merged, MergedWorkload, Outcome, Settings};
use kernel_bench::report::Document;
use kernel_spec::report::BenchMergeReport;
use kernel_spec::report::bench::Speedup;
use kernel_spec::report::bench_several::{MachineBench, WorkloadOnMachine, WorkloadOnMachines};

use super::{FailOn, news, saved};
use crate::bench::BenchError;
use crate::{Context, Result};

/// What `bench merge` is asked for with.
#[derive(Clone, Debug)]
pub struct MergeOptions {
    /// The documents of the runs.
    pub documents: Vec<Utf8PathBuf>,
    /// News that is to be a failure.
    pub fail_on: Vec<FailOn>,
}

/// Puts runs side by side: verdicts stay those of each machine, claims are corrected for all of them.
pub fn merge(context: &Context, options: &MergeOptions) -> Result<BenchMergeReport> {
    let read = |path: &Utf8PathBuf| saved(&context.resolve(path));
    let documents = options.documents.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let findings = news::unfinished(options.documents.iter().zip(&documents));
    let settings = strictest(&documents);
    let results: Vec<MachineResult> = documents
        .into_iter()
        .map(|document| MachineResult {
            run: document.run.id,
            key: document.machine.comparability.key(),
            machine: document.machine.name,
            verdicts: document.workloads.into_iter().map(|workload| workload.verdict).collect(),
            suite: document.suite,
        })
        .collect();
    let merged = kernel_bench::decision::merge(&settings, &results).map_err(BenchError::Conflict)?;
    let mut report = told(&merged);
    report.findings = findings;
    let outcomes = merged.workloads.iter().flat_map(|workload| {
        workload.agreement.values().flat_map(move |machine| {
            let relied_on = move |outcome: &Outcome| match outcome {
                Outcome::Faster | Outcome::Slower if !machine.stands => Outcome::Inconclusive,
                outcome => *outcome,
            };
            machine.outcomes.iter().map(move |outcome| (workload.workload.as_str(), relied_on(outcome)))
        })
    });
    report.findings.extend(news::of_outcomes(&options.fail_on, outcomes, "than its baseline"));
    Ok(report)
}

/// Runs with different settings are held against the strictest of them.
fn strictest(documents: &[Document]) -> Settings {
    let mut strictest = Settings::default();
    for settings in documents.iter().map(|document| &document.settings) {
        strictest.alpha = strictest.alpha.min(settings.alpha);
        if settings.looks.len() > strictest.looks.len() {
            strictest.looks.clone_from(&settings.looks);
        }
    }
    strictest
}

fn told(merged: &Merged) -> BenchMergeReport {
    let numbers: BTreeMap<&str, usize> =
        merged.machines.iter().zip(1..).map(|(machine, number)| (machine.key.as_str(), number)).collect();
    let machines = merged.machines.iter().map(|machine| MachineBench {
        number: numbers[machine.key.as_str()],
        machine: machine.machine.clone(),
        key: machine.key.clone(),
        verdicts: machine
            .suites
            .iter()
            .map(|(run, verdict)| (run.clone(), verdict.word().to_owned()))
            .collect(),
    });
    BenchMergeReport {
        machines: machines.collect(),
        workloads: merged.workloads.iter().map(|workload| on_machines(workload, &numbers)).collect(),
        duplicates: merged.duplicates.clone(),
        findings: Vec::new(),
    }
}

fn on_machines(workload: &MergedWorkload, numbers: &BTreeMap<&str, usize>) -> WorkloadOnMachines {
    let machines = workload.agreement.iter().map(|(key, agreement)| WorkloadOnMachine {
        machine: numbers[key.as_str()],
        outcomes: agreement.outcomes.iter().map(|outcome| outcome.word().to_owned()).collect(),
        stands: agreement.stands,
        speedup: agreement.speedup.zip(agreement.interval).map(|(ratio, (low, high))| Speedup {
            ratio,
            low,
            high,
        }),
    });
    WorkloadOnMachines {
        workload: workload.workload.clone(),
        machines: machines.collect(),
        faster_on: workload.faster_on,
        slower_on: workload.slower_on,
        measured_on: workload.measured_on,
    }
}
