//! What a branch should hold.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::confined::Confined;
use crate::http::{HttpError, Pieces};
use crate::hub::{Blob, Source};

/// Content, known by both of its names.
pub type Content = Blob;

/// What an upload answers for: files that should be there, and which others should not.
pub struct Wanted {
    /// The files, by their path.
    pub files: BTreeMap<String, Content>,
    /// Whether a file that is not wanted belongs to this upload, and so goes.
    pub owns: Box<dyn Fn(&str) -> bool + Send + Sync>,
    /// Whether a file vouches for the others of its folder, and so is never there without them or beside older ones.
    pub vouches: fn(&str) -> bool,
}

/// Bytes read at a time.
const PIECE: usize = 64 << 10;

/// Bytes by which the Hub tells text from data.
const SAMPLE: usize = 512;

/// A file as content for a path; reading it ends early, with an error, where `ends` becomes true.
pub fn wanted_file(path: &str, file: &Confined, ends: &AtomicBool) -> std::io::Result<Content> {
    let mut opened = file.open()?;
    let size = opened.metadata()?.len();
    let mut pieces = Pieces::default();
    let named = read(path, size, &mut opened, &mut |bytes| pieces.update(bytes), ends)?;
    Ok(Blob { source: Source::File(pieces.plan(path, file.clone())), ..named })
}

impl Blob {
    /// Bytes as content for a path.
    pub fn of_bytes(path: &str, bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        // Memory is always readable.
        let (never, mut memory) = (AtomicBool::new(false), bytes.as_slice());
        let named = read(path, size, &mut memory, &mut |_| {}, &never).unwrap_or_default();
        Self { source: Source::Bytes(bytes), ..named }
    }

    /// The content itself, which must still be what was named.
    pub(super) fn load(&self) -> Result<Vec<u8>, HttpError> {
        match &self.source {
            Source::Bytes(bytes) => Ok(bytes.clone()),
            Source::File(file) => file.load(),
        }
    }
}

fn read(
    path: &str,
    size: u64,
    reader: &mut dyn Read,
    hear: &mut dyn FnMut(&[u8]),
    ends: &AtomicBool,
) -> std::io::Result<Blob> {
    let mut sha1 = Sha1::new();
    sha1.update(format!("blob {size}\0"));
    let mut sha256 = Sha256::new();
    let mut sample = Vec::new();
    let mut buffer = vec![0; PIECE];
    let mut seen = 0;
    loop {
        if ends.load(Ordering::SeqCst) {
            return Err(std::io::Error::other(format!("reading `{path}` was interrupted")));
        }
        let count = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let piece = &buffer[..count];
        seen += count as u64;
        hear(piece);
        sha1.update(piece);
        sha256.update(piece);
        let room = SAMPLE.saturating_sub(sample.len());
        sample.extend_from_slice(&piece[..count.min(room)]);
    }
    if seen != size {
        return Err(std::io::Error::other(format!("`{path}` changed while it was read")));
    }
    let (oid, sha256) = (hexadecimal(&sha1.finalize()), hexadecimal(&sha256.finalize()));
    Ok(Blob { path: path.to_owned(), source: Source::default(), size, sha256, oid, sample })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
