//! The questions, each with the shape of its answer. The runner's `session.py` has a method for each.

use camino::Utf8PathBuf;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use super::Case;

/// Something a child can be asked.
pub trait Question: Serialize {
    /// Its name on the channel.
    const NAME: &'static str;
    /// What it is answered with.
    type Answer: DeserializeOwned;
}

/// Declares questions with their answers.
macro_rules! questions {
    ($($(#[doc = $doc:literal])* $name:ident = $op:literal { $($(#[doc = $field_doc:literal])* $field:ident: $kind:ty,)* }
        -> $answer:ident { $($(#[doc = $answer_doc:literal])* $part:ident: $part_kind:ty,)* })*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Clone, Debug, Serialize)]
            pub struct $name { $($(#[doc = $field_doc])* pub $field: $kind,)* }

            #[doc = concat!("The answer to [`", stringify!($name), "`].")]
            #[derive(Clone, Debug, Deserialize)]
            pub struct $answer { $($(#[doc = $answer_doc])* pub $part: $part_kind,)* }

            impl Question for $name {
                const NAME: &'static str = $op;
                type Answer = $answer;
            }
        )*
    };
}

questions! {
    /// Confines the child and asks what it is.
    Hello = "hello" {
        /// Bytes of data it may allocate.
        memory: u64,
        /// The directory to work in.
        directory: Utf8PathBuf,
        /// Threads to compute with; torch decides without it.
        threads: Option<u16>,
    } -> HelloAnswer {
        /// Version of Python.
        python: String,
        /// Whether the limit of memory holds.
        memory_limited: bool,
        /// Whether it has no network.
        network_left: bool,
        /// Resolution of its clock in nanoseconds.
        tick: u64,
    }

    /// Imports a script of `Benchmark` classes, or takes declared operations.
    Discover = "discover" {
        /// The script, or the file of the operations.
        script: Utf8PathBuf,
        /// The operations, where they are declared.
        operations: Option<Value>,
    } -> DiscoverAnswer {
        /// What it defines.
        classes: Vec<ScriptClass>,
        /// Where its own comparison is, if it replaced torch's.
        comparison: Option<String>,
        /// What else it changed in the process.
        changed: Vec<String>,
        /// Versions of what takes part.
        versions: BTreeMap<String, String>,
        /// Threads that torch computes with.
        threads: u32,
    }

    /// Loads the kernel through the real loader.
    Load = "load" {
        /// The directory that holds `build/<variant>`.
        root: Utf8PathBuf,
        /// The backend.
        backend: String,
    } -> LoadAnswer {
        /// The kernel's id.
        kernel: String,
        /// Seconds that the loader took.
        seconds: f64,
        /// What loading changed in the process.
        changed: Vec<String>,
    }

    /// Sets up a workload, once for each slot.
    Open = "open" {
        /// The class.
        class: String,
        /// Its workload.
        workload: String,
        /// Name of the device.
        device: String,
        /// The call of a declared operation, in place of a class and its workload.
        case: Option<Case>,
        /// What differs from slot to slot.
        slots: Vec<Slot>,
    } -> OpenAnswer {
        /// The tensors of each slot that the setup left.
        inputs: Vec<Vec<Tensor>>,
        /// The rest of what the setup left, for comparison only.
        state: Vec<String>,
        /// Whether the setup allocated the output.
        preallocated: bool,
    }

    /// Writes inputs and what the reference makes of them. The slot is used up by it.
    Reference = "reference" {
        /// The slot.
        slot: usize,
        /// The file for the inputs.
        inputs: Utf8PathBuf,
        /// The file for the reference in its own precision.
        own: Utf8PathBuf,
        /// The file for the reference in float64.
        exact: Utf8PathBuf,
    } -> ReferenceAnswer {
        /// What is in the second file.
        own: Vec<Tensor>,
        /// What is in the third, where the reference can compute in float64.
        exact: Option<Vec<Tensor>>,
    }

    /// Puts inputs into a slot, at the addresses where the earlier ones were.
    Fill = "fill" {
        /// The slot.
        slot: usize,
        /// The file.
        file: Utf8PathBuf,
    } -> FillAnswer {}

    /// Runs the kernel once into poisoned outputs.
    Check = "check" {
        /// The slot.
        slot: usize,
        /// Name of the device.
        device: String,
        /// The file for its outputs.
        file: Utf8PathBuf,
    } -> CheckAnswer {
        /// What is in the file.
        outputs: Vec<Tensor>,
        /// Inputs that the call changed.
        mutated: Vec<String>,
        /// Tensors around which the call wrote to memory that is not theirs.
        overrun: Vec<String>,
        /// Nanoseconds of the call.
        elapsed: u64,
        /// Threads of Python that the call left running.
        threads: i64,
        /// What the call changed in the process.
        changed: Vec<String>,
    }

    /// Computes with another number of threads from now on.
    Threads = "threads" {
        /// The number.
        count: u32,
    } -> ThreadsAnswer {
        /// The number before.
        before: u32,
    }

    /// Calls the kernel in several threads at once, each on a slot of its own.
    Together = "together" {
        /// Name of the device.
        device: String,
        /// Calls in each thread.
        rounds: u32,
        /// Seconds that a thread waits for the others.
        patience: u32,
        /// The file for the outputs of each slot.
        files: Vec<Utf8PathBuf>,
    } -> TogetherAnswer {
        /// What is in each file.
        outputs: Vec<Vec<Tensor>>,
    }

    /// Calls the kernel often.
    Repeat = "repeat" {
        /// The slot.
        slot: usize,
        /// Name of the device.
        device: String,
        /// Calls, after a quarter as many to begin with.
        calls: u32,
    } -> RepeatAnswer {
        /// Bytes that the process holds after the first quarter.
        before: u64,
        /// Bytes that it holds at the end.
        after: u64,
    }

    /// Runs the kernel and the reference in one process, for scripts whose reference cannot be separated.
    Compare = "compare" {
        /// The slot.
        slot: usize,
        /// The file for the outputs.
        file: Utf8PathBuf,
        /// The file for the reference.
        own: Utf8PathBuf,
    } -> CompareAnswer {
        /// What is in the first file.
        outputs: Vec<Tensor>,
        /// What is in the second.
        own: Vec<Tensor>,
        /// What the script's own comparison says.
        agrees: bool,
    }

    /// Observes one call.
    Prove = "prove" {
        /// The slot.
        slot: usize,
        /// The variant's directory.
        variant_path: Utf8PathBuf,
    } -> ProveAnswer {
        /// Python files of the variant that ran.
        files: Vec<String>,
        /// Operators that ran.
        operators: Vec<String>,
    }

    /// Warms up and finds how many calls fill a sample.
    Calibrate = "calibrate" {
        /// `baseline`, `candidate` or both.
        arms: Vec<&'static str>,
        /// Name of the device.
        device: String,
        /// Nanoseconds of a sample.
        target: u64,
        /// Nanoseconds to warm up at least.
        warm: u64,
        /// And at most.
        limit: u64,
    } -> CalibrateAnswer {
        /// The kernel.
        candidate: Option<Settled>,
        /// What it is compared with.
        baseline: Option<Settled>,
    }

    /// Takes paired samples.
    Blocks = "blocks" {
        /// Name of the device.
        device: String,
        /// Calls of a sample.
        calls: Calls,
        /// The blocks in their order.
        blocks: Vec<PlannedBlock>,
    } -> BlocksAnswer {
        /// Nanoseconds of a call of the baseline and of the candidate.
        times: Vec<(f64, f64)>,
        /// Whether the thread was taken off its processor during a block.
        preempted: Vec<bool>,
        /// The outputs that were written.
        outputs: Vec<Vec<Tensor>>,
        /// What the calls changed in the process.
        changed: Vec<String>,
    }

    /// Takes samples of the baseline alone.
    Solo = "solo" {
        /// Name of the device.
        device: String,
        /// Calls of a sample.
        calls: u32,
        /// Samples to take.
        samples: u32,
    } -> SoloAnswer {
        /// Nanoseconds of a call.
        times: Vec<f64>,
    }

    /// Measures what the machine can do at most.
    Roof = "roof" {
        /// Name of the device.
        device: String,
        /// Types whose arithmetic is wanted, as torch calls them.
        types: Vec<String>,
    } -> RoofAnswer {
        /// Bytes that a copy reads and writes, and how many of them a second moves.
        copies: Vec<(f64, f64)>,
        /// Floating point operations a second of each type.
        products: BTreeMap<String, f64>,
        /// Nanoseconds of the shortest call.
        call: f64,
    }

    /// Calls the kernel, while the parent holds the clock.
    Run = "run" {
        /// The slot.
        slot: usize,
        /// Calls.
        calls: u32,
    } -> RunAnswer {}

    /// Ends the conversation.
    Bye = "bye" {
        /// The variant's directory, where one was loaded.
        variant_path: Option<Utf8PathBuf>,
    } -> ByeAnswer {
        /// What is not as it was before the kernel was loaded.
        changed: Vec<String>,
        /// Threads of Python.
        threads: u32,
        /// Libraries of the variant that are mapped.
        libraries: Vec<String>,
        /// Python files of the variant that are imported.
        modules: Vec<String>,
    }
}

/// A class of a script.
#[derive(Clone, Debug, Deserialize)]
pub struct ScriptClass {
    /// Its name.
    pub name: String,
    /// Its workloads.
    pub workloads: Vec<ScriptWorkload>,
}

/// A workload of a class.
#[derive(Clone, Debug, Deserialize)]
pub struct ScriptWorkload {
    /// Its name, without `benchmark_`.
    pub name: String,
    /// Whether it has a reference.
    pub verify: bool,
}

/// What differs from slot to slot.
#[derive(Clone, Debug, Serialize)]
pub struct Slot {
    /// The seed of its inputs.
    pub seed: u64,
    /// Sizes of allocations made before it.
    pub padding: Vec<u32>,
    /// Bytes by which its inputs are moved in memory.
    pub offsets: Vec<u32>,
}

/// A tensor, without its elements.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Tensor {
    /// The way to it from the instance, or its number among the outputs.
    pub name: String,
    /// Its type, as torch calls it.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Its strides.
    pub stride: Vec<i64>,
    /// Its device.
    pub device: String,
    /// Its Python type.
    #[serde(rename = "type")]
    pub kind: String,
}

impl Tensor {
    /// Number of elements.
    pub fn elements(&self) -> u64 {
        self.shape.iter().product()
    }
}

/// An arm after its warm-up.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Settled {
    /// Nanoseconds of the first call.
    pub first: f64,
    /// Nanoseconds of a call.
    pub call: f64,
    /// Calls that fill a sample.
    pub calls: u32,
}

/// Calls of a sample of each arm.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Calls {
    /// Of the baseline.
    pub baseline: u32,
    /// Of the candidate.
    pub candidate: u32,
}

/// A block as the parent wants it.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedBlock {
    /// The slot.
    pub slot: usize,
    /// Whether the candidate's sample is taken first.
    pub candidate_first: bool,
    /// Inputs to put in place before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<Utf8PathBuf>,
    /// The file for the outputs of its last timed call; they are poisoned before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Utf8PathBuf>,
}

/// Nanoseconds of a sample: shorter than the slice of time that a busy machine's scheduler gives.
const SAMPLE: u64 = 300_000;
/// Nanoseconds of warming up at least, and at most.
const WARM: (u64, u64) = (50_000_000, 500_000_000);

impl Calibrate {
    /// With the times that were found good on busy processors.
    pub fn of(arms: Vec<&'static str>, device: &str) -> Self {
        Self { arms, device: device.to_owned(), target: SAMPLE, warm: WARM.0, limit: WARM.1 }
    }
}
