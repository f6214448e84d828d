//! `validate`: the whole loop in one call, for continuous integration and agents.

use camino::Utf8PathBuf;
use clap::ValueEnum;
use kernel_core::forms::Form;
use kernel_core::verbs::bench::{FailOn, RequestedTarget};
use kernel_core::verbs::build::BuildOptions;
use kernel_core::verbs::validate::{ValidateOptions, validate};
use kernel_spec::report::Report;

use super::build::PlanArguments;
use super::measuring::Measuring;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Check, build, test, bench and card in one call, with one verdict
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kernel-builder validate --json\n  kernel-builder validate my-kernel --fail-on slower\n\n\
    It succeeds only if the kernel is right and proven faster, unless --fail-on says otherwise.\nIt stops at the first step that fails, says why, and names the command to run next."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    plan: PlanArguments,
    /// What of the benchmark fails: not-improved (the default), slower, not-faster, inconclusive, or nothing; repeat for more
    #[arg(long = "fail-on", value_name = "NEWS", hide_possible_values = true)]
    fail_on: Vec<Failing>,
    /// Backend that must have a verdict; BACKEND=FILE: of another machine
    #[arg(long, value_name = "TARGET")]
    on: Vec<RequestedTarget>,
    /// Write further forms below `.kernel-builder/reports`: junit, sarif
    #[arg(long = "report", value_name = "FORMS", value_delimiter = ',')]
    forms: Vec<Form>,
    #[command(flatten)]
    measuring: Measuring,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Failing {
    NotImproved,
    Slower,
    NotFaster,
    Inconclusive,
    Nothing,
}

impl Failing {
    fn news(self) -> Option<FailOn> {
        match self {
            Failing::NotImproved => Some(FailOn::NotImproved),
            Failing::Slower => Some(FailOn::Slower),
            Failing::NotFaster => Some(FailOn::NotFaster),
            Failing::Inconclusive => Some(FailOn::Inconclusive),
            Failing::Nothing => None,
        }
    }
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.plan.flags()
    }

    fn run(self, session: &Session) -> Answer {
        let fail_on = if self.fail_on.is_empty() { vec![Failing::NotImproved] } else { self.fail_on };
        let options = ValidateOptions {
            build: BuildOptions {
                plan: self.plan.options(&session.settings),
                sandbox: session.settings.sandbox,
                jobs: session.settings.jobs(),
                keep_going: true,
                output: None::<Utf8PathBuf>,
                check_reproducible: false,
            },
            fail_on: fail_on.into_iter().filter_map(Failing::news).collect(),
            on: self.on,
            measuring: self.measuring.options(),
            forms: self.forms,
        };
        Ok(Report::Validate(Box::new(validate(&session.context, &options)?)))
    }
}
