//! Human form of `bench compare` and `bench merge`.

use kernel_spec::report::bench_several::{WorkloadOnMachine, WorkloadOnMachines};
use kernel_spec::report::{BenchCompareReport, BenchMergeReport};

use super::bench::{changed, interval};
use crate::output::page::{DIM, Page, TITLE};
use crate::output::problem;

pub(super) fn compared(report: &BenchCompareReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
    }
    page.add_in(TITLE, &report.now).line(format!(" against {}", report.before));
    for change in &report.changes {
        page.line(format!("  {}", changed(change)));
    }
    for (workloads, run) in [(&report.gone, "earlier"), (&report.added, "later")] {
        for workload in workloads {
            page.add_in(DIM, format!("  {workload}")).line(format!(" was measured in the {run} run alone"));
        }
    }
}

pub(super) fn merged(report: &BenchMergeReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
    }
    for machine in &report.machines {
        page.add_in(TITLE, format!("machine {}", machine.number)).line(format!(" {}", machine.machine));
        for (run, verdict) in &machine.verdicts {
            page.line(format!("  {verdict} in run {run}"));
        }
    }
    let head = ["workload", "machine", "outcome", "mean of its runs", "stands"].map(str::to_owned);
    let rows =
        report.workloads.iter().flat_map(|workload| workload.machines.iter().map(|one| row(workload, one)));
    let rows: Vec<[String; 5]> = std::iter::once(head).chain(rows).collect();
    page.table(&rows);
    for workload in &report.workloads {
        let WorkloadOnMachines { workload, faster_on, slower_on, measured_on, .. } = workload;
        page.line(format!(
            "{workload}: faster on {faster_on} and slower on {slower_on} of {measured_on} kinds of machines"
        ));
    }
    for run in &report.duplicates {
        page.add_in(DIM, "counted once").line(format!(" run {run}, which was given more than once"));
    }
}

fn row(workload: &WorkloadOnMachines, one: &WorkloadOnMachine) -> [String; 5] {
    [
        workload.workload.clone(),
        one.machine.to_string(),
        one.outcomes.join(", "),
        one.speedup.map_or_else(
            || "-".to_owned(),
            |speedup| format!("{:.2}x ({})", speedup.ratio, interval(speedup)),
        ),
        if one.stands { "yes" } else { "no" }.to_owned(),
    ]
}
