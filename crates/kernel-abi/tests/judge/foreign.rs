//! ELF libraries of every class and byte order, written here because the machine's compiler makes only its own.

use std::collections::{BTreeMap, BTreeSet};

use kernel_abi::Policy;
use kernel_abi::image::{Binding, ExecutableStack, Format, Image, Kind, Machine, Object};
use kernel_abi::policy::Manylinux;

use crate::planted::{codes, policy, torch};
use crate::workshop::without_section_headers;

/// Words as one class and byte order writes them.
pub(crate) struct Writer {
    wide: bool,
    little: bool,
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    fn number(&mut self, value: u64, size: usize) {
        let bytes = value.to_le_bytes();
        let own = bytes[..size].iter().copied();
        if self.little { self.bytes.extend(own) } else { self.bytes.extend(own.rev()) }
    }

    fn half(&mut self, value: u16) {
        self.number(value.into(), 2);
    }

    fn words(&mut self, values: &[u32]) {
        for value in values {
            self.number((*value).into(), 4);
        }
    }

    /// An address, offset or size.
    fn long(&mut self, value: u64) {
        self.number(value, if self.wide { 8 } else { 4 });
    }

    fn longs(&mut self, values: &[u64]) {
        for value in values {
            self.long(*value);
        }
    }

    fn align(&mut self) -> u64 {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        self.bytes.len() as u64
    }
}

/// A kind of system.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) machine: Machine,
    number: u16,
    wide: bool,
    little: bool,
}

const fn target(machine: Machine, number: u16, wide: bool, little: bool) -> Target {
    Target { machine, number, wide, little }
}

pub(crate) const TARGETS: &[Target] = &[
    target(Machine::X86_64, 62, true, true),
    target(Machine::Aarch64, 183, true, true),
    target(Machine::Ppc64le, 21, true, true),
    target(Machine::Ppc64, 21, true, false),
    target(Machine::S390x, 22, true, false),
    target(Machine::I686, 3, false, true),
    target(Machine::Armv7l, 40, false, true),
    target(Machine::Other(8), 8, false, false),
];

/// Symbols that the library takes: library, version, name.
const TAKEN: &[(&str, &str, &str)] = &[
    ("libc.so.6", "GLIBC_2.17", "puts"),
    ("libc.so.6", "GLIBC_2.28", "fcntl64"),
    ("libm.so.6", "GLIBC_2.27", "expf"),
];
const NAME: &str = "libforeign.so.2";
const ENTRY: &str = "PyInit__relu_cpu_x";

/// The names of the library, and where each stands among them.
fn names() -> (Vec<u8>, BTreeMap<&'static str, u32>) {
    let mut places = BTreeMap::from([("", 0)]);
    let mut bytes = vec![0];
    for name in
        TAKEN.iter().flat_map(|(library, version, name)| [*library, *version, *name]).chain([NAME, ENTRY])
    {
        places.entry(name).or_insert_with(|| {
            let at = u32::try_from(bytes.len()).expect("small");
            bytes.extend(name.bytes().chain([0]));
            at
        });
    }
    (bytes, places)
}

/// A library for a target, with a program header for everything that a loader reads, and section headers.
pub(crate) fn library(target: Target) -> Vec<u8> {
    let Target { wide, little, .. } = target;
    let (names, places) = names();
    let mut body = Writer { wide, little, bytes: vec![0; if wide { 64 + 4 * 56 } else { 52 + 4 * 32 }] };
    let code_at = u32::try_from(body.align()).expect("small");
    body.bytes.extend([0x90; 16]);
    let names_at = body.align();
    body.bytes.extend(&names);
    let symbols_at = body.align();
    symbols(&mut body, &places, code_at);
    let hash_at = body.align();
    let count = u32::try_from(TAKEN.len()).expect("few") + 2;
    // glibc's own tables for this processor have entries of eight bytes.
    let entry = if target.machine == Machine::S390x { 8 } else { 4 };
    // One bucket, from whose last symbol each leads to the one before it.
    for value in [1, count, count - 1, 0].into_iter().chain(0..count - 1) {
        body.number(value.into(), entry);
    }
    let versions_at = body.align();
    body.half(0);
    for version in (2..).take(TAKEN.len()).chain([1]) {
        body.half(version);
    }
    let needs_at = body.align();
    needs(&mut body, &places);
    let note_at = body.align();
    body.words(&[4, 4, 3]);
    body.bytes.extend(b"GNU\0\xde\xad\xbe\xef");
    let dynamic_at = body.align();
    let libraries: BTreeSet<&str> = TAKEN.iter().map(|(library, ..)| *library).collect();
    let needed = libraries.iter().map(|library| (1, u64::from(places[library])));
    let tables = [
        (14, u64::from(places[NAME])),
        (5, names_at),
        (10, names.len() as u64),
        (6, symbols_at),
        (4, hash_at),
    ];
    let versions = [(0x6fff_fff0, versions_at), (0x6fff_fffe, needs_at), (0x6fff_ffff, 2), (0, 0)];
    for (tag, value) in needed.chain(tables).chain(versions) {
        body.long(tag);
        body.long(value);
    }
    let end = body.align();
    section_headers(&mut body, names_at, names.len() as u64);
    let loads =
        [(1, 5, 0..end), (2, 6, dynamic_at..end), (4, 4, note_at..dynamic_at), (0x6474_e551, 6, 0..0)];
    let mut head = Writer { wide, little, bytes: Vec::new() };
    header(&mut head, target, end);
    for (kind, flags, file) in loads {
        program_header(&mut head, kind, flags, file);
    }
    body.bytes[..head.bytes.len()].copy_from_slice(&head.bytes);
    body.bytes
}

fn symbols(body: &mut Writer, places: &BTreeMap<&str, u32>, code: u32) {
    let taken = TAKEN.iter().map(|(.., name)| (*name, 0));
    for (name, section) in [("", 0)].into_iter().chain(taken).chain([(ENTRY, 1)]) {
        let info = if name.is_empty() { 0 } else { 0x12 };
        let address = if section == 0 { 0 } else { code };
        body.words(&[places[name]]);
        if !body.wide {
            body.words(&[address, 8]);
        }
        body.bytes.extend([info, 0]);
        body.half(section);
        if body.wide {
            body.long(address.into());
            body.long(8);
        }
    }
}

/// The needs for versions: one entry for each library, behind it one for each of its versions.
fn needs(body: &mut Writer, places: &BTreeMap<&str, u32>) {
    let mut rest: Vec<(u16, &(&str, &str, &str))> = (2..).zip(TAKEN).collect();
    while let Some((_, (library, ..))) = rest.first().copied() {
        let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, (of, ..))| of == library);
        rest = others;
        let count = u16::try_from(own.len()).expect("few");
        body.half(1);
        body.half(count);
        body.words(&[places[library], 16, if rest.is_empty() { 0 } else { 16 + 16 * u32::from(count) }]);
        for (left, (index, (_, version, _))) in (0..own.len()).rev().zip(own) {
            body.words(&[version_hash(version)]);
            body.half(0);
            body.half(index);
            body.words(&[places[version], if left == 0 { 0 } else { 16 }]);
        }
    }
}

/// The hash of names that the System V ABI gives.
fn version_hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash, byte| {
        let hash = (hash << 4) + u32::from(byte);
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

fn header(head: &mut Writer, target: Target, sections_at: u64) {
    let class = if target.wide { 2 } else { 1 };
    let order = if target.little { 1 } else { 2 };
    head.bytes.extend([0x7f, b'E', b'L', b'F', class, order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.half(3);
    head.half(target.number);
    head.words(&[1]);
    head.long(0);
    head.long(if target.wide { 64 } else { 52 });
    head.long(sections_at);
    head.words(&[0]);
    let sizes = if target.wide { [64, 56, 4, 64, 3, 2] } else { [52, 32, 4, 40, 3, 2] };
    for size in sizes {
        head.half(size);
    }
}

fn program_header(head: &mut Writer, kind: u32, flags: u32, file: std::ops::Range<u64>) {
    let length = file.end - file.start;
    head.words(&[kind]);
    if head.wide {
        head.words(&[flags]);
    }
    head.longs(&[file.start, file.start, file.start, length, length]);
    if !head.wide {
        head.words(&[flags]);
    }
    head.long(if kind == 1 { 0x10000 } else { 4 });
}

/// Nothing, the names, and the names of sections, which are there already as a part of the names.
fn section_headers(body: &mut Writer, names_at: u64, length: u64) {
    for (kind, at, length) in [(0, 0, 0), (3, names_at, length), (3, names_at, length)] {
        body.words(&[0, kind]);
        body.longs(&[0, at, at, length]);
        body.words(&[0, 0]);
        body.long(1);
        body.long(0);
    }
}

fn object(bytes: &[u8]) -> Object {
    let mut image = Image::parse(&bytes).expect("a library");
    assert_eq!(image.format, Format::Elf);
    image.objects.remove(0)
}

#[test]
fn every_class_and_byte_order_has_the_same_facts() {
    for &target in TARGETS {
        let bytes = library(target);
        let object = object(&bytes);
        let machine = target.machine;
        assert_eq!((object.machine, object.kind), (machine, Kind::SharedLibrary));
        assert_eq!(object.name.as_deref(), Some(NAME), "{machine}");
        assert_eq!(object.needed, ["libc.so.6", "libm.so.6"], "{machine}");
        assert_eq!(object.build_id.as_deref(), Some("deadbeef"), "{machine}");
        assert_eq!(object.executable_stack, ExecutableStack::No, "{machine}");
        let symbols: Vec<_> = object.symbols().collect();
        assert_eq!(symbols.len(), TAKEN.len() + 1, "{machine}");
        for ((library, version, name), symbol) in TAKEN.iter().zip(&symbols) {
            let needed = symbol.version.map(|node| (node.library.as_deref(), node.name.as_str()));
            assert_eq!((&*symbol.name, needed), (*name, Some((Some(*library), *version))), "{machine}");
            assert!(!symbol.defined && symbol.binding == Binding::Global, "{machine}");
        }
        let entry = symbols.last().expect("the entry");
        assert!(entry.name == ENTRY && entry.is_exported() && entry.version.is_none(), "{machine}");
        for hidden in without_section_headers(&bytes) {
            let told = |object: &Object| {
                format!("{:?}{:?}", object.symbols().collect::<Vec<_>>(), object.version_needs)
            };
            assert_eq!(told(&self::object(&hidden)), told(&object), "{machine}");
        }
    }
}

#[test]
fn libraries_of_other_systems_are_told_apart_and_have_their_own_floor() {
    for &target in TARGETS {
        let bytes = library(target);
        let wanted: &[&str] =
            if target.machine == Machine::X86_64 { &[] } else { &["abi/wrong-architecture"] };
        let wanted: BTreeSet<String> = wanted.iter().map(|&code| code.to_owned()).collect();
        assert_eq!(codes(&bytes, &torch()), wanted, "{}", target.machine);
        for hidden in without_section_headers(&bytes) {
            assert_eq!(codes(&hidden, &torch()), wanted, "{}", target.machine);
        }
        let floor = Manylinux::floor(&object(&bytes), |_| false).map(Manylinux::name);
        let known = !matches!(target.machine, Machine::Other(_) | Machine::Ppc64);
        assert_eq!(floor, known.then_some("manylinux_2_28"), "{}", target.machine);
    }
}

#[test]
fn libraries_for_aarch64_must_fit_its_largest_pages() {
    let judged = |machine, align: u64, policy: &Policy| {
        let target = TARGETS.iter().find(|target| target.machine == machine).expect("a target");
        let mut bytes = library(*target);
        // The last field of the first program header, behind the header of 64 bytes.
        bytes[64 + 48..64 + 56].copy_from_slice(&align.to_le_bytes());
        codes(&bytes, policy)
    };
    let arm = policy("torch213-cxx11-cpu-aarch64-linux");
    let here = Policy { manylinux: None, ..arm.clone() };
    let (code, other) = ("abi/not-loadable".to_owned(), "abi/not-loadable?".to_owned());
    for (machine, align, policy, found) in [
        (Machine::Aarch64, 0x1000, &arm, Some(&code)),
        (Machine::Aarch64, 0x4000, &arm, Some(&code)),
        (Machine::Aarch64, 0x10000, &arm, None),
        (Machine::Aarch64, 0x20_0000, &arm, None),
        (Machine::Aarch64, 0x1000, &here, Some(&other)),
        (Machine::X86_64, 0x1000, &torch(), None),
    ] {
        let codes = judged(machine, align, policy);
        assert_eq!(
            codes.iter().find(|code| code.starts_with("abi/not-loadable")),
            found,
            "{machine} {align:#x}"
        );
    }
}
