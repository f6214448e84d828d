//! Human form of `card`.

use kernel_spec::report::CardReport;

use crate::output::page::Page;
use crate::output::problem;

pub(super) fn render(report: &CardReport, page: &mut Page) {
    if report.path.is_some() {
        for finding in &report.findings {
            problem::add_finding(page, finding);
            page.end();
        }
    }
    match &report.path {
        None => page.block(&report.text),
        Some(path) if report.current => page.line(format!("{path} is current")),
        Some(path) if report.checked => {
            page.line(format!("{path} is stale; write it with `kernel-builder card`"))
        }
        Some(path) => page.line(format!("wrote {path}")),
    };
    if let Some(preview) = &report.preview {
        page.line(format!("wrote {preview}"));
    }
    super::next(page, &report.next);
}
