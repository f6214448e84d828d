//! Findings and tests in the forms that other tools show: SARIF 2.1.0 for code hosts, JUnit XML for continuous
//! integration.

use std::str::FromStr;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::report::gates::{GateOutcome, GateResult};
use kernel_spec::report::test::{TestCase as Case, TestOutcome};
use kernel_spec::report::validate::{Step, StepOutcome, StepResult};
use kernel_spec::report::{CheckReport, TestReport};
use kernel_spec::{Code, Finding, Severity};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};
use thiserror::Error;

use crate::{workspace_lock, written};

/// A form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JUnit XML.
    Junit,
    /// SARIF.
    Sarif,
}

/// A text that names no form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a form of this report: `junit` or `sarif` is expected")]
pub struct UnknownForm(String);

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "junit" => Ok(Form::Junit),
            "sarif" => Ok(Form::Sarif),
            _ => Err(UnknownForm(text.to_owned())),
        }
    }
}

/// Writes the answer of `check` in these forms below the project's state directory, and answers where.
pub fn of_check(
    report: &CheckReport,
    project: &Utf8Path,
    forms: &[Form],
) -> std::io::Result<Vec<Utf8PathBuf>> {
    let suite = || {
        let mut suite = TestSuite::new("check");
        let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
        suite.add_test_cases(errors.map(|finding| {
            let mut case = TestCase::new(finding.code.id, failed(&finding.message, &explained(finding)));
            case.set_classname("check");
            case
        }));
        if report.count(Severity::Error) == 0 {
            suite.add_test_case(TestCase::new("check", TestCaseStatus::success()));
        }
        vec![suite]
    };
    write(project, "check", forms, &report.findings, &suite)
}

/// The same for `test`: a suite for each variant.
pub fn of_test(report: &TestReport, project: &Utf8Path, forms: &[Form]) -> std::io::Result<Vec<Utf8PathBuf>> {
    let suites = || {
        let suite = |variant: &kernel_spec::report::test::VariantTests| {
            let mut suite = TestSuite::new(variant.variant.as_str());
            suite.add_test_cases(variant.tests.iter().map(tested));
            for operation in &variant.operations {
                suite.add_test_cases(operation.gates.iter().map(|gate| examined(&operation.operation, gate)));
            }
            suite
        };
        report.variants.iter().map(suite).collect()
    };
    write(project, "test", forms, &report.findings, &suites)
}

/// The same for `validate`: a test case for each step, and every finding, also those that its report has no room for.
pub fn of_validate(
    steps: &[StepResult],
    found: &[(Step, Finding)],
    project: &Utf8Path,
    forms: &[Form],
) -> std::io::Result<Vec<Utf8PathBuf>> {
    let suites = || {
        let mut suite = TestSuite::new("validate");
        suite.add_test_cases(steps.iter().map(|step| {
            let errors =
                found.iter().filter(|(of, finding)| *of == step.step && finding.severity == Severity::Error);
            let errors: Vec<String> = errors.map(|(_, finding)| explained(finding)).collect();
            let status = match step.outcome {
                StepOutcome::Passed => TestCaseStatus::success(),
                StepOutcome::Failed => failed(&step.summary, &errors.join("\n\n")),
                StepOutcome::NotRun => TestCaseStatus::skipped(),
            };
            let mut case = TestCase::new(step.step.word(), status);
            case.set_classname("validate");
            case
        }));
        vec![suite]
    };
    let findings: Vec<Finding> = found.iter().map(|(_, finding)| finding.clone()).collect();
    write(project, "validate", forms, &findings, &suites)
}

fn write(
    project: &Utf8Path,
    command: &str,
    forms: &[Form],
    findings: &[Finding],
    suites: &dyn Fn() -> Vec<TestSuite>,
) -> std::io::Result<Vec<Utf8PathBuf>> {
    let place = project.join(workspace_lock::DIRECTORY).join("reports");
    let mut written = Vec::new();
    for form in forms {
        let (path, text) = match form {
            Form::Sarif => {
                let text = serde_json::to_string_pretty(&sarif(findings))? + "\n";
                (place.join(format!("{command}.sarif")), text)
            }
            Form::Junit => {
                let mut report = Report::new(format!("kernel-builder {command}"));
                report.add_test_suites(suites());
                let text = report.to_string().map_err(std::io::Error::other)?;
                (place.join(format!("{command}.xml")), text)
            }
        };
        written::write_document(&path, text.as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

fn tested(test: &Case) -> TestCase {
    let status = match test.outcome {
        TestOutcome::Passed | TestOutcome::Xfailed => TestCaseStatus::success(),
        TestOutcome::Skipped => TestCaseStatus::skipped(),
        TestOutcome::Failed | TestOutcome::Xpassed => failed("failed", &test.message),
        TestOutcome::Error => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message("broke outside the test itself");
            status.set_description(test.message.as_str());
            status
        }
    };
    let (class, name) = test.id.rsplit_once("::").unwrap_or(("", &test.id));
    let mut case = TestCase::new(name, status);
    case.set_classname(class);
    case.set_time(Duration::try_from_secs_f64(test.seconds).unwrap_or_default());
    case
}

fn examined(operation: &str, gate: &GateResult) -> TestCase {
    let status = match gate.outcome {
        GateOutcome::Passed => TestCaseStatus::success(),
        GateOutcome::Failed => failed("failed", &gate.words()),
        GateOutcome::NotExecuted => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("not executed: {}", gate.reason));
            status
        }
    };
    let mut case = TestCase::new(gate.gate.name(), status);
    case.set_classname(operation);
    case
}

fn failed(message: &str, description: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message);
    status.set_description(description);
    status
}

/// Everything a finding says.
fn explained(finding: &Finding) -> String {
    let mut text = finding.message.clone();
    for cause in &finding.causes {
        text = format!("{text}\ncaused by: {cause}");
    }
    format!("{text}\nhelp: {}", finding.help)
}

/// The findings as one run of SARIF 2.1.0; every code that occurs is a rule.
fn sarif(findings: &[Finding]) -> Value {
    let mut codes: Vec<&Code> = findings.iter().map(|finding| finding.code).collect();
    codes.sort_by_key(|code| code.id);
    codes.dedup_by_key(|code| code.id);
    let rule = |code: &&Code| {
        json!({
            "id": code.id,
            "shortDescription": {"text": code.meaning},
            "help": {"text": code.remedy},
        })
    };
    json!({
        "version": "2.1.0",
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "runs": [{
            "tool": {"driver": {
                "name": "kernel-builder",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(rule).collect::<Vec<Value>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(result).collect::<Vec<Value>>(),
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut result = json!({
        "ruleId": finding.code.id,
        "level": level,
        "message": {"text": explained(finding)},
    });
    let place = finding.span.as_ref().map(|span| {
        json!({
            "artifactLocation": {"uri": uri(&span.path)},
            "region": {"startLine": span.line, "startColumn": span.column, "endColumn": span.end_column.max(span.column)},
        })
    });
    let file = || finding.subject.file.as_ref().map(|file| json!({"artifactLocation": {"uri": uri(file)}}));
    if let Some(place) = place.or_else(file) {
        result["locations"] = json!([{"physicalLocation": place}]);
    }
    result
}

/// A relative path as the reference of RFC 3986 that it is.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let one = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_spec::{SourceText, code};

    #[test]
    fn a_finding_becomes_a_result_with_its_rule_and_place() {
        let source = SourceText::new("a b/ü.toml", "x = 1\ny = 2\n");
        let finding = Finding::error(&code::card::TEMPLATE, "no `x`").cause("why").at(source.span(6..7));
        let sarif = sarif(&[finding, Finding::note(&code::card::MARKS, "n")]);
        let run = &sarif["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(2));
        let result = &run["results"][0];
        assert_eq!((&result["ruleId"], &result["level"]), (&"card/template".into(), &"error".into()));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/%C3%BC.toml");
        assert_eq!(place["region"], json!({"startLine": 2, "startColumn": 1, "endColumn": 2}));
        assert_eq!(run["results"][1]["locations"], Value::Null);
    }
}
