//! Human form of `manual`.

use kernel_spec::report::ManualReport;

use crate::output::page::Page;

pub(super) fn render(report: &ManualReport, page: &mut Page) {
    for file in &report.files {
        page.line(format!("wrote {file}"));
    }
}
