//! Human form of `run`: what ran, its share of the time, and what went wrong.

use kernel_spec::report::run::{Compared, Implementation, OperationShare, Ran, RunReport, Share};

use super::bench::interval;
use crate::output::page::{DIM, Page, TITLE};
use crate::output::problem;

pub(super) fn render(report: &RunReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
        page.end();
    }
    for Implementation { name, ran, .. } in &report.implementations {
        // What is out of reach, and what fell back, is told with its reason above.
        if !matches!(ran, Ran::NotSwitched) {
            page.add_in(DIM, format!("{:>8} ", ran.word())).line(name);
        }
    }
    if let Some(share) = &report.share {
        render_share(share, report.seconds, page);
    }
    if let Some(compared) = &report.compared {
        render_compared(compared, report.seconds, page);
    }
}

fn render_share(share: &Share, seconds: f64, page: &mut Page) {
    if !share.operations.is_empty() {
        let head = ["operation", "ran", "calls", "seconds", "share", "gain at most"].map(str::to_owned);
        let rows: Vec<[String; 6]> = std::iter::once(head).chain(share.operations.iter().map(row)).collect();
        page.table(&rows);
    }
    page.add_in(TITLE, format!("{:.1} %", 100.0 * share.share));
    page.line(format!(
        " of {seconds:.2} s in operations of kernels ({:.1} % from the first call to the last): at most {} as fast without them",
        100.0 * share.share_between_calls,
        gain(share.largest_gain)
    ));
    if let Some(speedup) = share.speedup {
        page.line(format!(
            "speed-up of the kernel by `bench`: {:.2}x ({})",
            speedup.ratio,
            interval(speedup)
        ));
    }
    if let Some(own) = share.gain {
        let what = if own.is_had { "the program has of it" } else { "the program would gain" };
        page.line(format!("{what}: {:.2}x ({})", own.program.ratio, interval(own.program)));
    }
}

fn render_compared(compared: &Compared, seconds: f64, page: &mut Page) {
    super::bench::word(&compared.verdict, page);
    if let Some(speedup) = compared.speedup {
        page.add(format!(" {:.2}x ({})", speedup.ratio, interval(speedup)));
    }
    page.line(format!(", {} pairs of runs, {seconds:.0} s", compared.pairs.len()));
    for reason in &compared.reasons {
        page.line(format!("  {reason}"));
    }
    if let (Some(without), Some(with)) = (compared.baseline_seconds, compared.kernel_seconds) {
        page.line(format!(
            "time of a run: {without:.2} s without, {with:.2} s with the kernels: {}",
            compared.outcome
        ));
    }
    if let Some(memory) = &compared.memory {
        let [without, with] = [memory.baseline_bytes, memory.kernel_bytes].map(|bytes| bytes >> 20);
        page.line(format!(
            "peak memory: {without} MiB without, {with} MiB with the kernels: {}",
            memory.outcome
        ));
    }
}

fn row(operation: &OperationShare) -> [String; 6] {
    [
        operation.operation.clone(),
        operation.implementation.clone(),
        operation.calls.to_string(),
        format!("{:.3}", operation.seconds),
        format!("{:.1} %", 100.0 * operation.share),
        gain(operation.largest_gain),
    ]
}

fn gain(gain: Option<f64>) -> String {
    gain.map_or_else(|| "any number of times".to_owned(), |gain| format!("{gain:.2}x"))
}
