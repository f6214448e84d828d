//! `completions`: scripts for shells, generated from the command line's own definition.

use clap::CommandFactory;
use clap_complete::Shell;
use kernel_spec::report::{CompletionsReport, Report};

use super::{Answer, Run};
use crate::cli::CommandLine;
use crate::session::Session;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  kernel-builder completions bash > ~/.local/share/bash-completion/completions/kernel-builder"
)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

impl Run for Arguments {
    fn run(self, _session: &Session) -> Answer {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut CommandLine::command(), "kernel-builder", &mut script);
        let script = String::from_utf8_lossy(&script).into_owned();
        Ok(Report::Completions(CompletionsReport { shell: self.shell.to_string(), script }))
    }
}
