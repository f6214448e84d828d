//! The dynamic segment: the loader's own table of contents.

use std::ops::Range;

use object::Endianness;
use object::elf as raw;
use object::read::elf::{Dyn, FileHeader};

use super::super::ImageError;
use super::super::facts::{Object, Request, SearchPath, text_at};
use super::super::source::Reader;
use super::{Segments, cast_all};

/// Its entries up to the end mark.
#[derive(Debug, Default)]
pub(crate) struct Dynamic {
    entries: Vec<(i64, u64)>,
}

/// The longest name that counts as one; longer ones are damage.
const LONGEST: usize = 4096;

impl Dynamic {
    pub(super) fn read<E: FileHeader<Endian = Endianness>>(
        reader: &Reader<'_>,
        segments: &Segments,
        endian: Endianness,
    ) -> Result<Self, ImageError> {
        let Some(range) = segments.dynamic()? else { return Ok(Self::default()) };
        let (mut entries, mut ended) = (Vec::new(), false);
        let size = size_of::<E::Dyn>() as u64;
        reader.walk("the dynamic segment", range, (size, 0), |piece, _, _| {
            for entry in cast_all::<E::Dyn>(piece) {
                if entry.tag(endian) == raw::DT_NULL {
                    ended = true;
                    break;
                }
                reader.spend(size)?;
                entries.push((entry.tag(endian).0, entry.val(endian)));
            }
            Ok(!ended)
        })?;
        ended
            .then_some(Self { entries })
            .ok_or(ImageError::Malformed { what: "its dynamic segment has no end" })
    }

    /// The value of a tag. The last one counts, as for the loader.
    pub(crate) fn get(&self, tag: raw::DynamicTag) -> Option<u64> {
        self.entries.iter().rev().find(|(own, _)| *own == tag.0).map(|(_, value)| *value)
    }

    fn all(&self, tag: raw::DynamicTag) -> impl Iterator<Item = u64> {
        self.entries.iter().filter(move |(own, _)| *own == tag.0).map(|(_, value)| *value)
    }

    fn flag(&self, tag: raw::DynamicTag, bit: u64) -> bool {
        self.get(tag).is_some_and(|flags| flags & bit != 0)
    }

    pub(super) fn binds_now(&self) -> bool {
        const DF_BIND_NOW: u64 = 8;
        const DF_1_NOW: u64 = 1;
        self.get(raw::DT_BIND_NOW).is_some()
            || self.flag(raw::DT_FLAGS, DF_BIND_NOW)
            || self.flag(raw::DT_FLAGS_1, DF_1_NOW)
    }

    pub(super) fn is_program(&self) -> bool {
        const DF_1_PIE: u64 = 0x0800_0000;
        self.flag(raw::DT_FLAGS_1, DF_1_PIE)
    }

    /// What it asks of the loader beyond loading it.
    fn requests(&self) -> impl Iterator<Item = Request> {
        const FLAGS: &[(u64, Request)] = &[
            (0x2, Request::Global),
            (0x40, Request::NotByPrograms),
            (0x400, Request::Interpose),
            (0x800, Request::OwnPathsOnly),
        ];
        FLAGS.iter().filter(|(bit, _)| self.flag(raw::DT_FLAGS_1, *bit)).map(|(_, request)| request.clone())
    }

    pub(super) fn has_symbols(&self) -> bool {
        self.get(raw::DT_SYMTAB).is_some() && self.get(raw::DT_STRTAB).is_some()
    }

    /// Whether loading may write into code, too.
    pub(super) fn writes_anywhere(&self) -> bool {
        const DF_TEXTREL: u64 = 4;
        self.get(raw::DT_TEXTREL).is_some() || self.flag(raw::DT_FLAGS, DF_TEXTREL)
    }

    /// Whether entries of its tables have the size that they must have, where it says one: the loader ends the process
    /// otherwise.
    pub(super) fn has_known_entries<E: FileHeader<Endian = Endianness>>(&self) -> bool {
        let sizes = [
            (raw::DT_SYMENT, size_of::<E::Sym>()),
            (raw::DT_RELAENT, size_of::<E::Rela>()),
            (raw::DT_RELENT, size_of::<E::Rel>()),
            (raw::DT_RELRENT, size_of::<E::Word>()),
        ];
        sizes.iter().all(|(tag, size)| self.get(*tag).is_none_or(|own| own == *size as u64))
    }

    /// Whether all its relocations hold addends: 64-bit x86 and Arm have no others, and glibc asserts it.
    pub(super) fn has_addends(&self) -> bool {
        self.get(raw::DT_REL).is_none()
            && self.get(raw::DT_PLTREL).is_none_or(|form| form == raw::DT_RELA.0.cast_unsigned())
    }

    /// Whether each table comes with what the loader reads beside it without asking whether it is there.
    pub(super) fn is_complete(&self) -> bool {
        const NEEDING: &[(raw::DynamicTag, &[raw::DynamicTag])] = &[
            (raw::DT_RELA, &[raw::DT_RELASZ, raw::DT_RELAENT]),
            (raw::DT_REL, &[raw::DT_RELSZ, raw::DT_RELENT]),
            (raw::DT_RELR, &[raw::DT_RELRSZ, raw::DT_RELRENT]),
            (raw::DT_RELASZ, &[raw::DT_RELA]),
            (raw::DT_RELSZ, &[raw::DT_REL]),
            (raw::DT_RELRSZ, &[raw::DT_RELR]),
            (raw::DT_JMPREL, &[raw::DT_PLTRELSZ, raw::DT_PLTREL]),
            (raw::DT_PLTRELSZ, &[raw::DT_JMPREL]),
            (raw::DT_INIT_ARRAY, &[raw::DT_INIT_ARRAYSZ]),
            (raw::DT_FINI_ARRAY, &[raw::DT_FINI_ARRAYSZ]),
            (raw::DT_INIT_ARRAYSZ, &[raw::DT_INIT_ARRAY]),
            (raw::DT_FINI_ARRAYSZ, &[raw::DT_FINI_ARRAY]),
            (raw::DT_STRTAB, &[raw::DT_STRSZ]),
            (raw::DT_VERNEED, &[raw::DT_VERSYM]),
            (raw::DT_VERDEF, &[raw::DT_VERSYM]),
        ];
        NEEDING
            .iter()
            .filter(|(table, _)| self.get(*table).is_some())
            .all(|(_, beside)| beside.iter().all(|tag| self.get(*tag).is_some()))
    }

    /// Whether the tables of what runs at loading and unloading have whole entries, and lie side by side, as linkers write them.
    pub(super) fn has_whole_arrays(&self) -> bool {
        let is_whole =
            |array: &Range<u64>| array.start < array.end && (array.end - array.start).is_multiple_of(4);
        let arrays: Vec<Range<u64>> = self.arrays().collect();
        let touch = |one: &Range<u64>, other: &Range<u64>| one.end == other.start || other.end == one.start;
        arrays.iter().all(is_whole) && arrays.windows(2).all(|pair| touch(&pair[0], &pair[1]))
    }

    /// The addresses of tables as far as it says how long they are.
    pub(super) fn tables(&self) -> impl Iterator<Item = Range<u64>> {
        const TABLES: [(raw::DynamicTag, raw::DynamicTag); 5] = [
            (raw::DT_STRTAB, raw::DT_STRSZ),
            (raw::DT_SYMTAB, raw::DT_SYMENT),
            (raw::DT_RELA, raw::DT_RELASZ),
            (raw::DT_JMPREL, raw::DT_PLTRELSZ),
            (raw::DT_RELR, raw::DT_RELRSZ),
        ];
        TABLES.into_iter().filter_map(|(table, size)| {
            let (start, length) = (self.get(table)?, self.get(size)?);
            Some(start..start.saturating_add(length))
        })
    }

    /// Programs have a place for debuggers, libraries never.
    pub(super) fn is_debugged(&self) -> bool {
        self.get(raw::DT_DEBUG).is_some()
    }

    pub(super) fn has_name(&self) -> bool {
        self.get(raw::DT_SONAME).is_some()
    }

    /// Addresses of all tables, to tell where one of unknown length must end.
    pub(super) fn addresses(&self) -> impl Iterator<Item = u64> {
        const TABLES: &[raw::DynamicTag] = &[
            raw::DT_STRTAB,
            raw::DT_HASH,
            raw::DT_GNU_HASH,
            raw::DT_VERSYM,
            raw::DT_VERNEED,
            raw::DT_VERDEF,
            raw::DT_RELA,
            raw::DT_REL,
            raw::DT_RELR,
            raw::DT_JMPREL,
            raw::DT_INIT,
            raw::DT_FINI,
        ];
        TABLES.iter().filter_map(|tag| self.get(*tag))
    }

    /// Fails where what runs at loading and unloading is not there.
    pub(super) fn find_code(&self, reader: &Reader<'_>, segments: &Segments) -> Result<(), ImageError> {
        for tag in [raw::DT_INIT, raw::DT_FINI] {
            let Some(address) = self.get(tag) else { continue };
            if !segments.holds_code(address) {
                return Err(ImageError::Malformed { what: "what runs when it is loaded is no code" });
            }
            if reader.array("the code that runs at loading", segments.table(address)?.start)? == [0; 4] {
                return Err(ImageError::Malformed {
                    what: "the code that runs when it is loaded was emptied",
                });
            }
        }
        for (tag, size) in
            [(raw::DT_INIT_ARRAY, raw::DT_INIT_ARRAYSZ), (raw::DT_FINI_ARRAY, raw::DT_FINI_ARRAYSZ)]
        {
            if let (Some(address), Some(length @ 1..)) = (self.get(tag), self.get(size)) {
                reader.within("the table of what runs at loading", segments.table(address)?.start, length)?;
            }
        }
        Ok(())
    }

    /// Where the pointers to functions stand that run at loading and unloading.
    pub(super) fn arrays(&self) -> impl Iterator<Item = Range<u64>> {
        const ARRAYS: [(raw::DynamicTag, raw::DynamicTag); 2] =
            [(raw::DT_INIT_ARRAY, raw::DT_INIT_ARRAYSZ), (raw::DT_FINI_ARRAY, raw::DT_FINI_ARRAYSZ)];
        ARRAYS.into_iter().filter_map(|(table, size)| {
            let (start, length) = (self.get(table)?, self.get(size)?);
            Some(start..start.saturating_add(length))
        })
    }

    /// Loads the string table and takes over the names.
    pub(super) fn describe(
        &self,
        reader: &Reader<'_>,
        segments: &Segments,
        object: &mut Object,
    ) -> Result<(), ImageError> {
        const DF_STATIC_TLS: u64 = 16;
        let Some(address) = self.get(raw::DT_STRTAB) else { return Ok(()) };
        let place = segments.table(address)?;
        let length = self.get(raw::DT_STRSZ).unwrap_or(place.end - place.start);
        object.strings = reader.bytes("the table of dynamic names", place.start, length)?;
        object.name = self.get(raw::DT_SONAME).map(|at| name(reader, &object.strings, at)).transpose()?;
        for at in self.all(raw::DT_NEEDED) {
            object.needed.push(name(reader, &object.strings, at)?);
        }
        for (tag, shown) in [(raw::DT_RPATH, "RPATH"), (raw::DT_RUNPATH, "RUNPATH")] {
            for at in self.all(tag) {
                object.search_paths.push(SearchPath { tag: shown, path: name(reader, &object.strings, at)? });
            }
        }
        let further = [
            (raw::DT_AUXILIARY, "AUXILIARY"),
            (raw::DT_FILTER, "FILTER"),
            (raw::DT_AUDIT, "AUDIT"),
            (raw::DT_DEPAUDIT, "DEPAUDIT"),
            (raw::DT_CONFIG, "CONFIG"),
        ];
        for (tag, shown) in further {
            for at in self.all(tag) {
                object.requests.push(Request::File(shown, name(reader, &object.strings, at)?));
            }
        }
        object.requests.extend(self.requests());
        object.static_thread_storage = self.flag(raw::DT_FLAGS, DF_STATIC_TLS);
        object.packed_relocations = self.get(raw::DT_RELR).is_some();
        object.text_relocations = self.writes_anywhere();
        Ok(())
    }
}

/// A copy of the name at an offset of the string table.
pub(super) fn name(reader: &Reader<'_>, strings: &[u8], offset: u64) -> Result<String, ImageError> {
    let offset = u32::try_from(offset).ok().filter(|offset| (*offset as usize) < strings.len());
    let offset =
        offset.ok_or(ImageError::Malformed { what: "a name lies outside the table of dynamic names" })?;
    let text = text_at(strings, offset);
    if text.len() > LONGEST {
        return Err(ImageError::Malformed { what: "a library's or version's name has no end" });
    }
    reader.spend(text.len() as u64)?;
    Ok(String::from_utf8_lossy(text).into_owned())
}
