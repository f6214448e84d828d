//! Reading a library piece by piece. Files are read by position rather than mapped: a map of a file that somebody
//! truncates meanwhile kills the process, and a kernel's GPU payload must cost neither memory nor time.

use std::cell::Cell;
use std::io;
use std::ops::Range;

use super::ImageError;

/// Bytes that can be read by position, also by several threads at once.
pub trait Source: Sync {
    /// Number of bytes.
    fn size(&self) -> u64;

    /// Fills `buffer` from `offset` on; an error where the source ends before that.
    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// The first place at or after `offset` where other bytes than zeros may be; the end of the source where there is none.
    fn content(&self, offset: u64) -> u64 {
        offset
    }
}

impl Source for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        let bytes = start.and_then(|start| self.get(start..)?.get(..buffer.len()));
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// What may be kept in memory beyond the file's own size: enough for the tables of a very small file.
const ALLOWANCE: u64 = 64 * 1024;

/// Size of one piece when a range is walked through.
const PIECE: u64 = 256 * 1024;

/// The smallest number of bytes to read that is worth a thread.
pub(crate) const WORTH: u64 = 8 << 20;

/// Size of a page of memory, or a multiple of it.
const PAGE: u64 = 4096;

/// A part of a source (a whole file, or one architecture of a fat one) with a limit on what may be kept of it.
pub(crate) struct Reader<'s> {
    source: &'s dyn Source,
    part: Range<u64>,
    budget: Cell<u64>,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s dyn Source) -> Self {
        Self::of_part(source, 0..source.size())
    }

    /// Offsets count from the part's beginning. The caller has checked that the part lies in the source.
    pub(crate) fn of_part(source: &'s dyn Source, part: Range<u64>) -> Self {
        let budget = Cell::new((part.end - part.start).saturating_add(ALLOWANCE));
        Self { source, part, budget }
    }

    /// The same bytes for another thread, which may keep an eighth of their size. Both had the same budget otherwise, and which of
    /// them fails where it ends would be a matter of chance.
    pub(crate) fn for_thread(&self) -> Self {
        let budget = Cell::new(self.size() / 8 + ALLOWANCE);
        Self { source: self.source, part: self.part.clone(), budget }
    }

    pub(crate) fn size(&self) -> u64 {
        self.part.end - self.part.start
    }

    /// Takes `bytes` out of the memory budget, so that a file whose tables overlap cannot cost more than its size.
    pub(crate) fn spend(&self, bytes: u64) -> Result<(), ImageError> {
        let left = self.budget.get().checked_sub(bytes);
        self.budget
            .set(left.ok_or(ImageError::Malformed { what: "its tables are together larger than the file" })?);
        Ok(())
    }

    /// The bytes of a table.
    pub(crate) fn bytes(&self, what: &'static str, offset: u64, length: u64) -> Result<Vec<u8>, ImageError> {
        self.within(what, offset, length)?;
        self.spend(length)?;
        self.temporary(what, offset, length)
    }

    /// A short range that is not kept.
    pub(crate) fn temporary(
        &self,
        what: &'static str,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, ImageError> {
        self.within(what, offset, length)?;
        let mut buffer = vec![0; index(length)];
        self.source.read(self.part.start + offset, &mut buffer).map_err(ImageError::Read)?;
        Ok(buffer)
    }

    /// A fixed number of bytes, not kept.
    pub(crate) fn array<const N: usize>(
        &self,
        what: &'static str,
        offset: u64,
    ) -> Result<[u8; N], ImageError> {
        self.within(what, offset, N as u64)?;
        let mut buffer = [0; N];
        self.source.read(self.part.start + offset, &mut buffer).map_err(ImageError::Read)?;
        Ok(buffer)
    }

    /// The same bytes, read a page at a time: for short ranges that lie close together.
    pub(crate) fn by_pages(&self) -> Pages<'_, 's> {
        Pages { reader: self, page: 0..0, bytes: vec![0; index(PAGE)] }
    }

    /// Walks through a range in pieces that begin at multiples of `unit` bytes and share `overlap` bytes with the next.
    /// The callback gets the piece, its offset, and how many of its bytes are its own; it answers whether to go on.
    pub(crate) fn walk(
        &self,
        what: &'static str,
        range: Range<u64>,
        (unit, overlap): (u64, u64),
        mut each: impl FnMut(&[u8], u64, usize) -> Result<bool, ImageError>,
    ) -> Result<(), ImageError> {
        self.within(what, range.start, range.end.saturating_sub(range.start))?;
        let step = PIECE / unit * unit;
        let length = (step + overlap).min(range.end.saturating_sub(range.start));
        let mut buffer = vec![0; index(length + PAGE)];
        let mut at = range.start;
        while at < range.end {
            let own = step.min(range.end - at);
            let offset = self.part.start + at;
            // Where the bytes lie in a page of the file, they lie in one of the buffer: processors copy four times slower to
            // a place a few bytes farther into its page than the source.
            let begin = index(offset.wrapping_sub(buffer.as_ptr().addr() as u64) % PAGE);
            let piece = &mut buffer[begin..][..index((own + overlap).min(range.end - at))];
            self.source.read(offset, piece).map_err(ImageError::Read)?;
            if !each(piece, at, index(own))? {
                break;
            }
            at += own;
        }
        Ok(())
    }

    /// Whether a range is a hole of the file: it holds zeros, and nothing has to be read for that.
    pub(crate) fn is_hole(&self, range: &Range<u64>) -> bool {
        self.source.content(self.part.start.saturating_add(range.start))
            >= self.part.start.saturating_add(range.end)
    }

    /// Checks that a range lies in the file.
    pub(crate) fn within(&self, what: &'static str, offset: u64, length: u64) -> Result<(), ImageError> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size() => Ok(()),
            end => Err(ImageError::Truncated { what, needs: end.unwrap_or(u64::MAX), size: self.size() }),
        }
    }
}

/// Runs both, beside each other where there is enough to read that a thread pays.
pub(crate) fn beside<A, B: Send>(
    reader: &Reader<'_>,
    one: impl FnOnce() -> A,
    other: impl FnOnce(&Reader<'_>) -> B + Send,
) -> (A, B) {
    let beside = reader.for_thread();
    if reader.size() < WORTH {
        return (one(), other(&beside));
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(move || other(&beside));
        let one = one();
        (one, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// The page of the file that was read last.
pub(crate) struct Pages<'r, 's> {
    reader: &'r Reader<'s>,
    page: Range<u64>,
    bytes: Vec<u8>,
}

impl Pages<'_, '_> {
    /// Like [`Reader::array`].
    pub(crate) fn array<const N: usize>(
        &mut self,
        what: &'static str,
        offset: u64,
    ) -> Result<[u8; N], ImageError> {
        let end = offset.saturating_add(N as u64);
        if !(self.page.start <= offset && end <= self.page.end) {
            let start = offset / PAGE * PAGE;
            let page = start..start.saturating_add(PAGE).min(self.reader.size());
            if end > page.end {
                return self.reader.array(what, offset);
            }
            let bytes = &mut self.bytes[..index(page.end - page.start)];
            // Not known until all of it is there.
            self.page = 0..0;
            let place = self.reader.part.start + page.start;
            self.reader.source.read(place, bytes).map_err(ImageError::Read)?;
            self.page = page;
        }
        let at = index(offset - self.page.start);
        let mut array = [0; N];
        array.copy_from_slice(&self.bytes[at..at + N]);
        Ok(array)
    }
}

/// A length that was checked against the file; where it does not fit this machine, the read that follows fails.
pub(crate) fn index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
