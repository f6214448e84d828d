//! Human form of `run`: standard output is the program's, so that only what went wrong is said.

use kernel_spec::report::run::RunReport;

use crate::output::page::Page;
use crate::output::problem;

pub(super) fn render(report: &RunReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
        page.end();
    }
}
