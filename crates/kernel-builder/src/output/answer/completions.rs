//! Human form of `completions`: the script itself.

use kernel_spec::report::CompletionsReport;

use crate::output::page::Page;

pub(super) fn render(report: &CompletionsReport, page: &mut Page) {
    page.block(&report.script);
}
