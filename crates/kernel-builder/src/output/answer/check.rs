//! Human form of `check`: each finding, then one line that sums up.

use kernel_spec::Severity;
use kernel_spec::report::CheckReport;

use crate::output::page::{DIM, Page};
use crate::output::problem;

pub(super) fn render(report: &CheckReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
        page.end();
    }
    let counted = |severity, one: &str| match report.count(severity) {
        0 => None,
        1 => Some(format!("1 {one}")),
        several => Some(format!("{several} {one}s")),
    };
    let counts: Vec<String> = [
        counted(Severity::Error, "error"),
        counted(Severity::Warning, "warning"),
        counted(Severity::Note, "note"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let subject = report.name.as_deref().map_or_else(|| report.manifest.clone(), |name| format!("`{name}`"));
    let verdict = if counts.is_empty() { "nothing to complain about".to_owned() } else { counts.join(", ") };
    page.line(format!("{subject}: {verdict}"));
    for report in &report.reports {
        page.add_in(DIM, "report").line(format!(" {report}"));
    }
}
