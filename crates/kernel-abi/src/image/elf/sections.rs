//! Section headers, for the table of sizes only: whatever is wrong with them, the library is judged all the same.

use object::Endianness;
use object::elf as raw;
use object::read::elf::{FileHeader, SectionHeader};

use super::super::ImageError;
use super::super::facts::{Section, text_at};
use super::super::source::Reader;
use super::cast_all;

/// The sections, and whether the file ends before their table: a linker writes it last, so that it was cut, or its header changed.
pub(super) fn read<E: FileHeader<Endian = Endianness>>(
    reader: &Reader<'_>,
    header: &E,
    endian: Endianness,
) -> Result<(Vec<Section>, bool), ImageError> {
    let (start, count) = (header.e_shoff(endian).into(), u64::from(header.e_shnum(endian)));
    let entry = size_of::<E::SectionHeader>() as u64;
    if start == 0 || count == 0 || u64::from(header.e_shentsize(endian)) != entry {
        return Ok((Vec::new(), false));
    }
    let what = "the table of section headers";
    if reader.within(what, start, count * entry).is_err() {
        return Ok((Vec::new(), true));
    }
    let bytes = reader.bytes(what, start, count * entry)?;
    let headers = cast_all::<E::SectionHeader>(&bytes);
    let Some(names) = headers.get(usize::from(header.e_shstrndx(endian).0)) else {
        return Ok((Vec::new(), false));
    };
    let (names_at, length) = (names.sh_offset(endian).into(), names.sh_size(endian).into());
    let Ok(names) = reader.bytes("the names of sections", names_at, length) else {
        return Ok((Vec::new(), false));
    };
    let mut sections = Vec::new();
    for section in headers {
        let name = text_at(&names, section.sh_name(endian));
        let in_file = section.sh_type(endian) != raw::SHT_NOBITS && section.sh_type(endian) != raw::SHT_NULL;
        if in_file && name.len() <= 256 && reader.spend(name.len() as u64).is_ok() {
            let name = String::from_utf8_lossy(name).into_owned();
            sections.push(Section { name, size: section.sh_size(endian).into() });
        }
    }
    Ok((sections, false))
}
