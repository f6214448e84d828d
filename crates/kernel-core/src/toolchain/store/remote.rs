//! A file on a server, read in blocks where it is needed: the members of a large wheel without the rest of it.

use std::collections::VecDeque;
use std::io::{Error, Read, Result, Seek, SeekFrom};

use kernel_hub::http::{Client, Request};

use super::resolve::Wheel;

/// Bytes asked for at a time; a wheel's table of contents and its headers lie close together.
const BLOCK: u64 = 1 << 20;
/// Blocks kept: the end, the table of contents and where the reading is.
const KEPT: usize = 4;

/// A file on a server.
pub(super) struct RemoteFile<'a> {
    client: &'a Client,
    wheel: &'a Wheel,
    size: u64,
    position: u64,
    blocks: VecDeque<(u64, Vec<u8>)>,
}

impl<'a> RemoteFile<'a> {
    /// The file, if its server hands out parts.
    pub(super) fn open(client: &'a Client, wheel: &'a Wheel) -> Option<Self> {
        let request = Request::get(&wheel.address).token(wheel.token.as_ref());
        let answer = client.send(&request.header("range", "bytes=0-0").limit(1 << 16)).ok()?;
        let size = answer.headers.get("content-range")?.rsplit('/').next()?.parse::<u64>().ok()?;
        let usable = answer.status == 206 && answer.body.len() == 1;
        usable.then(|| Self { client, wheel, size, position: 0, blocks: VecDeque::new() })
    }

    /// Bytes it has.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    fn block(&mut self, number: u64) -> Result<&[u8]> {
        if let Some(at) = self.blocks.iter().position(|(known, _)| *known == number) {
            return Ok(&self.blocks[at].1);
        }
        let start = number * BLOCK;
        let end = (start + BLOCK).min(self.size);
        let request = Request::get(&self.wheel.address).token(self.wheel.token.as_ref());
        let request = request.header("range", format!("bytes={start}-{}", end - 1));
        let answer = self.client.send(&request).and_then(kernel_hub::http::Response::success);
        let body = answer.map_err(Error::other)?.body;
        if body.len() as u64 != end - start {
            return Err(Error::other(format!("the server sent {} bytes of {}", body.len(), end - start)));
        }
        if self.blocks.len() == KEPT {
            self.blocks.pop_front();
        }
        self.blocks.push_back((number, body));
        Ok(self.blocks.back().map_or(&[], |(_, body)| body))
    }
}

impl Read for RemoteFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.position >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let (number, within) = (self.position / BLOCK, (self.position % BLOCK) as usize);
        let rest = &self.block(number)?[within..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for RemoteFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let target = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = target.ok_or_else(|| Error::other("a place before the beginning"))?;
        Ok(self.position)
    }
}
