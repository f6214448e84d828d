//! Measures one built variant: an oracle child that never sees the kernel makes inputs and references, then replicated
//! children check the kernel and time it in pairs with what it replaces, until the procedure of `kernel-bench` says that
//! every workload is decided. This process judges every output, holds a clock of its own, and believes no child.

mod child;
pub mod compatible;
mod conditions;
mod error;
mod forms;
mod kept;
mod machine;
mod oracle;
mod outputs;
mod processes;
mod progress;
mod record;
mod replicate;
mod run;
mod samples;
mod scratch;
mod subject;
mod suspicion;
mod workload;

pub(crate) use conditions::Moment;
pub use error::BenchError;
pub use forms::{Form, UnknownForm};
pub use kept::kept;
pub use record::write;
pub use run::Outcome;
pub use suspicion::REFERENCE_APART;
pub(crate) use workload::{LARGE, VECTOR};

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::decision::Settings;

use crate::{Context, Result};
use scratch::Scratch;

/// Where a project keeps the last document of each variant.
pub const DOCUMENTS: &str = ".kernel-builder/bench";

/// The document of a variant's last run, unless its place was named.
pub fn document_of(project: &Utf8Path, variant: &str) -> Utf8PathBuf {
    project.join(DOCUMENTS).join(format!("{variant}.json"))
}

/// A benchmark of one variant.
pub struct Bench<'a> {
    context: &'a Context,
    interpreter: &'a Utf8Path,
    project: &'a Utf8Path,
    artifact: &'a Utf8Path,
    scratch: Scratch,
    options: &'a Options,
    /// Name of the variant.
    variant: &'a str,
    /// Its backend.
    backend: String,
    /// What torch calls the device.
    device: String,
    /// Bytes that a child may allocate.
    memory: u64,
    /// How long a child may think about a question.
    limit: Duration,
    /// The seed of the run.
    seed: u64,
    /// Bytes of the variant's files.
    bytes: u64,
    /// Runs of this variant before this one.
    attempts_before: u32,
}

/// How a benchmark is to be done.
#[derive(Clone, Debug)]
pub struct Options {
    /// What verdicts come from.
    pub settings: Settings,
    /// Patterns of workloads; all, if there are none.
    pub workloads: Vec<String>,
    /// How long measuring may take.
    pub budget: Duration,
    /// How long a child may think about a question.
    pub limit: Duration,
    /// Threads to compute with; the framework decides without it.
    pub threads: Option<u16>,
    /// The seed of the whole run; drawn anew without it.
    pub seed: Option<u64>,
    /// Where the result document goes.
    pub output: Utf8PathBuf,
}

/// What is benched.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The Python interpreter.
    pub interpreter: &'a Utf8Path,
    /// The project's directory.
    pub project: &'a Utf8Path,
    /// The sealed variant directory.
    pub artifact: &'a Utf8Path,
    /// Name of the variant.
    pub variant: &'a str,
    /// Backend of the variant.
    pub backend: kernel_spec::Backend,
}

impl<'a> Bench<'a> {
    /// Prepares a benchmark of a variant.
    pub fn new(context: &'a Context, target: Target<'a>, options: &'a Options) -> Result<Self> {
        let backend = target.backend.row().name.to_owned();
        let device = match backend.as_str() {
            "rocm" => "cuda".to_owned(),
            "metal" => "mps".to_owned(),
            "cann" => "npu".to_owned(),
            other => other.to_owned(),
        };
        Ok(Self {
            context,
            interpreter: target.interpreter,
            project: target.project,
            artifact: target.artifact,
            scratch: Scratch::new(target.artifact, target.variant).map_err(BenchError::File)?,
            bytes: subject::bytes_of(target.artifact)?,
            attempts_before: subject::attempts_before(&options.output),
            options,
            variant: target.variant,
            backend,
            device,
            memory: machine::memory_for_a_child(),
            limit: options.limit,
            seed: options.seed.map_or_else(drawn, Ok).map_err(BenchError::File)?,
        })
    }

    /// Whether a workload was asked for.
    fn is_selected(&self, id: &str) -> bool {
        let patterns = &self.options.workloads;
        patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, id))
    }
}

/// A seed that nobody can foresee.
pub(crate) fn drawn() -> std::io::Result<u64> {
    use std::io::Read;
    let mut bytes = [0; 8];
    fs_err::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Whether a name fits a pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(head) else { return false };
    loop {
        if matches(rest, left) {
            return true;
        }
        let mut characters = left.chars();
        if characters.next().is_none() {
            return false;
        }
        left = characters.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_of_workloads_match_as_in_a_shell() {
        assert!(
            matches("*", "A.b") && matches("A.*", "A.b") && matches("*.b", "A.b") && matches("A.b", "A.b")
        );
        assert!(matches("*e*d*", "A.decode_odd"));
        assert!(!matches("A", "A.b") && !matches("B.*", "A.b") && !matches("", "A.b"));
    }
}
