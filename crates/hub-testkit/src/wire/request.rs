//! Reading a request: its head at once, its body as it is wanted.

use std::io::{BufRead, BufReader, Error, Read};
use std::net::TcpStream;

use super::{Continuing, discard};

/// Most bytes of a head.
const HEAD: usize = 64 << 10;

/// What is read of a body nobody wanted, so that the client can read the answer.
const UNWANTED: u64 = 64 << 20;

/// A request whose body is still to be read.
pub struct Request<'a> {
    /// `GET` and the like.
    pub method: String,
    /// The path, still encoded.
    pub path: String,
    /// The query, still encoded; empty where there is none.
    pub query: String,
    headers: Vec<(String, String)>,
    /// The body.
    pub body: &'a mut dyn Read,
}

impl<'a> Request<'a> {
    pub(super) fn new(head: Head, body: &'a mut dyn Read) -> Self {
        let (path, query) = head.target.split_once('?').unwrap_or((&head.target, ""));
        Self {
            method: head.method,
            path: path.to_owned(),
            query: query.to_owned(),
            headers: head.headers,
            body,
        }
    }

    /// A header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// The whole body.
    pub fn read_body(&mut self) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.body.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

pub(super) struct Head {
    pub(super) method: String,
    target: String,
    headers: Vec<(String, String)>,
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The head of the next request; none where the client has ended.
pub(super) fn read_head(reader: &mut BufReader<&TcpStream>) -> std::io::Result<Option<Head>> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        if reader.by_ref().take(HEAD as u64).read_until(b'\n', &mut bytes)? == 0 {
            return if bytes.is_empty() { Ok(None) } else { Err(cut_off()) };
        }
        if bytes.len() > HEAD {
            return Err(Error::other("a head without end"));
        }
    }
    let mut storage = [httparse::EMPTY_HEADER; 100];
    let mut parsed = httparse::Request::new(&mut storage);
    if parsed.parse(&bytes).map_err(Error::other)?.is_partial() {
        return Err(cut_off());
    }
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    Ok(Some(Head {
        method: parsed.method.unwrap_or_default().to_owned(),
        target: parsed.path.unwrap_or_default().to_owned(),
        headers: parsed
            .headers
            .iter()
            .map(|header| (header.name.to_ascii_lowercase(), text(header.value)))
            .collect(),
    }))
}

fn cut_off() -> Error {
    Error::new(std::io::ErrorKind::UnexpectedEof, "the head of the request was cut off")
}

impl Head {
    pub(super) fn expects_continue(&self) -> bool {
        find(&self.headers, "expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    }

    pub(super) fn keeps_alive(&self) -> bool {
        !find(&self.headers, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }

    pub(super) fn body<'a>(&self, reader: &'a mut dyn BufRead, continuing: Continuing<'a>) -> Body<'a> {
        let chunked = find(&self.headers, "transfer-encoding").is_some_and(|value| value.contains("chunked"));
        let length = find(&self.headers, "content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
        Body { reader, continuing, left: if chunked { 0 } else { length }, chunked }
    }
}

/// The body of a request, of a known length or in chunks.
pub(super) struct Body<'a> {
    reader: &'a mut dyn BufRead,
    continuing: Continuing<'a>,
    /// Bytes left, of the chunk or of the whole.
    left: u64,
    /// Whether another chunk follows.
    chunked: bool,
}

impl Body<'_> {
    /// Reads what the handler has left; whether the end was reached, so that another request can follow.
    pub(super) fn drain(&mut self) -> std::io::Result<bool> {
        if self.continuing.waits() {
            return Ok(self.left == 0 && !self.chunked);
        }
        discard(self, UNWANTED)
    }

    fn next_chunk(&mut self) -> std::io::Result<()> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            // The end of the chunk before.
            line.clear();
            self.reader.read_line(&mut line)?;
        }
        let digits = line.trim().split(';').next().unwrap_or_default();
        self.left = u64::from_str_radix(digits, 16).map_err(Error::other)?;
        if self.left == 0 {
            self.chunked = false;
            self.reader.read_line(&mut line)?;
        }
        Ok(())
    }
}

impl Read for Body<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left > 0 || self.chunked {
            self.continuing.go_on()?;
        }
        if self.left == 0 && self.chunked {
            self.next_chunk()?;
        }
        let mut reader = &mut *self.reader;
        let count = (&mut reader).take(self.left).read(buffer)?;
        if count == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(Error::from(std::io::ErrorKind::UnexpectedEof));
        }
        self.left -= count as u64;
        Ok(count)
    }
}
