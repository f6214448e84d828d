//! Dynamic symbols. The dynamic segment does not say how many there are; the hash tables do.

use object::elf as raw;
use object::read::elf::{FileHeader, Sym};
use object::{Endianness, U16};

use super::super::ImageError;
use super::super::facts::{Binding, Kind, Object, Record, SymbolKind, Visibility};
use super::super::source::Reader;
use super::dynamic::Dynamic;
use super::hash::Tables;
use super::processor::Processor;
use super::{Segments, cast_all, relocating, unwinding};

/// How the names of functions begin by which Python loads a library.
const ENTRY: &[u8] = b"PyInit_";

pub(super) fn read<E: FileHeader<Endian = Endianness>>(
    reader: &Reader<'_>,
    segments: &Segments,
    dynamic: &Dynamic,
    endian: Endianness,
    object: &mut Object,
) -> Result<(), ImageError> {
    let Some(address) = dynamic.get(raw::DT_SYMTAB) else { return Ok(()) };
    let entry = size_of::<E::Sym>() as u64;
    let survey = relocating::survey::<E>(reader, segments, dynamic, (object.machine, object.kind), endian)?;
    object.static_thread_storage |= survey.static_storage;
    object.odd_pointers = survey.odd;
    let tables = Tables { reader, segments, dynamic, machine: object.machine, endian, wide: entry == 24 };
    let count = tables.count((address, entry), survey.highest)?;
    let place = segments.table(address)?;
    let end = count.checked_mul(entry).and_then(|length| place.start.checked_add(length));
    let end = end.ok_or(ImageError::Malformed { what: "its number of symbols is impossible" })?;
    reader.within("the table of dynamic symbols", place.start, end - place.start)?;
    reader.spend(count * size_of::<Record>() as u64)?;
    object.records.reserve_exact(usize::try_from(count).unwrap_or(0));
    let is_known = object.kind == Kind::SharedLibrary
        && Processor::of(object.machine).is_some_and(|processor| !processor.acts.is_empty());
    let mut lead_out = false;
    let mut run = survey.run.clone();
    run.extend([raw::DT_INIT, raw::DT_FINI].into_iter().filter_map(|tag| dynamic.get(tag)));
    reader.walk("the table of dynamic symbols", place.start..end, (entry, 0), |piece, _, _| {
        for symbol in cast_all::<E::Sym>(piece) {
            let record = record(symbol, segments, endian);
            lead_out |= is_known && !leads_somewhere(symbol, &record, segments, endian);
            let is_entry = |name: &[u8]| name.starts_with(ENTRY);
            if record.callable && object.strings.get(record.name as usize..).is_some_and(is_entry) {
                run.push(symbol.st_value(endian).into());
            }
            object.records.push(record);
        }
        Ok(true)
    })?;
    if lead_out {
        return Err(ImageError::Malformed { what: "its symbols lead out of it, or those of others into it" });
    }
    survey.agrees(&object.records)?;
    if is_known && unwinding::enters_inside(reader, segments, run)? {
        return Err(ImageError::Malformed { what: "what it is loaded by begins inside of a function" });
    }
    // Symbol 0 is always empty.
    if let Some(versions) = dynamic.get(raw::DT_VERSYM) {
        let start = segments.table(versions)?.start;
        let mut records = object.records.iter_mut();
        reader.walk(
            "the table of symbol versions",
            start..start.saturating_add(count * 2),
            (2, 0),
            |piece, _, _| {
                for (version, record) in cast_all::<U16<Endianness>>(piece).iter().zip(&mut records) {
                    let (index, is_hidden) =
                        (version.get(endian) & 0x7fff, version.get(endian) & 0x8000 != 0);
                    record.version = index;
                    record.superseded = is_hidden && index > 1;
                }
                Ok(true)
            },
        )?;
    }
    if !object.records.is_empty() {
        object.records.remove(0);
    }
    let outside = |record: &Record| record.name as usize >= object.strings.len();
    if object.records.iter().any(outside) {
        return Err(ImageError::Malformed {
            what: "a symbol's name lies outside the table of dynamic names",
        });
    }
    if object.records.iter().any(Record::is_nowhere) {
        return Err(ImageError::Malformed { what: "names that it takes from others are marked as its own" });
    }
    let is_stored = |record: &Record| record.defined && record.kind == SymbolKind::ThreadLocal;
    if !segments.has_thread_storage() && object.records.iter().any(is_stored) {
        return Err(ImageError::Malformed { what: "it has variables of threads and no storage for them" });
    }
    if object.records.iter().any(Record::is_empty) {
        return Err(ImageError::Malformed { what: "its table of dynamic symbols was emptied" });
    }
    let is_unnamed = |record: &Record| {
        record.binding != Binding::Local
            && object.strings.get(record.name as usize).is_none_or(|first| *first == 0)
    };
    if object.records.iter().any(is_unnamed) {
        return Err(ImageError::Malformed { what: "symbols that it shares with others have no name" });
    }
    if object.records.iter().any(|record| object.lacks_version(record)) {
        return Err(ImageError::Malformed { what: "a symbol has a version that no table explains" });
    }
    tables.find_all(object)
}

fn record<S: Sym<Endian = Endianness>>(symbol: &S, segments: &Segments, endian: Endianness) -> Record {
    let section = symbol.st_shndx(endian);
    // What the loader takes for a definition (`check_match` of glibc's `elf/dl-lookup.c`), and code besides.
    let is_code = matches!(symbol.st_type(), raw::STT_NOTYPE | raw::STT_FUNC)
        && !matches!(section, raw::SHN_UNDEF | raw::SHN_ABS | raw::SHN_COMMON);
    let value: u64 = symbol.st_value(endian).into();
    Record {
        name: symbol.st_name(endian),
        version: 0,
        binding: match symbol.st_bind() {
            raw::STB_LOCAL => Binding::Local,
            raw::STB_GLOBAL => Binding::Global,
            raw::STB_WEAK => Binding::Weak,
            raw::STB_GNU_UNIQUE => Binding::Unique,
            _ => Binding::Other,
        },
        kind: match symbol.st_type() {
            raw::STT_FUNC | raw::STT_GNU_IFUNC => SymbolKind::Function,
            raw::STT_OBJECT | raw::STT_COMMON => SymbolKind::Data,
            raw::STT_TLS => SymbolKind::ThreadLocal,
            _ => SymbolKind::Other,
        },
        visibility: match symbol.st_visibility() {
            raw::STV_DEFAULT => Visibility::Default,
            raw::STV_PROTECTED => Visibility::Protected,
            _ => Visibility::Hidden,
        },
        defined: section != raw::SHN_UNDEF,
        superseded: false,
        callable: is_code && value != 0 && segments.holds_code(value),
    }
}

/// Whether a symbol that is defined here leads to what it is said to be, and one of others to nothing: the loader takes a value
/// for a definition (`elf_machine_type_class` in `elf/dl-lookup.c`).
fn leads_somewhere<S: Sym<Endian = Endianness>>(
    symbol: &S,
    record: &Record,
    segments: &Segments,
    endian: Endianness,
) -> bool {
    let (value, size): (u64, u64) = (symbol.st_value(endian).into(), symbol.st_size(endian).into());
    if !record.defined {
        return value == 0;
    }
    if symbol.st_shndx(endian).0 >= raw::SHN_LORESERVE {
        return true;
    }
    match symbol.st_type() {
        raw::STT_FUNC if size == 0 && segments.ends_code(value) => true,
        raw::STT_FUNC | raw::STT_GNU_IFUNC => segments.holds_code(value),
        // One without a place is for other tools: the loader does not take it for a definition.
        raw::STT_OBJECT => value == 0 || segments.holds(value),
        raw::STT_TLS => value.saturating_add(size) <= segments.thread_storage,
        _ => true,
    }
}
