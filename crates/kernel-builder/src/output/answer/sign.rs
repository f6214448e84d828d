//! Human form of `sign`.

use kernel_spec::report::SignReport;

use crate::output::page::{DIM, Page, TITLE};

/// Digits of a set that people compare.
const SHORT: usize = 12;

pub(super) fn render(report: &SignReport, page: &mut Page) {
    for variant in &report.variants {
        page.add_in(TITLE, &variant.variant).add(": signed").end();
    }
    page.line(format!("for {}, branch {}", report.repository, report.branch));
    let issuer = report.issuer.as_deref().unwrap_or_default();
    page.add(format!("by {}", report.subject)).add_in(DIM, format!(" ({issuer})")).end();
    let set: String = report.set.chars().take(SHORT).collect();
    page.line(format!("set {set}, number {}: {}", report.serial, report.provenance));
}
