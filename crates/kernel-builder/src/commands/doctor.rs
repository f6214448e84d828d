//! `doctor`: see `kernel_core::verbs::doctor`.

use kernel_core::verbs::doctor::doctor;
use kernel_spec::report::Report;

use super::{Answer, Run};
use crate::session::Session;

/// Say what this machine can build and test, and why not
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder doctor --python .venv")]
pub(crate) struct Arguments {
    /// The Python interpreter or environment to look at; else the active one
    #[arg(long, value_name = "PATH")]
    python: Option<String>,
}

impl Run for Arguments {
    fn run(self, session: &Session) -> Answer {
        Ok(Report::Doctor(doctor(&session.context, self.python.as_deref())?))
    }
}
