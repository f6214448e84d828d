//! Cheap proof that a file is still the one that was hashed: reading its status instead of its bytes. That is what
//! keeps a build with nothing to do free of Python processes and compilers.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What the file system says about a file: changes with every ordinary way to change the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    modified: i64,
    modified_nanoseconds: i64,
    size: u64,
    inode: u64,
    device: u64,
}

impl Fingerprint {
    /// The fingerprint of a file or directory, symbolic links followed.
    pub fn of(path: &Utf8Path) -> std::io::Result<Self> {
        let status = fs_err::metadata(path)?;
        Ok(Self {
            modified: status.mtime(),
            modified_nanoseconds: status.mtime_nsec(),
            size: status.size(),
            inode: status.ino(),
            device: status.dev(),
        })
    }
}

/// Files that some knowledge was drawn from. The knowledge holds while all of them are unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witnesses(BTreeMap<Utf8PathBuf, Option<Fingerprint>>);

impl Witnesses {
    /// Adds a path as it is now, also where there is nothing.
    pub fn add(&mut self, path: impl Into<Utf8PathBuf>) {
        let path = path.into();
        let fingerprint = Fingerprint::of(&path).ok();
        self.0.insert(path, fingerprint);
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every path is still as it was.
    pub fn hold(&self) -> bool {
        self.0.iter().all(|(path, fingerprint)| Fingerprint::of(path).ok() == *fingerprint)
    }
}

/// SHA-256 of a file's content, in hexadecimal.
pub fn sha256(path: &Utf8Path) -> std::io::Result<String> {
    let mut file = fs_err::File::open(path)?;
    let mut hasher = Sha256::new();
    std::io::copy(&mut file, &mut hasher)?;
    Ok(hexadecimal(hasher))
}

/// Adds every file below a directory, by its path there and its content.
pub fn hash_tree(root: &Utf8Path, hasher: &mut Sha256) -> std::io::Result<()> {
    add_tree(root, root, hasher)
}

fn add_tree(root: &Utf8Path, directory: &Utf8Path, hasher: &mut Sha256) -> std::io::Result<()> {
    let mut entries: Vec<_> = fs_err::read_dir(directory)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs_err::DirEntry::file_name);
    for entry in entries {
        let Ok(path) = Utf8PathBuf::try_from(entry.path()) else { continue };
        let status = fs_err::metadata(&path)?;
        if status.is_dir() {
            add_tree(root, &path, hasher)?;
        } else {
            let content = fs_err::read(&path)?;
            let name = path.strip_prefix(root).unwrap_or(&path);
            hasher.update((name.as_str().len() as u64).to_le_bytes());
            hasher.update(name.as_str());
            hasher.update((content.len() as u64).to_le_bytes());
            hasher.update(content);
        }
    }
    Ok(())
}

/// The digest in hexadecimal.
pub fn hexadecimal(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
