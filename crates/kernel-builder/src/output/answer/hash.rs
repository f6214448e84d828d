//! Human form of `hash`.

use kernel_spec::report::{HashReport, HashState};

use crate::output::page::Page;
use crate::output::problem;

pub(super) fn render(report: &HashReport, page: &mut Page) {
    for variant in &report.variants {
        let state = match variant.state {
            HashState::Current => "is up to date",
            HashState::Stale => "is not that of the files",
            HashState::Written => "was written",
        };
        page.line(format!("{}: the digest of {} files {state}", variant.variant, variant.files));
        if variant.signature_removed {
            page.line(format!("{}: the signature no longer matched and was removed", variant.variant));
        }
        for finding in &variant.findings {
            problem::add_finding(page, finding);
            page.end();
        }
    }
}
