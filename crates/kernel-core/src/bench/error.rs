//! Why a benchmark could not be run to its end. A workload that is wrong, slow, crashed or suspect is no such reason: the
//! report says so.

use camino::Utf8PathBuf;
use miette::Diagnostic;
use thiserror::Error;

/// Why a benchmark has no answer.
#[derive(Debug, Error, Diagnostic)]
pub enum BenchError {
    /// A file could not be read or written.
    #[error("could not use a file of the benchmark")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    File(#[from] std::io::Error),

    /// There are no scripts.
    #[error("`{project}` has no `benchmarks/benchmark*.py` and no `benchmarks/workloads.toml`")]
    #[diagnostic(
        code("bench/no-workloads"),
        help(
            "declare operations in `benchmarks/workloads.toml`, or write a subclass of `kernels.benchmark.Benchmark` with `benchmark_X` and `verify_X`"
        )
    )]
    NoScripts {
        /// The project.
        project: Utf8PathBuf,
    },

    /// No workload was left to measure.
    #[error("there is no workload to measure{}", selection(patterns))]
    #[diagnostic(
        code("bench/no-workloads"),
        help(
            "{known}`benchmark_X` needs a `verify_X`; names are `Class.X`, and `--workload` takes patterns such as `*.X`"
        )
    )]
    NoWorkloads {
        /// What was asked for.
        patterns: Vec<String>,
        /// What there is, as the start of the help.
        known: String,
    },

    /// The scripts that shall judge cannot be had.
    #[error("there are no scripts to judge by in `{from}`: {reason}")]
    #[diagnostic(
        code("bench/no-workloads"),
        help("give a directory that has `benchmarks`, or a commit of the project's repository")
    )]
    Referee {
        /// What was given.
        from: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The document of an earlier run cannot be read.
    #[error("`{path}` is no document of a benchmark: {reason}")]
    #[diagnostic(code("bench/saved"), help("give a file that `kernel-builder bench --output FILE` wrote"))]
    Saved {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// Two results claim to be one run.
    #[error("the results cannot be put side by side")]
    #[diagnostic(
        code("bench/incomparable"),
        help("a run is written once: keep the document that it wrote, and leave out the changed one")
    )]
    Conflict(#[source] kernel_bench::decision::Conflict),

    /// A form of the result cannot be made.
    #[error("the result cannot be written in this form: {reason}")]
    #[diagnostic(code("internal/bug"), help("report it with the output of `kernel-builder doctor`"))]
    Form {
        /// Why.
        reason: String,
    },

    /// What was asked for cannot give a verdict.
    #[error("no verdict can come from these settings")]
    #[diagnostic(code("usage/arguments"), help("see `kernel-builder bench --help`"))]
    Settings(#[source] kernel_bench::decision::SettingsError),
}

/// Workloads that a help names.
const NAMED: usize = 20;

/// What there is, for those who asked for something else.
pub(super) fn known(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let listed: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("there are {}{more}; ", listed.join(", "))
}

fn selection(patterns: &[String]) -> String {
    match patterns {
        [] => String::new(),
        patterns => format!(" that fits `{}`", patterns.join("`, `")),
    }
}
