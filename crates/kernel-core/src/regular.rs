//! Regular files, the only ones that are read or replaced by a name that a person or a project gave: opening a named pipe
//! waits for somebody to write to it, a device may have no end, and a rename over either would take it away.

use std::io::{Error, ErrorKind, Read};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_hub::confined::open_regular;

type Result<T, E = Error> = std::result::Result<T, E>;

/// A file or directory that is needed and cannot be read: it is not there, it is of another kind, or there are no rights to it.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("`{path}` cannot be read")]
#[diagnostic(
    code("environment/unreadable"),
    help(
        "check the path; a file must be a regular one, and the user of this command must have the right to read it"
    )
)]
pub struct Unreadable {
    /// The file.
    pub path: Utf8PathBuf,
    /// The system's reason, or ours.
    #[source]
    pub reason: Error,
}

/// The text of a file that a user named, so that it must be there.
pub fn named(path: &Utf8Path, most: u64) -> Result<String, Unreadable> {
    text(path, most).map_err(|reason| Unreadable { path: path.to_owned(), reason })
}

/// Refuses a directory that a user named and that cannot be read.
pub fn named_directory(path: &Utf8Path) -> Result<(), Unreadable> {
    match path.read_dir_utf8() {
        Ok(_) => Ok(()),
        Err(reason) => Err(Unreadable { path: path.to_owned(), reason }),
    }
}

/// The start of a file, at most so many bytes.
pub fn start(path: &Utf8Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a file of at most so many.
pub fn bytes(path: &Utf8Path, most: u64) -> Result<Vec<u8>> {
    let bytes = start(path, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(Error::new(
            ErrorKind::FileTooLarge,
            format!("`{path}` is larger than {} MiB", most >> 20),
        ));
    }
    Ok(bytes)
}

/// The text of a file of at most so many bytes.
pub fn text(path: &Utf8Path, most: u64) -> Result<String> {
    String::from_utf8(bytes(path, most)?)
        .map_err(|_| Error::new(ErrorKind::InvalidData, format!("`{path}` is not UTF-8")))
}

/// The text of a file of at most so many bytes; none where nothing is at its place. A link to nothing is something.
pub fn text_if_there(path: &Utf8Path, most: u64) -> Result<Option<String>> {
    match fs_err::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
        Ok(_) => text(path, most).map(Some),
    }
}

/// Whether a file holds exactly this.
pub fn holds(path: &Utf8Path, content: &[u8]) -> bool {
    start(path, content.len() as u64 + 1).is_ok_and(|present| present == content)
}

/// The place of a file below a directory that others may have written; none where it is not there. No part of the way there
/// may be a link: it could lead to what must not be handed on, such as the secrets of this very process.
pub fn inside(root: &Utf8Path, path: &str) -> Result<Option<Utf8PathBuf>> {
    let mut place = root.to_owned();
    for part in Utf8Path::new(path).components() {
        place.push(part);
        match fs_err::symlink_metadata(&place) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
            Ok(state) if state.is_symlink() => {
                let message = format!("`{place}` is a link, and could lead to what must not be published");
                return Err(Error::new(ErrorKind::InvalidInput, message));
            }
            Ok(_) => {}
        }
    }
    Ok(Some(place))
}

/// The place of a regular file below such a directory; none where nothing is there.
pub fn file_inside(root: &Utf8Path, path: &str) -> crate::Result<Option<Utf8PathBuf>> {
    let Some(place) = inside(root, path)? else { return Ok(None) };
    require(&place).map_err(|reason| Unreadable { path: place.clone(), reason })?;
    Ok(Some(place))
}

/// The place of a directory below such a directory; none where nothing is there.
pub fn directory_inside(root: &Utf8Path, path: &str) -> crate::Result<Option<Utf8PathBuf>> {
    let Some(place) = inside(root, path)? else { return Ok(None) };
    if place.is_dir() {
        return Ok(Some(place));
    }
    let reason = Error::new(ErrorKind::NotADirectory, format!("`{place}` is not a directory"));
    Err(Unreadable { path: place, reason }.into())
}

/// A link counts as what it leads to.
pub(crate) fn require(path: &Utf8Path) -> Result<()> {
    if fs_err::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("`{path}` is not a regular file")))
}
