//! Finding built variants: where a user's directory has them.

use camino::{Utf8Path, Utf8PathBuf};
use miette::Diagnostic;
use thiserror::Error;

use crate::digest::METADATA;
use crate::seal::BUILD_DIRECTORY;

/// The directory in which the peer's tools leave a link to their result.
const RESULT: &str = "result";

/// There is no built variant.
#[derive(Debug, Error, Diagnostic)]
#[error("`{directory}` has no built variant")]
#[diagnostic(
    code("artifact/none"),
    help(
        "build one with `kernel-builder build`; variants are looked for in `build`, `result` and the directory itself"
    )
)]
pub struct NoVariants {
    /// The directory that was looked at.
    pub directory: Utf8PathBuf,
}

/// The directories of the variants in `directory`: it may be one itself, or a project, or hold variants. What we build
/// is looked for first, so that an old `result` of another tool never hides it. Sorted by name.
pub fn discover(directory: &Utf8Path) -> Result<Vec<Utf8PathBuf>, NoVariants> {
    if directory.join(METADATA).is_file() {
        return Ok(vec![directory.to_owned()]);
    }
    let places = [directory.join(BUILD_DIRECTORY), directory.join(RESULT), directory.to_owned()];
    let found = places.iter().map(|place| variants_in(place)).find(|variants| !variants.is_empty());
    found.ok_or_else(|| NoVariants { directory: directory.to_owned() })
}

/// The directories of the variants directly in `place`, sorted by name; none where it is not there.
pub fn variants_in(place: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(entries) = place.read_dir_utf8() else { return Vec::new() };
    let mut variants: Vec<Utf8PathBuf> = entries
        .filter_map(|entry| entry.ok().map(camino::Utf8DirEntry::into_path))
        // What is being made, or was put aside, is hidden.
        .filter(|path| path.file_name().is_some_and(|name| !name.starts_with('.')))
        .filter(|path| path.join(METADATA).is_file())
        .collect();
    variants.sort();
    variants
}
