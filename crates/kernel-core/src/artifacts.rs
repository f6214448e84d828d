//! Finding built variants: where a user's directory has them, and their metadata.

use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::identifier::hexadecimal;
use kernel_spec::variant::LoaderName;
use kernel_spec::{Finding, Metadata, Variant, code};
use miette::Diagnostic;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::atomic::Pending;
use crate::check::bytecode;
use crate::digest::{self, METADATA};
use crate::seal::BUILD_DIRECTORY;
use crate::{bounds, regular, tree};

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

/// A verdict about a directory would be one about other variants than those that the loader takes.
#[derive(Debug, Error, Diagnostic)]
#[error("the variants of `{directory}` are in `{taken}`, and the loader finds others in {}", shown(.places))]
#[diagnostic(
    code("artifact/places"),
    help("remove those that are not meant, or name the folder that holds those that are")
)]
pub struct SeveralPlaces {
    /// The directory that was looked at.
    pub directory: Utf8PathBuf,
    /// Where we look.
    pub taken: Utf8PathBuf,
    /// Where the loader looks too, or instead.
    pub places: Vec<Utf8PathBuf>,
}

impl SeveralPlaces {
    /// The same as a finding.
    pub fn finding(&self) -> Finding {
        Finding::error(&code::artifact::PLACES, self.to_string())
    }
}

fn shown(places: &[Utf8PathBuf]) -> String {
    places.iter().map(|place| format!("`{place}`")).collect::<Vec<_>>().join(" and ")
}

/// The directories of the variants in `directory`: it may be one itself, or a project, or hold variants. What we build
/// is looked for first, so that an old `result` of another tool never hides it. Sorted by name.
pub fn find(directory: &Utf8Path) -> Vec<Utf8PathBuf> {
    if is_variant(directory) {
        // What the user names may be a link; what is found may not.
        let target = if directory.is_symlink() { directory.canonicalize_utf8().ok() } else { None };
        return vec![target.unwrap_or_else(|| directory.to_owned())];
    }
    let places = [directory.join(BUILD_DIRECTORY), directory.join(RESULT), directory.to_owned()];
    let found = places.iter().map(|place| directories(place, is_variant));
    found.into_iter().find(|variants| !variants.is_empty()).unwrap_or_default()
}

/// Like [`find`], where there must be one.
pub fn discover(directory: &Utf8Path) -> crate::Result<Vec<Utf8PathBuf>> {
    let found = find(directory);
    if let Some(several) = several_places(directory) {
        return Err(several.into());
    }
    if !found.is_empty() {
        return Ok(found);
    }
    regular::named_directory(directory)?;
    Err(NoVariants { directory: directory.to_owned() }.into())
}

/// Whether the loader finds variants in other places of a directory than [`find`]. It looks into the directory first and
/// into its `build` then (`resolve_local_kernel` of kernels 0.17), at names that it knows, and reads their metadata before
/// anything else. What is in a variant itself is a part of it, and judged with it.
pub fn several_places(directory: &Utf8Path) -> Option<SeveralPlaces> {
    let found = find(directory);
    let taken = found.first()?.parent().filter(|_| !is_variant(directory))?;
    let is_loadable = |path: &Utf8Path| {
        let is_named = path.file_name().is_some_and(|name| name.parse::<LoaderName>().is_ok());
        is_named && path.is_dir() && fs_err::symlink_metadata(path.join(METADATA)).is_ok()
    };
    let looked_at = [directory.to_owned(), directory.join(BUILD_DIRECTORY)];
    let others = looked_at.into_iter().filter(|place| place != taken);
    let places: Vec<Utf8PathBuf> =
        others.filter(|place| !directories(place, is_loadable).is_empty()).collect();
    let (directory, taken) = (directory.to_owned(), taken.to_owned());
    (!places.is_empty()).then_some(SeveralPlaces { directory, taken, places })
}

/// The directories of the variants directly in `place` that have metadata, sorted by name; none where it is not there.
pub fn variants_in(place: &Utf8Path) -> Vec<Utf8PathBuf> {
    directories(place, |path| path.join(METADATA).is_file())
}

/// Everything directly in `place` that is a variant or is meant to be one, sorted by name.
pub fn find_in(place: &Utf8Path) -> Vec<Utf8PathBuf> {
    directories(place, is_variant)
}

/// What has the name of a variant is meant to be one, also without metadata; and so is what has metadata, whatever its
/// name is and whether or not they can be read.
fn is_variant(directory: &Utf8Path) -> bool {
    let named = directory.file_name().is_some_and(|name| name.parse::<Variant>().is_ok());
    directory.is_dir() && (named || fs_err::symlink_metadata(directory.join(METADATA)).is_ok())
}

fn directories(place: &Utf8Path, is_wanted: impl Fn(&Utf8Path) -> bool) -> Vec<Utf8PathBuf> {
    let Ok(entries) = place.read_dir_utf8() else { return Vec::new() };
    let mut found: Vec<Utf8PathBuf> = entries
        .filter_map(|entry| entry.ok().map(camino::Utf8DirEntry::into_path))
        // What is being made, or was put aside, is hidden.
        .filter(|path| path.file_name().is_some_and(|name| !name.starts_with('.')))
        .filter(|path| is_wanted(path))
        .collect();
    found.sort();
    found
}

/// The metadata of the variant in a directory, or what is wrong with them.
pub fn metadata(directory: &Utf8Path) -> Result<Metadata, Vec<Finding>> {
    Metadata::from_json(&metadata_text(directory)?)
}

/// The file of the metadata of the variant in a directory, or why it cannot be read.
pub fn metadata_text(directory: &Utf8Path) -> Result<Vec<u8>, Vec<Finding>> {
    let name = directory.file_name().unwrap_or_default();
    let place = directory.join(METADATA);
    if place.is_symlink() && !tree::stays_in(directory, &place) && place.exists() {
        let message = format!("`{METADATA}` of `{name}` is a link that leaves the variant, and was not read");
        return Err(vec![Finding::error(&code::artifact::UNREADABLE, message)]);
    }
    regular::bytes(&place, bounds::METADATA).map_err(|error| match error.kind() {
        // Where it would be says nothing: of a published kernel that is a place in the cache.
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            vec![Finding::error(&code::artifact::METADATA, format!("`{name}` has no `{METADATA}`"))]
        }
        ErrorKind::FileTooLarge => {
            let message = format!(
                "`{METADATA}` of `{name}` is larger than {} MiB, and was not read",
                bounds::METADATA >> 20
            );
            vec![Finding::error(&code::artifact::METADATA, message)]
        }
        _ => {
            let message = format!("`{METADATA}` of `{name}` cannot be read");
            vec![Finding::error(&code::artifact::UNREADABLE, message).cause(error.to_string())]
        }
    })
}

/// Like [`metadata`], where what is wrong with them ends the verb.
pub fn require_metadata(directory: &Utf8Path) -> Result<Metadata, Faults> {
    metadata(directory).map_err(|findings| unusable(directory, findings))
}

/// What is wrong with the metadata of the variant in a directory, as an error.
pub fn unusable(directory: &Utf8Path, findings: Vec<Finding>) -> Faults {
    let name = directory.file_name().unwrap_or_default();
    let summary = format!("the metadata of `{name}` cannot be used");
    Faults::new(&code::artifact::METADATA, summary, findings).or_unread()
}

/// Whether a result speaks of the variant in a directory, by the SHA-256 in hexadecimal of the metadata that it was made
/// with: as they are, or as they were before signing added to them.
pub fn is_of(directory: &Utf8Path, metadata_sha256: &str) -> bool {
    let Ok(text) = regular::start(&directory.join(METADATA), bounds::METADATA) else { return false };
    let is = |text: &[u8]| hexadecimal(&Sha256::digest(text)) == metadata_sha256;
    is(&text) || Metadata::from_json(&text).is_ok_and(|metadata| is(metadata.unsigned().to_json().as_bytes()))
}

/// Replaces a file directly in a variant: whenever this is killed, it is the whole new text or the old one.
pub fn replace(directory: &Utf8Path, name: &str, text: &str) -> std::io::Result<()> {
    replacement(directory, name, text)?.place()
}

/// What replaces a file directly in a variant, whole and without its name.
pub fn replacement(directory: &Utf8Path, name: &str, text: &str) -> std::io::Result<Pending> {
    // Beside the variant, so that nothing of an interrupted run is ever taken for a file of it.
    let beside = directory.parent().unwrap_or(directory);
    Pending::settled(beside, &directory.join(name), text.as_bytes())
}

/// What of a variant is not as its digest says: nothing, or why not, for people.
pub fn difference(directory: &Utf8Path, metadata: &Metadata) -> Option<String> {
    let Some(sealed) = &metadata.digest else { return Some("it has no digest".to_owned()) };
    match digest::of_variant(directory) {
        Ok(files) if files == sealed.files => {
            let wrong = bytecode::find(directory).map(|found| found.wrong);
            let (path, reason) = wrong.ok()?.into_iter().next()?;
            Some(format!("`{path}` is byte code that nothing vouches for: {reason}"))
        }
        Ok(files) => {
            let differs = |path: &&String| files.get(*path) != sealed.files.get(*path);
            let first = files.keys().chain(sealed.files.keys()).find(differs);
            Some(format!("`{}` was changed since the build", first.map_or("a file", String::as_str)))
        }
        Err(error) => Some(format!("its files cannot be compared with its digest: {error}")),
    }
}
