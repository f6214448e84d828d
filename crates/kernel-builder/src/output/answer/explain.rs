//! Human form of `explain`.

use kernel_spec::report::ExplainReport;

use crate::output::page::{Page, TITLE};

pub(super) fn render(report: &ExplainReport, page: &mut Page) {
    if report.list {
        let rows: Vec<[String; 2]> =
            report.codes.iter().map(|entry| [entry.code.to_owned(), entry.meaning.to_owned()]).collect();
        page.table(&rows);
        return;
    }
    for entry in &report.codes {
        page.add_in(TITLE, entry.code).add(": ").line(entry.meaning);
        page.line("").add("example: ").line(entry.example);
        page.add("what to do: ").line(entry.remedy);
        page.line(format!("exit status: {}", entry.exit));
    }
}
