//! HIP offload bundles, as clang writes them: a list of targets with the place of each one's code object. A compressed
//! one is unpacked as far as its list goes.

use std::io::Read as _;
use std::ops::Range;

use flate2::read::ZlibDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::super::ImageError;
use super::super::facts::{GpuCode, GpuKind};
use super::super::source::{Reader, index};

const PLAIN: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
const PACKED: &[u8; 4] = b"CCOB";
/// No real bundle names more targets, and no target has a longer name.
const MOST: u64 = 4096;

/// What stands for the targets of a compressed bundle that is not unpacked.
pub const COMPRESSED: &str = "compressed";

/// The most bytes that a block of Zstandard holds, packed or not (RFC 8878, 3.1.1.2.4): more than any list of targets.
const BLOCK: u64 = 128 * 1024;
/// How much is unpacked of one library, so that a small file cannot cost much time.
pub(super) const UNPACKED: u64 = 512 * BLOCK;

/// Reads the bundle at a place; `left` is how much may still be unpacked.
pub(super) fn read(
    reader: &Reader<'_>,
    place: Option<Range<u64>>,
    left: &mut u64,
    found: &mut Vec<GpuCode>,
) -> Result<Option<Range<u64>>, ImageError> {
    let Some(place) = place else { return Ok(None) };
    if place.end - place.start < 32 {
        return Ok(None);
    }
    if reader.array("a HIP bundle", place.start)? == *PACKED {
        return packed(reader, place, left, found).map(Some);
    }
    let Some(end) = list(reader, place.start, found)? else { return Ok(None) };
    reader.within("a HIP bundle", place.start, end - place.start)?;
    Ok(Some(place.start..end))
}

/// Adds what the list of a plain bundle names, and returns where the last code object should end.
fn list(reader: &Reader<'_>, start: u64, found: &mut Vec<GpuCode>) -> Result<Option<u64>, ImageError> {
    let magic = reader.array("a HIP bundle", start)?;
    let count = u64::from_le_bytes(reader.array("a HIP bundle", start + 24)?);
    if magic != *PLAIN || count > MOST {
        return Ok(None);
    }
    let (mut at, mut end) = (start + 32, start + 32);
    for _ in 0..count {
        let number = |offset| reader.array("a HIP bundle", at + offset).map(u64::from_le_bytes);
        let (offset, size, length) = (number(0)?, number(8)?, number(16)?);
        if length > MOST {
            return Err(ImageError::Malformed { what: "the name of a HIP target has no end" });
        }
        let name = reader.bytes("a HIP bundle", at + 24, length)?;
        at = at + 24 + length;
        end = end.max(at).max(start.saturating_add(offset).saturating_add(size));
        // Without bytes it is no code.
        if let Some(architecture) = target(&String::from_utf8_lossy(&name)).filter(|_| size != 0) {
            reader.spend(size_of::<GpuCode>() as u64)?;
            found.push(GpuCode { kind: GpuKind::Hip, architecture, size });
        }
    }
    Ok(Some(end))
}

/// A compressed bundle: magic, version, method, sizes and a checksum, then the bundle as one stream (clang's
/// `OffloadBundle.cpp`).
fn packed(
    reader: &Reader<'_>,
    place: Range<u64>,
    left: &mut u64,
    found: &mut Vec<GpuCode>,
) -> Result<Range<u64>, ImageError> {
    let head: [u8; 32] = reader.array("a HIP bundle", place.start)?;
    let [version, method] = [4, 6].map(|at| u16::from_le_bytes([head[at], head[at + 1]]));
    // Version 2 has the whole size in 32 bits, version 3 in 64; before that it is not written down.
    let (size, header) = match version {
        1 => (place.end - place.start, 20),
        2 => (u32::from_le_bytes([head[8], head[9], head[10], head[11]]).into(), 24),
        3 => (
            u64::from_le_bytes([
                head[8], head[9], head[10], head[11], head[12], head[13], head[14], head[15],
            ]),
            32,
        ),
        _ => (place.end - place.start, 32),
    };
    let end = place.start.saturating_add(size).min(place.end);
    let stream = place.start + header;
    // What a version or method to come holds stays unknown.
    let unpacked = match method {
        _ if !(1..=3).contains(&version) || *left < BLOCK => None,
        0 => Some(inflated(reader, stream..end)?),
        1 => Some(first_block(reader, stream..end)?),
        _ => None,
    };
    let before = found.len();
    if let Some(bytes) = unpacked {
        *left -= BLOCK;
        list(&Reader::new(&bytes.as_slice()), 0, found).ok().flatten().ok_or(BROKEN)?;
        reader.spend(((found.len() - before) * size_of::<GpuCode>()) as u64)?;
    }
    if found.len() == before {
        let architecture = COMPRESSED.to_owned();
        found.push(GpuCode { kind: GpuKind::Hip, architecture, size: end - place.start });
    }
    Ok(place.start..end)
}

const BROKEN: ImageError = ImageError::Malformed { what: "a compressed HIP bundle cannot be unpacked" };

/// The packed bytes of a range, as many as a block can have.
fn stream(reader: &Reader<'_>, range: Range<u64>) -> Result<Vec<u8>, ImageError> {
    let length = range.end.saturating_sub(range.start).min(BLOCK + 32);
    reader.temporary("a HIP bundle", range.start, length)
}

fn inflated(reader: &Reader<'_>, range: Range<u64>) -> Result<Vec<u8>, ImageError> {
    let packed = stream(reader, range)?;
    let mut bytes = Vec::new();
    let mut decoder = ZlibDecoder::new(packed.as_slice()).take(BLOCK);
    // What the cut stream gives before its end counts; a damaged one gives too little for a list.
    let _ = decoder.read_to_end(&mut bytes);
    Ok(bytes)
}

/// Unpacks the first block of a frame of Zstandard. The frame may want a window of many megabytes; a block alone, made
/// a frame of its own, needs no more than its own size.
fn first_block(reader: &Reader<'_>, range: Range<u64>) -> Result<Vec<u8>, ImageError> {
    /// Begin of a frame that has a window of 128 KiB, and no sizes and checksums.
    const FRAME: [u8; 6] = [0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3];
    /// Kind of a block that is one byte, repeated.
    const REPEATED: u32 = 1;
    let packed = stream(reader, range)?;
    let Some((magic, [flags, rest @ ..])) = packed.split_at_checked(4) else { return Err(BROKEN) };
    if magic != &FRAME[..4] {
        return Err(BROKEN);
    }
    let single = flags >> 5 & 1;
    let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
    let content = [usize::from(single), 2, 4, 8][usize::from(flags >> 6)];
    let fields = usize::from(1 - single) + dictionary + content;
    let Some([one, two, three, block @ ..]) = rest.get(fields..) else { return Err(BROKEN) };
    let header = u32::from_le_bytes([*one, *two, *three, 0]);
    let length = if header >> 1 & 3 == REPEATED { 1 } else { index((header >> 3).into()) };
    let block = block.get(..length).ok_or(BROKEN)?;
    let last = (header | 1).to_le_bytes();
    let frame: Vec<u8> = [&FRAME, &last[..3], block].concat();
    let mut bytes = Vec::new();
    let decoder = StreamingDecoder::new(frame.as_slice()).map_err(|_| BROKEN)?;
    decoder.take(BLOCK).read_to_end(&mut bytes).map_err(|_| BROKEN)?;
    Ok(bytes)
}

/// `gfx90a` of `hipv4-amdgcn-amd-amdhsa--gfx90a`; nothing for the host's entry.
fn target(triple: &str) -> Option<String> {
    let (_, architecture) = triple.split_once("--")?;
    let device = triple.starts_with("hip") && !architecture.is_empty();
    device.then(|| architecture.to_owned())
}
