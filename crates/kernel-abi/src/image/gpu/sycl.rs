//! SYCL images: an array of records in writable data, each with pointers to the name of its target and to its code.

use std::ops::Range;

use super::super::ImageError;
use super::super::facts::{GpuCode, GpuKind};
use super::super::source::Reader;

/// Offsets of the pointers that are followed: name of the target, then begin and end of the code, which stand two
/// pointers earlier since version 3 of the record.
pub(super) const POINTERS: &[u64] = &[8, 32, 40, 48, 56];

/// Whether a word can begin a record: version, kind (4 is SYCL) and format.
pub(super) fn is_record(word: u32) -> bool {
    let [version, zero, kind, format] = word.to_le_bytes();
    matches!((version, zero, kind, format), (1..=3, 0, 4, 0..=4))
}

/// Reads the image that a record at an address describes; `None` where it was no record after all.
pub(super) fn read(
    reader: &Reader<'_>,
    (at, version): (u64, u16),
    place: &dyn Fn(&u64) -> Option<Range<u64>>,
    found: &mut Vec<GpuCode>,
) -> Result<Option<Range<u64>>, ImageError> {
    let begins = if version >= 3 { 32 } else { 48 };
    let [name, begin, end] = [8, begins, begins + 8].map(|offset| place(&at.wrapping_add(offset)));
    let (Some(name), Some(begin), Some(end)) = (name, begin, end) else { return Ok(None) };
    let name = target(reader, name)?;
    let (Some(architecture), true) = (name, begin.start < end.start) else { return Ok(None) };
    let size = end.start - begin.start;
    reader.spend(size_of::<GpuCode>() as u64)?;
    found.push(GpuCode { kind: GpuKind::Sycl, architecture, size });
    Ok(Some(begin.start..end.start))
}

/// The name of a target at a place: `spir64`, `spir64_gen`, `nvptx64`, `amdgcn`.
fn target(reader: &Reader<'_>, place: Range<u64>) -> Result<Option<String>, ImageError> {
    if place.end - place.start < 16 {
        return Ok(None);
    }
    let bytes: [u8; 16] = reader.array("a SYCL target", place.start)?;
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let known = ["spir", "nvptx", "amdgcn", "amd_gpu", "intel_gpu", "native_cpu"];
    let named = known.iter().any(|prefix| text.starts_with(prefix.as_bytes()));
    Ok(named.then(|| String::from_utf8_lossy(text).into_owned()))
}
