//! Regular files, the only ones that are read or replaced by a name that a person or a project gave: opening a named pipe
//! waits for somebody to write to it, a device may have no end, and a rename over either would take it away.

use std::io::{Error, ErrorKind, Read, Result};

use camino::{Utf8Path, Utf8PathBuf};

/// The start of a file, at most so many bytes.
pub fn start(path: &Utf8Path, most: u64) -> Result<Vec<u8>> {
    require(path)?;
    let mut bytes = Vec::new();
    fs_err::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file of at most so many bytes.
pub fn text(path: &Utf8Path, most: u64) -> Result<String> {
    let bytes = start(path, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(Error::new(
            ErrorKind::FileTooLarge,
            format!("`{path}` is larger than {} MiB", most >> 20),
        ));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, format!("`{path}` is not UTF-8")))
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

/// A link counts as what it leads to.
pub(crate) fn require(path: &Utf8Path) -> Result<()> {
    if fs_err::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("`{path}` is not a regular file")))
}
