//! The result as JUnit XML, which every continuous integration shows. A workload is a test case: slower, incorrect and
//! suspect ones fail, broken ones are errors, and what tells nothing is skipped with its reason.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::document::{Document, WorkloadResult};
use super::words;
use crate::decision::{Outcome, SuiteVerdict};
use crate::measurement::FaultKind;

/// JUnit XML.
pub fn junit(document: &Document) -> Result<String, quick_junit::SerializeError> {
    let mut suite = TestSuite::new(format!("{} {}", document.subject.name, document.subject.variant));
    suite.set_time(Duration::try_from_secs_f64(document.run.seconds).unwrap_or_default());
    suite.add_property(("verdict", document.suite.verdict.word()));
    suite.add_property(("machine", document.machine.name.as_str()));
    suite.add_property(("baseline", document.baseline.kind.as_str()));
    suite.add_test_cases(document.workloads.iter().map(case));
    suite.add_test_case(whole(document));
    let mut report = Report::new("kernel-builder bench");
    report.add_test_suite(suite);
    report.to_string()
}

fn case(result: &WorkloadResult) -> TestCase {
    let verdict = &result.verdict;
    let mut case = TestCase::new(verdict.workload.as_str(), status(result));
    case.set_classname("bench");
    if let Some(effect) = &verdict.effect {
        case.add_property(("speed-up", words::ratio(effect.ratio).as_str()));
        case.add_property(("interval", words::interval(effect).as_str()));
    }
    if let Some(times) = &verdict.times {
        case.set_time(Duration::try_from_secs_f64(times.candidate.median / 1e9).unwrap_or_default());
    }
    case
}

fn status(result: &WorkloadResult) -> TestCaseStatus {
    let verdict = &result.verdict;
    let kind = verdict.fault.as_ref().map(|fault| fault.kind);
    let mut status = match (verdict.outcome, kind) {
        (Outcome::Faster | Outcome::Equivalent, _) => return TestCaseStatus::success(),
        (Outcome::Inconclusive, _) | (_, Some(FaultKind::Unsupported)) => TestCaseStatus::skipped(),
        (_, Some(FaultKind::Error | FaultKind::Crashed)) => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
        (Outcome::Slower | Outcome::Invalid, _) => TestCaseStatus::non_success(NonSuccessKind::Failure),
    };
    status.set_type(words::outcome(verdict));
    let remark = words::remark(verdict);
    let effect = verdict
        .effect
        .as_ref()
        .map(|effect| format!("{} ({})", words::ratio(effect.ratio), words::interval(effect)));
    let parts: Vec<String> =
        effect.into_iter().chain(Some(remark).filter(|remark| !remark.is_empty())).collect();
    status.set_message(parts.join("; "));
    status
}

/// The suite's own verdict, as the last case.
fn whole(document: &Document) -> TestCase {
    let mut status = match document.suite.verdict {
        SuiteVerdict::Improved | SuiteVerdict::Unchanged => TestCaseStatus::success(),
        SuiteVerdict::Inconclusive => TestCaseStatus::skipped(),
        SuiteVerdict::Regressed | SuiteVerdict::Invalid => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
    };
    status.set_message(format!("{}: {}", document.suite.verdict.word(), document.suite.reasons.join("; ")));
    let mut case = TestCase::new("the whole", status);
    case.set_classname("bench");
    case
}
