//! Human form of `status`: one line for each variant.

use kernel_spec::code;
use kernel_spec::report::{StatusReport, VariantState, VariantStatus};

use crate::output::page::Page;
use crate::output::problem;

/// Digits of a commit that people compare.
const SHORT: usize = 12;

pub(super) fn render(report: &StatusReport, page: &mut Page) {
    let rows: Vec<[String; 5]> = report.variants.iter().map(row).collect();
    page.table(&rows);
    for finding in report.variants.iter().flat_map(|variant| &variant.findings) {
        page.line("");
        problem::add_finding(page, finding);
    }
    super::next(page, &report.next);
}

fn row(variant: &VariantStatus) -> [String; 5] {
    let state = match variant.state {
        VariantState::Missing => "missing",
        VariantState::Built => "built",
        VariantState::Stale => "stale",
        VariantState::Changed => "changed since the build",
        VariantState::Broken => "broken",
    };
    let is_there = variant.state != VariantState::Missing;
    let tested = match variant.tested {
        Some(true) => "tests passed",
        Some(false) => "tests failed",
        None if variant.findings.iter().any(|finding| *finding.code == code::test::RECORD) => {
            "tests unreadable"
        }
        None => "not tested",
    };
    let signed = if variant.signed { "signed" } else { "not signed" };
    let word = |word: &str| if is_there { word.to_owned() } else { String::new() };
    let commit = variant.commit.as_ref().map(|commit| {
        let short: String = commit.chars().take(SHORT).collect();
        if variant.dirty { format!("{short} and changes") } else { short }
    });
    let profile = variant.profile.as_deref().filter(|profile| *profile != "release");
    let state = profile.map_or_else(|| state.to_owned(), |profile| format!("{state} ({profile})"));
    [variant.variant.clone(), state, word(tested), word(signed), commit.unwrap_or_default()]
}
