//! Walking a directory tree in one order on every machine. Links are reported, never followed into a directory: what a
//! link points at may be outside, or the tree itself.

use std::ffi::OsStr;

use camino::{Utf8Path, Utf8PathBuf};
use miette::Diagnostic;
use thiserror::Error;

/// Something in a tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Relative to the root of the walk, with `/`.
    pub path: String,
    /// What it is.
    pub kind: Kind,
}

/// What an entry of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory; its entries follow.
    Directory,
    /// A link to a regular file.
    LinkToFile,
    /// A link to a directory; its entries do not follow.
    LinkToDirectory,
    /// A link to nothing, or to itself.
    Dangling,
    /// A device, pipe or socket, or a link to one.
    Special,
}

/// Why a tree could not be walked.
#[derive(Debug, Error, Diagnostic)]
pub enum TreeError {
    /// A directory could not be listed.
    #[error("could not list a directory")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    List(#[from] std::io::Error),

    /// A name that cannot be written down.
    #[error("the name `{name}` in `{directory}` is not UTF-8")]
    #[diagnostic(code("environment/file-name"), help("rename the file, or move it out of the directory"))]
    Name {
        /// Where.
        directory: Utf8PathBuf,
        /// The name, with the odd bytes replaced.
        name: String,
    },
}

/// Everything below `root` that `enters` lets in, sorted by path. A directory that is not let in is not read.
pub fn walk(root: &Utf8Path, enters: &dyn Fn(&str) -> bool) -> Result<Vec<Entry>, TreeError> {
    let mut entries = Vec::new();
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        for found in fs_err::read_dir(root.join(&directory))? {
            let found = found?;
            let name = readable(&root.join(&directory), &found.file_name())?;
            let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            if !enters(&path) {
                continue;
            }
            let kind = kind(&root.join(&path), found.file_type()?);
            if kind == Kind::Directory {
                directories.push(path.clone());
            }
            entries.push(Entry { path, kind });
        }
    }
    entries.sort();
    Ok(entries)
}

fn readable(directory: &Utf8Path, name: &OsStr) -> Result<String, TreeError> {
    match name.to_str() {
        Some(name) => Ok(name.to_owned()),
        None => Err(TreeError::Name {
            directory: directory.to_owned(),
            name: name.to_string_lossy().into_owned(),
        }),
    }
}

fn kind(path: &Utf8Path, file_type: std::fs::FileType) -> Kind {
    if file_type.is_file() {
        return Kind::File;
    }
    if file_type.is_dir() {
        return Kind::Directory;
    }
    if !file_type.is_symlink() {
        return Kind::Special;
    }
    match fs_err::metadata(path) {
        Ok(target) if target.is_file() => Kind::LinkToFile,
        Ok(target) if target.is_dir() => Kind::LinkToDirectory,
        Ok(_) => Kind::Special,
        Err(_) => Kind::Dangling,
    }
}

/// Whether a path, whatever links are on its way, stays below a directory.
pub fn stays_in(directory: &Utf8Path, path: &Utf8Path) -> bool {
    let (directory, path) = (directory.canonicalize_utf8(), path.canonicalize_utf8());
    matches!((directory, path), (Ok(directory), Ok(path)) if path.starts_with(&directory))
}

/// Whether a path is byte code that Python left behind.
pub fn is_bytecode(path: &str) -> bool {
    path.split('/').any(|part| part == "__pycache__")
        || matches!(Utf8Path::new(path).extension(), Some("pyc" | "pyo"))
}
