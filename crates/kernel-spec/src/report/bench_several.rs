//! What `bench compare` and `bench merge` answer: results of several runs, none of which is measured again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::bench::{ChangeBench, Speedup, worst};
use crate::{ExitClass, Finding};

/// The answer of `bench compare`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BenchCompareReport {
    /// The document of the earlier run.
    pub before: String,
    /// The document of the later run.
    pub now: String,
    /// The workloads of both, each run held against its own baseline.
    pub changes: Vec<ChangeBench>,
    /// Workloads of the earlier run alone.
    pub gone: Vec<String>,
    /// Workloads of the later run alone.
    pub added: Vec<String>,
    /// What is wrong, and what `--fail-on` asked to be told.
    pub findings: Vec<Finding>,
}

impl BenchCompareReport {
    /// The worst that happened.
    pub fn exit(&self) -> ExitClass {
        worst(&self.findings)
    }
}

/// The answer of `bench merge`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BenchMergeReport {
    /// Every kind of machine with its runs.
    pub machines: Vec<MachineBench>,
    /// Every workload over the kinds of machines.
    pub workloads: Vec<WorkloadOnMachines>,
    /// Runs whose document was given more than once; they count once.
    pub duplicates: Vec<String>,
    /// What is wrong, and what `--fail-on` asked to be told.
    pub findings: Vec<Finding>,
}

impl BenchMergeReport {
    /// The worst that happened.
    pub fn exit(&self) -> ExitClass {
        worst(&self.findings)
    }
}

/// One kind of machine: what decides speed is the same in all its runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MachineBench {
    /// What stands for it in this report: `1`, `2` and so on.
    pub number: usize,
    /// Its name: the device, or the processor.
    pub machine: String,
    /// What decides whether runs may be compared, in one word.
    pub key: String,
    /// The verdict of each run as a whole, by the run's id.
    pub verdicts: BTreeMap<String, String>,
}

/// One workload over the kinds of machines.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorkloadOnMachines {
    /// The workload.
    pub workload: String,
    /// What each kind of machine says.
    pub machines: Vec<WorkloadOnMachine>,
    /// Kinds of machines on which it is faster, after correction for all machines and workloads.
    pub faster_on: usize,
    /// Kinds of machines on which it is slower, after the same correction.
    pub slower_on: usize,
    /// Kinds of machines that measured it.
    pub measured_on: usize,
}

/// What one kind of machine says of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorkloadOnMachine {
    /// The machine's number.
    pub machine: usize,
    /// The outcome of each of its runs.
    pub outcomes: Vec<String>,
    /// Whether a claim of a difference stands after correction for all machines and workloads.
    pub stands: bool,
    /// The mean over its runs; from three runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Speedup>,
}
