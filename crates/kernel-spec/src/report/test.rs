//! What `test` answers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gates::{GateOutcome, Level, OperationTests};
use crate::code::test;
use crate::finding::Subject;
use crate::{ExitClass, Finding};

/// The answer of `test`: one entry per variant that was tested.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TestReport {
    /// The tested variants, in the loader's order of preference.
    pub variants: Vec<VariantTests>,
    /// What is wrong, one finding for every failed test and every variant about which nothing was proved.
    pub findings: Vec<Finding>,
    /// Its other forms that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// The command that usually comes next, argument by argument.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
}

impl TestReport {
    /// The report of these variants, with its findings.
    pub fn new(variants: Vec<VariantTests>) -> Self {
        let findings = variants.iter().flat_map(VariantTests::findings).collect();
        Self { variants, findings, reports: Vec::new(), next: Vec::new() }
    }

    /// The worst that happened: a failed test before a lost process, and that before a variant that nothing was proved about.
    pub fn exit(&self) -> ExitClass {
        let has = |class| self.findings.iter().any(|finding| finding.code.exit == class);
        [ExitClass::Test, ExitClass::Child, ExitClass::NothingVerified]
            .into_iter()
            .find(|class| has(*class))
            .unwrap_or(ExitClass::Success)
    }
}

/// What a project's suite said about one built variant. Kept beside the build, so that a card can show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantTests {
    /// The variant.
    pub variant: String,
    /// The kernel's id, as the loader used it.
    pub id: String,
    /// SHA-256 of the `metadata.json` that was tested, in hexadecimal: it binds the result to the artifact.
    pub metadata_sha256: String,
    /// How often the tests got the artifact from the loader, or imported its package.
    pub uses: u64,
    /// Versions of what took part: Python, the loader, the frameworks.
    pub versions: BTreeMap<String, String>,
    /// Set where the loader had to be told which backend to use, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_choice: Option<BackendChoice>,
    /// How many tests ended how.
    pub counts: TestCounts,
    /// Every test, in the order in which it ran.
    pub tests: Vec<TestCase>,
    /// How far the gates of declared operations went.
    #[serde(default)]
    pub level: Level,
    /// Declared operations, each with what became of it at every gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<OperationTests>,
}

/// Why the loader was told a backend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackendChoice {
    /// What the loader would have looked for, because torch was compiled for it.
    pub detected: String,
    /// What it was told.
    pub chosen: String,
}

/// How many tests ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCounts {
    /// Passed, expected failures included.
    pub passed: usize,
    /// Failed, or passed although a failure was expected.
    pub failed: usize,
    /// Broke outside the test itself: in a fixture or while being collected.
    pub errors: usize,
    /// Not run.
    pub skipped: usize,
}

impl TestCounts {
    /// Tests that really ran.
    pub fn executed(self) -> usize {
        self.passed + self.failed + self.errors
    }

    /// Whether something was tested, and none of it failed.
    pub fn all_passed(self) -> bool {
        self.passed > 0 && self.failed + self.errors == 0
    }
}

/// One test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestCase {
    /// Pytest's node id.
    pub id: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// Seconds it took.
    pub seconds: f64,
    /// Why it failed or was skipped. Text of the project's own: untrusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// How a test ended, in pytest's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum TestOutcome {
    Passed,
    Failed,
    Error,
    Skipped,
    Xfailed,
    Xpassed,
}

impl VariantTests {
    fn findings(&self) -> Vec<Finding> {
        let about = || Subject { variant: Some(self.variant.clone()), ..Subject::default() };
        let mut findings: Vec<Finding> = self
            .tests
            .iter()
            .filter(|test| test.outcome.is_bad())
            .map(|case| {
                let message = format!("`{}` {}", case.id, case.outcome.verb());
                Finding::error(&test::FAILED, message).cause(case.message.clone()).about(about())
            })
            .collect();
        for operation in &self.operations {
            let failed = operation.gates.iter().filter(|gate| gate.outcome == GateOutcome::Failed);
            findings.extend(failed.map(|gate| {
                let code = match &gate.failure {
                    Some(failure) if failure.crashed => &test::GATE_CHILD,
                    _ => &test::GATE,
                };
                let message = format!("`{}` does not pass {}", operation.operation, gate.gate.name());
                Finding::error(code, message).cause(gate.words()).about(about())
            }));
        }
        if self.gates_executed() > 0 {
            return findings;
        }
        if self.counts.executed() == 0 {
            let message = match self.counts.skipped {
                0 => "no test was found".to_owned(),
                skipped => format!("all {skipped} tests were skipped"),
            };
            findings.push(Finding::error(&test::NOTHING, message).about(about()));
        } else if self.uses == 0 {
            let message = "no test loaded the built kernel or imported its package";
            findings.push(Finding::error(&test::UNUSED, message).about(about()));
        }
        findings
    }

    /// Gates that something was judged at.
    pub fn gates_executed(&self) -> usize {
        let not = |operation: &OperationTests| operation.count(GateOutcome::NotExecuted);
        self.operations.iter().map(|operation| operation.gates.len() - not(operation)).sum()
    }

    /// Counts of a list of tests.
    pub fn count(tests: &[TestCase]) -> TestCounts {
        let mut counts = TestCounts::default();
        for test in tests {
            match test.outcome {
                TestOutcome::Passed | TestOutcome::Xfailed => counts.passed += 1,
                TestOutcome::Failed | TestOutcome::Xpassed => counts.failed += 1,
                TestOutcome::Error => counts.errors += 1,
                TestOutcome::Skipped => counts.skipped += 1,
            }
        }
        counts
    }
}

impl TestOutcome {
    /// Whether it speaks against the kernel.
    pub fn is_bad(self) -> bool {
        matches!(self, TestOutcome::Failed | TestOutcome::Error | TestOutcome::Xpassed)
    }

    fn verb(self) -> &'static str {
        match self {
            TestOutcome::Passed => "passed",
            TestOutcome::Failed => "failed",
            TestOutcome::Error => "broke outside the test itself",
            TestOutcome::Skipped => "was skipped",
            TestOutcome::Xfailed => "failed as expected",
            TestOutcome::Xpassed => "passed although it is expected to fail",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(outcomes: &[TestOutcome], uses: u64) -> TestReport {
        let case = |outcome: &TestOutcome| TestCase {
            id: "tests/test_a.py::test_b".to_owned(),
            outcome: *outcome,
            seconds: 0.1,
            message: "why".to_owned(),
        };
        let tests: Vec<TestCase> = outcomes.iter().map(case).collect();
        TestReport::new(vec![VariantTests {
            variant: "torch-cpu".to_owned(),
            id: "_a_cpu_b".to_owned(),
            metadata_sha256: String::new(),
            uses,
            versions: BTreeMap::new(),
            backend_choice: None,
            counts: VariantTests::count(&tests),
            tests,
            level: Level::Ci,
            operations: Vec::new(),
        }])
    }

    #[test]
    fn only_executed_tests_that_used_the_kernel_are_a_success() {
        use TestOutcome::{Error, Failed, Passed, Skipped, Xfailed, Xpassed};
        assert_eq!(tested(&[Passed, Xfailed, Skipped], 1).exit(), ExitClass::Success);
        assert_eq!(tested(&[Passed, Failed], 1).exit(), ExitClass::Test);
        assert_eq!(tested(&[Error], 0).exit(), ExitClass::Test);
        assert_eq!(tested(&[Xpassed], 1).exit(), ExitClass::Test);
        assert_eq!(tested(&[Skipped], 1).exit(), ExitClass::NothingVerified);
        assert_eq!(tested(&[], 1).exit(), ExitClass::NothingVerified);
        assert_eq!(tested(&[Passed], 0).exit(), ExitClass::NothingVerified);
    }
}
