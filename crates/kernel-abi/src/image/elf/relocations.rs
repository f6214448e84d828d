//! Pointers in data. In a shared library a pointer to its own data is a relocation; GPU code is found by following
//! such pointers, as the GPU run time does.

use std::collections::BTreeMap;
use std::ops::Range;

use object::elf as raw;
use object::read::elf::{FileHeader, Rel, Rela};
use object::{Endian, Endianness};

use super::super::ImageError;
use super::super::facts::Machine;
use super::super::source::Reader;
use super::dynamic::Dynamic;
use super::{Segments, cast_all};

/// Reads a piece of the table and calls back with address and addend.
type ReadPiece = fn(&[u8], Endianness, &mut dyn FnMut(u64, u64));

/// The table of relocations with addends.
pub(crate) struct Relocations {
    table: Option<(u64, u64)>,
    entry: u64,
    pub(crate) endian: Endianness,
    /// Size of a pointer in bytes.
    pub(crate) pointer: usize,
    read: ReadPiece,
}

impl Relocations {
    pub(super) fn new<E: FileHeader<Endian = Endianness>>(
        dynamic: &Dynamic,
        segments: &Segments,
        endian: Endianness,
    ) -> Self {
        let place = dynamic.get(raw::DT_RELA).and_then(|address| segments.at(address));
        let length = dynamic.get(raw::DT_RELASZ).unwrap_or(0);
        let entry = size_of::<E::Rela>() as u64;
        Self {
            table: place.map(|place| (place.start, place.start.saturating_add(length / entry * entry))),
            entry,
            endian,
            pointer: size_of::<E::Word>(),
            read: read::<E>,
        }
    }

    /// Calls back with address and addend of every relocation with an addend.
    pub(crate) fn each(&self, reader: &Reader<'_>, mut call: impl FnMut(u64, u64)) -> Result<(), ImageError> {
        let Some((start, end)) = self.table else { return Ok(()) };
        reader.walk("the table of relocations", start..end, (self.entry, 0), |piece, _, _| {
            (self.read)(piece, self.endian, &mut call);
            Ok(true)
        })
    }

    /// Replaces the addresses in `wanted` by what the pointers there will hold. Where no relocation with an addend
    /// names an address, the pointer's value stands in place.
    pub(crate) fn resolve(
        &self,
        reader: &Reader<'_>,
        segments: &Segments,
        wanted: &[u64],
    ) -> Result<BTreeMap<u64, u64>, ImageError> {
        let mut pointers = BTreeMap::new();
        for &address in wanted {
            let Some(place) = segments.at(address) else { continue };
            let value = if self.pointer == 8 {
                self.endian.read_u64(reader.array("a pointer", place.start)?)
            } else {
                self.endian.read_u32(reader.array("a pointer", place.start)?).into()
            };
            pointers.insert(address, value);
        }
        if !pointers.is_empty() {
            self.each(reader, |address, addend| {
                if let Some(value) = pointers.get_mut(&address) {
                    *value = addend;
                }
            })?;
        }
        Ok(pointers)
    }
}

/// Looks at every relocation once. Answers the highest symbol that any of them names: the table of symbols reaches at least
/// so far, for the loader looks each of them up. Fails where a table was emptied, or one writes where nothing can be written.
pub(super) fn survey<E: FileHeader<Endian = Endianness>>(
    reader: &Reader<'_>,
    segments: &Segments,
    dynamic: &Dynamic,
    (machine, endian): (Machine, Endianness),
) -> Result<u64, ImageError> {
    let with_addends = dynamic.get(raw::DT_PLTREL) == Some(raw::DT_RELA.0.cast_unsigned());
    let tables = [
        (raw::DT_RELA, raw::DT_RELASZ, Some(raw::DT_RELACOUNT), true),
        (raw::DT_REL, raw::DT_RELSZ, Some(raw::DT_RELCOUNT), false),
        (raw::DT_JMPREL, raw::DT_PLTRELSZ, None, with_addends),
    ];
    let check = Check { relative: relative(machine), targets: segments.targets(dynamic.writes_anywhere()) };
    let mut highest = 0;
    for (table, size, count, with_addends) in tables {
        let (Some(address), Some(length @ 1..)) = (dynamic.get(table), dynamic.get(size)) else { continue };
        let start = segments.table(address)?.start;
        let entry = if with_addends { size_of::<E::Rela>() } else { size_of::<E::Rel>() } as u64;
        let range = start..start.saturating_add(length / entry * entry);
        let mut is_empty = true;
        let mut relative = count.and_then(|count| dynamic.get(count)).unwrap_or(0);
        reader.walk("the table of relocations", range, (entry, 0), |piece, _, _| {
            is_empty &= piece.iter().all(|byte| *byte == 0);
            let mut each = |(symbol, kind, address): (u32, u32, u64)| {
                highest = highest.max(symbol.into());
                let must_be = relative != 0;
                relative = relative.saturating_sub(1);
                check.allows(kind, must_be, address)
            };
            let is_good = if with_addends {
                let entry = |entry: &E::Rela| {
                    let kind = entry.r_type(endian, false).0;
                    (entry.r_sym(endian, false), kind, entry.r_offset(endian).into())
                };
                cast_all::<E::Rela>(piece).iter().map(entry).all(&mut each)
            } else {
                let entry = |entry: &E::Rel| {
                    (entry.r_sym(endian), entry.r_type(endian).0, entry.r_offset(endian).into())
                };
                cast_all::<E::Rel>(piece).iter().map(entry).all(&mut each)
            };
            is_good.then_some(true).ok_or(ImageError::Malformed {
                what: "its relocations are of another kind than it says, or write where nothing can be written",
            })
        })?;
        if is_empty {
            return Err(ImageError::Malformed { what: "one of its tables of relocations was emptied" });
        }
    }
    if let (Some(address), Some(1..)) = (dynamic.get(raw::DT_RELR), dynamic.get(raw::DT_RELRSZ)) {
        // The packed form begins with an address.
        let first: [u8; 4] = reader.array("the packed relocations", segments.table(address)?.start)?;
        let rest: [u8; 4] = match size_of::<E::Word>() {
            8 => reader.array("the packed relocations", segments.table(address)?.start + 4)?,
            _ => [0; 4],
        };
        if first == [0; 4] && rest == [0; 4] {
            return Err(ImageError::Malformed { what: "one of its tables of relocations was emptied" });
        }
    }
    Ok(highest)
}

/// What every relocation has to satisfy.
struct Check {
    /// The processor's number of relocations that add the library's own address; not known of every processor.
    relative: Option<u32>,
    targets: Vec<Range<u64>>,
}

impl Check {
    /// The loader adds the library's address to the first ones without looking at their kind.
    fn allows(&self, kind: u32, is_relative: bool, address: u64) -> bool {
        let Some(relative) = self.relative else { return true };
        let is_right = !is_relative || kind == relative;
        is_right && (kind == 0 || self.targets.iter().any(|target| target.contains(&address)))
    }
}

fn relative(machine: Machine) -> Option<u32> {
    let kind = match machine {
        Machine::Aarch64 => raw::R_AARCH64_RELATIVE,
        Machine::I686 => raw::R_386_RELATIVE,
        Machine::X86_64 => raw::R_X86_64_RELATIVE,
        _ => return None,
    };
    Some(kind.0)
}

fn read<E: FileHeader<Endian = Endianness>>(
    piece: &[u8],
    endian: Endianness,
    call: &mut dyn FnMut(u64, u64),
) {
    for entry in cast_all::<E::Rela>(piece) {
        let addend: i64 = entry.r_addend(endian).into();
        call(entry.r_offset(endian).into(), addend.cast_unsigned());
    }
}
