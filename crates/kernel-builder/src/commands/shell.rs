//! `shell`: see `kernel_core::verbs::shell`.

use kernel_core::verbs::shell::{ShellOptions, shell};
use kernel_spec::report::Report;

use super::build::PlanArguments;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Run a program, or your shell, with the Python, compilers and build of a variant
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kernel-builder shell my-kernel\n  kernel-builder shell -- python -c 'from kernels import get_kernel; print(get_kernel(\"acme/relu\", version=1))'"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    plan: PlanArguments,
    /// The program and its arguments; without it, your shell
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.plan.flags()
    }

    fn run(self, session: &Session) -> Answer {
        let options = ShellOptions {
            plan: self.plan.options(&session.settings),
            command: self.command,
            output_is_taken: session.output.is_json(),
        };
        Ok(Report::Shell(shell(&session.context, &options)?))
    }
}
