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
    /// How it ended; of runs that were compared, the first with the kernels.
    pub end: String,
    /// Seconds that it ran; of runs that were compared, all together.
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
    pub share: Option<Box<Share>>,
    /// Whole runs with and without the kernels, where they were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<Box<Compared>>,
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

/// Whole runs in pairs of random order: with what the kernels replace, and with the kernels.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Compared {
    /// `IMPROVED`, `REGRESSED`, `UNCHANGED`, `INCONCLUSIVE` or `INVALID`, time and memory together.
    pub verdict: String,
    /// Of the time: `faster`, `slower`, `equivalent`, `inconclusive` or `invalid`.
    pub outcome: String,
    /// Why it is this one.
    pub reasons: Vec<String>,
    /// Time without the kernels over time with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Speedup>,
    /// Seconds of a run without the kernels, in the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_seconds: Option<f64>,
    /// Seconds of a run with the kernels, in the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_seconds: Option<f64>,
    /// Peak memory of the Python process that needs most: of its devices, or without any of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<ComparedMemory>,
    /// What each look at the pairs spent.
    pub looks: Vec<ComparedLook>,
    /// The pairs in the order in which they ran.
    pub pairs: Vec<Pair>,
    /// The seed of the order.
    pub seed: String,
}

/// Peak memory of both forms of a program.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparedMemory {
    /// `less`, `same` or `more` with the kernels, or `inconclusive`.
    pub outcome: String,
    /// Bytes without the kernels, in the middle.
    pub baseline_bytes: u64,
    /// Bytes with the kernels, in the middle.
    pub kernel_bytes: u64,
}

/// One look at the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparedLook {
    /// Pairs that had run.
    pub pairs: usize,
    /// What it spent of the probability of a false claim.
    pub level: f64,
    /// What had been spent with it.
    pub spent: f64,
}

/// One run of each form, one right after the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pair {
    /// Seconds without the kernels.
    pub baseline_seconds: f64,
    /// Seconds with the kernels.
    pub kernel_seconds: f64,
    /// Whether the run with the kernels came first.
    pub kernel_first: bool,
    /// Peak bytes without the kernels, where Python ended by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_bytes: Option<u64>,
    /// Peak bytes with the kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_bytes: Option<u64>,
}
