//! An answer, and how well it is delivered.

use std::io::{Read, Seek, SeekFrom, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use super::pause;

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub content: Content,
    /// How it is delivered.
    pub delivery: Delivery,
}

/// The body of an answer.
#[derive(Clone, Debug)]
pub enum Content {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// A part of a file.
    File {
        /// The file.
        path: PathBuf,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        length: u64,
    },
    /// The same byte without end, whatever length is announced.
    Endless(u64),
}

/// How an answer is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// As it is.
    Whole,
    /// After a while.
    Late(Duration),
    /// Only the first bytes of its body; then the connection ends.
    Cut(u64),
    /// Not at all: the connection ends.
    Never,
}

impl Reply {
    /// An answer without a body.
    pub fn empty(status: u16) -> Self {
        Self::bytes(status, Vec::new())
    }

    /// An answer of bytes.
    pub fn bytes(status: u16, bytes: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), content: Content::Bytes(bytes.into()), delivery: Delivery::Whole }
    }

    /// An answer of JSON text.
    pub fn json(status: u16, text: impl Into<String>) -> Self {
        Self::bytes(status, text.into().into_bytes()).header("content-type", "application/json")
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Delivers it otherwise.
    #[must_use]
    pub fn delivered(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// Writes the answer; whether the connection can be used again.
    pub(super) fn send(self, mut stream: &TcpStream, is_head: bool) -> std::io::Result<bool> {
        let mut most = u64::MAX;
        match self.delivery {
            Delivery::Whole => {}
            Delivery::Late(time) => pause(time),
            Delivery::Cut(bytes) => most = bytes,
            Delivery::Never => return Ok(false),
        }
        let (length, mut reader): (u64, Box<dyn Read>) = match self.content {
            Content::Bytes(bytes) => (bytes.len() as u64, Box::new(std::io::Cursor::new(bytes))),
            Content::File { path, offset, length } => {
                let mut file = fs_err::File::open(path)?;
                file.seek(SeekFrom::Start(offset))?;
                (length, Box::new(file.take(length)))
            }
            Content::Endless(length) => (length, Box::new(std::io::repeat(b' '))),
        };
        let mut headers = self.headers;
        if !headers.iter().any(|(name, _)| name == "content-length") {
            headers.push(("content-length".to_owned(), length.to_string()));
        }
        let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("HTTP/1.1 {} -\r\n{lines}\r\n", self.status);
        stream.write_all(head.as_bytes())?;
        if !is_head {
            std::io::copy(&mut reader.by_ref().take(most), &mut stream)?;
        }
        Ok(most >= length)
    }
}
