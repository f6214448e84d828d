//! Human form of `shell`: standard output is the program's, so that only what went wrong is said.

use kernel_spec::report::ShellReport;

use crate::output::page::Page;
use crate::output::problem;

pub(super) fn render(report: &ShellReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
        page.end();
    }
}
