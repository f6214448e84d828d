//! Why a suite could not be run to its end. A failing test is no such reason.

use camino::Utf8Path;
use miette::Diagnostic;
use thiserror::Error;

use crate::process::{End, Finished, ProcessError};

/// pytest's exit status for arguments it does not know; it ends before any plugin hears of the run.
const USAGE: i32 = 4;

/// Why a suite has no answer.
#[derive(Debug, Error, Diagnostic)]
pub enum SuiteError {
    /// A file could not be read or written.
    #[error("could not prepare the run of the tests")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    File(#[from] std::io::Error),

    /// The system's directory for temporary files has a name that is no text.
    #[error("the directory for temporary files, `{path}`, is not valid UTF-8")]
    #[diagnostic(code("environment/file"), help("set `TMPDIR` to a directory whose path is valid UTF-8"))]
    Scratch {
        /// The directory.
        path: String,
    },

    /// The interpreter could not be started or was ended.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Process(#[from] ProcessError),

    /// The loader refused the artifact.
    #[error("the loader cannot load `{variant}`: {reason}")]
    #[diagnostic(
        code("test/load"),
        help(
            "`kernel-builder variants --explain` says what this machine's loader accepts; build such a variant"
        )
    )]
    Load {
        /// The variant.
        variant: String,
        /// The loader's own words.
        reason: String,
    },

    /// A package the run needs is not in the Python environment.
    #[error("`{interpreter}` has no package `{package}`")]
    #[diagnostic(
        code("environment/python-package"),
        help("install it there: `{interpreter} -m pip install {package}`")
    )]
    Package {
        /// The interpreter.
        interpreter: String,
        /// The missing package.
        package: String,
    },

    /// pytest refused to run.
    #[error("pytest did not run the tests (its exit status is {status})")]
    #[diagnostic(code("test/pytest"), help("pytest's own words are above; check the arguments after `--`"))]
    Refused {
        /// pytest's exit status.
        status: i64,
        /// The last lines it wrote.
        #[source]
        said: Option<Said>,
    },

    /// The process ended before the suite did.
    #[error("the process that ran the tests ended early ({end})")]
    #[diagnostic(
        code("test/child"),
        help(
            "run the last test that started alone, for example with `-- -x -k NAME`; a crash in native code ends Python"
        )
    )]
    Child {
        /// How it ended.
        end: String,
        /// The last lines it wrote.
        #[source]
        said: Option<Said>,
    },

    /// The plugin's own report cannot be read.
    #[error("the report of the test run cannot be read")]
    #[diagnostic(
        code("test/child"),
        help("something in the project wrote to the report; run the tests again")
    )]
    Report(#[from] serde_json::Error),
}

/// The last lines of a child, as a cause.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Said(String);

impl Said {
    /// The end of what a child wrote to standard error, if it wrote anything.
    pub(super) fn of(finished: &Finished) -> Option<Self> {
        let from = finished.said.len().saturating_sub(12);
        let text = finished.said[from..].join("\n");
        (!text.trim().is_empty()).then_some(Self(text))
    }
}

impl SuiteError {
    /// A process that ended without having reported the end of the suite.
    pub(super) fn child(interpreter: &Utf8Path, finished: Finished) -> Self {
        let missing = finished.said.iter().rev().find_map(|line| {
            line.strip_prefix("ModuleNotFoundError: No module named '")?.split(['\'', '.']).next()
        });
        match missing {
            None if finished.end == End::Exited(USAGE) => {
                Self::Refused { status: i64::from(USAGE), said: Said::of(&finished) }
            }
            Some(package) => {
                Self::Package { interpreter: interpreter.to_string(), package: package.to_owned() }
            }
            None => Self::Child { end: finished.end.to_string(), said: Said::of(&finished) },
        }
    }
}
