//! Human form of `collect`.

use kernel_spec::report::collect::CollectReport;

use crate::output::page::Page;
use crate::output::problem;

pub(super) fn render(report: &CollectReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
        page.end();
    }
    let rows: Vec<[String; 2]> = report
        .variants
        .iter()
        .map(|variant| [variant.name.clone(), format!("from {}", variant.from)])
        .collect();
    page.table(&rows);
    let commit = report
        .commit
        .as_deref()
        .map_or_else(|| "no known commit".to_owned(), |commit| format!("commit {commit}"));
    page.line(format!("{} of {commit} in {}", count(report.variants.len()), report.directory));
}

fn count(variants: usize) -> String {
    if variants == 1 { "1 variant".to_owned() } else { format!("{variants} variants") }
}
