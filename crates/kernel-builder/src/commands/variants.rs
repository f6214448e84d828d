//! `variants`: see `kernel_core::verbs::variants`.

use camino::Utf8PathBuf;
use kernel_core::verbs::variants::{Machine, VariantsOptions, variants};
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// List the variants of a kernel, or explain which of them a machine loads
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kernel-builder variants --explain\n  kernel-builder variants acme/relu@v1 --env machine.toml\n\n\
    Of a published kernel the exit status says whether the loader would load it: 0, or 4 where no variant fits,\n\
    or 6 where its publisher is not trusted, or where it fails on the variant or on what that depends on."
)]
pub(crate) struct Arguments {
    /// The project, or a published kernel
    #[arg(default_value = ".", value_name = "DIR|OWNER/NAME@vN", hide_default_value = true)]
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
    /// Explain as if the loader were told to trust every publisher
    #[arg(long)]
    trust_remote_code: bool,
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
        let options = VariantsOptions {
            directory: self.dir,
            all: self.all,
            compiled: self.arch,
            explain,
            python: session.settings.python(),
            trust_remote_code: self.trust_remote_code,
        };
        Ok(Report::Variants(variants(&session.context, &options)?))
    }
}
