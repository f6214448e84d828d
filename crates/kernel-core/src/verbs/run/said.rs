//! What the hook said of a run. Everything in the program can write to its record, so that it proves only what nobody
//! there has an interest in.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use kernel_spec::report::run::{Explained, Implementation, Ran, VerifiedKernel};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line {
    Started {},
    Verified { kernel: String, path: String },
    Refused { reason: String, path: String },
    Loaded { name: String, path: Option<Utf8PathBuf> },
    Switched { name: String, to: Baseline },
    Kept { name: String, reason: String },
    Fallback { name: String, reason: String },
    Explain(Call),
    Share(Timed),
    Memory { bytes: u64 },
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Baseline {
    Baseline,
    Absent,
}

#[derive(Deserialize)]
struct Call {
    operation: String,
    implementation: String,
    variant: Option<String>,
    shape: Option<String>,
    dtype: Option<String>,
    layout: Option<String>,
    tested: String,
}

/// What one process timed, as it last said.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Timed {
    process: u32,
    /// Nanoseconds in which at least one thread was in an operation.
    pub(super) busy_ns: u64,
    /// Nanoseconds from the first call to the end of the last.
    pub(super) span_ns: u64,
    pub(super) operations: Vec<TimedOperation>,
    /// Whether gradients of a result were wanted.
    pub(super) backward: bool,
    /// Whether something was compiled, in which no operation is seen.
    pub(super) compiled: bool,
}

/// One operation of a process.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct TimedOperation {
    pub(super) name: String,
    pub(super) implementation: String,
    pub(super) calls: u64,
    pub(super) ns: u64,
}

/// What the hook said.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Whether any Python had the hook.
    pub(super) started: bool,
    /// Whether something else is in the record.
    pub(super) foreign: bool,
    pub(super) verified: Vec<VerifiedKernel>,
    /// Where a kernel that was refused lies, and why.
    pub(super) refused: Vec<(String, String)>,
    /// What the program got.
    pub(super) implementations: BTreeSet<Implementation>,
    /// Directories of the variants that were loaded.
    pub(super) directories: BTreeSet<Utf8PathBuf>,
    pub(super) explained: Vec<Explained>,
    /// What each process timed.
    pub(super) timed: BTreeMap<u32, Timed>,
    /// Peak bytes of the process that needed most.
    pub(super) memory: Option<u64>,
}

impl Said {
    /// What a record says.
    pub(super) fn of(text: &str) -> Self {
        let mut said = Self::default();
        for line in text.lines() {
            match serde_json::from_str(line) {
                Ok(line) => said.add(line),
                Err(_not_ours) => said.foreign = true,
            }
        }
        said
    }

    fn add(&mut self, line: Line) {
        match line {
            Line::Started {} => self.started = true,
            Line::Verified { kernel, path } => {
                self.verified.push(VerifiedKernel { kernel, directory: path });
            }
            Line::Refused { reason, path } => self.refused.push((path, reason)),
            Line::Loaded { name, path } => {
                self.directories.extend(path);
                self.got(name, Ran::Kernel, None);
            }
            Line::Switched { name, to: Baseline::Baseline } => self.got(name, Ran::Baseline, None),
            Line::Switched { name, to: Baseline::Absent } => self.got(name, Ran::Absent, None),
            Line::Kept { name, reason } => self.got(name, Ran::NotSwitched, Some(reason)),
            Line::Fallback { name, reason } => self.got(name, Ran::Fallback, Some(reason)),
            Line::Explain(call) => self.explain(call),
            Line::Share(timed) => {
                self.timed.insert(timed.process, timed);
            }
            Line::Memory { bytes } => self.memory = self.memory.max(Some(bytes)),
        }
    }

    fn got(&mut self, name: String, ran: Ran, reason: Option<String>) {
        self.implementations.insert(Implementation { name, ran, reason });
    }

    fn explain(&mut self, call: Call) {
        let Call { operation, implementation, variant, shape, dtype, layout, tested } = call;
        let explained = Explained { operation, implementation, variant, shape, dtype, layout, tested };
        if !self.explained.contains(&explained) {
            self.explained.push(explained);
        }
    }

    /// Everything of this kind that the program got.
    pub(super) fn all(&self, ran: Ran) -> impl Iterator<Item = &Implementation> {
        self.implementations.iter().filter(move |one| one.ran == ran)
    }

    /// Whether any operation was called.
    pub(super) fn is_called(&self) -> bool {
        self.timed.values().any(|process| !process.operations.is_empty())
    }
}
