//! The result document: what a run measured, decided and ran on, in one value.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bottleneck::Bottleneck;
use crate::decision::{
    Comparability, Comparison, Incomparable, Roof, Roofline, Settings, Suite, Verdict, compare,
};
use crate::measurement::{Arms, Measurement};

/// Name and version of the document; raised when a field changes its meaning or goes away.
pub const SCHEMA: &str = "bench-result/1";

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Always `bench-result/1`.
    pub schema: String,
    /// The run itself.
    pub run: RunDescription,
    /// What was measured.
    pub subject: Subject,
    /// What it was measured against.
    pub baseline: BaselineDescription,
    /// What it ran on.
    pub machine: Machine,
    /// What decided.
    pub settings: Settings,
    /// What each look spent.
    pub looks: Vec<AlphaSpent>,
    /// The workloads, in the order of the run.
    pub workloads: Vec<WorkloadResult>,
    /// The verdict as a whole.
    pub suite: Suite,
    /// What it costs to begin using the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adoption: Option<Adoption>,
    /// Against a saved run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// What readers must know.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunDescription {
    /// Its id, unique.
    pub id: String,
    /// Version of the tool.
    pub tool_version: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// How long it took, seconds.
    pub seconds: f64,
    /// The command that repeats it.
    pub command: String,
    /// SHA-256 of the secret that all inputs came from, known before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed_commitment: Option<String>,
    /// The secret, revealed at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// Runs of the same subject before this one.
    #[serde(default)]
    pub attempts_before: u32,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The kernel's name.
    pub name: String,
    /// Its variant.
    pub variant: String,
    /// The commit of its sources, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether the sources differed from that commit.
    #[serde(default)]
    pub dirty: bool,
    /// The files that were loaded.
    #[serde(default)]
    pub files: Vec<FileDigest>,
}

/// A file by its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDigest {
    /// Relative to what holds it.
    pub path: String,
    /// SHA-256.
    pub sha256: String,
}

/// What the kernel was measured against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineDescription {
    /// `torch_eager`, `torch_compile`, `kernel` and the like.
    pub kind: String,
    /// What exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What the run ran on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// For people: the device, or the processor.
    pub name: String,
    /// The backend.
    pub backend: String,
    /// What decides whether runs may be compared.
    pub comparability: Comparability,
    /// Everything else that is known, by name.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// What one look spent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlphaSpent {
    /// Which look, from 1.
    pub number: usize,
    /// Processes that were measured.
    pub processes: usize,
    /// What it spent.
    pub level: f64,
    /// What had been spent with it.
    pub spent: f64,
    /// Workloads without a verdict after it.
    pub open: usize,
}

/// One workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadResult {
    /// What was decided.
    pub verdict: Verdict,
    /// Sizes by name.
    #[serde(default)]
    pub shape: BTreeMap<String, u64>,
    /// The type of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    /// How it was timed: `wall`, `event`, `graph`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer: Option<String>,
    /// `hot` or `cold`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// Whether its outputs are right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correctness: Option<Correctness>,
    /// What really ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Implementation>,
    /// The checks against cheating.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// What the machine could do at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roof: Option<Roof>,
    /// How near the arms come to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
    /// What limits the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<Bottleneck>,
    /// First call of each arm, nanoseconds, compiling and tuning included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_call_ns: Option<Arms<f64>>,
    /// Everything that was timed. From it and the settings the verdict follows again.
    pub measurement: Measurement,
}

/// Whether outputs are right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correctness {
    /// The gates.
    pub gates: Vec<Check>,
    /// Largest distance from the reference, in units of the last place of the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_ulp: Option<f64>,
    /// Error of the kernel over error of the baseline, root mean square.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_ratio: Option<f64>,
    /// Who compared: `judge`, or `script-override`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparator: Option<String>,
}

/// What really ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Implementation {
    /// The library or module.
    pub loaded: String,
    /// Functions or device kernels that were seen to run.
    #[serde(default)]
    pub ran: Vec<String>,
    /// What ran instead, and why, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Whether it is proved that the kernel's own code ran.
    pub proved: bool,
}

/// One gate or check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Its name: `C5 poison`.
    pub name: String,
    /// What came of it.
    pub outcome: CheckOutcome,
    /// What was seen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

/// What came of a gate or check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// Nothing wrong.
    Passed,
    /// Something is wrong.
    Failed,
    /// It could not be made here; it counts for nothing.
    NotExecuted,
}

/// What it costs to begin using the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Adoption {
    /// Bytes of the variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Seconds that its import takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_seconds: Option<f64>,
}

impl Document {
    /// Compares it with a saved one and keeps what came of it.
    pub fn hold_against(&mut self, saved: &Document) -> Result<(), Incomparable> {
        let (then, now) = (saved.measurements(), self.measurements());
        let circumstances = (&saved.machine.comparability, &self.machine.comparability);
        self.comparison = Some(compare(&self.settings, (circumstances.0, &then), (circumstances.1, &now))?);
        Ok(())
    }

    /// What was timed, workload by workload.
    pub fn measurements(&self) -> Vec<Measurement> {
        self.workloads.iter().map(|workload| workload.measurement.clone()).collect()
    }
}
