//! `inspect`: what is in a library.

use camino::Utf8PathBuf;
use kernel_core::verbs::inspect::inspect;
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Show what is in a library, or in all of a directory or a published kernel
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder inspect build/torch213-cxx11-cpu-x86_64-linux")]
pub(crate) struct Arguments {
    /// A library, a directory, or a published kernel
    #[arg(default_value = ".", value_name = "FILE|DIR|OWNER/NAME@vN", hide_default_value = true)]
    path: Utf8PathBuf,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        Ok(Report::Inspect(inspect(&session.context, &self.path)?))
    }
}
