//! `run`: see `kernel_core::verbs::run`.

use camino::Utf8PathBuf;
use kernel_core::verbs::run::{RunOptions, run};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Run a program whose kernels are verified before each import
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  kernel-builder pin acme/relu@v1 && kernel-builder run --verified -- python program.py"
)]
pub(crate) struct Arguments {
    /// Hold each kernel against the pins before its code is imported
    #[arg(long, required = true)]
    verified: bool,
    /// The file that `pin` wrote
    #[arg(long, value_name = "FILE", default_value = "kernel-pins.json")]
    pins: Utf8PathBuf,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let options =
            RunOptions { pins: self.pins, command: self.command, output_is_taken: session.output.is_json() };
        Ok(Report::Run(run(&session.context, &options)?))
    }
}
