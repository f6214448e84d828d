//! `toolchain`: see `kernel_core::verbs::toolchain`.

use camino::Utf8PathBuf;
use clap::Subcommand;
use kernel_core::verbs::toolchain::{self, LockOptions, Wish};
use kernel_spec::report::Report;

use super::build::Chosen;
use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Fetch, lock, list and remove the parts that builds are made with
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder toolchain fetch cuda-13.2 torch-2.13")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Say what is there
    #[command(after_help = "Example:\n  kernel-builder toolchain list")]
    List,
    /// Fetch parts where they are missing: `cuda-13.2`, `torch-2.13`, `tvm-ffi-0.1`
    #[command(after_help = "Example:\n  kernel-builder toolchain fetch cuda-13.2")]
    Fetch {
        /// The parts
        #[arg(value_name = "PART", required = true)]
        parts: Vec<String>,
        #[command(flatten)]
        interpreter: Interpreter,
    },
    /// Write down in `kernel-builder.lock` what a project is compiled with
    #[command(
        after_help = "Example:\n  kernel-builder toolchain lock . --variant torch213-cxx11-cpu-x86_64-linux"
    )]
    Lock {
        /// Directory of the project
        #[arg(default_value = ".", value_name = "DIR", hide_default_value = true)]
        project: Utf8PathBuf,
        #[command(flatten)]
        chosen: Chosen,
        /// Do not fetch the whole of a large wheel of which little is needed: its members are held against its own list only
        #[arg(long)]
        trust_ranges: bool,
        #[command(flatten)]
        interpreter: Interpreter,
    },
    /// Remove every part that is not named
    #[command(after_help = "Example:\n  kernel-builder toolchain gc --keep cuda-13.2")]
    Gc {
        /// A part that stays; repeat for more
        #[arg(long = "keep", value_name = "PART")]
        kept: Vec<String>,
    },
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        match &self.what {
            What::Fetch { interpreter, .. } | What::Lock { interpreter, .. } => interpreter.flags(),
            What::List | What::Gc { .. } => Layer::new(),
        }
    }

    fn run(self, session: &Session) -> Answer {
        let wish = match self.what {
            What::List => Wish::List,
            What::Fetch { parts, .. } => Wish::Fetch(parts),
            What::Lock { project, chosen, trust_ranges, .. } => {
                Wish::Lock(LockOptions { project, variants: chosen.wanted(), trust_ranges })
            }
            What::Gc { kept } => Wish::Collect(kept),
        };
        let python = session.settings.python();
        Ok(Report::Toolchain(toolchain::toolchain(&session.context, &wish, python.as_deref())?))
    }
}
