//! `variants`: see `kernel_core::verbs::variants`.

use camino::Utf8PathBuf;
use kernel_core::verbs::variants::{Machine, VariantsOptions, variants};
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// List the variants of a project, or explain which of them a machine loads
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  kernel-builder variants --explain\n  kernel-builder variants --env machine.toml"
)]
pub(crate) struct Arguments {
    /// The project
    #[arg(default_value = ".")]
    dir: Utf8PathBuf,
    /// Also list variants that publishing does not build by default
    #[arg(long)]
    all: bool,
    /// List the names of compiled variants for every backend
    #[arg(long, hide = true)]
    arch: bool,
    /// Say what the loader decides here about each variant, best first, and why
    #[arg(long)]
    explain: bool,
    /// Explain for the machine that a TOML or JSON file describes
    #[arg(long, value_name = "FILE", conflicts_with = "python")]
    env: Option<Utf8PathBuf>,
    #[command(flatten)]
    interpreter: Interpreter,
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        self.interpreter.flags()
    }

    fn run(self, session: &Session) -> Answer {
        let here = self.explain || self.interpreter.is_named();
        let explain = match self.env {
            Some(file) => Some(Machine::Described(file)),
            None => here.then_some(Machine::Here(session.settings.python())),
        };
        let options = VariantsOptions { directory: self.dir, all: self.all, compiled: self.arch, explain };
        Ok(Report::Variants(variants(&session.context, &options)?))
    }
}
