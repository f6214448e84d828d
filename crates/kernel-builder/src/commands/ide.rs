//! `ide`: see `kernel_core::verbs::ide`.

use kernel_core::verbs::ide::ide;
use kernel_spec::report::Report;

use super::build::PlanArguments;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Write what editors need: compile commands, types of the operators, how the tests run
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  kernel-builder ide my-kernel\n\nclangd finds the commands through `.clangd`; nothing is compiled."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    plan: PlanArguments,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.plan.flags()
    }

    fn run(self, session: &Session) -> Answer {
        Ok(Report::Ide(ide(&session.context, &self.plan.options(&session.settings))?))
    }
}
