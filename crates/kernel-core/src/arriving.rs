//! A directory on its way: it is made beside its place under a name that says so, and renamed when it is whole. Its holder
//! has it locked, so what a killed run left is told from what another is making, and goes with the next run.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{FlockOperation, flock};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::geteuid;

/// A file in each such directory: what has another name by chance is somebody's own.
const MARK: &str = "made-by-kernel-builder";

/// What the content of each has for a name.
const WHOLE: &str = "whole";

/// A directory on its way; it goes when it is dropped.
#[derive(Debug)]
pub struct Arriving {
    directory: tempfile::TempDir,
    lock: fs_err::File,
}

impl Arriving {
    /// A directory in `parent`, which is made where it is missing, under a hidden name that begins with `prefix`.
    pub fn begin(parent: &Utf8Path, prefix: &str) -> std::io::Result<Self> {
        fs_err::create_dir_all(parent)?;
        sweep(parent, prefix)?;
        loop {
            let directory = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
            let lock = fs_err::File::open(directory.path())?;
            // File systems without locks have no others to be told from.
            let _ = flock(&lock, FlockOperation::LockExclusive);
            // Between the two steps another run may have taken it for a leftover.
            let is_there = fs_err::metadata(directory.path())
                .is_ok_and(|found| lock.metadata().is_ok_and(|held| held.ino() == found.ino()));
            if is_there {
                fs_err::write(directory.path().join(MARK), "")?;
                return Ok(Self { directory, lock });
            }
        }
    }

    /// Lets the children of this process hold it too, so that it stays while any of them lives.
    pub fn share(&self) -> std::io::Result<()> {
        Ok(fcntl_setfd(&self.lock, FdFlags::empty())?)
    }

    /// Where the content is made.
    pub fn whole(&self) -> std::io::Result<Utf8PathBuf> {
        let path = Utf8PathBuf::try_from(self.directory.path().to_owned());
        Ok(path.map_err(camino::FromPathBufError::into_io_error)?.join(WHOLE))
    }
}

/// Removes what killed runs of this user left: `parent` may be everybody's.
fn sweep(parent: &Utf8Path, prefix: &str) -> std::io::Result<()> {
    for entry in parent.read_dir_utf8()? {
        let Ok(entry) = entry else { continue };
        if !entry.file_name().starts_with(prefix) || !entry.file_type()?.is_dir() {
            continue;
        }
        let Ok(left) = fs_err::File::open(entry.path()) else { continue };
        if left.metadata()?.uid() != geteuid().as_raw() {
            continue;
        }
        if flock(&left, FlockOperation::NonBlockingLockExclusive).is_ok() {
            // What was killed before it had its mark is empty; so is what was killed while it went.
            let is_marked = entry.path().join(MARK).is_file();
            let gone = if is_marked { remove(entry.path()) } else { fs_err::remove_dir(entry.path()) };
            match gone.map_err(|error| (error.kind(), error)) {
                Ok(()) | Err((ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty, _)) => {}
                Err((_, error)) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Removes a marked directory, its mark last.
fn remove(directory: &Utf8Path) -> std::io::Result<()> {
    match fs_err::remove_dir_all(directory.join(WHOLE)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs_err::remove_dir_all(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_go_and_what_is_being_made_stays() {
        let parent = tempfile::tempdir().expect("a directory");
        let parent = Utf8Path::from_path(parent.path()).expect("UTF-8");
        fs_err::create_dir_all(parent.join(".making-left/whole")).expect("made");
        fs_err::write(parent.join(".making-left").join(MARK), "").expect("marked");
        fs_err::create_dir_all(parent.join(".making-mine/whole")).expect("made");
        fs_err::create_dir_all(parent.join(".making-begun")).expect("made");
        fs_err::create_dir_all(parent.join(".other-left")).expect("made");
        let first = Arriving::begin(parent, ".making-").expect("begun");
        assert!(!parent.join(".making-begun").exists(), "killed before it had its mark");
        assert!(!parent.join(".making-left").exists() && parent.join(".other-left").exists());
        assert!(parent.join(".making-mine/whole").exists(), "without the mark it is somebody's own");
        fs_err::create_dir(first.whole().expect("UTF-8")).expect("made");
        let second = Arriving::begin(parent, ".making-").expect("begun");
        assert!(first.whole().expect("UTF-8").exists() && first.whole().ok() != second.whole().ok());
        drop((first, second));
        assert_eq!(fs_err::read_dir(parent).expect("there").count(), 2);
    }
}
