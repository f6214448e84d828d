//! Real paths of thousands of files in few directories: each directory is resolved once, and of the files only those
//! that are links.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::path::parent;

/// Resolves files below a directory.
pub(crate) struct RealPaths<'a> {
    root: &'a Utf8Path,
    directories: BTreeMap<String, Option<Utf8PathBuf>>,
}

impl<'a> RealPaths<'a> {
    pub(crate) fn new(root: &'a Utf8Path) -> Self {
        Self { root, directories: BTreeMap::new() }
    }

    /// Where a file, by its path below the root, really is; `None` where a link leads to nothing, or to a path that is
    /// not UTF-8.
    pub(crate) fn of(&mut self, path: &str) -> Option<Utf8PathBuf> {
        let place = self.root.join(path);
        if place.is_symlink() {
            return place.canonicalize_utf8().ok();
        }
        let directory = parent(path);
        if !self.directories.contains_key(directory) {
            let real = self.root.join(directory).canonicalize_utf8().ok();
            self.directories.insert(directory.to_owned(), real);
        }
        Some(self.directories[directory].as_ref()?.join(place.file_name()?))
    }
}
