//! What `test` answers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `test`: one entry per variant that was tested.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TestReport {
    /// The tested variants, in the loader's order of preference.
    pub variants: Vec<VariantTests>,
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
