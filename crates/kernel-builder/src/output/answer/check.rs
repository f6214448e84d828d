//! Human form of `check` and `audit`: each finding, then one line that sums up.

use kernel_spec::Severity;
use kernel_spec::report::CheckReport;

use crate::output::page::{DIM, Page};
use crate::output::problem;

/// What is said where there is no finding; an audit only knows of what it looks for.
pub(super) const SOUND: &str = "nothing to complain about";
pub(super) const NOT_FOUND: &str = "nothing found of what is looked for, which proves nothing of the rest";

pub(super) fn render(report: &CheckReport, nothing: &str, page: &mut Page) {
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
    let verdict = if counts.is_empty() { nothing.to_owned() } else { counts.join(", ") };
    page.line(format!("{subject}: {verdict}"));
    for report in &report.reports {
        page.add_in(DIM, "report").line(format!(" {report}"));
    }
}
