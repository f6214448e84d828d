//! `status`: see `kernel_core::verbs::status`.

use camino::Utf8PathBuf;
use kernel_core::verbs::status::{StatusOptions, status};
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Say which variants of a project are built, of the present sources, tested and signed
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder status my-kernel")]
pub(crate) struct Arguments {
    /// Directory of the project
    #[arg(default_value = ".", value_name = "DIR", hide_default_value = true)]
    directory: Utf8PathBuf,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        Ok(Report::Status(status(&session.context, &StatusOptions { directory: self.directory })?))
    }
}
