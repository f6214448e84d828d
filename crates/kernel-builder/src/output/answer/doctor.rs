//! Human form of `doctor`: the tools, then what can be done, then what will surprise.

use kernel_spec::report::DoctorReport;

use crate::output::page::{Page, TITLE};
use crate::output::problem::add_finding;

pub(super) fn render(report: &DoctorReport, page: &mut Page) {
    page.add_in(TITLE, "Tools").end();
    let rows: Vec<[String; 3]> = report
        .tools
        .iter()
        .map(|tool| {
            let version = tool.version.clone().unwrap_or_else(|| "-".to_owned());
            let parts: Vec<&str> =
                [&tool.path, &tool.problem].into_iter().flatten().map(String::as_str).collect();
            [format!("  {}", tool.name), version, parts.join(": ")]
        })
        .collect();
    page.table(&rows);
    page.end().add_in(TITLE, "Abilities").end();
    for ability in &report.abilities {
        let word = if ability.missing.is_empty() { "yes" } else { "no " };
        page.line(format!("  {word} {}", ability.what));
        for missing in &ability.missing {
            page.line(format!("        {missing}"));
        }
    }
    for finding in &report.findings {
        page.end();
        add_finding(page, finding);
    }
}
