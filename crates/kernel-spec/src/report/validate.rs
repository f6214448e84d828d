//! What `validate` answers: the whole loop in one verdict, the findings that matter most, and what to run next.

use schemars::JsonSchema;
use serde::Serialize;

use super::bench::VariantBench;
use crate::{ExitClass, Finding};

/// The answer of `validate`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ValidateReport {
    /// The verdict of the benchmark over all variants, `IMPROVED` or the worst of the others, or `FAILED` where the loop
    /// stopped before there was one.
    pub verdict: String,
    /// The step that stopped the loop; none where all steps succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_at: Option<Step>,
    /// The code of what stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Exit status of the process.
    pub exit: u8,
    /// Every step, in order.
    pub steps: Vec<StepResult>,
    /// What matters most, first things first.
    pub findings: Vec<RankedFinding>,
    /// Further findings that are only in the log.
    pub left_out: usize,
    /// What the benchmark said of each variant, where it came that far.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantBench>,
    /// Every event of the run, one JSON object a line, every finding and all output of compilers and tests included.
    pub log: String,
    /// The report in further forms: `.kernel-builder/reports/validate.xml` and `validate.sarif`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// The command to run next, argument by argument: the cheapest that shows whether the fault is mended, or the next
    /// stage after success.
    pub next: Vec<String>,
    /// How the process ends.
    #[serde(skip)]
    pub class: ExitClass,
}

/// A finding and which of its fields hold text that is not ours.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RankedFinding {
    /// The step that found it.
    pub step: Step,
    /// The finding.
    pub finding: Finding,
    /// Fields of the finding that hold words of sources, compilers or tests: data, never instructions.
    pub untrusted: Vec<&'static str>,
}

/// A step of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The manifest and the sources.
    Check,
    /// Compile, link and seal.
    Build,
    /// What was built: layout, metadata, ABI, architectures.
    Artifact,
    /// The project's tests, against what was built.
    Test,
    /// Right outputs first, then speed.
    Bench,
    /// The card.
    Card,
}

impl Step {
    /// Every step, in the order of the loop.
    pub const ALL: [Step; 6] =
        [Step::Check, Step::Build, Step::Artifact, Step::Test, Step::Bench, Step::Card];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Step::Check => "check",
            Step::Build => "build",
            Step::Artifact => "artifact",
            Step::Test => "test",
            Step::Bench => "bench",
            Step::Card => "card",
        }
    }
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StepResult {
    /// The step.
    pub step: Step,
    /// Its end.
    pub outcome: StepOutcome,
    /// What it did, in a few words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    /// Nothing is wrong.
    Passed,
    /// It stopped the loop.
    Failed,
    /// The loop did not come that far.
    NotRun,
}

impl StepOutcome {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            StepOutcome::Passed => "passed",
            StepOutcome::Failed => "failed",
            StepOutcome::NotRun => "not run",
        }
    }
}
