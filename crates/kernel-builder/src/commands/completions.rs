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

/// Name of the program.
const PROGRAM: &str = "kernel-builder";

impl Run for Arguments {
    fn run(self, _session: &Session) -> Answer {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut shown(&CommandLine::command()), PROGRAM, &mut script);
        let mut script = String::from_utf8_lossy(&script).into_owned();
        if self.shell == Shell::Bash {
            // The generator writes the dash in the program's name in two ways, so that no label is ever reached.
            script = script.replace("kernel__subcmd__builder", "kernel__builder");
        }
        Ok(Report::Completions(CompletionsReport { shell: self.shell.to_string(), script }))
    }
}

/// The command line as its help shows it: what is hidden there is not offered either, which the generators do not see to.
fn shown(whole: &clap::Command) -> clap::Command {
    let commands = whole.get_subcommands().filter(|command| !command.is_hide_set());
    clap::Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .args(whole.get_arguments().cloned())
        .subcommands(commands.cloned())
}
