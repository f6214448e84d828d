//! CUDA fat binaries: a header, then entries of machine code (cubin) or intermediate code (PTX), each with its own
//! header. Layout as `fatbinary` of CUDA 12 and 13 writes it.

use std::ops::Range;

use super::super::ImageError;
use super::super::facts::{GpuCode, GpuKind};
use super::super::source::{Pages, Reader};

const MAGIC: u32 = 0xba55_ed50;
const PTX: u16 = 1;
const CUBIN: u16 = 2;
/// Header of an entry, up to and with its flags.
const ENTRY: usize = 48;

/// Reads the fat binary at a place.
pub(super) fn read(
    reader: &Reader<'_>,
    place: Option<Range<u64>>,
    found: &mut Vec<GpuCode>,
) -> Result<Option<Range<u64>>, ImageError> {
    let Some(place) = place else { return Ok(None) };
    if place.end - place.start < 16 {
        return Ok(None);
    }
    let header: [u8; 16] = reader.array("a CUDA fat binary", place.start)?;
    if u32::from_le_bytes([header[0], header[1], header[2], header[3]]) != MAGIC {
        return Ok(None);
    }
    let header_size = u64::from(u16::from_le_bytes([header[6], header[7]]));
    let length = header[8..].try_into().map_or(0, u64::from_le_bytes);
    let start = place.start.saturating_add(header_size);
    let end = start.saturating_add(length);
    reader.within("a CUDA fat binary", place.start, end - place.start)?;
    entries(reader, start..end, found)?;
    Ok(Some(place.start..end))
}

fn entries(reader: &Reader<'_>, range: Range<u64>, found: &mut Vec<GpuCode>) -> Result<(), ImageError> {
    let mut at = range.start;
    // The header of machine code mostly stands right behind that of its entry.
    let mut pages = reader.by_pages();
    while at + ENTRY as u64 <= range.end {
        let entry: [u8; ENTRY] = pages.array("a CUDA fat binary", at)?;
        let half = |at: usize| u16::from_le_bytes([entry[at], entry[at + 1]]);
        let word = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
        let size = u64::from(word(8)) | u64::from(word(12)) << 32;
        let number = word(28);
        let (kind, prefix) = match half(0) {
            CUBIN => (GpuKind::Cubin, "sm_"),
            PTX => (GpuKind::Ptx, "compute_"),
            _ => (GpuKind::Unknown, "sm_"),
        };
        let header = u64::from(word(4));
        if header < 32 {
            return Err(ImageError::Malformed { what: "an entry of a CUDA fat binary has no header" });
        }
        let code = at.saturating_add(header);
        if code.saturating_add(size) > range.end {
            return Err(ImageError::Malformed {
                what: "an entry of a CUDA fat binary reaches beyond its end",
            });
        }
        if kind == GpuKind::Cubin && chip(&mut pages, code, size)?.is_some_and(|chip| chip != number) {
            return Err(ImageError::Malformed { what: "CUDA code is for another chip than its entry says" });
        }
        let suffix = suffix(word(40));
        // Without bytes it is no code.
        if size != 0 {
            reader.spend(size_of::<GpuCode>() as u64)?;
            found.push(GpuCode { kind, architecture: format!("{prefix}{number}{suffix}"), size });
        }
        at = code.saturating_add(size);
    }
    Ok(())
}

/// The chip that machine code itself names, where it is not packed: in the flags of its ELF header, as ptxas of CUDA 12 and 13
/// writes them (`0x5a055a`, and from version 8 of the ABI on `0x6005a04`, are for 9.0).
fn chip(pages: &mut Pages<'_, '_>, at: u64, size: u64) -> Result<Option<u32>, ImageError> {
    const HEADER: usize = 64;
    const CUDA: [u8; 2] = [190, 0];
    if size < HEADER as u64 {
        return Ok(None);
    }
    let header: [u8; HEADER] = pages.array("CUDA code", at)?;
    if !header.starts_with(b"\x7fELF\x02\x01") || header[18..20] != CUDA {
        return Ok(None);
    }
    let [low, middle, ..] = [header[48], header[49], header[50], header[51]];
    Ok(match header[8] {
        7 => Some(low.into()),
        8 => Some(middle.into()),
        _ => None,
    })
}

/// Code for one chip alone (`a`) or for one family (`f`) is marked in the entry's flags.
fn suffix(flags: u32) -> &'static str {
    const CHIP: u32 = 1 << 20;
    const FAMILY: u32 = 1 << 21;
    match (flags & CHIP != 0, flags & FAMILY != 0) {
        (true, _) => "a",
        (false, true) => "f",
        (false, false) => "",
    }
}
