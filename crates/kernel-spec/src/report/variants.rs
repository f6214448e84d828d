//! Answer of `variants`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::matrix::{Offer, Refusal};
use crate::selection::MachineDescription;
use crate::{ExitClass, Finding, Framework, Version};

/// The variants of a project, or those that are published, and, where asked for, what the loader says about them on one
/// machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VariantsReport {
    /// The kernel's name; of a published one its repository's.
    pub kernel: String,
    /// What a project binds to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<Framework>,
    /// A project's variants, by framework, version, compute and system.
    pub variants: Vec<Offer>,
    /// What is published, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedKernel>,
    /// The loader's view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Box<Explanation>>,
    /// What would make the loader fail on the published variant that it takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

impl VariantsReport {
    /// Where a published kernel is explained: whether the loader would load it.
    pub fn exit(&self) -> ExitClass {
        let (Some(published), Some(explanation)) = (&self.published, &self.explanation) else {
            return ExitClass::Success;
        };
        if !explanation.decisions.iter().any(|decision| decision.accepted) {
            return ExitClass::Environment;
        }
        let is_trusted = published.trusted || published.trust_remote_code;
        if is_trusted && self.findings.is_empty() { ExitClass::Success } else { ExitClass::Check }
    }
}

/// A published kernel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PublishedKernel {
    /// The repository, as `OWNER/NAME`.
    pub repository: String,
    /// What was asked for: a branch or a commit.
    pub revision: String,
    /// The commit.
    pub commit: String,
    /// Whether the loader trusts the publisher by itself.
    pub trusted: bool,
    /// Whether the user trusts it, as `trust_remote_code=True` tells the loader.
    pub trust_remote_code: bool,
    /// The variants, by name.
    pub variants: Vec<PublishedVariant>,
}

/// A published variant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PublishedVariant {
    /// Its name.
    pub name: String,
    /// Whether the loader can read the name; it passes others over.
    pub readable: bool,
    /// Its files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Whether a signature is beside its metadata; it is not verified here.
    pub signed: bool,
}

/// What the loader says on one machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Explanation {
    /// The Python that was looked at; absent for a described machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<ChosenPython>,
    /// The machine.
    pub machine: MachineDescription,
    /// The backend the loader chooses for, as variants name it: `cpu`, `cu132`.
    pub backend: String,
    /// The loader's decisions, in its order of preference; the first is loaded if it is accepted.
    pub decisions: Vec<DecisionEntry>,
    /// Compiled variants that the loader passes over without a reason.
    pub passed_over: Vec<String>,
    /// Backends of the project that have no variant on this machine.
    pub refusals: Vec<Refusal>,
    /// What the loader would load with `backend="cpu"`, where by itself it chooses for another backend.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with_cpu_backend: Option<String>,
    /// What may surprise here, a sentence each.
    pub remarks: Vec<String>,
}

/// A Python and why it was chosen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChosenPython {
    /// The interpreter.
    pub interpreter: String,
    /// Its version.
    pub version: Version,
    /// Why this one.
    pub why: String,
}

/// The loader's decision about one variant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DecisionEntry {
    /// The variant.
    pub variant: String,
    /// Whether it can be loaded.
    pub accepted: bool,
    /// Which check rejected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<&'static str>,
    /// Why it was rejected, in the loader's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it has been built, or is published.
    pub built: bool,
}
