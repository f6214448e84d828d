//! Kernels that are published: where a command takes a directory, it takes `OWNER/NAME@vN` too. What is fetched stays below
//! the cache, and every file is what the listing of its commit says.

mod elsewhere;
mod reference;
mod snapshot;

pub use reference::Reference;
pub use snapshot::Snapshot;

use camino::{Utf8Path, Utf8PathBuf};
use miette::Diagnostic;
use thiserror::Error;

use crate::{Context, Result};

/// Most kernels that may depend on each other: a chain without end is somebody's trick.
pub const MOST_TOGETHER: usize = 256;

/// Why a published kernel cannot be used.
#[derive(Debug, Error, Diagnostic)]
#[allow(missing_docs, reason = "the texts are the documentation")]
pub enum PublishedError {
    #[error("`{repository}` has no branch `{revision}`")]
    #[diagnostic(code("published/revision"), help("{known}"))]
    NoRevision { repository: String, revision: String, known: String },

    #[error("`{reference}` has no variant `{variant}`")]
    #[diagnostic(
        code("published/variant"),
        help("`kernel-builder variants {reference}` lists what is published")
    )]
    NoVariant { reference: Reference, variant: String },

    #[error("`{reference}` has no variants")]
    #[diagnostic(
        code("published/variant"),
        help(
            "check the name and the version; variants are folders below `build` with names that the loader knows"
        )
    )]
    Empty { reference: Reference },

    #[error("`{owner}` is no trusted publisher, and this would run its code")]
    #[diagnostic(
        code("published/untrusted"),
        help("look at the code first; `--trust-remote-code` runs it all the same")
    )]
    Untrusted { owner: String },
}

/// The directory that a user's word means: a path, or a published kernel with all its variants, fetched.
pub fn directory(context: &Context, named: &Utf8Path) -> Result<Utf8PathBuf> {
    match Reference::parse(named.as_str()) {
        None => Ok(context.resolve(named)),
        Some(reference) => Snapshot::open(context, reference)?.fetch_variants(context, None),
    }
}
