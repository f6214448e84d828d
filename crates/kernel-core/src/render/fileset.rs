//! Generated files, held in memory until all of them are known. Writing leaves a file that has not changed untouched,
//! because Ninja and the filesystem's times are how "nothing to do" is found out.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use crate::atomic;

/// Files by path, relative to wherever they will be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSet(BTreeMap<Utf8PathBuf, Vec<u8>>);

impl FileSet {
    /// Adds a file, or replaces the one of that path.
    pub fn insert(&mut self, path: impl Into<Utf8PathBuf>, content: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), content.into());
    }

    /// The files in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Utf8Path, &[u8])> {
        self.0.iter().map(|(path, content)| (path.as_path(), content.as_slice()))
    }

    /// One file's content.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.0.get(Utf8Path::new(path)).map(Vec::as_slice)
    }

    /// Adds everything of another set, below a directory.
    pub fn extend(&mut self, directory: &Utf8Path, other: FileSet) {
        self.0.extend(other.0.into_iter().map(|(path, content)| (directory.join(path), content)));
    }

    /// SHA-256 over paths and contents, in hexadecimal.
    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        for (path, content) in &self.0 {
            hasher.update((path.as_str().len() as u64).to_le_bytes());
            hasher.update(path.as_str());
            hasher.update((content.len() as u64).to_le_bytes());
            hasher.update(content);
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Writes every file whose content differs from what is there, each at once or not at all. Returns the paths that
    /// were written.
    pub fn write(&self, root: &Utf8Path) -> std::io::Result<Vec<Utf8PathBuf>> {
        let mut written = Vec::new();
        for (path, content) in &self.0 {
            let target = root.join(path);
            if fs_err::read(&target).is_ok_and(|present| present == *content) {
                continue;
            }
            atomic::write(&target, content)?;
            written.push(path.clone());
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_files_are_left_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = Utf8Path::from_path(directory.path()).expect("UTF-8");
        let mut files = FileSet::default();
        files.insert("a/one", "1");
        files.insert("two", "2");
        assert_eq!(files.write(root).expect("writes").len(), 2);
        let before = fs_err::metadata(root.join("two")).expect("there").modified().expect("time");
        files.insert("a/one", "changed");
        assert_eq!(files.write(root).expect("writes"), ["a/one"]);
        assert_eq!(fs_err::metadata(root.join("two")).expect("there").modified().expect("time"), before);
        assert_eq!(fs_err::read_to_string(root.join("a/one")).expect("there"), "changed");
    }
}
