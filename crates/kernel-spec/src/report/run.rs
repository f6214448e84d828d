//! Answer of `run`.

use schemars::JsonSchema;
use serde::Serialize;

use super::bench::Speedup;
use crate::finding::Severity;
use crate::{ExitClass, Finding};

/// What became of a program that was run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// The program and its arguments.
    pub program: Vec<String>,
    /// How it ended.
    pub end: String,
    /// Seconds that it ran.
    pub seconds: f64,
    /// The kernels that were found to be what is pinned, in the order of their imports.
    pub verified: Vec<VerifiedKernel>,
    /// What each kernel, and each layer that can be one, was replaced by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implementations: Vec<Implementation>,
    /// What ran for which kind of call, where `KERNEL_BUILDER_EXPLAIN` is set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explained: Vec<Explained>,
    /// How much of its time the operations take, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// What was refused, and what else went wrong.
    pub findings: Vec<Finding>,
}

impl RunReport {
    /// A refused kernel before a failed program.
    pub fn exit(&self) -> ExitClass {
        let errors = self.findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.map(|finding| finding.code.exit).min().unwrap_or(ExitClass::Success)
    }
}

/// A kernel that is what is pinned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifiedKernel {
    /// `OWNER/NAME@REV`, as it was pinned.
    pub kernel: String,
    /// Where it was loaded from.
    pub directory: String,
}

/// What ran in one place of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Implementation {
    /// The kernel as the program asks for it, or `layer` and the layer's name.
    pub name: String,
    /// What it got.
    pub ran: Ran,
    /// Why it is this one, where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a program got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ran {
    /// The kernel.
    Kernel,
    /// What it replaces.
    Baseline,
    /// Nothing: the program was told that there is no such kernel.
    Absent,
    /// What the program has for itself, because the kernel could not be had.
    Fallback,
    /// The kernel, although the baseline was asked for.
    NotSwitched,
}

impl Ran {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Baseline => "baseline",
            Self::Absent => "absent",
            Self::Fallback => "fallback",
            Self::NotSwitched => "not switched",
        }
    }
}

/// What ran for a kind of call: kinds, never values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explained {
    /// The operation.
    pub operation: String,
    /// `kernel` or `baseline`.
    pub implementation: String,
    /// The variant, of a kernel that the program asked for itself.
    pub variant: Option<String>,
    /// `small`, `large` or `awkward`, as `bench` has it.
    pub shape: Option<String>,
    /// The type of the first output, or input.
    pub dtype: Option<String>,
    /// `contiguous`, `channels-last`, `strided` or `sparse`.
    pub layout: Option<String>,
    /// `inside` what the variant's last `bench` judged and passed, `outside` of it, or `unknown`.
    pub tested: String,
}

/// How much of a program's wall time is spent in operations of kernels.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    /// Seconds in which at least one thread was in an operation; of the process that was in one the longest.
    pub seconds: f64,
    /// Share of the program's time, 0 to 1.
    pub share: f64,
    /// Share of the time from the first call to the end of the last, 0 to 1: what it is without starting up.
    pub share_between_calls: f64,
    /// How many times as fast the program would be if the operations took no time (Amdahl); absent where nothing else takes any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_gain: Option<f64>,
    /// The operations, the longest first.
    pub operations: Vec<OperationShare>,
    /// Processes that called one.
    pub processes: usize,
    /// The kernel against its baseline, as `bench` measured it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Speedup>,
    /// What the program gains by that speed-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OperationShare {
    /// Its name.
    pub operation: String,
    /// `kernel` or `baseline`.
    pub implementation: String,
    /// How often it was called.
    pub calls: u64,
    /// Seconds in which at least one thread was in it.
    pub seconds: f64,
    /// Share of the program's time, 0 to 1.
    pub share: f64,
    /// How many times as fast the program would be if it took no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_gain: Option<f64>,
}

/// What a program gains by a speed-up of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Gain {
    /// Whether the kernel ran and the gain is had; otherwise the baseline ran, and it is to be had.
    pub is_had: bool,
    /// Time of the program with the baseline over its time with the kernel.
    pub program: Speedup,
}
