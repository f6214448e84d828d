//! Pointers in data. In a shared library a pointer to its own data is a relocation; GPU code is found by following
//! such pointers, as the GPU run time does.

use std::collections::BTreeMap;

use object::elf as raw;
use object::read::elf::{FileHeader, Rela};
use object::{Endian, Endianness};

use super::super::ImageError;
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
