//! Why an engine did not build.

use camino::Utf8PathBuf;
use kernel_hub::http::HttpError;
use miette::Diagnostic;
use thiserror::Error;

use crate::process::ProcessError;
use crate::render::escape::Unwritable;
use crate::toolchain::compiler::CompilerError;

/// Why an engine did not build.
#[derive(Debug, Error, Diagnostic)]
pub enum EngineError {
    /// There is no Ninja.
    #[error("Ninja was not found in `PATH`, nor beside `{interpreter}`")]
    #[diagnostic(
        code("environment/ninja"),
        help("install it: `pip install ninja`, or your system's package `ninja-build`")
    )]
    NoNinja {
        /// The interpreter of the chosen Python environment.
        interpreter: Utf8PathBuf,
    },
    /// A sandbox was asked for and does not work.
    #[error("the sandbox is required and cannot be used: {reason}")]
    #[diagnostic(
        code("environment/sandbox"),
        help("install bubblewrap and allow user namespaces, or build with `--sandbox off`")
    )]
    NoSandbox {
        /// Why.
        reason: String,
    },
    /// There is no Nix.
    #[error("Nix (`nix`) was not found in `PATH`")]
    #[diagnostic(
        code("nix/missing"),
        help("install Nix 2.26 or newer, or build with `--engine local`, which needs none")
    )]
    NoNix,
    /// The engine does not do that.
    #[error("the Nix engine cannot build `{variant}`: {reason}")]
    #[diagnostic(code("nix/unsupported"), help("build it with `--engine local`"))]
    Unsupported {
        /// The variant.
        variant: String,
        /// Why.
        reason: String,
    },
    /// The toolchain's file has changed since its compiler was looked at.
    #[error("the toolchain `{toolchain}` is not the one whose compiler was looked at")]
    #[diagnostic(
        code("nix/toolchain"),
        help("run the same command again; what was remembered of it has been forgotten")
    )]
    ToolchainChanged {
        /// The Nix file.
        toolchain: Utf8PathBuf,
    },
    /// What it says of its compiler cannot be read.
    #[error("the toolchain `{toolchain}` does not describe its compiler")]
    #[diagnostic(
        code("nix/toolchain"),
        help("name a Nix file as the guide `many-machines` describes it in `--nix-toolchain`")
    )]
    Toolchain {
        /// The Nix file.
        toolchain: Utf8PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The compiler that Nix has cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Compiler(#[from] CompilerError),
    /// The result is not on this machine.
    #[error("Nix built `{path}`, which this machine cannot read")]
    #[diagnostic(
        code("nix/store"),
        help(
            "name a store of this machine in `--nix-store`; for building elsewhere there is `--nix-builders`"
        )
    )]
    Elsewhere {
        /// Its path in the store.
        path: String,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A step failed, or Nix refused.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Steps(#[from] kernel_spec::error::Faults),
    /// Ninja or Nix could not be run.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Process(#[from] ProcessError),
    /// What Nix would be given to check servers with cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Certificates(#[from] Box<HttpError>),
    /// A file could not be written.
    #[error("the build directory `{directory}` cannot be written")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    Write {
        /// Where.
        directory: Utf8PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A name cannot be written into a build file.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Unwritable(#[from] Unwritable),
}
