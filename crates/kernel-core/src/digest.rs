//! Digests of files: of a kernel's inputs, and of everything in a built variant by the rule of the loader (formats,
//! section 6.1). Files are read in pieces and side by side, so that neither memory nor one core is the limit.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::identifier::hexadecimal;
use kernel_spec::metadata::DigestAlgorithm;
use miette::Diagnostic;
use sha2::{Digest, Sha256, Sha512};
use thiserror::Error;

use crate::reading::{PIECE, pieces};
use crate::tree::{self, Kind, TreeError};

/// The file of a variant that holds the digest, and therefore is not in it.
pub const METADATA: &str = "metadata.json";
/// Its signature.
pub const SIGNATURE: &str = "metadata.json.sigstore";

/// What is known of a file after reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// SHA-256 of the content.
    pub sha256: [u8; 32],
    /// Length in bytes.
    pub size: u64,
}

/// Why a variant has no digest.
#[derive(Debug, Error, Diagnostic)]
pub enum DigestError {
    /// The directory could not be walked.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Tree(#[from] TreeError),

    /// A file could not be read.
    #[error("could not read a file of the variant")]
    #[diagnostic(code("artifact/unreadable"), help("look at the path and the system's reason above"))]
    Read(#[from] std::io::Error),

    /// Something in the variant has no content.
    #[error("`{path}` in `{directory}` is {what}")]
    #[diagnostic(
        code("artifact/layout"),
        help("remove it and build the variant again; a variant holds regular files only")
    )]
    NoContent {
        /// The variant.
        directory: Utf8PathBuf,
        /// Relative to it.
        path: String,
        /// What it is.
        what: &'static str,
    },
}

/// The hasher of what one file holds, read through a buffer that serves for many, and the length in bytes.
fn of_file<D: Digest>(path: &Utf8Path, buffer: &mut [u8]) -> std::io::Result<(D, u64)> {
    let mut hasher = D::new();
    let size = pieces(path, buffer, &mut |piece| {
        hasher.update(piece);
        Ok(())
    })?;
    Ok((hasher, size))
}

/// Digests of many files, in the order of the paths; the error is that of the first path that has one.
pub fn of_files(paths: &[Utf8PathBuf]) -> std::io::Result<Vec<FileDigest>> {
    let digests = each::<Sha256>(paths)?.into_iter();
    Ok(digests.map(|(hasher, size)| FileDigest { sha256: hasher.finalize().into(), size }).collect())
}

fn each<D: Digest + Send>(paths: &[Utf8PathBuf]) -> std::io::Result<Vec<(D, u64)>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(paths.len());
    if threads < 2 {
        let mut buffer = vec![0; PIECE];
        return paths.iter().map(|path| of_file(path, &mut buffer)).collect();
    }
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut buffer = vec![0; PIECE];
                while let Some((at, path)) = take(&next, paths) {
                    let result = of_file(path, &mut buffer);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(at, result);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values().collect()
}

fn take<'a>(next: &AtomicUsize, paths: &'a [Utf8PathBuf]) -> Option<(usize, &'a Utf8PathBuf)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    paths.get(at).map(|path| (at, path))
}

/// The digest of a variant: SHA-256 in base 64 of each file, by its path. Not in it are the metadata, their signature
/// and byte code. A link to a file counts as the file; a link to a directory is not followed.
pub fn of_variant(directory: &Utf8Path) -> Result<BTreeMap<String, String>, DigestError> {
    by(directory, DigestAlgorithm::Sha256)
}

/// The same by any algorithm that metadata may name.
pub fn by(directory: &Utf8Path, algorithm: DigestAlgorithm) -> Result<BTreeMap<String, String>, DigestError> {
    let entries = tree::walk(directory, &|path| !is_left_out(path))?;
    let refuse = |path: &str, what| DigestError::NoContent {
        directory: directory.to_owned(),
        path: path.to_owned(),
        what,
    };
    let mut names = Vec::new();
    for entry in entries {
        match entry.kind {
            Kind::File | Kind::LinkToFile => names.push(entry.path),
            Kind::Directory | Kind::LinkToDirectory => {}
            Kind::Dangling => return Err(refuse(&entry.path, "a link to nothing")),
            Kind::Special => return Err(refuse(&entry.path, "no regular file")),
        }
    }
    let paths: Vec<Utf8PathBuf> = names.iter().map(|name| directory.join(name)).collect();
    let encoded = match algorithm {
        DigestAlgorithm::Sha256 => encoded::<Sha256>(&paths)?,
        DigestAlgorithm::Sha512 => encoded::<Sha512>(&paths)?,
    };
    Ok(names.into_iter().zip(encoded).collect())
}

/// Digests of files as metadata have them.
fn encoded<D: Digest + Send>(paths: &[Utf8PathBuf]) -> std::io::Result<Vec<String>> {
    Ok(each::<D>(paths)?.into_iter().map(|(hasher, _)| STANDARD.encode(hasher.finalize())).collect())
}

/// A digest as metadata have it.
pub(crate) fn base64(sha256: &[u8; 32]) -> String {
    STANDARD.encode(sha256)
}

/// The same digest in hexadecimal; none where it is none.
pub(crate) fn in_hexadecimal(base64: &str) -> Option<String> {
    STANDARD.decode(base64).ok().map(|bytes| hexadecimal(&bytes))
}

/// Whether a path in a variant is outside its digest. Unlike for [`tree::is_bytecode`], `.pyo` is an ordinary name here,
/// because the loader's rule knows only `.pyc`.
pub fn is_left_out(path: &str) -> bool {
    path == METADATA
        || path == SIGNATURE
        || path.split('/').any(|part| part == "__pycache__")
        || Utf8Path::new(path).extension() == Some("pyc")
}
