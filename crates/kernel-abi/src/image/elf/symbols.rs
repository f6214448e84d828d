//! Dynamic symbols. The dynamic segment does not say how many there are; the hash tables do.

use object::elf as raw;
use object::read::elf::{FileHeader, Sym};
use object::{Endianness, U16, U32};

use super::super::ImageError;
use super::super::facts::{Binding, Machine, Object, Record, SymbolKind, Visibility};
use super::super::source::Reader;
use super::dynamic::Dynamic;
use super::relocations::highest_symbol;
use super::{Segments, cast_all};

pub(super) fn read<E: FileHeader<Endian = Endianness>>(
    reader: &Reader<'_>,
    segments: &Segments,
    dynamic: &Dynamic,
    endian: Endianness,
    object: &mut Object,
) -> Result<(), ImageError> {
    let Some(address) = dynamic.get(raw::DT_SYMTAB) else { return Ok(()) };
    let entry = size_of::<E::Sym>() as u64;
    let named = highest_symbol::<E>(reader, segments, dynamic, endian)?;
    let count = count(reader, segments, dynamic, ((address, entry), named), (object.machine, endian))?;
    let place = segments.table(address)?;
    let end = count.checked_mul(entry).and_then(|length| place.start.checked_add(length));
    let end = end.ok_or(ImageError::Malformed { what: "its number of symbols is impossible" })?;
    reader.within("the table of dynamic symbols", place.start, end - place.start)?;
    reader.spend(count * size_of::<Record>() as u64)?;
    object.records.reserve_exact(usize::try_from(count).unwrap_or(0));
    reader.walk("the table of dynamic symbols", place.start..end, (entry, 0), |piece, _, _| {
        object.records.extend(cast_all::<E::Sym>(piece).iter().map(|symbol| record(symbol, endian)));
        Ok(true)
    })?;
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
                    record.version = version.get(endian) & 0x7fff;
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
    Ok(())
}

fn record<S: Sym<Endian = Endianness>>(symbol: &S, endian: Endianness) -> Record {
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
        defined: symbol.st_shndx(endian) != raw::SHN_UNDEF,
    }
}

/// Number of dynamic symbols. The loader never asks for it: it looks up what relocations name and what its hash table
/// reaches, the GNU one before the classic one. So all three are read, and none may reach further than the classic one says
/// or the GNU one goes. GNU ld writes an empty GNU table without the true number; then the table ends where the next one
/// begins.
fn count(
    reader: &Reader<'_>,
    segments: &Segments,
    dynamic: &Dynamic,
    ((address, entry), named): ((u64, u64), u64),
    (machine, endian): (Machine, Endianness),
) -> Result<u64, ImageError> {
    let classic = dynamic.get(raw::DT_HASH).map(|hash| segments.table(hash)).transpose()?;
    let classic = classic.map(|hash| classic_count(reader, hash.start, machine, endian)).transpose()?;
    let gnu = dynamic.get(raw::DT_GNU_HASH).map(|hash| segments.table(hash)).transpose()?;
    let gnu = gnu.map(|hash| gnu_count(reader, hash.start, entry == 24, endian)).transpose()?.flatten();
    if let Some(count) = classic.or(gnu) {
        return if named < count && gnu.is_none_or(|gnu| gnu <= count) {
            Ok(count)
        } else {
            Err(ImageError::Malformed { what: "it has more symbols than its hash table says" })
        };
    }
    let next = dynamic.addresses().filter(|next| *next > address).min();
    let end = segments.table(address)?;
    let room = next.map_or(end.end - end.start, |next| next - address).min(end.end - end.start);
    Ok((room / entry).max(named + 1))
}

fn classic_count(
    reader: &Reader<'_>,
    start: u64,
    machine: Machine,
    endian: Endianness,
) -> Result<u64, ImageError> {
    // Its numbers have the size of a word, except on this one processor.
    if machine == Machine::S390x {
        let [_, _, _, chains]: [U32<Endianness>; 4] = words(reader, start)?;
        return Ok(chains.get(endian).into());
    }
    let [_, chains]: [U32<Endianness>; 2] = words(reader, start)?;
    Ok(chains.get(endian).into())
}

fn gnu_count(
    reader: &Reader<'_>,
    start: u64,
    wide: bool,
    endian: Endianness,
) -> Result<Option<u64>, ImageError> {
    let what = "the GNU hash table";
    let [buckets, first, bloom, _]: [U32<Endianness>; 4] = words(reader, start)?;
    let (buckets, first) = (u64::from(buckets.get(endian)), u64::from(first.get(endian)));
    let bloom = u64::from(bloom.get(endian)) * if wide { 8 } else { 4 };
    let start = start.saturating_add(16 + bloom);
    let chains = start.saturating_add(buckets * 4);
    let mut last = 0;
    reader.walk(what, start..chains, (4, 0), |piece, _, _| {
        let highest = cast_all::<U32<Endianness>>(piece).iter().map(|bucket| bucket.get(endian)).max();
        last = last.max(highest.unwrap_or(0).into());
        Ok(true)
    })?;
    if last < first || last == 0 {
        return Ok(None);
    }
    let mut ended = false;
    reader.walk(what, chains.saturating_add((last - first) * 4)..reader.size(), (4, 0), |piece, _, _| {
        for word in cast_all::<U32<Endianness>>(piece) {
            last += 1;
            if word.get(endian) & 1 == 1 {
                ended = true;
                break;
            }
        }
        Ok(!ended)
    })?;
    ended.then_some(Some(last)).ok_or(ImageError::Malformed { what: "its hash table has no end" })
}

fn words<const N: usize>(reader: &Reader<'_>, at: u64) -> Result<[U32<Endianness>; N], ImageError> {
    let bytes = reader.bytes("a hash table", at, N as u64 * 4)?;
    let words = cast_all::<U32<Endianness>>(&bytes);
    words.try_into().map_err(|_| ImageError::Malformed { what: "a table ends within an entry" })
}
