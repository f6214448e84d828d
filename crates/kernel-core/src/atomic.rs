//! Files that appear whole or not at all: written beside their place, flushed, and renamed into it.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

use crate::regular;

/// Rights of what is written: temporary files begin without any for others.
const READABLE: u32 = 0o644;

/// Writes a file, making the directories above it. What is there and no regular file is refused; a link is replaced.
pub fn write(path: &Utf8Path, content: &[u8]) -> std::io::Result<()> {
    let mut pending = Pending::begin(path)?;
    pending.file.write_all(content)?;
    pending.finish()
}

/// Writes files that belong together: none is replaced where any of them cannot be.
pub fn write_together(files: &[(Utf8PathBuf, &[u8])]) -> std::io::Result<()> {
    let settled = files.iter().map(|(path, content)| Pending::settled(beside(path), path, content));
    let settled: Vec<Pending> = settled.collect::<std::io::Result<_>>()?;
    settled.into_iter().try_for_each(Pending::place)
}

/// A file on its way, for what is not known at once: it has its name when it is finished, and is gone when it is dropped.
#[derive(Debug)]
pub struct Pending {
    file: NamedTempFile,
    path: Utf8PathBuf,
}

impl Pending {
    /// Begins a file beside its place, under the same rules as [`write`].
    pub fn begin(path: &Utf8Path) -> std::io::Result<Self> {
        Self::begin_in(beside(path), path)
    }

    /// A whole file that is on the disk and only lacks its name; until then it is in `directory`.
    pub fn settled(directory: &Utf8Path, path: &Utf8Path, content: &[u8]) -> std::io::Result<Self> {
        let mut pending = Self::begin_in(directory, path)?;
        pending.add(content)?;
        pending.settle()?;
        Ok(pending)
    }

    fn begin_in(directory: &Utf8Path, path: &Utf8Path) -> std::io::Result<Self> {
        match regular::require(path) {
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => return Err(error),
            // What is not there, or cannot be looked at, shows when it is written.
            _ => {}
        }
        fs_err::create_dir_all(directory)?;
        Ok(Self { file: NamedTempFile::new_in(directory)?, path: path.to_owned() })
    }

    /// Adds to it.
    pub fn add(&mut self, content: &[u8]) -> std::io::Result<()> {
        self.file.write_all(content)
    }

    /// Puts it into its place.
    pub fn finish(self) -> std::io::Result<()> {
        self.settle()?;
        self.place()
    }

    /// Brings everything of it to the disk.
    fn settle(&self) -> std::io::Result<()> {
        self.file.as_file().set_permissions(std::fs::Permissions::from_mode(READABLE))?;
        self.file.as_file().sync_all()
    }

    /// Gives a settled file its name.
    pub fn place(self) -> std::io::Result<()> {
        let placed = self.file.persist(&self.path).map(drop);
        placed.map_err(|error| {
            std::io::Error::new(error.error.kind(), format!("`{}`: {}", self.path, error.error))
        })
    }
}

/// The directory of a file.
fn beside(path: &Utf8Path) -> &Utf8Path {
    path.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."))
}
