//! Program headers: what is loaded where, and the way from an address to a place in the file.

use std::ops::Range;

use object::Endianness;
use object::elf as raw;
use object::read::elf::{FileHeader, ProgramHeader};

use super::super::ImageError;
use super::super::source::Reader;
use super::cast_all;

/// A loaded segment, as far as the file backs it.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) address: u64,
    pub(crate) file: Range<u64>,
    pub(crate) writable: bool,
    pub(crate) executable: bool,
}

/// The program headers.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    pub(crate) loads: Vec<Load>,
    pub(crate) dynamic: Option<Range<u64>>,
    pub(crate) notes: Vec<(Range<u64>, u64)>,
    pub(crate) stack_flags: Option<u32>,
    pub(crate) relro: bool,
    pub(crate) interpreter: bool,
}

impl Segments {
    pub(super) fn read<E: FileHeader<Endian = Endianness>>(
        reader: &Reader<'_>,
        header: &E,
        endian: Endianness,
    ) -> Result<Self, ImageError> {
        let count = u64::from(header.e_phnum(endian));
        if count != 0 && usize::from(header.e_phentsize(endian)) != size_of::<E::ProgramHeader>() {
            return Err(ImageError::Malformed { what: "its program headers have an unknown size" });
        }
        let length = count * size_of::<E::ProgramHeader>() as u64;
        let bytes = reader.bytes("the table of program headers", header.e_phoff(endian).into(), length)?;
        let mut segments = Self::default();
        for entry in cast_all::<E::ProgramHeader>(&bytes) {
            segments.add(reader, entry, endian)?;
        }
        Ok(segments)
    }

    fn add<P: ProgramHeader<Endian = Endianness>>(
        &mut self,
        reader: &Reader<'_>,
        entry: &P,
        endian: Endianness,
    ) -> Result<(), ImageError> {
        let (offset, length) = entry.file_range(endian);
        let file = offset..offset.saturating_add(length);
        match entry.p_type(endian) {
            raw::PT_LOAD => {
                reader.within("a loaded segment", offset, length)?;
                let is = |flag: raw::ProgramFlags| entry.p_flags(endian).0 & flag.0 != 0;
                let (writable, executable) = (is(raw::PF_W), is(raw::PF_X));
                self.loads.push(Load { address: entry.p_vaddr(endian).into(), file, writable, executable });
            }
            raw::PT_DYNAMIC => {
                reader.within("the dynamic segment", offset, length)?;
                self.dynamic = Some(file);
            }
            raw::PT_NOTE => {
                reader.within("a note segment", offset, length)?;
                self.notes.push((file, entry.p_align(endian).into()));
            }
            raw::PT_GNU_STACK => self.stack_flags = Some(entry.p_flags(endian).0),
            raw::PT_GNU_RELRO => self.relro = true,
            raw::PT_INTERP => self.interpreter = true,
            _ => {}
        }
        Ok(())
    }

    /// The place in the file of an address, and how many bytes follow it there.
    pub(crate) fn at(&self, address: u64) -> Option<Range<u64>> {
        self.loads.iter().find_map(|load| {
            let within = address.checked_sub(load.address)?;
            let start = load.file.start.checked_add(within)?;
            (start < load.file.end).then_some(start..load.file.end)
        })
    }

    /// Like [`Segments::at`], for an address that must be in the file.
    pub(super) fn table(&self, address: u64) -> Result<Range<u64>, ImageError> {
        self.at(address)
            .ok_or(ImageError::Malformed { what: "a dynamic table lies outside the loaded segments" })
    }

    /// Ranges of the file that hold read-only data. A segment of code does only where the linker put everything into one
    /// (`-z noseparate-code`, `--no-rosegment`), and then the file's own header is in it too.
    pub(crate) fn read_only(&self) -> impl Iterator<Item = Range<u64>> {
        let holds_data = |load: &&Load| !load.writable && (!load.executable || load.file.start == 0);
        self.loads.iter().filter(holds_data).map(|load| load.file.clone())
    }

    /// Segments that are loaded writable.
    pub(crate) fn writable(&self) -> impl Iterator<Item = &Load> {
        self.loads.iter().filter(|load| load.writable)
    }
}
