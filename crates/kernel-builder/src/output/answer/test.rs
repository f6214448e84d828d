//! Human form of `test`: what is wrong first, then why tests were skipped, then one line for each variant.

use kernel_spec::report::TestReport;
use kernel_spec::report::gates::{GateOutcome, OperationTests};
use kernel_spec::report::test::{TestOutcome, VariantTests};

use crate::output::page::{DIM, Page};
use crate::output::problem;

pub(super) fn render(report: &TestReport, page: &mut Page) {
    for finding in &report.findings {
        problem::add_finding(page, finding);
    }
    for variant in &report.variants {
        skipped(variant, page);
        if let Some(choice) = &variant.backend_choice {
            page.line(format!(
                "the loader was told to use `{}`: this torch was compiled for `{}`, which it would look for",
                choice.chosen, choice.detected
            ));
        }
        for operation in &variant.operations {
            gates(operation, page);
        }
        page.line(format!("{}: {}", variant.variant, summary(variant)));
    }
    for report in &report.reports {
        page.add_in(DIM, "report").line(format!(" {report}"));
    }
    super::next(page, &report.next);
}

/// One line for each reason: that a device is missing need not be said once for every test.
fn skipped(variant: &VariantTests, page: &mut Page) {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for test in variant.tests.iter().filter(|test| test.outcome == TestOutcome::Skipped) {
        match reasons.iter_mut().find(|(reason, _)| *reason == test.message) {
            Some((_, tests)) => tests.push(&test.id),
            None => reasons.push((&test.message, vec![&test.id])),
        }
    }
    for (reason, tests) in reasons {
        let more = match tests.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        page.add_in(DIM, "skipped").line(format!(" {}{more}: {reason}", tests[0]));
    }
}

/// What was not executed is said as plainly as what passed.
fn gates(operation: &OperationTests, page: &mut Page) {
    for gate in operation.gates.iter().filter(|gate| gate.outcome == GateOutcome::NotExecuted) {
        let words = format!(" {}, {}: {}", operation.operation, gate.gate.name(), gate.reason);
        page.add_in(DIM, "not executed").line(words);
    }
    let count = |outcome| operation.count(outcome);
    page.line(format!(
        "{}: {} gates passed, {} failed, {} not executed",
        operation.operation,
        count(GateOutcome::Passed),
        count(GateOutcome::Failed),
        count(GateOutcome::NotExecuted)
    ));
}

fn summary(variant: &VariantTests) -> String {
    let counts = variant.counts;
    let with = |name: &str| variant.versions.get(name).map(|version| format!("{name} {version}"));
    let versions: Vec<String> = ["torch", "apache-tvm-ffi", "kernels"].into_iter().filter_map(with).collect();
    format!(
        "{} passed, {} failed, {} errors, {} skipped ({})",
        counts.passed,
        counts.failed,
        counts.errors,
        counts.skipped,
        versions.join(", ")
    )
}
