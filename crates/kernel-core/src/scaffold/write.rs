//! Puts the files of a new project in place: all or none of them, and nothing of the user's is touched unless that was
//! asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use fs_err as fs;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, code};
use tempfile::TempDir;

/// Files by their path relative to the project.
pub(super) type Files = BTreeMap<String, String>;

/// What stands in the way, every one of them: files that exist, unless they may be replaced, and whatever else occupies
/// the place of a file or a directory.
pub(super) fn obstacles(directory: &Utf8Path, files: &Files, overwrite: bool) -> io::Result<Vec<Finding>> {
    if fs::metadata(directory).is_ok_and(|found| !found.is_dir()) {
        return Ok(vec![obstacle(directory.as_str(), "is in the way: it is no directory")]);
    }
    let mut found = Vec::new();
    for parent in parents(files) {
        if kind_of(&directory.join(&parent))?.is_some_and(|kind| !kind.is_dir()) {
            found.push(obstacle(parent.as_str(), "is in the way: a directory of that name is needed"));
        }
    }
    for path in files.keys() {
        match kind_of(&directory.join(path))? {
            Some(kind) if kind.is_dir() => found.push(obstacle(path, "is in the way: it is a directory")),
            Some(_) if !overwrite => found.push(obstacle(path, "exists")),
            _ => {}
        }
    }
    Ok(found)
}

/// Writes the files. A new directory appears whole; into one that exists each file is moved when all are written.
/// Nothing is forced to the disk: what a crash of the machine loses here, one more call makes again.
pub(super) fn write(directory: &Utf8Path, files: &Files) -> io::Result<()> {
    if directory.exists() {
        let staged = stage(directory, files)?;
        return move_in(&staged, directory, files);
    }
    let parent = directory.parent().unwrap_or(Utf8Path::new("/"));
    fs::create_dir_all(parent)?;
    let staged = stage(parent, files)?;
    fs::rename(staged.path(), directory)?;
    // It has another name now; there is nothing left to remove.
    drop(staged.keep());
    Ok(())
}

fn stage(beside: &Utf8Path, files: &Files) -> io::Result<TempDir> {
    let all = Permissions::from_mode(0o777); // less what the user's mask takes away, as for any new directory
    let staged =
        tempfile::Builder::new().prefix(".kernel-builder-init-").permissions(all).tempdir_in(beside)?;
    let root = Utf8Path::from_path(staged.path()).ok_or(io::ErrorKind::InvalidFilename)?;
    for parent in parents(files) {
        fs::create_dir(root.join(parent))?;
    }
    for (path, text) in files {
        fs::write(root.join(path), text)?;
    }
    Ok(staged)
}

fn move_in(staged: &TempDir, directory: &Utf8Path, files: &Files) -> io::Result<()> {
    let mut made = Vec::new();
    let moved = files.keys().try_for_each(|path| {
        let target = directory.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        let is_new = kind_of(&target)?.is_none();
        fs::rename(staged.path().join(path), &target)?;
        if is_new {
            made.push(target);
        }
        Ok(())
    });
    if moved.is_err() {
        for target in made {
            // The first error is the one to report.
            drop(fs::remove_file(target));
        }
    }
    moved
}

/// The directories that the files need, each after the one it lies in.
fn parents(files: &Files) -> BTreeSet<Utf8PathBuf> {
    let above = |path: &String| {
        let all = Utf8Path::new(path).ancestors().skip(1);
        all.filter(|parent| !parent.as_str().is_empty()).map(Utf8Path::to_owned).collect::<Vec<_>>()
    };
    files.keys().flat_map(above).collect()
}

/// What is at a path itself, links not followed; nothing if there is nothing.
fn kind_of(path: &Utf8Path) -> io::Result<Option<std::fs::FileType>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found.file_type())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn obstacle(path: &str, what: &str) -> Finding {
    Finding::error(&code::init::EXISTS, format!("`{}` {what}", path.escape_debug()))
        .about(Subject { file: Some(path.to_owned()), ..Subject::default() })
}
