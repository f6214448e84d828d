//! Version needs and definitions, and the index by which symbols refer to them.

use object::elf as raw;
use object::{Endianness, pod::Pod};

use super::super::ImageError;
use super::super::facts::{Object, VersionAt, VersionNode};
use super::super::source::Reader;
use super::dynamic::{Dynamic, name};
use super::hash::classic_hash;
use super::{Segments, cast};

pub(super) fn read(
    reader: &Reader<'_>,
    segments: &Segments,
    dynamic: &Dynamic,
    endian: Endianness,
    object: &mut Object,
) -> Result<(), ImageError> {
    let mut table = Table { reader, endian, object };
    if let Some(address) = dynamic.get(raw::DT_VERNEED) {
        table.needs(segments.table(address)?.start, dynamic.get(raw::DT_VERNEEDNUM))?;
    }
    if let Some(address) = dynamic.get(raw::DT_VERDEF) {
        table.definitions(segments.table(address)?.start, dynamic.get(raw::DT_VERDEFNUM))?;
    }
    object.version_index.sort_by_key(|(index, _)| *index);
    Ok(())
}

/// What glibc's loader knows of, and it ends the process at anything else.
const FORM: u16 = 1;

/// The loader compares hashes before names: where they differ, no library has the version.
const FOREIGN: ImageError =
    ImageError::Malformed { what: "its version tables have another form, or hashes of other names" };

/// A chain and the number beside it differ: one of them hides something.
const COUNTS: ImageError =
    ImageError::Malformed { what: "its version tables are longer or shorter than they say" };

struct Table<'a, 's> {
    reader: &'a Reader<'s>,
    endian: Endianness,
    object: &'a mut Object,
}

impl Table<'_, '_> {
    /// One structure, paid for, so that a chain of many overlapping entries ends.
    fn entry<T: Pod>(&self, at: u64) -> Result<T, ImageError> {
        let bytes = self.reader.bytes("a version table", at, size_of::<T>() as u64)?;
        cast::<T>(&bytes).copied()
    }

    /// As the loader does: along the chains to their ends, whatever the counts say.
    fn needs(&mut self, start: u64, count: Option<u64>) -> Result<(), ImageError> {
        let (mut at, mut seen) = (start, 0);
        loop {
            seen += 1;
            let need: raw::Verneed<Endianness> = self.entry(at)?;
            let library = name(self.reader, &self.object.strings, need.vn_file.get(self.endian).into())?;
            let mut aux_at = at.saturating_add(need.vn_aux.get(self.endian).into());
            let mut versions = 0_u16;
            loop {
                versions = versions.saturating_add(1);
                let aux: raw::Vernaux<Endianness> = self.entry(aux_at)?;
                let version = name(self.reader, &self.object.strings, aux.vna_name.get(self.endian).into())?;
                if aux.vna_hash.get(self.endian) != classic_hash(version.as_bytes()) {
                    return Err(FOREIGN);
                }
                self.reader.spend(library.len() as u64)?;
                let node = VersionNode { library: Some(library.clone()), name: version };
                let index = VersionAt::Need(self.object.version_needs.len());
                self.object.version_needs.push(node);
                self.object.version_index.push((aux.vna_other.get(self.endian).0 & 0x7fff, index));
                match aux.vna_next.get(self.endian) {
                    0 => break,
                    next => aux_at = aux_at.saturating_add(next.into()),
                }
            }
            if versions != need.vn_cnt.get(self.endian) {
                return Err(COUNTS);
            }
            if need.vn_version.get(self.endian) != FORM {
                return Err(FOREIGN);
            }
            match need.vn_next.get(self.endian) {
                0 => break,
                next => at = at.saturating_add(next.into()),
            }
        }
        if count.is_some_and(|count| count != seen) { Err(COUNTS) } else { Ok(()) }
    }

    fn definitions(&mut self, start: u64, count: Option<u64>) -> Result<(), ImageError> {
        const BASE: u16 = 1;
        let (mut at, mut seen) = (start, 0);
        loop {
            seen += 1;
            let definition: raw::Verdef<Endianness> = self.entry(at)?;
            let aux_at = at.saturating_add(definition.vd_aux.get(self.endian).into());
            let aux: raw::Verdaux<Endianness> = self.entry(aux_at)?;
            let version = name(self.reader, &self.object.strings, aux.vda_name.get(self.endian).into())?;
            if definition.vd_version.get(self.endian) != FORM {
                return Err(FOREIGN);
            }
            // The base definition is the library's own name, not a version.
            if definition.vd_flags.get(self.endian).0 & BASE == 0 {
                if definition.vd_hash.get(self.endian) != classic_hash(version.as_bytes()) {
                    return Err(FOREIGN);
                }
                let index = VersionAt::Definition(self.object.version_definitions.len());
                self.object.version_definitions.push(VersionNode { library: None, name: version });
                self.object.version_index.push((definition.vd_ndx.get(self.endian).0 & 0x7fff, index));
            }
            match definition.vd_next.get(self.endian) {
                0 => break,
                next => at = at.saturating_add(next.into()),
            }
        }
        if count.is_some_and(|count| count != seen) { Err(COUNTS) } else { Ok(()) }
    }
}
