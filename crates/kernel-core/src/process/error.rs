//! Why a child process did not do its work. Every variant names the program and says what to do.

use std::time::Duration;

use camino::Utf8PathBuf;
use miette::Diagnostic;
use thiserror::Error;

use super::run::End;

/// Why a child process did not do its work.
#[derive(Debug, Error, Diagnostic)]
pub enum ProcessError {
    /// The program does not exist.
    #[error("program `{program}` was not found")]
    #[diagnostic(code("environment/tool-missing"), help("{remedy}"))]
    Missing {
        /// As it was asked for.
        program: Utf8PathBuf,
        /// What to install.
        remedy: String,
    },

    /// The directory to run it in does not exist.
    #[error("`{program}` cannot run in `{directory}`: there is no such directory")]
    #[diagnostic(code("environment/file"), help("look whether the directory was removed or renamed"))]
    Directory {
        /// The program.
        program: Utf8PathBuf,
        /// The directory.
        directory: Utf8PathBuf,
    },

    /// The system refused to start it.
    #[error("program `{program}` could not be started")]
    #[diagnostic(
        code("environment/tool-unusable"),
        help("look whether the file may be executed and was made for this machine")
    )]
    Start {
        /// The program.
        program: Utf8PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },

    /// It ran and said no.
    #[error("`{program}` {end}{}", last_words(said))]
    #[diagnostic(code("environment/tool-failed"), help("the program's own message says why"))]
    Failed {
        /// The program.
        program: Utf8PathBuf,
        /// How it ended.
        end: End,
        /// The last lines of its standard error.
        said: Vec<String>,
    },

    /// The system ended it, or one of its children, because memory ran out.
    #[error("`{program}` was ended by the system because memory ran out")]
    #[diagnostic(
        code("environment/out-of-memory"),
        help("run fewer jobs at once with `--jobs`, or give the machine or container more memory")
    )]
    OutOfMemory {
        /// The program.
        program: Utf8PathBuf,
    },

    /// It took longer than it was given.
    #[error("`{program}` did not end within {} seconds and was ended", timeout.as_secs_f32())]
    #[diagnostic(
        code("environment/timeout"),
        help("run it by hand to see what it waits for; a loaded machine may need another try")
    )]
    TimedOut {
        /// The program.
        program: Utf8PathBuf,
        /// The time it had.
        timeout: Duration,
    },

    /// It wrote more than can be kept.
    #[error("`{program}` wrote more than {limit} bytes to its standard output")]
    #[diagnostic(code("environment/tool-failed"), help("look whether this is the program you meant"))]
    TooMuchOutput {
        /// The program.
        program: Utf8PathBuf,
        /// Bytes that are kept at most.
        limit: usize,
    },

    /// The user asked for the end.
    #[error("interrupted while `{program}` ran")]
    #[diagnostic(code("internal/interrupted"), help("run the same command again; finished work is kept"))]
    Interrupted {
        /// The program.
        program: Utf8PathBuf,
    },
}

fn last_words(said: &[String]) -> String {
    match said.iter().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!(": {}", line.trim()),
        None => String::new(),
    }
}
