//! Human form of `bench`: what is wrong first, then a table of the workloads, then the verdict with its reasons.

use kernel_spec::report::BenchReport;
use kernel_spec::report::bench::{ChangeBench, Speedup, VariantBench, WorkloadBench};

use crate::output::page::{DIM, ERROR, NOTE, Page, TITLE, WARNING};
use crate::output::problem;

pub(super) fn render(report: &BenchReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
    }
    for variant in &report.variants {
        table(variant, page);
        verdict(variant, page);
    }
    super::next(page, &report.next);
}

fn table(variant: &VariantBench, page: &mut Page) {
    let head = ["workload", "baseline", "kernel", "ratio", "interval", "verdict"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(variant.workloads.iter().map(row)).collect();
    page.add_in(TITLE, &variant.variant).line(format!(" on {}", variant.machine));
    page.table(&rows);
    for workload in &variant.workloads {
        if !workload.verification.is_empty() {
            page.add_in(DIM, "verified").line(format!(" {}: {}", workload.workload, workload.verification));
        }
        if let Some(found) = &workload.bottleneck {
            page.add_in(DIM, "limit").line(format!(" {}: {}", workload.workload, found.evidence));
        }
        for reason in workload.reasons.iter().filter(|_| workload.outcome == "inconclusive") {
            page.add_in(NOTE, "note").line(format!(": {}: {reason}", workload.workload));
        }
    }
}

fn row(workload: &WorkloadBench) -> [String; 6] {
    let speedup = workload.speedup;
    [
        workload.workload.clone(),
        time(workload.baseline_us),
        time(workload.kernel_us),
        speedup.map_or_else(|| "-".to_owned(), |speedup| format!("{:.2}x", speedup.ratio)),
        speedup.map_or_else(|| "-".to_owned(), interval),
        workload.outcome.clone(),
    ]
}

/// Wider than this, an interval says nothing.
const WIDEST: f64 = 100.0;

pub(super) fn interval(speedup: Speedup) -> String {
    if speedup.high > WIDEST * speedup.low {
        return "unknown".to_owned();
    }
    format!("{:.2} - {:.2}", speedup.low, speedup.high)
}

/// What changed in a workload, in words.
pub(super) fn changed(change: &ChangeBench) -> String {
    let by = change
        .speedup
        .map_or_else(String::new, |speedup| format!(" {:.2}x ({})", speedup.ratio, interval(speedup)));
    format!("{} {}{by}", change.workload, change.outcome)
}

fn time(microseconds: Option<f64>) -> String {
    match microseconds {
        None => "-".to_owned(),
        Some(time) if time >= 1000.0 => format!("{:.2} ms", time / 1000.0),
        Some(time) => format!("{time:.2} us"),
    }
}

/// The word of a verdict.
pub(super) fn word(verdict: &str, page: &mut Page) {
    let style = match verdict {
        "IMPROVED" | "UNCHANGED" => TITLE,
        "INCONCLUSIVE" => WARNING,
        _ => ERROR,
    };
    page.add_in(style, verdict);
}

fn verdict(variant: &VariantBench, page: &mut Page) {
    word(&variant.verdict, page);
    if let Some(speedup) = variant.speedup {
        page.add(format!(" {:.2}x as a whole ({})", speedup.ratio, interval(speedup)));
    }
    page.line(format!(", {} processes, {:.0} s", variant.processes, variant.seconds));
    for reason in &variant.reasons {
        page.line(format!("  {reason}"));
    }
    for change in &variant.changes {
        page.line(format!("  against the earlier run: {}", changed(change)));
    }
    page.add_in(DIM, "document").line(format!(" {}", variant.document));
    for report in &variant.reports {
        page.add_in(DIM, "report").line(format!(" {report}"));
    }
}
