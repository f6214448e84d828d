//! Relocating: what the loader writes into a library before anything runs, and whether it can, and whether a linker asked for it.
//! What no linker writes was not found in any of 4500 libraries of published wheels and of distributions, linked by GNU ld, gold,
//! lld and mold for x86_64 and aarch64.

use std::collections::BTreeSet;
use std::ops::Range;

use object::elf as raw;
use object::read::elf::{FileHeader, Rel, Rela};
use object::{Endian, Endianness, U64};

use super::super::ImageError;
use super::super::facts::{Binding, Kind, Machine, Record, SymbolKind};
use super::super::source::{Pages, Reader, index};
use super::dynamic::Dynamic;
use super::processor::{Act, Processor};
use super::{Segments, cast_all};

/// What relocations say together.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The highest symbol that any of them names: the table of symbols reaches at least so far, for the loader looks each of
    /// them up.
    pub(super) highest: u64,
    /// Whether one counts on storage of threads that is set aside when the process starts.
    pub(super) static_storage: bool,
    /// Whether one writes a pointer where no pointer stands by itself: packed structures may hold such.
    pub(super) odd: bool,
    /// Addresses of functions that run when it is loaded or unloaded.
    pub(super) run: Vec<u64>,
    /// How each symbol is used, as bits.
    uses: Vec<u8>,
}

/// Uses of a symbol: where calls go by, as an address, as a variable of threads, and for the library that has its storage.
const CALLED: u8 = 1;
const ADDRESS: u8 = 2;
const STORAGE: u8 = 4;
const OWNER: u8 = 8;

impl Survey {
    /// Fails where a symbol is of another kind than relocations take it for. `records` begins with the empty symbol.
    pub(super) fn agrees(&self, records: &[Record]) -> Result<(), ImageError> {
        let fits = |(uses, record): (&u8, &Record)| match record.kind {
            SymbolKind::ThreadLocal => uses & (CALLED | ADDRESS) == 0,
            SymbolKind::Data => uses & (CALLED | STORAGE | OWNER) == 0,
            SymbolKind::Function => uses & (STORAGE | OWNER) == 0,
            // gold names the section of such variables for the library itself.
            SymbolKind::Other => {
                let is_own = record.binding == Binding::Local && record.defined;
                uses & STORAGE == 0 && (uses & OWNER == 0 || is_own)
            }
        };
        if self.uses.iter().zip(records).skip(1).all(fits) {
            return Ok(());
        }
        Err(ImageError::Malformed {
            what: "its relocations call data, or take variables of threads for others",
        })
    }
}

/// Which table a relocation stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Data,
    Calls,
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
        reader,
        pages: reader.by_pages(),
        processor: Processor::of(machine),
        is_library: kind == Kind::SharedLibrary,
        binds_now: dynamic.binds_now(),
        targets: segments.targets(dynamic.writes_anywhere()),
        arrays: dynamic.arrays().collect(),
        filled: BTreeSet::new(),
        slots: None,
        written: Vec::new(),
        segments,
        endian,
        symbols: dynamic.get(raw::DT_SYMTAB).and_then(|address| segments.at(address)),
        symbol: size_of::<E::Sym>() as u64,
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
        let end = address.saturating_add(length);
        let others = dynamic.addresses().filter(|other| *other == end).count();
        let is_last = others == usize::from(length == 0);
        if with_addends && is_last && check.goes_on::<E::Rela>(end)? {
            return Err(SHORT);
        }
        if length == 0 {
            continue;
        }
        let start = segments.table(address)?.start;
        let range = start..start.saturating_add(length / entry * entry);
        let counted = count.and_then(|count| dynamic.get(count));
        let mut order = Order { counted, left: counted.unwrap_or(0), is_empty: true };
        let table = if table == raw::DT_JMPREL { Table::Calls } else { Table::Data };
        reader.walk("the table of relocations", range, (entry, 0), |piece, _, _| {
            order.is_empty &= piece.iter().all(|byte| *byte == 0);
            check.room(piece.len() as u64 / entry)?;
            if with_addends {
                for entry in cast_all::<E::Rela>(piece) {
                    let (symbol, kind) = (entry.r_sym(endian, false), entry.r_type(endian, false).0);
                    let addend: i64 = entry.r_addend(endian).into();
                    let (address, addend) = (entry.r_offset(endian).into(), Some(addend.cast_unsigned()));
                    check.applies(&Relocation { symbol, kind, address, addend }, &mut order, table)?;
                }
            } else {
                for entry in cast_all::<E::Rel>(piece) {
                    let (symbol, kind) = (entry.r_sym(endian), entry.r_type(endian).0);
                    let address = entry.r_offset(endian).into();
                    check.applies(&Relocation { symbol, kind, address, addend: None }, &mut order, table)?;
                }
            }
            Ok(true)
        })?;
        if order.is_empty {
            return Err(EMPTIED);
        }
    }
    if let (Some(address), Some(length)) = (dynamic.get(raw::DT_RELR), dynamic.get(raw::DT_RELRSZ)) {
        let end = address.saturating_add(length);
        let end = Some(end).filter(|end| !dynamic.addresses().any(|other| other == *end));
        check.packed(segments.table(address)?.start, length, (size_of::<E::Word>() as u64, end))?;
    }
    if check.knows() {
        check.calls_go_by(dynamic.get(raw::DT_PLTGOT))?;
        check.write_apart()?;
        if dynamic.is_complete() {
            check.arrays_are_code()?;
        }
    }
    Ok(check.survey)
}

const fn damaged(what: &'static str) -> ImageError {
    ImageError::Malformed { what }
}

/// Bytes of the pointers that one word of packed relocations may name.
const GROUP: usize = 63 * 8;
const PACKED: &str = "the packed relocations";

/// Relocations that are there and not counted are not applied.
const SHORT: ImageError = damaged("its tables of relocations are longer or shorter than they say");
const EMPTIED: ImageError = damaged("one of its tables of relocations was emptied");
const KIND: ImageError =
    damaged("its relocations are of another kind than its tables say, or than libraries have");
const TARGET: ImageError =
    damaged("its relocations write where nothing can be written, or into what the loader still reads");
const SYMBOL: ImageError =
    damaged("its relocations name a symbol where there is none, or none where there must be one");
const VALUE: ImageError = damaged("its relocations lead to what the library does not have");
const CODE: ImageError = damaged("what runs when it is loaded is no code");
const SLOT: ImageError = damaged("its relocations of calls are not where its calls go by");

/// One relocation, of either form.
struct Relocation {
    symbol: u32,
    kind: u32,
    address: u64,
    addend: Option<u64>,
}

/// The order within a table: the loader adds the library's address to the first ones without looking at their kind.
struct Order {
    /// How many those are, where the library says it.
    counted: Option<u64>,
    left: u64,
    is_empty: bool,
}

/// What every relocation has to satisfy.
struct Check<'a, 's> {
    reader: &'a Reader<'s>,
    /// For what stands in place where relocations write, which is close together.
    pages: Pages<'a, 's>,
    /// Not known of every processor.
    processor: Option<&'static Processor>,
    is_library: bool,
    binds_now: bool,
    targets: Vec<Range<u64>>,
    arrays: Vec<Range<u64>>,
    /// Addresses in the arrays that are filled by relocations.
    filled: BTreeSet<u64>,
    /// The first word that calls go by, and whether some function is looked up at its first call.
    slots: Option<(u64, bool)>,
    /// Addresses of all words that are written.
    written: Vec<u64>,
    segments: &'a Segments,
    endian: Endianness,
    /// The file from the table of symbols on, and the size of one.
    symbols: Option<Range<u64>>,
    symbol: u64,
    survey: Survey,
}

impl Check<'_, '_> {
    /// Whether it is known what a library of this processor may have.
    fn knows(&self) -> bool {
        self.is_library && self.processor.is_some_and(|processor| !processor.acts.is_empty())
    }

    /// Pays for what is remembered of `count` relocations.
    fn room(&mut self, count: u64) -> Result<(), ImageError> {
        if self.knows() { self.reader.spend(count * size_of::<u64>() as u64) } else { Ok(()) }
    }

    fn applies(
        &mut self,
        relocation: &Relocation,
        order: &mut Order,
        table: Table,
    ) -> Result<(), ImageError> {
        let Relocation { symbol, kind, address, addend } = *relocation;
        self.survey.highest = self.survey.highest.max(symbol.into());
        let Some(processor) = self.processor else { return Ok(()) };
        let is_first = order.left != 0;
        order.left = order.left.saturating_sub(1);
        if is_first && kind != processor.relative {
            return Err(KIND);
        }
        // GNU ld sets too many aside for some variables of threads, and leaves them as zeros.
        let is_left = symbol == 0 && address == 0 && addend.unwrap_or(0) == 0;
        if kind == 0 && (is_left || !self.knows()) {
            return Ok(());
        }
        if !self.is_target(address, processor.pointer) {
            return Err(TARGET);
        }
        if !self.knows() {
            return Ok(());
        }
        let act = processor.act(kind).ok_or(KIND)?;
        let is_called = matches!(act, Act::Slot | Act::Indirect | Act::Descriptor);
        let is_late = act == Act::Relative && !is_first && order.counted.is_some();
        if table == Table::Calls && !is_called || is_late {
            return Err(KIND);
        }
        self.survey.static_storage |= act == Act::Distance;
        if table == Table::Calls && matches!(act, Act::Slot | Act::Indirect) {
            let (first, is_lazy) = self.slots.unwrap_or((address, false));
            self.slots = Some((first.min(address), is_lazy || act == Act::Slot));
        }
        self.writes(act, address)?;
        self.names(act, symbol)?;
        self.value(act, symbol, address, addend)
    }

    fn is_target(&self, address: u64, width: u64) -> bool {
        let last = address.saturating_add(width - 1);
        self.targets.iter().any(|target| target.contains(&address) && target.contains(&last))
    }

    /// Whether what stands behind a table is one more relocation, which somebody cut off.
    fn goes_on<R: Rela<Endian = Endianness>>(&self, end: u64) -> Result<bool, ImageError> {
        let Some(processor) = self.processor.filter(|_| self.knows()) else { return Ok(false) };
        let length = size_of::<R>() as u64;
        let Some(place) = self.segments.at(end).filter(|place| place.end - place.start >= length) else {
            return Ok(false);
        };
        let bytes = self.reader.temporary("the table of relocations", place.start, length)?;
        let is_one = |entry: &R| {
            processor.act(entry.r_type(self.endian, false).0).is_some()
                && self.is_target(entry.r_offset(self.endian).into(), processor.pointer)
        };
        Ok(cast_all::<R>(&bytes).iter().any(is_one))
    }

    /// Where it writes.
    fn writes(&mut self, act: Act, address: u64) -> Result<(), ImageError> {
        if self.segments.is_dynamic(address) || !self.is_target(address, act.width()) {
            return Err(TARGET);
        }
        if !address.is_multiple_of(8) {
            if !matches!(act, Act::Relative | Act::Address) {
                return Err(TARGET);
            }
            self.survey.odd = true;
        }
        self.written.push(address);
        if act == Act::Descriptor {
            self.reader.spend(size_of::<u64>() as u64)?;
            self.written.push(address + 8);
        }
        if self.arrays.iter().any(|array| array.contains(&address)) {
            self.filled.insert(address);
        }
        // One that is filled at once need not hold anything before.
        if act == Act::Slot && !self.binds_now {
            // Until the first call a slot leads to the code that looks the function up; linkers write that everywhere.
            let place = self.segments.at(address).ok_or(SLOT)?;
            let first = self.endian.read_u64(self.pages.array("the table of calls", place.start)?);
            if !self.segments.holds_code(first) || self.segments.is_protected(address) {
                return Err(SLOT);
            }
        }
        Ok(())
    }

    /// The symbol that it names.
    fn names(&mut self, act: Act, symbol: u32) -> Result<(), ImageError> {
        let uses = match act {
            Act::Relative | Act::Indirect if symbol != 0 => return Err(SYMBOL),
            Act::Slot | Act::Entry | Act::Address | Act::Size if symbol == 0 => return Err(SYMBOL),
            Act::Relative | Act::Indirect | Act::Size => return Ok(()),
            Act::Slot => CALLED,
            Act::Entry | Act::Address => ADDRESS,
            Act::Module => OWNER,
            Act::Offset | Act::Distance | Act::Descriptor => STORAGE,
        };
        let at = index(symbol.into());
        if at >= self.survey.uses.len() {
            let end = (u64::from(symbol) + 1).saturating_mul(self.symbol);
            if self.symbols.as_ref().is_none_or(|symbols| symbols.end - symbols.start < end) {
                return Err(damaged("its relocations name symbols that it does not have"));
            }
            self.reader.spend((at + 1 - self.survey.uses.len()) as u64)?;
            self.survey.uses.resize(at + 1, 0);
        }
        if let Some(known) = self.survey.uses.get_mut(at) {
            if act == Act::Slot && *known & CALLED != 0 {
                return Err(damaged("two of its relocations of calls name one function"));
            }
            *known |= uses;
        }
        Ok(())
    }

    /// What it writes.
    fn value(&mut self, act: Act, symbol: u32, address: u64, addend: Option<u64>) -> Result<(), ImageError> {
        let in_array = self.arrays.iter().any(|array| array.contains(&address));
        let storage = self.segments.thread_storage;
        let is_good = match (act, addend) {
            (Act::Indirect, Some(addend)) => self.segments.holds_code(addend),
            (Act::Relative, Some(addend)) if in_array => self.segments.holds_code(addend),
            (Act::Relative, Some(addend)) => self.segments.holds(addend),
            (Act::Module, addend) if symbol == 0 => storage != 0 && addend.is_none_or(|addend| addend == 0),
            (Act::Offset | Act::Distance | Act::Descriptor, addend) if symbol == 0 => {
                storage != 0 && addend.is_none_or(|addend| addend < storage)
            }
            (Act::Entry | Act::Module, Some(addend)) => addend == 0,
            // Newer GNU linkers tell debuggers where the code of the call is (`-z mark-plt`).
            (Act::Slot, Some(addend)) => addend == 0 || self.segments.holds_code(addend),
            _ => true,
        };
        if act == Act::Indirect || act == Act::Relative && in_array {
            self.survey.run.extend(addend);
        }
        match (is_good, act) {
            (true, _) => Ok(()),
            (false, Act::Indirect | Act::Relative) if in_array || act == Act::Indirect => Err(CODE),
            (false, _) => Err(VALUE),
        }
    }

    /// The packed form: an address, then words whose bits say which of the words behind it are meant too, 63 each (System V ABI,
    /// "Relative Relocation Table"). What each adds to stands in place.
    /// `word` is the size of one, and `end` the address behind the table where no other begins there.
    fn packed(&mut self, start: u64, length: u64, (word, end): (u64, Option<u64>)) -> Result<(), ImageError> {
        if length == 0 {
            return Err(EMPTIED);
        }
        let what = PACKED;
        let mut words = Vec::new();
        self.reader.walk(
            what,
            start..start.saturating_add(length / word * word),
            (word, 0),
            |piece, _, _| {
                if word != 8 || !self.knows() {
                    // Of other processors only the beginning is known: an address.
                    let first = piece.get(..index(word)).unwrap_or_default();
                    return if first.iter().all(|byte| *byte == 0) { Err(EMPTIED) } else { Ok(false) };
                }
                self.reader.spend(piece.len() as u64)?;
                words.extend(cast_all::<U64<Endianness>>(piece).iter().map(|word| word.get(self.endian)));
                Ok(true)
            },
        )?;
        let mut next = None;
        for word in words {
            let (at, bits) = match (word & 1, next) {
                (0, _) => (word, 1),
                (_, Some(next)) => (next, word >> 1),
                (_, None) => return Err(EMPTIED),
            };
            next = Some(if word & 1 == 0 { at.saturating_add(8) } else { at.saturating_add(63 * 8) });
            self.room(bits.count_ones().into())?;
            // One reading for all of them, where they lie in one segment.
            let place = self.segments.at(at).filter(|place| place.end - place.start >= GROUP as u64);
            let group = place.map(|place| self.reader.array::<GROUP>(what, place.start)).transpose()?;
            for bit in (0..63).filter(|bit| bits >> bit & 1 == 1) {
                let address = at.saturating_add(bit * 8);
                if !address.is_multiple_of(8) {
                    return Err(TARGET);
                }
                self.writes(Act::Relative, address)?;
                let place = self.segments.at(address).ok_or(VALUE)?;
                let value = match &group {
                    Some(group) => group.as_chunks::<8>().0[index(bit)],
                    None => self.reader.array(what, place.start)?,
                };
                self.value(Act::Relative, 0, address, Some(self.endian.read_u64(value)))?;
            }
        }
        match end.filter(|_| word == 8 && self.knows()) {
            Some(end) if self.packed_goes_on(end, next)? => Err(SHORT),
            _ => Ok(()),
        }
    }

    /// Whether what stands behind the packed table is one more word of it, which somebody cut off: it leads to pointers that
    /// nothing else relocates. `next` is the address that the bits of such a word count from.
    fn packed_goes_on(&self, end: u64, next: Option<u64>) -> Result<bool, ImageError> {
        let Some(place) = self.segments.at(end).filter(|place| place.end - place.start >= 8) else {
            return Ok(false);
        };
        let word = self.endian.read_u64(self.reader.array(PACKED, place.start)?);
        let (at, bits) = match (word & 1, next) {
            (0, _) => (word, 1),
            (_, Some(next)) => (next, word >> 1),
            (_, None) => return Ok(false),
        };
        let led = (0..63).filter(|bit| bits >> bit & 1 == 1).map(|bit| at.saturating_add(bit * 8));
        let led: BTreeSet<u64> = led.collect();
        for address in &led {
            let place = self.segments.at(*address).filter(|place| place.end - place.start >= 8);
            let Some(place) = place.filter(|_| self.is_target(*address, 8)) else { return Ok(false) };
            let value = self.endian.read_u64(self.reader.array(PACKED, place.start)?);
            if value == 0 || !self.segments.holds(value) {
                return Ok(false);
            }
        }
        Ok(!led.is_empty() && !self.written.iter().any(|written| led.contains(written)))
    }

    /// Fails where the loader does not say to the code that looks functions up what that needs: it writes two words behind the
    /// first one of a table (`elf_machine_runtime_setup`), and that code takes them from right before the first one that calls go by.
    fn calls_go_by(&self, table: Option<u64>) -> Result<(), ImageError> {
        let Some((first, true)) = self.slots.filter(|_| !self.binds_now) else { return Ok(()) };
        let fits = |table: u64| {
            table.checked_add(3 * 8) == Some(first)
                && self.is_target(table, 3 * 8)
                && self.segments.at(table).is_some_and(|place| place.end - place.start >= 3 * 8)
        };
        if table.is_some_and(fits) { Ok(()) } else { Err(SLOT) }
    }

    /// Fails where two of them write into the same word: the second undoes the first.
    fn write_apart(&mut self) -> Result<(), ImageError> {
        self.written.sort_unstable();
        if self.written.windows(2).any(|pair| pair[1] - pair[0] < 8) {
            return Err(damaged("two of its relocations write to one place"));
        }
        Ok(())
    }

    /// Fails where the loader would call what is no code: something in an array that no relocation fills.
    fn arrays_are_code(&self) -> Result<(), ImageError> {
        let is_filled = |array: &Range<u64>| {
            let entries = (array.end - array.start) / 8;
            self.filled.range(array.clone()).count() as u64 == entries
        };
        if self.arrays.iter().all(is_filled) { Ok(()) } else { Err(CODE) }
    }
}
