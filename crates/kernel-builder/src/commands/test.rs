//! `test`: the project's own suite against what was built.

use camino::Utf8PathBuf;
use kernel_core::forms::{self, Form};
use kernel_core::verbs::test::{TestOptions, test};
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Run a project's pytest suite against its built or published variants
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kernel-builder test my-kernel -- -m kernels_ci -k relu\n  kernel-builder test acme/relu@v1 --tests my-kernel"
)]
pub(crate) struct Arguments {
    /// Directory of the project, or a published kernel
    #[arg(default_value = ".", value_name = "DIR|OWNER/NAME@vN", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// Directory whose tests run against a published kernel
    #[arg(long, value_name = "DIR", default_value = ".")]
    tests: Utf8PathBuf,
    /// Run the code of a publisher whom the loader does not trust
    #[arg(long)]
    trust_remote_code: bool,
    /// A built variant; repeat for more. Without it: all that this machine's loader accepts
    #[arg(long = "variant", value_name = "V")]
    variants: Vec<String>,
    /// Write the result in further forms below `.kernel-builder/reports`: junit, sarif
    #[arg(long = "report", value_name = "FORMS", value_delimiter = ',')]
    forms: Vec<Form>,
    #[command(flatten)]
    interpreter: Interpreter,
    /// Arguments for pytest
    #[arg(last = true, value_name = "PYTEST_ARGS")]
    pytest: Vec<String>,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.interpreter.flags()
    }

    fn run(self, session: &Session) -> Answer {
        let project = super::place_of_reports(&session.context, &self.directory);
        let options = TestOptions {
            project: self.directory,
            tests: self.tests,
            trust_remote_code: self.trust_remote_code,
            variants: self.variants,
            python: session.settings.python(),
            pytest: self.pytest,
        };
        let mut report = test(&session.context, &options)?;
        if !self.forms.is_empty() {
            let written = forms::of_test(&report, &project, &self.forms).map_err(kernel_core::Error::from)?;
            report.reports = written.into_iter().map(Utf8PathBuf::into_string).collect();
        }
        Ok(Report::Test(report))
    }
}
