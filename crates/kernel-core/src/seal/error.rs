//! Why a variant could not be sealed.

use camino::Utf8PathBuf;
use miette::Diagnostic;
use thiserror::Error;

use crate::digest::DigestError;
use crate::tree::Kind;

/// Why a variant could not be sealed.
#[derive(Debug, Error, Diagnostic)]
pub enum SealError {
    /// A file could not be written, moved or removed.
    #[error("could not write the variant into its place")]
    #[diagnostic(
        code("environment/file"),
        help("look at the path and the system's reason above; the earlier result is untouched")
    )]
    File(#[from] std::io::Error),

    /// The files could not be digested.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Digest(#[from] DigestError),

    /// Something in the variant is neither a file nor a directory.
    #[error("`{path}` in the new variant is neither a file nor a directory ({kind:?})")]
    #[diagnostic(
        code("artifact/layout"),
        help("a variant holds regular files only; copy what the link means")
    )]
    Odd {
        /// Relative to the variant.
        path: String,
        /// What it is.
        kind: Kind,
    },

    /// The place is taken by something that no build has made.
    #[error("`{place}` exists and is no built variant: it has no `metadata.json`")]
    #[diagnostic(code("artifact/foreign"), help("move it away, or remove it if nobody needs it"))]
    Foreign {
        /// The place.
        place: Utf8PathBuf,
    },
}
