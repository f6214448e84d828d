//! Putting a finished directory into the place of an earlier one. Linux and macOS exchange two names in one step; where
//! a file system cannot, two renames do, and their names tell a later run how to put things right.

use camino::Utf8Path;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::SealError;
use crate::digest::METADATA;
use crate::tree::{self, Kind};

/// Puts `partial` into `place`; both are in `build`.
pub(super) fn replace(build: &Utf8Path, partial: &Utf8Path, place: &Utf8Path) -> Result<(), SealError> {
    if fs_err::symlink_metadata(place).is_err() {
        fs_err::rename(partial, place)?;
        return Ok(sync_directory(build)?);
    }
    match renameat_with(CWD, partial.as_std_path(), CWD, place.as_std_path(), RenameFlags::EXCHANGE) {
        Ok(()) => {
            sync_directory(build)?;
            Ok(discard(partial)?)
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::XDEV) => {
            replace_by_renames(build, partial, place)
        }
        Err(error) => Err(SealError::File(std::io::Error::from(error))),
    }
}

/// The same with two renames: for a moment, nothing is in place.
pub(super) fn replace_by_renames(
    build: &Utf8Path,
    partial: &Utf8Path,
    place: &Utf8Path,
) -> Result<(), SealError> {
    if fs_err::symlink_metadata(place).is_err() {
        fs_err::rename(partial, place)?;
        return Ok(sync_directory(build)?);
    }
    let old = build.join(format!(".{}.old", place.file_name().unwrap_or_default()));
    remove(&old)?;
    fs_err::rename(place, &old)?;
    fs_err::rename(partial, place)?;
    sync_directory(build)?;
    Ok(discard(&old)?)
}

/// Puts right what runs that were killed left in a build directory: an earlier result that was moved away goes back
/// into its place, unless the new one arrived.
pub fn recover(build: &Utf8Path) -> Result<(), SealError> {
    let Ok(entries) = fs_err::read_dir(build) else { return Ok(()) };
    for entry in entries {
        let name = entry?.file_name();
        let Some(variant) =
            name.to_str().and_then(|name| name.strip_prefix('.')).and_then(|name| name.strip_suffix(".old"))
        else {
            continue;
        };
        let (old, place) = (build.join(format!(".{variant}.old")), build.join(variant));
        if fs_err::symlink_metadata(&place).is_ok() {
            discard(&old)?;
        } else {
            fs_err::rename(&old, &place)?;
            sync_directory(build)?;
        }
    }
    Ok(())
}

/// Refuses a place that holds something no build has made: nothing of the user's is ever removed.
pub(super) fn require_ours(place: &Utf8Path) -> Result<(), SealError> {
    let Ok(found) = fs_err::symlink_metadata(place) else { return Ok(()) };
    let is_empty = || fs_err::read_dir(place).is_ok_and(|mut entries| entries.next().is_none());
    if found.is_dir() && (place.join(METADATA).is_file() || is_empty()) {
        return Ok(());
    }
    Err(SealError::Foreign { place: place.to_owned() })
}

/// Removes an earlier result. Its metadata goes first, so that what is left of it never looks complete.
pub(crate) fn discard(directory: &Utf8Path) -> std::io::Result<()> {
    remove(&directory.join(METADATA))?;
    remove(directory)
}

/// Removes a file, a link or a whole directory; that it is gone already is no fault.
pub(super) fn remove(path: &Utf8Path) -> std::io::Result<()> {
    let result = match fs_err::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs_err::remove_dir_all(path),
        Ok(_) => fs_err::remove_file(path),
        Err(error) => Err(error),
    };
    match result {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(()),
        result => result,
    }
}

/// Makes the names in a directory and in everything below it last.
pub(super) fn sync_directories(directory: &Utf8Path) -> Result<(), SealError> {
    for entry in tree::walk(directory, &|_| true).map_err(crate::digest::DigestError::Tree)? {
        if entry.kind == Kind::Directory {
            sync_directory(&directory.join(entry.path))?;
        }
    }
    Ok(sync_directory(directory)?)
}

fn sync_directory(directory: &Utf8Path) -> std::io::Result<()> {
    fs_err::File::open(directory)?.sync_all()
}
