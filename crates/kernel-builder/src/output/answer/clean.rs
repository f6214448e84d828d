//! Human form of `clean`.

use kernel_spec::report::CleanReport;

use crate::output::page::Page;

pub(super) fn render(report: &CleanReport, page: &mut Page) {
    let verb = if report.dry_run { "would remove" } else { "removed" };
    for path in &report.removed {
        page.line(format!("{verb} {path}"));
    }
    for kept in &report.kept {
        page.line(format!("kept {}: {}", kept.path, kept.reason));
    }
    if report.removed.is_empty() && report.kept.is_empty() {
        page.line("nothing to remove");
    }
}
