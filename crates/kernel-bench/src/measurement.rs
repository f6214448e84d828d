//! What was timed. The seam between those who measure and those who decide: the first fill these types, the second read
//! nothing else.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that was measured of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// Its name, unique in the run: `silu_and_mul.decode/bfloat16`.
    pub workload: String,
    /// Its weight in the verdict of the suite.
    pub weight: f64,
    /// Which kind of size it stands for.
    pub size: Option<SizeClass>,
    /// Bytes and operations of one call, where they are declared.
    #[serde(default)]
    pub work: Work,
    /// Why no verdict on speed may be given; the judge of outputs and the checks against cheating set it.
    pub fault: Option<Fault>,
    /// The replicated processes, in the order in which they ran. Index `j` is the same process in every workload of a
    /// run, which is what the verdict of the suite pairs by.
    pub processes: Vec<Process>,
}

/// Which kind of size a workload stands for: a suite that measured only one kind can not be IMPROVED.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SizeClass {
    /// Launch costs show.
    Small,
    /// The device is full.
    Large,
    /// No convenient multiple of anything.
    Awkward,
}

impl SizeClass {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Small, Self::Large, Self::Awkward];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
            Self::Awkward => "awkward",
        }
    }
}

/// What one call must do at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Bytes read and written.
    pub bytes: Option<f64>,
    /// Floating point operations.
    pub flop: Option<f64>,
}

/// Why a workload gets no verdict on speed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// What was seen, for people.
    pub reason: String,
}

/// Kinds of faults; the first that applies names a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// It raised, or could not be set up.
    Error,
    /// Its process died or hung.
    Crashed,
    /// It does not exist on this machine or for this type.
    Unsupported,
    /// Its outputs are wrong.
    Incorrect,
    /// A check against cheating struck.
    Suspect,
}

impl FaultKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "in error",
            Self::Crashed => "crashed",
            Self::Unsupported => "unsupported",
            Self::Incorrect => "incorrect",
            Self::Suspect => "suspect",
        }
    }
}

/// One replicated process: the unit of inference, because memory layout is drawn anew in each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// The paired blocks in the order in which they ran; written down as columns.
    #[serde(with = "crate::columns")]
    #[schemars(with = "crate::columns::Columns")]
    pub blocks: Vec<Block>,
    /// Peak memory of the two arms, bytes; where it was measured.
    pub peak_memory: Option<Arms<u64>>,
    /// What the machine did meanwhile.
    #[serde(default)]
    pub conditions: Conditions,
}

/// One value for each arm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Arms<T> {
    /// Of what the kernel replaces.
    pub baseline: T,
    /// Of the kernel.
    pub candidate: T,
}

/// One sample of each arm, taken next to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Nanoseconds of one call of the baseline.
    pub baseline_ns: f64,
    /// Nanoseconds of one call of the candidate.
    pub candidate_ns: f64,
    /// Which arm ran first.
    pub order: Order,
    /// What disturbed it.
    pub marks: Marks,
}

/// Which arm of a block ran first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Baseline, then candidate.
    BaselineFirst,
    /// Candidate, then baseline.
    CandidateFirst,
}

/// What disturbed one block, as far as the sampler saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The device reported a lower clock or a reason for one.
    pub throttled: bool,
    /// The thread ran on another processor than before.
    pub migrated: bool,
    /// The thread was taken off its processor.
    pub preempted: bool,
}

/// What the machine did while a process ran; absent is what nobody could measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Conditions {
    /// Runnable tasks of the machine, on average.
    pub load: Option<f64>,
    /// Processors that this run may use.
    pub processors: Option<u32>,
    /// Share of the time that a hypervisor gave to others, 0 to 1.
    pub steal: Option<f64>,
    /// Share of the time in which some task waited for a processor, 0 to 1.
    pub pressure: Option<f64>,
    /// Other processes that computed on the same device.
    pub device_neighbours: Option<u32>,
    /// Resolution of the clock, nanoseconds.
    pub tick_ns: Option<f64>,
    /// Calls in one sample of each arm; with the time of a call this is the length of the sample.
    pub calls_per_sample: Option<Arms<u32>>,
    /// Time of the host in one call of the candidate, nanoseconds, where the device was timed by its own clock.
    pub host_ns: Option<f64>,
}
