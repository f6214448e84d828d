//! `doctor`: see `kernel_core::verbs::doctor`.

use kernel_core::verbs::doctor::doctor;
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Say what this machine can build and test, and why not
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder doctor --python .venv")]
pub(crate) struct Arguments {
    #[command(flatten)]
    interpreter: Interpreter,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.interpreter.flags()
    }

    fn run(self, session: &Session) -> Answer {
        Ok(Report::Doctor(doctor(&session.context, session.settings.python().as_deref())?))
    }
}
