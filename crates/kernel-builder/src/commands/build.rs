//! `build`: from sources to a sealed variant.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use kernel_core::engine::local::sandbox::Mode;
use kernel_core::toolchain::sysroot::Policy;
use kernel_core::verbs::build::{BuildOptions, Wanted, build};
use kernel_core::verbs::plan::{Binding, PlanOptions};
use kernel_spec::plan::Profile;
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::{Layer, Settings};

/// Build variants of a kernel into `build/<variant>`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  kernel-builder build . --variant torch215-cxx11-cpu-x86_64-linux")]
pub(crate) struct Arguments {
    #[command(flatten)]
    plan: PlanArguments,
    /// Confine compilers with bubblewrap: auto (the default), require or off
    #[arg(long, value_name = "MODE")]
    sandbox: Option<Mode>,
    /// Commands at once; by default from cores and memory
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Put variants here instead of `build` in the project
    #[arg(long, value_name = "DIR")]
    out: Option<Utf8PathBuf>,
    /// Go on with other steps after a failure
    #[arg(long)]
    keep_going: bool,
    /// Build everything again in another place and compare the bytes; a difference is named by file and section
    #[arg(long)]
    check_reproducible: bool,
}

/// What `build` and `plan` share.
#[derive(Debug, clap::Args)]
pub(crate) struct PlanArguments {
    /// Directory of the project
    #[arg(default_value = ".", value_name = "DIR", hide_default_value = true)]
    project: Utf8PathBuf,
    #[command(flatten)]
    chosen: Chosen,
    /// Compile for this machine while writing: with debug information
    #[arg(long)]
    dev: bool,
    /// Oldest systems the result must run on: manylinux_2_28, manylinux_2_34 or host
    #[arg(long, value_name = "POLICY", default_value = "manylinux_2_28")]
    policy: Policy,
    #[command(flatten)]
    interpreter: Interpreter,
    /// Allow one flag that is refused otherwise; repeat for more
    #[arg(long = "allow-flag", value_name = "FLAG", allow_hyphen_values = true)]
    allowed_flags: Vec<String>,
    /// Take everything as `kernel-builder.lock` says, or fail
    #[arg(long)]
    locked: bool,
    /// `auto`: as locked, if there is a lock; `host`: with what is here
    #[arg(
        long,
        value_name = "FROM",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        conflicts_with = "locked"
    )]
    toolchain: From,
}

/// What a build is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum From {
    Auto,
    Host,
}

/// Which variants are asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct Chosen {
    /// A variant, by name; repeat for more. Without it: those that this machine can build and load
    #[arg(long = "variant", value_name = "V")]
    variants: Vec<String>,
    /// Every variant of the project that this machine can build, also those that it could not load
    #[arg(long, conflicts_with = "variants")]
    all: bool,
}

impl Chosen {
    pub(crate) fn wanted(self) -> Wanted {
        match (self.all, self.variants) {
            (true, _) => Wanted::Buildable,
            (false, names) if names.is_empty() => Wanted::Loadable,
            (false, names) => Wanted::Named(names),
        }
    }
}

impl PlanArguments {
    pub(crate) fn flags(&self) -> Layer {
        self.interpreter.flags()
    }

    pub(crate) fn options(self, settings: &Settings) -> PlanOptions {
        PlanOptions {
            project: self.project,
            variants: self.chosen.wanted(),
            python: settings.python(),
            profile: if self.dev { Profile::Dev } else { Profile::Release },
            policy: self.policy,
            allowed_flags: BTreeSet::from_iter(self.allowed_flags),
            binding: match (self.locked, self.toolchain) {
                (true, _) => Binding::Demanded,
                (false, From::Auto) => Binding::Present,
                (false, From::Host) => Binding::Ignored,
            },
        }
    }
}

impl Run for Arguments {
    fn flags(&self) -> Layer {
        let mut layer = self.plan.flags();
        layer.set_if("sandbox", self.sandbox.map(|mode| mode.to_string()));
        layer.set_if("jobs", self.jobs.map(i64::from));
        layer
    }

    fn run(self, session: &Session) -> Answer {
        let options = BuildOptions {
            plan: self.plan.options(&session.settings),
            sandbox: session.settings.sandbox,
            jobs: session.settings.jobs(),
            keep_going: self.keep_going,
            output: self.out,
            check_reproducible: self.check_reproducible,
        };
        Ok(Report::Build(build(&session.context, &options)?))
    }
}
