//! HIP offload bundles, as clang writes them: a list of targets with the place of each one's code object.

use std::ops::Range;

use super::super::ImageError;
use super::super::facts::{GpuCode, GpuKind};
use super::super::source::Reader;

const PLAIN: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
const PACKED: &[u8; 4] = b"CCOB";
/// No real bundle names more targets, and no target has a longer name.
const MOST: u64 = 4096;

/// What stands for the targets of a compressed bundle, whose list is compressed too.
pub const COMPRESSED: &str = "compressed";

/// Reads the bundle at a place.
pub(super) fn read(
    reader: &Reader<'_>,
    place: Option<Range<u64>>,
    found: &mut Vec<GpuCode>,
) -> Result<Option<Range<u64>>, ImageError> {
    let Some(place) = place else { return Ok(None) };
    if place.end - place.start < 32 {
        return Ok(None);
    }
    let head: [u8; 32] = reader.array("a HIP bundle", place.start)?;
    if head.starts_with(PACKED) {
        // Version 2 has the whole size in 32 bits, version 3 in 64; before that it is not written down.
        let size = match u16::from_le_bytes([head[4], head[5]]) {
            2 => u32::from_le_bytes([head[8], head[9], head[10], head[11]]).into(),
            3 => head[8..16].try_into().map_or(0, u64::from_le_bytes),
            _ => place.end - place.start,
        };
        let end = place.start.saturating_add(size).min(place.end);
        found.push(GpuCode {
            kind: GpuKind::Hip,
            architecture: COMPRESSED.to_owned(),
            size: end - place.start,
        });
        return Ok(Some(place.start..end));
    }
    let count = head[24..].try_into().map_or(0, u64::from_le_bytes);
    if !head.starts_with(PLAIN) || count > MOST {
        return Ok(None);
    }
    let (mut at, mut end) = (place.start + 32, place.start + 32);
    for _ in 0..count {
        let entry: [u8; 24] = reader.array("a HIP bundle", at)?;
        let number = |at: usize| entry[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        let (offset, size, length) = (number(0), number(8), number(16));
        if length > MOST {
            return Err(ImageError::Malformed { what: "the name of a HIP target has no end" });
        }
        let name = reader.bytes("a HIP bundle", at + 24, length)?;
        at = at + 24 + length;
        end = end.max(at).max(place.start.saturating_add(offset).saturating_add(size));
        if let Some(architecture) = target(&String::from_utf8_lossy(&name)) {
            reader.spend(size_of::<GpuCode>() as u64)?;
            found.push(GpuCode { kind: GpuKind::Hip, architecture, size });
        }
    }
    reader.within("a HIP bundle", place.start, end - place.start)?;
    Ok(Some(place.start..end))
}

/// `gfx90a` of `hipv4-amdgcn-amd-amdhsa--gfx90a`; nothing for the host's entry.
fn target(triple: &str) -> Option<String> {
    let (_, architecture) = triple.split_once("--")?;
    let device = triple.starts_with("hip") && !architecture.is_empty();
    device.then(|| architecture.to_owned())
}
