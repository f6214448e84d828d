//! Files of directories that others may write to while they are read: the way to such a file may turn into a link, and the
//! file into a pipe that nobody writes to.

use std::io::{Error, ErrorKind, Result};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{CWD, Mode, OFlags, openat};

/// A regular file below a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confined {
    root: Utf8PathBuf,
    inside: Utf8PathBuf,
}

impl Confined {
    /// The file at `inside` below `root`. Links on the way to `root` are the user's own; below it none is followed.
    pub fn new(root: impl Into<Utf8PathBuf>, inside: impl Into<Utf8PathBuf>) -> Self {
        Self { root: root.into(), inside: inside.into() }
    }

    /// Its whole path.
    pub fn path(&self) -> Utf8PathBuf {
        self.root.join(&self.inside)
    }

    /// Opens it. It neither follows a link nor waits, whatever has come to be there since somebody looked.
    pub fn open(&self) -> Result<fs_err::File> {
        let mut flags = OFlags::CLOEXEC | OFlags::DIRECTORY;
        let mut place = openat(CWD, self.root.as_std_path(), flags, Mode::empty())
            .map_err(|errno| self.because(errno.into()))?;
        flags |= OFlags::NOFOLLOW;
        let parts: Vec<_> = self.inside.components().collect();
        for (index, part) in parts.iter().enumerate() {
            if index + 1 == parts.len() {
                flags = OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
            }
            place = openat(&place, part.as_str(), flags, Mode::empty())
                .map_err(|errno| self.because(errno.into()))?;
        }
        let file = fs_err::File::from_parts(place.into(), self.path());
        if file.metadata()?.is_file() { Ok(file) } else { Err(self.because(not_regular())) }
    }

    fn because(&self, reason: Error) -> Error {
        Error::new(reason.kind(), format!("`{}` cannot be opened: {reason}", self.path()))
    }
}

/// Opens a regular file. Links are followed, and nothing is waited for: a pipe that nobody writes to is refused.
pub fn open_regular(path: &Utf8Path) -> Result<fs_err::File> {
    let flags = OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = openat(CWD, path.as_std_path(), flags, Mode::empty()).map_err(|errno| {
        let reason = Error::from(errno);
        Error::new(reason.kind(), format!("failed to open file `{path}`: {reason}"))
    })?;
    let file = fs_err::File::from_parts(opened.into(), path);
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("`{path}` is not a regular file")))
}

fn not_regular() -> Error {
    Error::new(ErrorKind::InvalidInput, "it is not a regular file")
}
