//! Notes: the linker's build id, the needed instruction set, and our provenance.

use object::elf as raw;
use object::{Endianness, U32};

use super::super::ImageError;
use super::super::facts::{Machine, Object, System};
use super::super::provenance::{self, Provenance};
use super::super::source::Reader;
use super::{Segments, cast_all};

const GNU_SYSTEM: u32 = 1;
const GNU_BUILD_ID: u32 = 3;
const GNU_PROPERTIES: u32 = 5;

pub(super) fn read(
    reader: &Reader<'_>,
    segments: &Segments,
    endian: Endianness,
    object: &mut Object,
) -> Result<(), ImageError> {
    for part in &segments.notes {
        let range = segments.note(part);
        let bytes = reader.bytes("a note segment", range.start, range.end - range.start)?;
        let align = if part.align == 8 { 8 } else { 4 };
        let mut at = 0;
        while let Some((note, next)) = note(&bytes, at, align, endian) {
            let offset = range.start + note.descriptor_at as u64;
            take(&note, offset, endian, object);
            at = next;
        }
    }
    // The same note may be reachable through two program headers.
    object.provenance.sort_by_key(|note| note.offset);
    object.provenance.dedup();
    Ok(())
}

struct Note<'b> {
    owner: &'b [u8],
    kind: u32,
    descriptor: &'b [u8],
    descriptor_at: usize,
}

/// The note at a place and where the next one begins; nothing where no whole note is left.
fn note(bytes: &[u8], at: usize, align: usize, endian: Endianness) -> Option<(Note<'_>, usize)> {
    let words = cast_all::<U32<Endianness>>(bytes.get(at..)?.get(..12)?);
    let [owner, descriptor, kind] = [0, 1, 2].map(|word: usize| words[word].get(endian));
    let owner_at = at + 12;
    let descriptor_at = owner_at.checked_add(owner as usize)?.checked_next_multiple_of(align)?;
    let end = descriptor_at.checked_add(descriptor as usize)?;
    let owner = bytes.get(owner_at..owner_at.checked_add(owner as usize)?)?;
    let owner = owner.strip_suffix(b"\0").unwrap_or(owner);
    let descriptor = bytes.get(descriptor_at..end)?;
    let next = end.checked_next_multiple_of(align)?;
    Some((Note { owner, kind, descriptor, descriptor_at }, next))
}

fn take(note: &Note<'_>, offset: u64, endian: Endianness, object: &mut Object) {
    match (note.owner, note.kind) {
        (b"GNU", GNU_BUILD_ID) if object.build_id.is_none() && note.descriptor.len() <= 64 => {
            object.build_id = Some(note.descriptor.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        (b"GNU", GNU_SYSTEM) if object.system.is_none() => {
            if let [system, kernel @ ..] = cast_all::<U32<Endianness>>(note.descriptor)
                && let [major, minor, patch] = kernel
            {
                let kernel = [major, minor, patch].map(|number| number.get(endian));
                object.system = Some(System { is_linux: system.get(endian) == 0, kernel });
            }
        }
        (b"GNU", GNU_PROPERTIES) if object.machine == Machine::X86_64 => {
            object.isa_level = object.isa_level.max(isa_level(note.descriptor, endian));
        }
        (provenance::OWNER, provenance::TYPE) => {
            object.provenance.extend(Provenance::read(note.descriptor, offset));
        }
        _ => {}
    }
}

/// The highest instruction set level among the properties of a note.
fn isa_level(mut properties: &[u8], endian: Endianness) -> u8 {
    let mut level = 1;
    while let [kind, length, ..] = cast_all::<U32<Endianness>>(properties) {
        let end = 8_usize.saturating_add(length.get(endian) as usize);
        let Some(data) = properties.get(8..end) else { break };
        if kind.get(endian) == raw::GNU_PROPERTY_X86_ISA_1_NEEDED.0 {
            let bits = cast_all::<U32<Endianness>>(data).first().map_or(0, |bits| bits.get(endian));
            // Bits 0 to 3 are the levels 1 (baseline) to 4.
            let highest = (1..4).rev().find(|bit| bits & (1 << bit) != 0).unwrap_or(0);
            level = level.max(highest + 1);
        }
        properties = properties.get(end.next_multiple_of(8)..).unwrap_or_default();
    }
    level
}
