//! Signatures of built variants: what is signed together and for which place, and what of it a verifier can hold against
//! the files that are there. The signatures themselves are `kernel_trust`'s.

pub mod contents;
pub mod seen;
pub mod set;
pub mod statement;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_trust::{Authorities, Policy};

use crate::{Context, Result, regular};

/// The folder of statements about sets: beside the variants, and in a repository at its top, where no loader looks.
pub const PROVENANCE: &str = "provenance";

/// Most bytes of a bundle, and of a file that configures trust.
pub const BUNDLE_LIMIT: u64 = 4 << 20;

/// The name of the file of a statement about a set.
pub fn provenance_file(set: &str) -> String {
    format!("{set}.sigstore.json")
}

/// The authorities to trust: those of a file, else Sigstore's public ones.
pub fn authorities(context: &Context, file: Option<&Utf8PathBuf>) -> Result<Authorities> {
    match file {
        Some(file) => Ok(Authorities::from_json(&regular::named(&context.resolve(file), BUNDLE_LIMIT)?)?),
        None => Ok(Authorities::public_good()?),
    }
}

/// A policy's file.
pub fn policy(context: &Context, file: &Utf8Path) -> Result<Policy> {
    Ok(Policy::from_toml(&regular::named(&context.resolve(file), BUNDLE_LIMIT)?)?)
}
