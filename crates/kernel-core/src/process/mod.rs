//! The one door to child processes. A project is untrusted, so a child gets an argument vector, never a shell line, and
//! an environment made from nothing: what is not named here, or asked for by the caller, does not reach it.

mod conversation;
mod error;
mod foreground;
mod group;
mod lines;
mod memory;
mod run;

pub use conversation::{Conversation, Silence};
pub use error::ProcessError;
pub use memory::tells_of_a_kill;
pub use run::{End, Finished, Line, Stream};

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Event;

use crate::Context;
use crate::context::Environment;

/// Variables every child gets from the user's environment, where they are set.
const INHERITED: &[&str] = &["PATH", "TMPDIR", "SOURCE_DATE_EPOCH"];

/// Variables through which programs find a proxy; see [`Command::with_proxies`].
const PROXIES: &[&str] = &[
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
];

/// Largest standard output that is kept, in bytes.
const CAPTURE_LIMIT: usize = 256 << 20;

/// A program to run, with everything it is allowed to see.
#[derive(Clone, Debug)]
pub struct Command {
    program: Utf8PathBuf,
    arguments: Vec<OsString>,
    directory: Option<Utf8PathBuf>,
    inherited: Vec<String>,
    everything: bool,
    variables: BTreeMap<String, String>,
    input: Option<Vec<u8>>,
    timeout: Option<Duration>,
    remedy: Option<String>,
}

impl Command {
    /// A program by name, looked for in `PATH`, or by path.
    pub fn new(program: impl Into<Utf8PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: None,
            inherited: INHERITED.iter().map(ToString::to_string).collect(),
            everything: false,
            variables: BTreeMap::new(),
            input: None,
            timeout: None,
            remedy: None,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn arguments<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// The working directory of the child; without it, the user's.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<Utf8PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets a variable of the child's environment.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Passes on a variable of the user's environment, where it is set. One that looks like a secret never passes.
    #[must_use]
    pub fn inherit(mut self, name: impl Into<String>) -> Self {
        self.inherited.push(name.into());
        self
    }

    /// Gives the child the user's whole environment as it is, secrets too: for a program that the user would start from a
    /// shell, and for nothing of a project's.
    #[must_use]
    pub fn as_from_a_shell(mut self) -> Self {
        self.everything = true;
        self
    }

    /// Lets the child know the user's home directory.
    #[must_use]
    pub fn with_home(self) -> Self {
        self.inherit("HOME")
    }

    /// Lets the child know the user's proxies, for a child that downloads.
    #[must_use]
    pub fn with_proxies(mut self) -> Self {
        self.inherited.extend(PROXIES.iter().map(ToString::to_string));
        self
    }

    /// Gives the child these bytes on standard input; without it, the input is empty.
    #[must_use]
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// Ends the child, and everything it started, after this time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What to do where the program is missing, for example which package to install.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The program, as given.
    pub fn program(&self) -> &Utf8Path {
        &self.program
    }

    /// Runs it to its end and gives each line of both streams to `listener` as it comes. How the program ended is in the
    /// result; an error means that it could not be run, was interrupted or ran out of time.
    pub fn stream(
        &self,
        context: &Context,
        listener: &mut dyn FnMut(&Line),
    ) -> Result<Finished, ProcessError> {
        run::run(self, context, run::Output::Lines, listener)
    }

    /// Runs it to its end and sends each line as [`Event::Log`] of `origin`.
    pub fn log(&self, context: &Context, origin: &str) -> Result<Finished, ProcessError> {
        self.stream(context, &mut |line| {
            context.sink.event(&Event::Log { origin: origin.to_owned(), line: line.text.clone() });
        })
    }

    /// Runs it to its end and keeps its standard output.
    pub fn capture(&self, context: &Context) -> Result<Finished, ProcessError> {
        run::run(self, context, run::Output::Bytes, &mut |_| {})
    }

    /// The child's whole environment.
    fn environment(&self, user: &Environment) -> BTreeMap<String, String> {
        let passes = |name: &&String| !is_secret(name);
        let inherited = self.inherited.iter().filter(passes);
        let mut variables: BTreeMap<String, String> = inherited
            .filter_map(|name| user.get(name).map(|value| (name.clone(), value.to_owned())))
            .collect();
        // Messages that are read by programs must not depend on the user's language.
        variables.insert("LANG".to_owned(), "C.UTF-8".to_owned());
        variables.extend(self.variables.clone());
        variables
    }
}

/// Whether a variable's name says that its value is a credential.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["AWS_", "AZURE_", "GITHUB_", "GH_", "GITLAB_", "CI_JOB_", "ACTIONS_", "HUGGING_FACE_", "SSH_", "GPG_"]
        .iter()
        .any(|start| name.starts_with(start))
        || ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "_KEY", "COOKIE"]
            .iter()
            .any(|part| name.contains(part))
}

#[cfg(test)]
mod tests;
