//! Where the fields of a library stand that a loader reads: 64-bit, little-endian ELF, as the machine's own linker writes it.

/// A number in a library.
#[derive(Clone, Debug)]
pub struct Field {
    /// What it is: the same for all entries of a table.
    pub kind: String,
    pub at: usize,
    pub size: usize,
}

/// Bytes of a library with the fields that were found so far.
struct Reader<'a> {
    bytes: &'a [u8],
    fields: Vec<Field>,
}

/// Reads a number of `size` bytes.
pub fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes[at..at + size].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn index(value: u64) -> usize {
    usize::try_from(value).unwrap()
}

/// Names and sizes of the fields of a structure, in order.
type Layout = &'static [(&'static str, usize)];

const HEADER: Layout = &[
    ("magic", 4),
    ("class", 1),
    ("order", 1),
    ("version of the identification", 1),
    ("system", 1),
    ("version of the ABI", 1),
    ("reserved", 1),
    ("reserved", 6),
    ("type", 2),
    ("machine", 2),
    ("version", 4),
    ("entry", 8),
    ("place of program headers", 8),
    ("place of section headers", 8),
    ("flags", 4),
    ("size", 2),
    ("size of program headers", 2),
    ("number of program headers", 2),
    ("size of section headers", 2),
    ("number of section headers", 2),
    ("section of names", 2),
];
const SEGMENT: Layout = &[
    ("type", 4),
    ("flags", 4),
    ("offset", 8),
    ("address", 8),
    ("physical address", 8),
    ("size in the file", 8),
    ("size in memory", 8),
    ("alignment", 8),
];
const ENTRY: Layout = &[("tag", 8), ("value", 8)];
const SYMBOL: Layout =
    &[("name", 4), ("kind and binding", 1), ("visibility", 1), ("section", 2), ("value", 8), ("size", 8)];
const RELOCATION: Layout = &[("address", 8), ("type", 4), ("symbol", 4), ("addend", 8)];
const NEED: Layout = &[("form", 2), ("count", 2), ("library", 4), ("first", 4), ("next", 4)];
const NEEDED_VERSION: Layout = &[("hash", 4), ("flags", 2), ("index", 2), ("name", 4), ("next", 4)];
const DEFINITION: Layout =
    &[("form", 2), ("flags", 2), ("index", 2), ("count", 2), ("hash", 4), ("first", 4), ("next", 4)];
const DEFINED_VERSION: Layout = &[("name", 4), ("next", 4)];

/// Tags of the dynamic segment.
#[rustfmt::skip]
const TAGS: &[(u64, &str)] = &[
    (0, "NULL"), (1, "NEEDED"), (2, "PLTRELSZ"), (3, "PLTGOT"), (4, "HASH"), (5, "STRTAB"), (6, "SYMTAB"), (7, "RELA"), (8, "RELASZ"),
    (9, "RELAENT"), (10, "STRSZ"), (11, "SYMENT"), (12, "INIT"), (13, "FINI"), (14, "SONAME"), (20, "PLTREL"), (23, "JMPREL"),
    (24, "BIND_NOW"), (25, "INIT_ARRAY"), (26, "FINI_ARRAY"), (27, "INIT_ARRAYSZ"), (28, "FINI_ARRAYSZ"), (30, "FLAGS"), (35, "RELRSZ"),
    (36, "RELR"), (37, "RELRENT"), (0x6fff_fef5, "GNU_HASH"), (0x6fff_fff0, "VERSYM"), (0x6fff_fff9, "RELACOUNT"),
    (0x6fff_fffb, "FLAGS_1"), (0x6fff_fffc, "VERDEF"), (0x6fff_fffd, "VERDEFNUM"), (0x6fff_fffe, "VERNEED"), (0x6fff_ffff, "VERNEEDNUM"),
];
const SEGMENTS: &[(u64, &str)] = &[
    (1, "LOAD"),
    (2, "DYNAMIC"),
    (4, "NOTE"),
    (6, "PHDR"),
    (7, "TLS"),
    (0x6474_e550, "EH_FRAME"),
    (0x6474_e551, "STACK"),
    (0x6474_e552, "RELRO"),
    (0x6474_e553, "PROPERTY"),
];

/// All fields of a library.
pub fn fields(bytes: &[u8]) -> Vec<Field> {
    let mut reader = Reader { bytes, fields: Vec::new() };
    reader.structure("header", 0, HEADER);
    for at in reader.segments() {
        let kind = name(SEGMENTS, reader.number(at, 4));
        reader.structure(&kind, at, SEGMENT);
        if kind == "EH_FRAME" {
            let start = index(reader.number(at + 8, 8));
            reader.array("table for exceptions", start, 1, 4);
            reader.array("table for exceptions", start + 4, 4, 6);
        }
        if kind == "NOTE" || kind == "PROPERTY" {
            let (start, size) = (index(reader.number(at + 8, 8)), index(reader.number(at + 32, 8)));
            reader.array("note", start, 4, size / 4);
        }
    }
    let dynamic = reader.dynamic();
    for (at, tag, _) in &dynamic {
        let kind = name(TAGS, *tag);
        reader.structure(&format!("entry {kind}"), *at, ENTRY);
    }
    let value = |tag: u64| dynamic.iter().find(|(_, own, _)| *own == tag).map(|(.., value)| *value);
    for (table, size, kind) in [(7, 8, "relocation"), (23, 2, "relocation of calls")] {
        if let (Some(table), Some(size)) = (value(table), value(size)) {
            let start = reader.place(table);
            for at in (start..start + index(size)).step_by(24) {
                reader.structure(kind, at, RELOCATION);
            }
        }
    }
    for (table, size, kind) in [(36, 35, "packed relocation"), (25, 27, "start"), (26, 28, "end")] {
        if let (Some(table), Some(size)) = (value(table), value(size)) {
            reader.array(kind, reader.place(table), 8, index(size) / 8);
        }
    }
    let (symbols, names) = (reader.place(value(6).unwrap()), reader.place(value(5).unwrap()));
    // The machine's linker puts the names right behind the symbols.
    let count = (names - symbols) / 24;
    for at in (symbols + 24..).step_by(24).take(count - 1) {
        reader.structure("symbol", at, SYMBOL);
    }
    reader.array("letter", names, 1, index(value(10).unwrap()));
    if let Some(versions) = value(0x6fff_fff0) {
        reader.array("version of a symbol", reader.place(versions), 2, count);
    }
    if let Some(needs) = value(0x6fff_fffe) {
        let start = reader.place(needs);
        reader.chain(start, ("version need", NEED, 12), ("needed version", NEEDED_VERSION, 12), 8);
    }
    if let Some(definitions) = value(0x6fff_fffc) {
        let start = reader.place(definitions);
        reader.chain(
            start,
            ("version definition", DEFINITION, 16),
            ("defined version", DEFINED_VERSION, 4),
            12,
        );
    }
    if let Some(table) = value(4) {
        let start = reader.place(table);
        let words = 2 + reader.number(start, 4) + reader.number(start + 4, 4);
        reader.array("classic hash table", start, 4, index(words));
    }
    if let Some(table) = value(0x6fff_fef5) {
        let start = reader.place(table);
        let [buckets, first, filter] = [0, 4, 8].map(|at| index(reader.number(start + at, 4)));
        reader.array("head of the hash table", start, 4, 4);
        reader.array("filter of the hash table", start + 16, 8, filter);
        reader.array("hash table", start + 16 + filter * 8, 4, buckets + count - first);
    }
    reader.fields
}

fn name(names: &[(u64, &str)], number: u64) -> String {
    let known = names.iter().find(|(own, _)| *own == number);
    known.map_or_else(|| format!("{number:#x}"), |(_, name)| (*name).to_owned())
}

impl Reader<'_> {
    fn number(&self, at: usize, size: usize) -> u64 {
        number(self.bytes, at, size)
    }

    fn segments(&self) -> Vec<usize> {
        let (start, count) = (index(self.number(0x20, 8)), index(self.number(0x38, 2)));
        (0..count).map(|at| start + 56 * at).collect()
    }

    /// The place in the file of an address.
    fn place(&self, address: u64) -> usize {
        let loads = self.segments().into_iter().filter(|at| self.number(*at, 4) == 1);
        let load = loads.rev().find(|at| self.number(at + 16, 8) <= address).unwrap();
        index(address - self.number(load + 16, 8) + self.number(load + 8, 8))
    }

    /// Place, tag and value of each entry of the dynamic segment, the end mark too.
    fn dynamic(&self) -> Vec<(usize, u64, u64)> {
        let header = self.segments().into_iter().find(|at| self.number(*at, 4) == 2).unwrap();
        let places = (index(self.number(header + 8, 8))..).step_by(16);
        let mut entries = Vec::new();
        for at in places {
            entries.push((at, self.number(at, 8), self.number(at + 8, 8)));
            if self.number(at, 8) == 0 {
                return entries;
            }
        }
        entries
    }

    fn structure(&mut self, kind: &str, start: usize, layout: Layout) {
        let mut at = start;
        for (name, size) in layout {
            self.fields.push(Field { kind: format!("{kind}: {name}"), at, size: *size });
            at += size;
        }
    }

    fn array(&mut self, kind: &str, start: usize, size: usize, count: usize) {
        let places = (start..).step_by(size).take(count);
        self.fields.extend(places.map(|at| Field { kind: kind.to_owned(), at, size }));
    }

    /// A chain of structures that each lead to a chain of others; `first` is where the way to those stands, and each layout comes
    /// with where the way to the next stands.
    fn chain(
        &mut self,
        start: usize,
        outer: (&str, Layout, usize),
        inner: (&str, Layout, usize),
        first: usize,
    ) {
        let mut at = start;
        loop {
            self.structure(outer.0, at, outer.1);
            let mut below = at + index(self.number(at + first, 4));
            loop {
                self.structure(inner.0, below, inner.1);
                match self.number(below + inner.2, 4) {
                    0 => break,
                    next => below += index(next),
                }
            }
            match self.number(at + outer.2, 4) {
                0 => break,
                next => at += index(next),
            }
        }
    }
}
