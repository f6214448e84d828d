//! What a command answers when it has finished: one report, or one failure.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Code, ExitClass, Finding, Span};

pub mod bench;
pub mod bench_several;
pub mod build;
mod card;
mod check;
mod clean;
pub mod collect;
mod completions;
mod doctor;
mod explain;
pub mod gates;
mod hash;
mod ide;
mod init;
mod inspect;
mod manual;
mod migrate;
pub mod pin;
pub mod plan;
pub mod run;
mod schema;
mod shell;
mod sign;
pub mod skills;
mod status;
pub mod test;
mod toolchain;
pub mod upload;
pub mod validate;
mod variants;
mod verify;

pub use bench::BenchReport;
pub use bench_several::{BenchCompareReport, BenchMergeReport};
pub use build::{BuildReport, BuiltVariant, Work};
pub use card::CardReport;
pub use check::CheckReport;
pub use clean::{CleanReport, KeptPath};
pub use completions::CompletionsReport;
pub use doctor::{Ability, DoctorReport, ToolState};
pub use explain::{CodeEntry, ExplainReport};
pub use hash::{HashReport, HashState, HashedVariant};
pub use ide::IdeReport;
pub use init::InitReport;
pub use inspect::{GpuPayload, InspectReport, InspectedLibrary, ProvenanceNote, PythonAbi, SectionSize};
pub use manual::ManualReport;
pub use migrate::MigrateReport;
pub use plan::PlanReport;
pub use schema::SchemaReport;
pub use shell::ShellReport;
pub use sign::{SignReport, SignedVariant};
pub use skills::SkillsReport;
pub use status::{StatusReport, VariantState, VariantStatus};
pub use test::TestReport;
pub use toolchain::{StoredPart, ToolchainReport, WrittenLock};
pub use upload::UploadReport;
pub use validate::ValidateReport;
pub use variants::{
    ChosenPython, DecisionEntry, Explanation, PublishedKernel, PublishedVariant, VariantsReport,
};
pub use verify::{
    Publisher, Rebuilt, SignerIdentity, TrustState, VerifiedDependency, VerifiedVariant, VerifyReport,
};

/// The answer of a command that did what it was asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "command", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each is named after its command and documented at its type")]
pub enum Report {
    Audit(CheckReport),
    Bench(BenchReport),
    BenchCompare(BenchCompareReport),
    BenchMerge(BenchMergeReport),
    Build(BuildReport),
    Card(CardReport),
    Check(CheckReport),
    CheckAbi(CheckReport),
    Clean(CleanReport),
    Collect(collect::CollectReport),
    Completions(CompletionsReport),
    Doctor(DoctorReport),
    Explain(ExplainReport),
    Ide(IdeReport),
    Init(InitReport),
    Hash(HashReport),
    Inspect(InspectReport),
    Manual(ManualReport),
    Migrate(MigrateReport),
    Pin(pin::PinReport),
    Plan(PlanReport),
    Run(run::RunReport),
    Schema(SchemaReport),
    Shell(ShellReport),
    Sign(SignReport),
    Skills(SkillsReport),
    Status(StatusReport),
    Test(TestReport),
    Toolchain(ToolchainReport),
    Upload(Box<UploadReport>),
    Validate(Box<ValidateReport>),
    Variants(VariantsReport),
    Verify(VerifyReport),
}

impl Report {
    /// How the process ends: a command can do all it was asked and still have bad news, such as failed checks.
    pub fn exit(&self) -> ExitClass {
        match self {
            Report::Bench(report) => report.exit(),
            Report::BenchCompare(report) => report.exit(),
            Report::BenchMerge(report) => report.exit(),
            Report::Card(report) => report.exit(),
            Report::Audit(report) | Report::Check(report) | Report::CheckAbi(report) => report.exit(),
            Report::Inspect(report) => report.exit(),
            Report::Migrate(report) => report.exit(),
            Report::Hash(report) => report.exit(),
            Report::Pin(report) => report.exit(),
            Report::Run(report) => report.exit(),
            Report::Shell(report) => report.exit(),
            Report::Status(report) => report.exit(),
            Report::Test(report) => report.exit(),
            Report::Upload(report) => report.exit(),
            Report::Validate(report) => report.class,
            Report::Variants(report) => report.exit(),
            Report::Verify(report) => report.exit(),
            _ => ExitClass::Success,
        }
    }
}

/// The answer of a command that could not.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Failure {
    /// Stable code.
    pub code: String,
    /// Exit status of the process.
    pub exit: u8,
    /// What happened.
    pub message: String,
    /// Why, outermost first.
    pub causes: Vec<String>,
    /// What to do.
    pub help: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The single faults, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

impl Failure {
    /// A failure under a code of the table, with the code's general remedy as help.
    pub fn new(code: &Code, message: impl Into<String>) -> Self {
        Self {
            code: code.id.to_owned(),
            exit: code.exit.status(),
            message: message.into(),
            causes: Vec::new(),
            help: code.remedy.to_owned(),
            span: None,
            findings: Vec::new(),
        }
    }
}
