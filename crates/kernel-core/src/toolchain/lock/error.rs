//! Why a lock cannot be used.

use camino::Utf8PathBuf;
use miette::Diagnostic;
use thiserror::Error;

/// Why a lock cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum LockError {
    /// It cannot be read.
    #[error("`{path}` cannot be read")]
    #[diagnostic(
        code("toolchain/lock"),
        help("make it a regular file that the user of this command may read")
    )]
    Unreadable {
        /// The file.
        path: Utf8PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// It cannot be written.
    #[error("`{path}` cannot be written")]
    #[diagnostic(code("environment/file"), help("make room or rights there"))]
    Unwritable {
        /// The file.
        path: Utf8PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// It is not what we write.
    #[error("`{path}` is no lock: {reason}")]
    #[diagnostic(
        code("toolchain/lock"),
        help("restore it, or remove it and write it again with `kernel-builder toolchain lock`")
    )]
    Wrong {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is none.
    #[error("`{project}` has no `kernel-builder.lock`, and `--locked` asks for it")]
    #[diagnostic(code("toolchain/no-lock"), help("write it with `kernel-builder toolchain lock`"))]
    Missing {
        /// The project.
        project: Utf8PathBuf,
    },
}
