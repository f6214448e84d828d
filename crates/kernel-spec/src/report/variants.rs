//! Answer of `variants`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::matrix::{Offer, Refusal};
use crate::selection::MachineDescription;
use crate::{Framework, KernelName, Version};

/// The variants of a project and, where asked for, what the loader says about them on one machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VariantsReport {
    /// The kernel.
    pub kernel: KernelName,
    /// What it binds to.
    pub framework: Framework,
    /// Its variants, by framework, version, compute and system.
    pub variants: Vec<Offer>,
    /// The loader's view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Box<Explanation>>,
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
    /// Whether it has been built.
    pub built: bool,
}
