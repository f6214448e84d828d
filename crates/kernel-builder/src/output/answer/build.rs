//! Human form of `build`.

use kernel_spec::report::{BuildReport, Work};

use crate::output::page::Page;
use crate::output::problem;

pub(super) fn render(report: &BuildReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
    }
    for variant in &report.variants {
        let work = match variant.work {
            Work::Built => "built",
            Work::Restamped => "restamped",
            Work::UpToDate => "up to date",
        };
        page.add(format!("{work} ")).line(&variant.directory);
    }
    super::next(page, &report.next);
}
