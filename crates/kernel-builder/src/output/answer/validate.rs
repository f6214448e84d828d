//! Human form of `validate`: what is wrong, the steps, the verdict, and what to run next.

use kernel_spec::report::ValidateReport;
use kernel_spec::report::validate::StepOutcome;

use crate::output::page::{DIM, ERROR, NOTE, Page, TITLE, WARNING};
use crate::output::problem;

pub(super) fn render(report: &ValidateReport, page: &mut Page) {
    for ranked in &report.findings {
        problem::add_finding(page, &ranked.finding);
        page.end();
    }
    if report.left_out > 0 {
        page.add_in(NOTE, "note")
            .line(format!(": {} further findings are in the log", report.left_out))
            .end();
    }
    let rows: Vec<[String; 3]> = report
        .steps
        .iter()
        .map(|step| [format!("  {}", step.step.word()), step.outcome.word().to_owned(), step.summary.clone()])
        .collect();
    page.table(&rows);
    let style = match report.verdict.as_str() {
        "IMPROVED" | "UNCHANGED" => TITLE,
        "INCONCLUSIVE" => WARNING,
        _ => ERROR,
    };
    page.add_in(style, &report.verdict);
    let stopped = report.steps.iter().find(|step| step.outcome == StepOutcome::Failed);
    page.line(stopped.map_or_else(String::new, |step| format!(", stopped at {}", step.step.word())));
    page.add_in(DIM, "log").line(format!(" {}", report.log));
    for written in &report.reports {
        page.add_in(DIM, "report").line(format!(" {written}"));
    }
    super::next(page, &report.next);
}
