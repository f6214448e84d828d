//! `--python`, which is a setting too: one option of every command that asks an interpreter.

use crate::settings::Layer;

/// The option.
#[derive(Debug, clap::Args)]
pub(crate) struct Interpreter {
    /// Interpreter or environment [default: the active one]
    #[arg(long, value_name = "PYTHON")]
    python: Option<String>,
}

impl Interpreter {
    /// As a setting.
    pub(crate) fn flags(&self) -> Layer {
        let mut layer = Layer::new();
        layer.set_if("python", self.python.clone());
        layer
    }

    /// Whether the user named one on the command line.
    pub(crate) fn is_named(&self) -> bool {
        self.python.is_some()
    }
}
