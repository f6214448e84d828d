//! A GPU's toolkit in a directory, described by the bytes that decide what it makes.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::fingerprint::{Witnesses, hash_tree, hexadecimal, sha256};
use crate::atomic;

/// What a description is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contents<'a> {
    /// Files, by the name they are told by.
    pub files: &'a [(&'a str, Utf8PathBuf)],
    /// Directories whose whole content counts, and a file that changes with each release of it.
    pub trees: &'a [(&'a str, Utf8PathBuf, &'a str)],
}

/// What is read of a toolkit once, with the files that the answer was drawn from.
#[derive(Serialize, Deserialize)]
struct Remembered {
    witnesses: Witnesses,
    parts: BTreeMap<String, String>,
}

/// SHA-256 of what objects depend on, by name: from the memory in `cache` where nothing it was drawn from has changed.
pub(super) fn describe(
    kind: &str,
    root: &Utf8Path,
    contents: Contents,
    cache: &Utf8Path,
) -> std::io::Result<BTreeMap<String, String>> {
    let mut key = Sha256::new_with_prefix(root.as_str());
    for path in
        contents.files.iter().map(|(_, path)| path).chain(contents.trees.iter().map(|(_, path, _)| path))
    {
        key.update(path.as_str());
        key.update([0]);
    }
    let memory = cache.join(kind).join(format!("{}.json", &hexadecimal(key)[..16]));
    let known =
        fs_err::read(&memory).ok().and_then(|bytes| serde_json::from_slice::<Remembered>(&bytes).ok());
    if let Some(known) = known.filter(|known| known.witnesses.hold()) {
        return Ok(known.parts);
    }
    let remembered = examine(contents)?;
    // A memory that cannot be written costs time, never a build.
    if let Ok(text) = serde_json::to_vec(&remembered)
        && let Err(error) = atomic::write(&memory, &text)
    {
        tracing::debug!(%error, file = %memory, "the facts about a toolkit were not kept");
    }
    Ok(remembered.parts)
}

fn examine(contents: Contents) -> std::io::Result<Remembered> {
    let mut witnesses = Witnesses::default();
    let mut parts = BTreeMap::new();
    for (name, path) in contents.files {
        witnesses.add(path.clone());
        parts.insert((*name).to_owned(), sha256(path)?);
    }
    for (name, directory, witness) in contents.trees {
        witnesses.add(directory.clone());
        witnesses.add(directory.join(witness));
        let mut hasher = Sha256::new();
        hash_tree(directory, &mut hasher)?;
        parts.insert((*name).to_owned(), hexadecimal(hasher));
    }
    Ok(Remembered { witnesses, parts })
}
