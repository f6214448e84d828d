//! What `test` says about declared operations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far each gate goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Within a minute.
    #[default]
    Ci,
    /// Before a release.
    Full,
    /// As long as it takes.
    Torture,
}

/// What an operation has to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Gate {
    /// Its values are those of the reference, on inputs that nobody has seen before.
    #[serde(rename = "C1 values")]
    Values,
    /// Also for shapes of one, of primes, and beside powers of two.
    #[serde(rename = "C2 shapes")]
    Shapes,
    /// Also where inputs and outputs are views: with gaps, exchanged, off alignment, repeated.
    #[serde(rename = "C3 layouts")]
    Layouts,
    /// Also for NaN, infinities, denormal numbers, and numbers of unusual size.
    #[serde(rename = "C4 special values")]
    SpecialValues,
    /// Everything in its outputs was written by the call.
    #[serde(rename = "C5 poison")]
    Poison,
    /// It writes to no memory around its tensors.
    #[serde(rename = "C6 guards")]
    Guards,
    /// It leaves its inputs as they are, and works in place where it says so.
    #[serde(rename = "C7 mutation")]
    Mutation,
    /// Its outputs are plain tensors of the right type, shape and device.
    #[serde(rename = "C8 placement")]
    Placement,
    /// It does the same again and again.
    #[serde(rename = "C9 determinism")]
    Determinism,
    /// It does the same with other numbers of threads, and called from several at once.
    #[serde(rename = "C10 threads")]
    Threads,
    /// Its gradients are those of the reference.
    #[serde(rename = "C11 gradients")]
    Gradients,
    /// Without its accelerator it fails with words.
    #[serde(rename = "C12 no accelerator")]
    NoAccelerator,
    /// It gives back the memory it takes.
    #[serde(rename = "C13 memory")]
    Memory,
    /// It remembers nothing of earlier calls.
    #[serde(rename = "C14 state")]
    State,
}

impl Gate {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Values,
        Self::Shapes,
        Self::Layouts,
        Self::SpecialValues,
        Self::Poison,
        Self::Guards,
        Self::Mutation,
        Self::Placement,
        Self::Determinism,
        Self::Threads,
        Self::Gradients,
        Self::NoAccelerator,
        Self::Memory,
        Self::State,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "C1 values",
            Self::Shapes => "C2 shapes",
            Self::Layouts => "C3 layouts",
            Self::SpecialValues => "C4 special values",
            Self::Poison => "C5 poison",
            Self::Guards => "C6 guards",
            Self::Mutation => "C7 mutation",
            Self::Placement => "C8 placement",
            Self::Determinism => "C9 determinism",
            Self::Threads => "C10 threads",
            Self::Gradients => "C11 gradients",
            Self::NoAccelerator => "C12 no accelerator",
            Self::Memory => "C13 memory",
            Self::State => "C14 state",
        }
    }
}

/// A declared operation and what became of it at each gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationTests {
    /// Its name.
    pub operation: String,
    /// One result for each gate.
    pub gates: Vec<GateResult>,
}

/// What became of an operation at a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateResult {
    /// The gate.
    pub gate: Gate,
    /// How it ended.
    pub outcome: GateOutcome,
    /// Calls that were judged.
    pub cases: usize,
    /// Why it was not executed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What was wrong first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<GateFailure>,
}

/// How a gate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum GateOutcome {
    Passed,
    Failed,
    NotExecuted,
}

/// The first thing that was wrong at a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateFailure {
    /// The call: sizes of the dimensions, and what else is not ordinary about it.
    pub case: String,
    /// Its type.
    pub dtype: String,
    /// What was wrong. May quote the project: untrusted.
    pub message: String,
    /// Whether the process of the kernel was lost.
    pub crashed: bool,
    /// The first wrong element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<WrongElement>,
}

/// A wrong element of an output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WrongElement {
    /// The output.
    pub output: String,
    /// The shape of the output.
    pub shape: Vec<u64>,
    /// Where it is.
    pub index: Vec<u64>,
    /// What is there.
    pub got: String,
    /// What should be.
    pub want: String,
}

impl OperationTests {
    /// Gates that ended so.
    pub fn count(&self, outcome: GateOutcome) -> usize {
        self.gates.iter().filter(|gate| gate.outcome == outcome).count()
    }
}

impl GateResult {
    /// What is to be said about it in one line, where it did not simply pass.
    pub fn words(&self) -> String {
        match &self.failure {
            Some(failure) => format!("{}, {}: {}", failure.case, failure.dtype, failure.message),
            None => self.reason.clone(),
        }
    }
}
