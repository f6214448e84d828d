//! Human form of `ide`.

use kernel_spec::report::IdeReport;

use crate::output::page::Page;

pub(super) fn render(report: &IdeReport, page: &mut Page) {
    page.line(format!("{} commands of {}", report.commands, report.variants.join(", ")));
    for file in &report.files {
        let state = if report.written.contains(file) { "written" } else { "current" };
        page.line(format!("{state} {file}"));
    }
    for file in &report.kept {
        page.line(format!("kept {file}: somebody wrote or edited it"));
    }
}
