//! `build`: from sources to a sealed variant.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use clap::ValueEnum;
use kernel_core::engine::local::sandbox::Mode;
use kernel_core::toolchain::sysroot::Policy;
use kernel_core::verbs::build::{BuildOptions, Wanted, build};
use kernel_core::verbs::plan::{Binding, PlanOptions};
use kernel_spec::plan::Profile;
use kernel_spec::report::Report;

use super::interpreter::Interpreter;
use super::{Answer, Run};
use crate::session::Session;
use crate::settings::{Engine, Layer, Settings};

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
    /// Oldest systems to run on: manylinux_2_28 (default), _2_34, host
    #[arg(long, value_name = "POLICY", default_value = "manylinux_2_28", hide_default_value = true)]
    policy: Policy,
    #[command(flatten)]
    interpreter: Interpreter,
    /// What builds: local (the default) or nix
    #[arg(long, value_name = "ENGINE", hide_possible_values = true)]
    engine: Option<Engine>,
    /// Nix file of the compilers, instead of a pinned nixpkgs
    #[arg(long, value_name = "FILE")]
    nix_toolchain: Option<Utf8PathBuf>,
    /// Store that Nix builds in, as `nix --store` takes it
    #[arg(long, value_name = "STORE")]
    nix_store: Option<String>,
    /// Machines that Nix builds on, as `nix --builders` takes them
    #[arg(long, value_name = "MACHINES")]
    nix_builders: Option<String>,
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
    /// A variant; repeat for more. Without it, what builds and loads here
    #[arg(long = "variant", value_name = "V")]
    variants: Vec<String>,
    /// Every variant that this machine can build, loadable here or not
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
        let mut layer = self.interpreter.flags();
        let engine = self.engine.and_then(|engine| engine.to_possible_value());
        layer.set_if("engine", engine.map(|engine| engine.get_name().to_owned()));
        layer.set_if("nix-toolchain", self.nix_toolchain.as_ref().map(ToString::to_string));
        layer.set_if("nix-store", self.nix_store.clone());
        layer.set_if("nix-builders", self.nix_builders.clone());
        layer
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
            engine: settings.engine(),
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
