//! Sending exactly what was planned: a file is read again when it is sent, and somebody may have changed it meanwhile. Each
//! piece is compared with its hash before the first of its bytes leaves, so that nothing else is ever sent.

use std::io::{Error, Read, Seek, SeekFrom};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::error::HttpError;
use crate::confined::Confined;

/// Bytes of a piece; the last one of a file may have fewer.
const PIECE: u64 = 1 << 20;

/// A file to send, and what it held when that was planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// How a user knows it.
    name: String,
    file: Confined,
    size: u64,
    /// SHA-256 of each piece.
    pieces: Arc<[[u8; 32]]>,
}

/// Hashes of pieces, from content of any cut.
#[derive(Default)]
pub struct Pieces {
    size: u64,
    current: Sha256,
    done: Vec<[u8; 32]>,
}

impl Pieces {
    /// Takes the next bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = usize::try_from(PIECE - self.size % PIECE).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.current.update(now);
            self.size += now.len() as u64;
            if self.size.is_multiple_of(PIECE) {
                self.done.push(self.current.finalize_reset().into());
            }
            bytes = later;
        }
    }

    /// The plan to send the file that these bytes are of.
    pub fn plan(mut self, name: &str, file: Confined) -> Planned {
        if !self.size.is_multiple_of(PIECE) {
            self.done.push(self.current.finalize().into());
        }
        Planned { name: name.to_owned(), file, size: self.size, pieces: self.done.into() }
    }
}

impl Planned {
    /// Reads a part, which is an error where the file is not as planned any more.
    pub fn read(&self, offset: u64, length: u64) -> Result<impl Read + '_, HttpError> {
        let changed = |reason| HttpError::Changed { path: self.name.clone(), reason };
        let file = self.file.open().map_err(changed)?;
        if file.metadata().map_err(changed)?.len() != self.size {
            return Err(changed(Error::other("it has another size")));
        }
        let end = self.size.min(offset.saturating_add(length));
        Ok(Reader { planned: self, file, at: offset, end, piece: Vec::new() })
    }

    /// All of it.
    pub fn load(&self) -> Result<Vec<u8>, HttpError> {
        let mut bytes = Vec::new();
        let read = self.read(0, self.size)?.read_to_end(&mut bytes);
        read.map_err(|reason| HttpError::Changed { path: self.name.clone(), reason })?;
        Ok(bytes)
    }
}

/// Told through the network library, which knows errors of the system only.
#[derive(Debug, thiserror::Error)]
#[error("it has other content")]
pub(super) struct OtherContent(pub(super) String);

struct Reader<'a> {
    planned: &'a Planned,
    file: fs_err::File,
    /// The next byte to hand on, and the end of the part.
    at: u64,
    end: u64,
    /// The piece that this byte is of; empty while it is not read.
    piece: Vec<u8>,
}

impl Reader<'_> {
    fn next_piece(&mut self) -> std::io::Result<()> {
        let index = self.at / PIECE;
        self.piece.clear();
        self.file.seek(SeekFrom::Start(index * PIECE))?;
        (&mut self.file).take(PIECE.min(self.planned.size - index * PIECE)).read_to_end(&mut self.piece)?;
        let hash: [u8; 32] = Sha256::digest(&self.piece).into();
        let expected = usize::try_from(index).ok().and_then(|index| self.planned.pieces.get(index));
        if expected == Some(&hash) {
            return Ok(());
        }
        self.piece.clear();
        Err(Error::other(OtherContent(self.planned.name.clone())))
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at >= self.end || buffer.is_empty() {
            return Ok(0);
        }
        if self.piece.is_empty() {
            self.next_piece()?;
        }
        let within = usize::try_from(self.at % PIECE).map_err(Error::other)?;
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let count = buffer.len().min(left).min(self.piece.len() - within);
        buffer[..count].copy_from_slice(&self.piece[within..within + count]);
        self.at += count as u64;
        if self.at.is_multiple_of(PIECE) {
            self.piece.clear();
        }
        Ok(count)
    }
}
