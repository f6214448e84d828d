//! `check`: what is wrong with a project, before anything is built.

use camino::Utf8PathBuf;
use kernel_core::forms::{self, Form};
use kernel_core::verbs::check::{self, Depth};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Check a manifest and its sources, or what is published
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder check my-kernel --deny warnings")]
pub(crate) struct Arguments {
    /// Directory of the project, or a published kernel
    #[arg(default_value = ".", value_name = "DIR|OWNER/NAME@vN", hide_default_value = true)]
    directory: Utf8PathBuf,
    /// Look at `build.toml` alone
    #[arg(long)]
    manifest_only: bool,
    /// Fail on warnings too
    #[arg(long, value_name = "SEVERITY")]
    deny: Option<Denied>,
    /// Write the findings in further forms below `.kernel-builder/reports`: junit, sarif
    #[arg(long = "report", value_name = "FORMS", value_delimiter = ',')]
    forms: Vec<Form>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Denied {
    Warnings,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        let depth = if self.manifest_only { Depth::Manifest } else { Depth::Project };
        let mut report = check::check(&session.context, &self.directory, depth)?;
        report.warnings_denied = self.deny.is_some();
        if !self.forms.is_empty() {
            let project = super::place_of_reports(&session.context, &self.directory);
            let written =
                forms::of_check(&report, &project, &self.forms).map_err(kernel_core::Error::from)?;
            report.reports = written.into_iter().map(Utf8PathBuf::into_string).collect();
        }
        Ok(Report::Check(report))
    }
}
