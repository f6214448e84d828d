//! Files that appear whole or not at all: written beside their place, flushed, and renamed into it.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8Path;
use tempfile::NamedTempFile;

use crate::regular;

/// Rights of what is written: temporary files begin without any for others.
const READABLE: u32 = 0o644;

/// Writes a file, making the directories above it. What is there and no regular file is refused; a link is replaced.
pub fn write(path: &Utf8Path, content: &[u8]) -> std::io::Result<()> {
    match regular::require(path) {
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => return Err(error),
        // What is not there, or cannot be looked at, shows when it is written.
        _ => {}
    }
    let directory = path.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    fs_err::create_dir_all(directory)?;
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(content)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(READABLE))?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
