//! Engines execute what the plan says and decide nothing. Rendering happens before, stamping, checking and sealing
//! after, identically for all of them.

pub mod diagnostics;
mod error;
pub mod limits;
pub mod local;
mod ninja;
pub mod nix;
pub mod staging;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Plan;
use kernel_spec::variant::ArchVariant;

use crate::Context;
use crate::render::FileSet;
pub use error::EngineError;

/// One variant to build.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to do.
    pub plan: Plan,
    /// The generated files, relative to the variant's build directory.
    pub files: FileSet,
    /// Toolchain parts: the name in `tc/` and what it is on this machine.
    pub parts: BTreeMap<String, Utf8PathBuf>,
    /// Directories that the tools themselves live in and read from.
    pub directories: Vec<Utf8PathBuf>,
}

/// How a build is run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Commands at once.
    pub jobs: usize,
    /// Compiles of much memory at once.
    pub heavy: usize,
    /// Whether the other steps go on after a failure.
    pub keep_going: bool,
}

/// What an engine made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// What was made, by variant. Variants of Python alone have nothing.
    pub libraries: BTreeMap<String, Made>,
    /// Steps that ran, as `variant: what`, in the order they finished.
    pub ran: Vec<String>,
    /// Which engine: `local` or `nix`.
    pub engine: &'static str,
    /// How the commands were confined: `bubblewrap`, `nix` or `off`.
    pub sandbox: &'static str,
}

/// The result of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The shared library.
    pub library: Utf8PathBuf,
    /// The linker's account of what went into it.
    pub map: Utf8PathBuf,
}

/// Which engine builds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// This machine's compilers.
    #[default]
    Local,
    /// Nix.
    Nix(nix::Options),
    /// Nix, inside whose sandbox this runs: a description of its compiler.
    Inside(Utf8PathBuf),
}

/// An engine that is ready.
#[derive(Clone, Debug)]
pub enum Engine {
    /// This machine's compilers.
    Local,
    /// Nix.
    Nix(nix::Nix),
    /// Nix, inside whose sandbox this runs.
    Inside(nix::inside::Inside),
}

impl Engine {
    /// The chosen engine; `cache` keeps files and facts between builds.
    pub fn ready(context: &Context, choice: &Choice, cache: &Utf8Path) -> Result<Self, EngineError> {
        Ok(match choice {
            Choice::Local => Self::Local,
            Choice::Nix(options) => Self::Nix(nix::Nix::find(context, options, cache)?),
            Choice::Inside(facts) => Self::Inside(nix::inside::Inside::new(context.resolve(facts))),
        })
    }

    /// Its name, as metadata have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Nix(_) | Self::Inside(_) => "nix",
        }
    }

    /// Whether a variant can be made; else why not. Of the local engine its toolchain says so.
    pub fn supports(&self, variant: &ArchVariant) -> Result<(), EngineError> {
        match self {
            Self::Local => Ok(()),
            Self::Nix(_) | Self::Inside(_) => nix::supports(variant),
        }
    }
}

impl Built {
    /// The steps of one job, in the order they finished.
    pub fn steps_of<'a>(&'a self, job: &'a Job) -> impl Iterator<Item = &'a str> {
        let variant = job.plan.variant.as_str();
        self.ran.iter().filter_map(move |step| step.strip_prefix(variant)?.strip_prefix(": "))
    }
}

/// The project as an engine sees it.
#[derive(Clone, Copy, Debug)]
pub struct Workshop<'a> {
    /// The project's directory.
    pub project: &'a Utf8Path,
    /// The staged copy of its inputs.
    pub staged: &'a Utf8Path,
}
