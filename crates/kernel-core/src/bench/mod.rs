//! Measures one built variant: an oracle child that never sees the kernel makes inputs and references, then replicated
//! children check the kernel and time it in pairs with what it replaces, until the procedure of `kernel-bench` says that
//! every workload is decided. This process judges every output, holds a clock of its own, and believes no child.

pub(crate) mod child;
pub mod compatible;
mod conditions;
mod error;
mod forms;
mod kept;
mod machine;
mod oracle;
pub(crate) mod outputs;
mod processes;
mod progress;
mod record;
mod replicate;
mod run;
mod samples;
mod scratch;
mod subject;
mod suspicion;
mod wanted;
pub(crate) mod workload;
pub(crate) mod workshop;

pub(crate) use conditions::Moment;
pub use error::BenchError;
pub use forms::{Form, UnknownForm};
pub use kept::kept;
pub use record::write;
pub use run::Outcome;
pub use suspicion::REFERENCE_APART;
pub(crate) use workload::{LARGE, VECTOR};
pub(crate) use workshop::drawn;

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::decision::Settings;

use crate::{Context, Result};
use workshop::Workshop;

/// Where a project keeps the last document of each variant.
pub const DOCUMENTS: &str = ".kernel-builder/bench";

/// The document of a variant's last run, unless its place was named.
pub fn document_of(project: &Utf8Path, variant: &str) -> Utf8PathBuf {
    project.join(DOCUMENTS).join(format!("{variant}.json"))
}

/// A benchmark of one variant.
pub struct Bench<'a> {
    workshop: Workshop<'a>,
    options: &'a Options,
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
        Ok(Self {
            bytes: subject::bytes_of(target.artifact)?,
            attempts_before: subject::attempts_before(&options.output),
            workshop: Workshop::new(context, target, options.limit, options.threads, options.seed)
                .map_err(BenchError::File)?,
            options,
        })
    }

    /// Whether a workload was asked for.
    fn is_selected(&self, id: &str) -> bool {
        let patterns = &self.options.workloads;
        patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, id))
    }
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
