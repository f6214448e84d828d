//! `plan`: everything a build would do, printed and not done.

use kernel_core::verbs::plan::plans;
use kernel_core::verbs::plan_matrix::build_matrix;
use kernel_spec::report::{PlanReport, Report};

use super::build::PlanArguments;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Print the complete plan of a build without building
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kernel-builder plan . --variant torch215-cxx11-cpu-x86_64-linux\n  kernel-builder plan --matrix github"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    plan: PlanArguments,
    /// Print the variants as a build matrix instead, one job each; nothing of this machine is asked
    #[arg(long, value_name = "FORM")]
    matrix: Option<MatrixForm>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum MatrixForm {
    Github,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.plan.flags()
    }

    fn run(self, session: &Session) -> Answer {
        let options = self.plan.options(&session.settings);
        match self.matrix {
            Some(MatrixForm::Github) => {
                let matrix = build_matrix(&session.context, &options.project, &options.variants)?;
                Ok(Report::Plan(PlanReport { plans: Vec::new(), matrix: Some(matrix) }))
            }
            None => Ok(Report::Plan(plans(&session.context, &options)?)),
        }
    }
}
