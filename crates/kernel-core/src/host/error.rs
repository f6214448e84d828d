//! Why there is no Python to work with.

use camino::Utf8PathBuf;
use miette::Diagnostic;
use thiserror::Error;

/// Why there is no Python to work with.
#[derive(Debug, Error, Diagnostic)]
pub enum HostError {
    /// The named or active interpreter does not exist.
    #[error("{origin} is `{named}`, but there is no interpreter")]
    #[diagnostic(
        code("environment/python"),
        help("name an interpreter or the directory of its environment with `--python`")
    )]
    Missing {
        /// What named it.
        origin: String,
        /// What was named.
        named: String,
    },

    /// Nothing named one, and there is none to find.
    #[error("no Python was found: no environment is active and `PATH` has no `python3`")]
    #[diagnostic(
        code("environment/python"),
        help("install Python 3.9 or newer, or name an interpreter with `--python`")
    )]
    None,

    /// It ran, but did not describe itself.
    #[error("`{interpreter}` did not describe itself as Python does: {said}")]
    #[diagnostic(
        code("environment/python"),
        help("look whether this is a Python interpreter; name another one with `--python`")
    )]
    Unusable {
        /// The interpreter.
        interpreter: Utf8PathBuf,
        /// What it said instead.
        said: String,
    },

    /// A package is there, but does not say which version it is.
    #[error("the installation of {package} in `{directory}` does not tell its version")]
    #[diagnostic(
        code("environment/python-package-broken"),
        help("install the package again in this environment")
    )]
    Package {
        /// The package.
        package: &'static str,
        /// Where it is.
        directory: Utf8PathBuf,
    },
}
