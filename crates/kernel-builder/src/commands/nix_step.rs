//! `nix-step`: what a kernel's flake runs inside Nix's sandbox. Not for people, so it is in no list.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use clap::Subcommand;
use kernel_core::engine::Choice;
use kernel_core::toolchain::sysroot::Policy;
use kernel_core::verbs::build::Wanted;
use kernel_core::verbs::build::inside::{Seal, lay_out, seal};
use kernel_core::verbs::plan::{Binding, PlanOptions};
use kernel_spec::metadata::GitState;
use kernel_spec::plan::Profile;
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::Layer;

/// Run one step of a flake's build inside Nix's sandbox
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  kernel-builder nix-step plan $source --variant $variant --facts $facts --out $out"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lay out what the derivations of a variant read
    Plan(Step),
    /// Stamp, check and seal what they made
    Seal {
        #[command(flatten)]
        step: Step,
        /// What they made
        #[arg(long, value_name = "DIR")]
        library: Option<Utf8PathBuf>,
        /// The flake's commit
        #[arg(long, value_name = "SHA", value_parser = commit)]
        commit: Option<String>,
        /// The flake's files differ from the commit
        #[arg(long, requires = "commit")]
        dirty: bool,
    },
}

#[derive(Debug, clap::Args)]
struct Step {
    /// Directory of the project
    #[arg(value_name = "DIR")]
    project: Utf8PathBuf,
    /// The variant
    #[arg(long, value_name = "V")]
    variant: String,
    /// The compiler's description
    #[arg(long, value_name = "FILE")]
    facts: Utf8PathBuf,
    /// Where the result is put
    #[arg(long, value_name = "DIR")]
    out: Utf8PathBuf,
    #[command(flatten)]
    interpreter: Interpreter,
}

/// An object id of Git, as metadata have it.
fn commit(text: &str) -> Result<String, String> {
    let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if digits && matches!(text.len(), 40 | 64) {
        Ok(text.to_owned())
    } else {
        Err("it is no commit".to_owned())
    }
}

impl Step {
    fn options(self, session: &Session) -> PlanOptions {
        PlanOptions {
            project: self.project,
            variants: Wanted::Named(vec![self.variant]),
            python: session.settings.python(),
            profile: Profile::Release,
            policy: Policy::default(),
            allowed_flags: BTreeSet::new(),
            engine: Choice::Inside(self.facts),
            // A lock is about what the program fetches; here everything is Nix's.
            binding: Binding::Ignored,
        }
    }
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        match &self.what {
            What::Plan(step) | What::Seal { step, .. } => step.interpreter.flags(),
        }
    }

    fn run(self, session: &Session) -> Answer {
        match self.what {
            What::Plan(step) => {
                let output = step.out.clone();
                Ok(Report::Plan(lay_out(&session.context, &step.options(session), &output)?))
            }
            What::Seal { step, library, commit, dirty } => {
                let revision = commit.map(|commit| GitState { commit, dirty });
                let sealed = Seal { library, revision, output: step.out.clone() };
                Ok(Report::Build(seal(&session.context, &step.options(session), &sealed)?))
            }
        }
    }
}
