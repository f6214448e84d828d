//! Pointers in data. In a shared library a pointer to its own data is a relocation; GPU code is found by following
//! such pointers, as the GPU run time does.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use object::elf as raw;
use object::read::elf::{FileHeader, Rel, Rela};
use object::{Endian, Endianness, U64};

use super::super::ImageError;
use super::super::facts::{Kind, Machine};
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

/// What relocations say together.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The highest symbol that any of them names: the table of symbols reaches at least so far, for the loader looks each of
    /// them up.
    pub(super) highest: u64,
    /// Whether one counts on storage of threads that is set aside when the process starts.
    pub(super) static_storage: bool,
}

/// Looks at every relocation once. Fails where a table was emptied, ends early, or one does what the loader cannot.
pub(super) fn survey<E: FileHeader<Endian = Endianness>>(
    reader: &Reader<'_>,
    segments: &Segments,
    dynamic: &Dynamic,
    (machine, kind): (Machine, Kind),
    endian: Endianness,
) -> Result<Survey, ImageError> {
    let with_addends = dynamic.get(raw::DT_PLTREL) == Some(raw::DT_RELA.0.cast_unsigned());
    let tables = [
        (raw::DT_RELA, raw::DT_RELASZ, Some(raw::DT_RELACOUNT), true),
        (raw::DT_REL, raw::DT_RELSZ, Some(raw::DT_RELCOUNT), false),
        (raw::DT_JMPREL, raw::DT_PLTRELSZ, None, with_addends),
    ];
    let mut check = Check {
        processor: Processor::of(machine),
        is_library: kind == Kind::SharedLibrary,
        targets: segments.targets(dynamic.writes_anywhere()),
        arrays: dynamic.arrays().collect(),
        filled: BTreeSet::new(),
        segments,
        survey: Survey::default(),
    };
    for (table, size, count, with_addends) in tables {
        let (Some(address), Some(length)) = (dynamic.get(table), dynamic.get(size)) else { continue };
        let entry = if with_addends { size_of::<E::Rela>() } else { size_of::<E::Rel>() } as u64;
        // Linkers name an empty table where all is in the packed one.
        let is_cut = length == 0 && table == raw::DT_JMPREL;
        if check.processor.is_some() && (is_cut || !length.is_multiple_of(entry)) {
            return Err(SHORT);
        }
        // Linkers put the two tables side by side: a gap is what somebody cut off.
        let end = address.saturating_add(length);
        if table == raw::DT_RELA && dynamic.get(raw::DT_JMPREL).is_some_and(|next| next > end) {
            let next = dynamic.addresses().filter(|next| *next > address).min();
            if next == dynamic.get(raw::DT_JMPREL) && next.is_some_and(|next| next - end >= entry) {
                return Err(SHORT);
            }
        }
        if length == 0 {
            continue;
        }
        let start = segments.table(address)?.start;
        let range = start..start.saturating_add(length / entry * entry);
        let mut is_empty = true;
        let mut relative = count.and_then(|count| dynamic.get(count)).unwrap_or(0);
        let is_called = table == raw::DT_JMPREL;
        reader.walk("the table of relocations", range, (entry, 0), |piece, _, _| {
            is_empty &= piece.iter().all(|byte| *byte == 0);
            let mut each = |symbol, kind, address, addend| {
                let must_be = relative != 0;
                relative = relative.saturating_sub(1);
                check.allows(&Relocation { symbol, kind, address, addend }, must_be, is_called)
            };
            let is_good = if with_addends {
                cast_all::<E::Rela>(piece).iter().all(|entry| {
                    let (symbol, kind) = (entry.r_sym(endian, false), entry.r_type(endian, false).0);
                    let addend: i64 = entry.r_addend(endian).into();
                    each(symbol, kind, entry.r_offset(endian).into(), Some(addend.cast_unsigned()))
                })
            } else {
                cast_all::<E::Rel>(piece).iter().all(|entry| {
                    each(entry.r_sym(endian), entry.r_type(endian).0, entry.r_offset(endian).into(), None)
                })
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
    if dynamic.is_complete() {
        check.arrays_are_code(reader, dynamic.get(raw::DT_RELR).is_some(), endian)?;
    }
    Ok(check.survey)
}

/// Relocations that are there and not counted are not applied.
const SHORT: ImageError =
    ImageError::Malformed { what: "its tables of relocations are longer or shorter than they say" };

/// One relocation, of either form.
struct Relocation {
    symbol: u32,
    kind: u32,
    address: u64,
    addend: Option<u64>,
}

/// What every relocation has to satisfy.
struct Check<'a> {
    /// Not known of every processor.
    processor: Option<&'static Processor>,
    is_library: bool,
    targets: Vec<Range<u64>>,
    arrays: Vec<Range<u64>>,
    /// Addresses in the arrays that are filled by relocations.
    filled: BTreeSet<u64>,
    segments: &'a Segments,
    survey: Survey,
}

impl Check<'_> {
    /// The loader adds the library's address to the first ones without looking at their kind.
    fn allows(&mut self, relocation: &Relocation, is_relative: bool, is_called: bool) -> bool {
        let Relocation { symbol, kind, address, addend } = *relocation;
        self.survey.highest = self.survey.highest.max(symbol.into());
        let Some(processor) = self.processor else { return true };
        if is_relative && kind != processor.relative || is_called && kind == 0 && self.is_library {
            return false;
        }
        if kind == 0 {
            return true;
        }
        let last = address.saturating_add(processor.pointer - 1);
        if !self.targets.iter().any(|target| target.contains(&address) && target.contains(&last)) {
            return false;
        }
        if !self.is_library || processor.kinds.is_empty() {
            return true;
        }
        self.survey.static_storage |= kind == processor.storage[1];
        let leads_to_code = || addend.is_none_or(|addend| self.segments.holds_code(addend));
        let in_array = self.arrays.iter().any(|array| array.contains(&address));
        let is_right = processor.kinds.contains(&kind)
            && !self.segments.is_dynamic(address)
            && (kind != processor.indirect || leads_to_code())
            && (!in_array || kind != processor.relative || leads_to_code())
            && (symbol != 0 || !processor.storage.contains(&kind) || self.segments.has_thread_storage());
        if in_array {
            self.filled.insert(address);
        }
        is_right
    }

    /// Fails where the loader would call what is no code. Packed relocations add to what stands in the array.
    fn arrays_are_code(
        &self,
        reader: &Reader<'_>,
        packed: bool,
        endian: Endianness,
    ) -> Result<(), ImageError> {
        if !self.is_library || self.processor.is_none_or(|processor| processor.kinds.is_empty()) {
            return Ok(());
        }
        for array in &self.arrays {
            let place = self.segments.table(array.start)?;
            let mut is_code = true;
            let end = place.start + (array.end - array.start) / 8 * 8;
            reader.walk("the table of what runs at loading", place.start..end, (8, 0), |piece, at, _| {
                let addresses = (array.start + (at - place.start)..).step_by(8);
                is_code &=
                    cast_all::<U64<Endianness>>(piece).iter().zip(addresses).all(|(value, address)| {
                        self.filled.contains(&address)
                            || packed && self.segments.holds_code(value.get(endian))
                    });
                Ok(is_code)
            })?;
            if !is_code {
                return Err(ImageError::Malformed { what: "what runs when it is loaded is no code" });
            }
        }
        Ok(())
    }
}

/// Numbers of the relocations of libraries that glibc's loader applies (`elf_machine_rela` in `sysdeps/*/dl-machine.h`).
struct Processor {
    /// Adds the library's own address.
    relative: u32,
    /// Calls a function that says what to write.
    indirect: u32,
    /// Says where a variable of threads is: its library, and its distance from the thread's own address.
    storage: [u32; 2],
    /// All that a library may have; nothing where that is not known.
    kinds: &'static [u32],
    /// Bytes that each writes at least.
    pointer: u64,
}

impl Processor {
    fn of(machine: Machine) -> Option<&'static Self> {
        const X86_64: Processor = Processor {
            relative: raw::R_X86_64_RELATIVE.0,
            indirect: raw::R_X86_64_IRELATIVE.0,
            storage: [raw::R_X86_64_DTPMOD64.0, raw::R_X86_64_TPOFF64.0],
            kinds: &[
                raw::R_X86_64_64.0,
                raw::R_X86_64_GLOB_DAT.0,
                raw::R_X86_64_JUMP_SLOT.0,
                raw::R_X86_64_RELATIVE.0,
                raw::R_X86_64_DTPMOD64.0,
                raw::R_X86_64_DTPOFF64.0,
                raw::R_X86_64_TPOFF64.0,
                raw::R_X86_64_SIZE64.0,
                raw::R_X86_64_TLSDESC.0,
                raw::R_X86_64_IRELATIVE.0,
            ],
            pointer: 8,
        };
        const AARCH64: Processor = Processor {
            relative: raw::R_AARCH64_RELATIVE.0,
            indirect: raw::R_AARCH64_IRELATIVE.0,
            storage: [raw::R_AARCH64_TLS_DTPMOD.0, raw::R_AARCH64_TLS_TPREL.0],
            kinds: &[
                raw::R_AARCH64_ABS64.0,
                raw::R_AARCH64_GLOB_DAT.0,
                raw::R_AARCH64_JUMP_SLOT.0,
                raw::R_AARCH64_RELATIVE.0,
                raw::R_AARCH64_TLS_DTPMOD.0,
                raw::R_AARCH64_TLS_DTPREL.0,
                raw::R_AARCH64_TLS_TPREL.0,
                raw::R_AARCH64_TLSDESC.0,
                raw::R_AARCH64_IRELATIVE.0,
            ],
            pointer: 8,
        };
        const I686: Processor = Processor {
            relative: raw::R_386_RELATIVE.0,
            indirect: raw::R_386_IRELATIVE.0,
            storage: [raw::R_386_TLS_DTPMOD32.0, raw::R_386_TLS_TPOFF.0],
            kinds: &[],
            pointer: 1,
        };
        match machine {
            Machine::Aarch64 => Some(&AARCH64),
            Machine::I686 => Some(&I686),
            Machine::X86_64 => Some(&X86_64),
            _ => None,
        }
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
