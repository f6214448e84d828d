//! `plan`: everything a build would do, printed and not done.

use kernel_core::verbs::plan::plans;
use kernel_spec::report::Report;

use super::build::PlanArguments;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Print the complete plan of a build without building
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder plan . --variant torch215-cxx11-cpu-x86_64-linux")]
pub(crate) struct Arguments {
    #[command(flatten)]
    plan: PlanArguments,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.plan.flags()
    }

    fn run(self, session: &Session) -> Answer {
        Ok(Report::Plan(plans(&session.context, &self.plan.options(&session.settings))?))
    }
}
