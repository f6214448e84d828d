//! The content of all repositories on disk, each piece once, under its own hash.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha1::{Digest, Sha1};
use sha2::Sha256;

/// Where content lies.
#[derive(Debug)]
pub(crate) struct Store {
    root: tempfile::TempDir,
    /// Bytes of large files that arrived, useful or not.
    received: AtomicU64,
}

impl Store {
    pub(crate) fn new() -> std::io::Result<Self> {
        let root = tempfile::tempdir()?;
        for folder in ["blobs", "lfs", "parts"] {
            fs_err::create_dir(root.path().join(folder))?;
        }
        Ok(Self { root, received: AtomicU64::new(0) })
    }

    /// Bytes of large files that arrived so far.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// The large files that are here, with their sizes.
    pub(crate) fn all_large(&self) -> std::io::Result<BTreeMap<String, u64>> {
        let entries = fs_err::read_dir(self.root.path().join("lfs"))?;
        let stored = entries.map(|entry| {
            let entry = entry?;
            Ok((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.len()))
        });
        stored.collect()
    }

    /// Stores a small file as git does and answers its id.
    pub(crate) fn put_blob(&self, content: &[u8]) -> std::io::Result<String> {
        let oid = blob_oid(content);
        let path = self.blob(&oid);
        if !path.exists() {
            self.place(&path, &mut &content[..])?;
        }
        Ok(oid)
    }

    pub(crate) fn blob(&self, oid: &str) -> PathBuf {
        self.root.path().join("blobs").join(oid)
    }

    pub(crate) fn large(&self, sha256: &str) -> PathBuf {
        self.root.path().join("lfs").join(sha256)
    }

    pub(crate) fn part(&self, name: &str) -> PathBuf {
        self.root.path().join("parts").join(name)
    }

    /// Stores a large file; false where its content is not what its name promises.
    pub(crate) fn put_large(
        &self,
        sha256: &str,
        size: u64,
        reader: &mut dyn Read,
        arrives: bool,
    ) -> std::io::Result<bool> {
        let arriving = u64::from(arrives);
        let mut file = tempfile::NamedTempFile::new_in(self.root.path())?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        let mut seen = 0;
        loop {
            let count = reader.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            seen += count as u64;
            self.received.fetch_add(arriving * count as u64, Ordering::Relaxed);
            hash.update(&buffer[..count]);
            file.write_all(&buffer[..count])?;
        }
        if hexadecimal(&hash.finalize()) != sha256 || seen != size {
            return Ok(false);
        }
        file.persist(self.large(sha256)).map_err(|error| error.error)?;
        Ok(true)
    }

    /// Stores one part of an upload and answers its tag.
    pub(crate) fn put_part(&self, name: &str, reader: &mut dyn Read) -> std::io::Result<()> {
        let bytes = self.place(&self.part(name), reader)?;
        self.received.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn place(&self, path: &Path, reader: &mut dyn Read) -> std::io::Result<u64> {
        let mut file = tempfile::NamedTempFile::new_in(self.root.path())?;
        let bytes = std::io::copy(reader, &mut file)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(bytes)
    }
}

/// The id that git gives to a file's content.
pub(crate) fn blob_oid(content: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", content.len()));
    hash.update(content);
    hexadecimal(&hash.finalize())
}

/// The id of anything else: of a commit, or a folder.
pub(crate) fn name_of(text: &str) -> String {
    hexadecimal(&Sha1::digest(text))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
