//! `test`: the project's own suite and its declared operations against what was built.

use std::time::Duration;

use camino::Utf8PathBuf;
use clap::ValueEnum;
use kernel_core::forms::{self, Form};
use kernel_core::gates;
use kernel_core::verbs::test::{TestOptions, test};
use kernel_spec::report::Report;
use kernel_spec::report::gates::Level;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Run a project's pytest suite and the gates of its declared operations against its variants
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kernel-builder test my-kernel --level full\n  kernel-builder test my-kernel -- -m kernels_ci -k relu\n  kernel-builder test acme/relu@v1 --tests my-kernel"
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
    /// How far the gates of the operations in `benchmarks/workloads.toml` go
    #[arg(long, value_name = "LEVEL", default_value = "ci")]
    level: Far,
    /// The seed of the inputs of declared operations; drawn anew without it
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Seconds that a single call of a declared operation may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = super::seconds())]
    timeout: u64,
    #[command(flatten)]
    interpreter: Interpreter,
    /// Arguments for pytest
    #[arg(last = true, value_name = "PYTEST_ARGS")]
    pytest: Vec<String>,
}

/// How far gates go.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Far {
    Ci,
    Full,
    Torture,
}

impl From<Far> for Level {
    fn from(far: Far) -> Self {
        match far {
            Far::Ci => Self::Ci,
            Far::Full => Self::Full,
            Far::Torture => Self::Torture,
        }
    }
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
            gates: gates::Options {
                level: self.level.into(),
                seed: self.seed,
                limit: Duration::from_secs(self.timeout),
            },
        };
        let mut report = test(&session.context, &options)?;
        if !self.forms.is_empty() {
            let written = forms::of_test(&report, &project, &self.forms).map_err(kernel_core::Error::from)?;
            report.reports = written.into_iter().map(Utf8PathBuf::into_string).collect();
        }
        Ok(Report::Test(report))
    }
}
