//! The pins that a program's kernels are held against.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use miette::Diagnostic;
use serde::Deserialize;
use thiserror::Error;

use crate::{Context, regular};

/// No file of pins comes near this size in bytes.
const LARGEST: u64 = 64 << 20;

/// What is pinned. A kernel is named as `OWNER/NAME@vN`.
#[derive(Clone, Debug, Default)]
pub(super) struct Pinned {
    /// For each variant's name the hashes, each with the kernels it is of: one build may be published in several places.
    pub(super) variants: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// The commit of each kernel.
    pub(super) commits: BTreeMap<String, String>,
}

/// The pins cannot be read.
#[derive(Debug, Error, Diagnostic)]
#[error("`{path}` holds no pins: {reason}")]
#[diagnostic(code("run/pins"), help("write it with `kernel-builder pin OWNER/NAME@vN`"))]
pub struct PinsError {
    path: Utf8PathBuf,
    reason: String,
}

#[derive(Deserialize)]
struct Pins {
    schema: String,
    kernels: Vec<Pin>,
}

#[derive(Deserialize)]
struct Pin {
    repository: String,
    revision: String,
    commit: String,
    variants: BTreeMap<String, String>,
}

/// The pins of a file.
pub(super) fn read(context: &Context, path: &Utf8Path) -> Result<Pinned, PinsError> {
    let wrong = |reason: String| PinsError { path: path.to_owned(), reason };
    let text = regular::text(&context.resolve(path), LARGEST).map_err(|error| wrong(error.to_string()))?;
    let pins: Pins = serde_json::from_str(&text).map_err(|error| {
        wrong(format!("it is of another form (line {}, column {})", error.line(), error.column()))
    })?;
    if pins.schema != "kernel-pins/1" {
        return Err(wrong("it is of another version".to_owned()));
    }
    let mut pinned = Pinned::default();
    for kernel in pins.kernels {
        let name = format!("{}@{}", kernel.repository, kernel.revision);
        for (variant, sha256) in kernel.variants {
            let hashes = pinned.variants.entry(variant).or_default();
            hashes.entry(sha256).or_default().insert(name.clone());
        }
        pinned.commits.insert(name, kernel.commit);
    }
    Ok(pinned)
}
