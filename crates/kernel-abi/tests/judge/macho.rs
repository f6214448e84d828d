//! Libraries for macOS, thin and fat, written here because no tool of this machine links them.

use std::collections::BTreeSet;

use kernel_abi::image::{ExecutableStack, Format, Image, Kind, Machine, MarkKind};

use crate::planted::{codes, policy};

const ARM: u32 = 0x0100_000c;
const INTEL: u32 = 0x0100_0007;
const POWER: u32 = 18;

/// A library with one planted fault, or with none.
#[derive(Clone, Copy)]
struct Library<'a> {
    cpu: u32,
    wide: bool,
    little: bool,
    flags: u32,
    needed: &'a [&'a str],
    search_path: &'a str,
    /// The oldest macOS: major version; 0 where nothing is said.
    macos: u32,
    /// Named, external symbols: name, and whether it is defined here.
    symbols: &'a [(&'a str, bool)],
    text: &'a str,
}

const GOOD: Library<'_> = Library {
    cpu: ARM,
    wide: true,
    little: true,
    flags: 0,
    needed: &[
        "/usr/lib/libSystem.B.dylib",
        "@rpath/libtorch.dylib",
        "/System/Library/Frameworks/Metal.framework/Metal",
    ],
    search_path: "",
    macos: 15,
    symbols: &[("_PyInit__relu_metal_x", true), ("_PyModule_Create2", false)],
    text: "a text",
};

impl Library<'_> {
    fn words(&self, values: &[u32]) -> Vec<u8> {
        let bytes = |value: &u32| if self.little { value.to_le_bytes() } else { value.to_be_bytes() };
        values.iter().flat_map(bytes).collect()
    }

    /// A command that holds a text: its kind, further words, and the text behind them.
    fn text_command(&self, kind: u32, words: &[u32], text: &str) -> Vec<u8> {
        let start = 12 + 4 * words.len();
        let length = (start + text.len() + 1).next_multiple_of(8);
        let number = |length: usize| u32::try_from(length).expect("small");
        let mut command = self.words(&[kind, number(length), number(start)]);
        command.extend(self.words(words));
        command.extend(text.bytes());
        command.resize(length, 0);
        command
    }

    fn commands(&self, at: &dyn Fn(usize) -> u32) -> Vec<Vec<u8>> {
        let name = |text: &str| {
            let mut field = text.as_bytes().to_vec();
            field.resize(16, 0);
            field
        };
        let mut commands = vec![self.text_command(0xd, &[0, 0x1_0000, 0x1_0000], "@rpath/x.so")];
        commands.extend(
            self.needed.iter().map(|needed| self.text_command(0xc, &[0, 0x1_0000, 0x1_0000], needed)),
        );
        if !self.search_path.is_empty() {
            commands.push(self.text_command(0x8000_001c, &[], self.search_path));
        }
        if self.macos != 0 {
            commands.push(self.words(&[0x32, 24, 1, self.macos << 16, 0x000f_0000, 0]));
        }
        commands.push([self.words(&[0x1b, 24]), (1..=16).collect()].concat());
        let (symbols, names) = (self.symbol_table(), self.names());
        let count = u32::try_from(self.symbols.len()).expect("few");
        commands.push(self.words(&[
            2,
            24,
            at(0),
            count,
            at(symbols.len()),
            u32::try_from(names.len()).expect("small"),
        ]));
        let text = u32::try_from(self.text.len() + 1).expect("small");
        let place = at(symbols.len() + names.len());
        let mut segment = if self.wide { self.words(&[0x19, 72 + 80]) } else { self.words(&[0x1, 56 + 68]) };
        segment.extend(name("__TEXT"));
        segment.extend(self.longs(&[0, 0x1000, 0, 0x1000]));
        segment.extend(self.words(&[5, 5, 1, 0]));
        segment.extend([name("__cstring"), name("__TEXT"), self.longs(&[0x100, text.into()])].concat());
        let last = [place, 0, 0, 0, 2, 0, 0, 0];
        segment.extend(self.words(if self.wide { &last } else { &last[..7] }));
        commands.push(segment);
        commands
    }

    fn longs(&self, values: &[u64]) -> Vec<u8> {
        let split = |value: &u64| {
            let (high, low) = ((value >> 32) as u32, (value & 0xffff_ffff) as u32);
            match (self.wide, self.little) {
                (false, _) => self.words(&[low]),
                (true, true) => self.words(&[low, high]),
                (true, false) => self.words(&[high, low]),
            }
        };
        values.iter().flat_map(split).collect()
    }

    fn names(&self) -> Vec<u8> {
        let names = self.symbols.iter().flat_map(|(name, _)| name.bytes().chain([0]));
        [0].into_iter().chain(names).collect()
    }

    fn symbol_table(&self) -> Vec<u8> {
        let (mut at, mut table) = (1, Vec::new());
        for (name, defined) in self.symbols {
            table.extend(self.words(&[at]));
            table.extend(if *defined { [0x0f, 1] } else { [0x01, 0] });
            table.extend(if self.little { [0, 1] } else { [1, 0] });
            table.extend(self.longs(&[0]));
            at += u32::try_from(name.len() + 1).expect("small");
        }
        table
    }

    fn bytes(&self) -> Vec<u8> {
        let start = if self.wide { 32 } else { 28 };
        let size: usize = self.commands(&|_| 0).iter().map(Vec::len).sum();
        let commands = self.commands(&|offset| u32::try_from(start + size + offset).expect("small"));
        let magic = if self.wide { 0xfeed_facf } else { 0xfeed_face };
        let count = u32::try_from(commands.len()).expect("few");
        let mut bytes =
            self.words(&[magic, self.cpu, 0, 6, count, u32::try_from(size).expect("small"), self.flags]);
        bytes.resize(start, 0);
        bytes.extend(commands.concat());
        bytes.extend([self.symbol_table(), self.names()].concat());
        bytes.extend(self.text.bytes().chain([0]));
        bytes
    }
}

/// One file of several libraries, with offsets of 32 or 64 bits.
fn fat(libraries: &[&Library<'_>], wide: bool) -> Vec<u8> {
    let parts: Vec<Vec<u8>> = libraries.iter().map(|library| library.bytes()).collect();
    let mut place = 4096;
    let magic: u32 = if wide { 0xcafe_babf } else { 0xcafe_babe };
    let count = u32::try_from(parts.len()).expect("few");
    let mut bytes = [magic.to_be_bytes(), count.to_be_bytes()].concat();
    for (library, part) in libraries.iter().zip(&parts) {
        bytes.extend([library.cpu.to_be_bytes(), [0; 4]].concat());
        for value in [place, part.len()] {
            let value = (value as u64).to_be_bytes();
            bytes.extend(if wide { &value[..] } else { &value[4..] });
        }
        bytes.extend(if wide { &[0, 0, 0, 12, 0, 0, 0, 0][..] } else { &[0, 0, 0, 12] });
        place = (place + part.len()).next_multiple_of(4096);
    }
    for part in parts {
        bytes.resize(bytes.len().next_multiple_of(4096), 0);
        bytes.extend(part);
    }
    bytes
}

#[test]
fn thin_libraries_of_every_class_and_byte_order_have_the_same_facts() {
    for (machine, library) in [
        (Machine::Aarch64, GOOD),
        (Machine::X86_64, Library { cpu: INTEL, ..GOOD }),
        (Machine::I686, Library { cpu: 7, wide: false, ..GOOD }),
        (Machine::Other(POWER), Library { cpu: POWER, wide: false, little: false, ..GOOD }),
        (Machine::Other(POWER | 0x0100_0000), Library { cpu: POWER | 0x0100_0000, little: false, ..GOOD }),
    ] {
        let bytes = Library { search_path: "@loader_path/lib", text: "/Users/me/relu.mm", ..library }.bytes();
        let image = Image::parse(&bytes.as_slice()).expect("a library");
        let object = &image.objects[0];
        assert_eq!((image.format, image.objects.len()), (Format::MachO, 1));
        assert_eq!((object.machine, object.kind), (machine, Kind::SharedLibrary));
        assert_eq!(object.name.as_deref(), Some("@rpath/x.so"), "{machine}");
        assert_eq!(object.needed, GOOD.needed, "{machine}");
        assert_eq!(object.search_paths[0].path, "@loader_path/lib", "{machine}");
        assert_eq!(
            object.minimum_macos.as_ref().map(ToString::to_string).as_deref(),
            Some("15.0"),
            "{machine}"
        );
        assert_eq!(object.build_id.as_deref(), Some("0102030405060708090a0b0c0d0e0f10"), "{machine}");
        assert_eq!(object.executable_stack, ExecutableStack::No, "{machine}");
        assert_eq!(object.sections[0].name, "__TEXT,__cstring", "{machine}");
        let symbols: Vec<_> =
            object.symbols().map(|symbol| (symbol.name.into_owned(), symbol.defined)).collect();
        let wanted = [("PyInit__relu_metal_x".to_owned(), true), ("PyModule_Create2".to_owned(), false)];
        assert_eq!(symbols, wanted, "{machine}");
        assert_eq!(
            object.marks.iter().map(|mark| mark.kind).collect::<Vec<_>>(),
            [MarkKind::BuildPath],
            "{machine}"
        );
    }
}

#[test]
fn every_planted_fault_is_found_and_nothing_else() {
    let metal = policy("torch213-metal-aarch64-darwin");
    let plants: &[(&str, Library<'_>, &[&str])] = &[
        ("nothing", GOOD, &[]),
        ("an older macOS", Library { macos: 13, ..GOOD }, &[]),
        ("a newer macOS", Library { macos: 26, ..GOOD }, &["abi/macos-version"]),
        ("no macOS", Library { macos: 0, ..GOOD }, &["abi/macos-version?"]),
        (
            "a foreign library",
            Library { needed: &["/opt/homebrew/lib/libfoo.dylib"], ..GOOD },
            &["abi/needed-library"],
        ),
        ("a path of a machine", Library { search_path: "/Users/me/lib", ..GOOD }, &["abi/search-path"]),
        ("a path beside it", Library { search_path: "@loader_path", ..GOOD }, &["abi/search-path?"]),
        ("an executable stack", Library { flags: 0x2_0000, ..GOOD }, &["abi/executable-stack"]),
        ("a path of a source", Library { text: "/Users/me/relu.mm", ..GOOD }, &["abi/build-path?"]),
        ("a store", Library { text: "/nix/store/abc-x/lib", ..GOOD }, &["abi/nix-store-path?"]),
        (
            "a frame of Python",
            Library { symbols: &[("_PyFrame_GetBack", false)], ..GOOD },
            &["abi/python-api"],
        ),
        ("another export", Library { symbols: &[("_extra", true)], ..GOOD }, &["abi/exports?"]),
        ("another processor", Library { cpu: INTEL, ..GOOD }, &["abi/wrong-architecture"]),
    ];
    for (name, library, wanted) in plants {
        let wanted: BTreeSet<String> = wanted.iter().map(|&code| code.to_owned()).collect();
        let thin = library.bytes();
        assert_eq!(codes(&thin, &metal), wanted, "{name}");
        for wide in [false, true] {
            assert_eq!(codes(&fat(&[library], wide), &metal), wanted, "{name}, fat");
        }
        assert!(
            !codes(&thin[..thin.len() - 1], &metal).is_disjoint(&BTreeSet::from(["abi/damaged".to_owned()])),
            "{name}, cut"
        );
    }
}

#[test]
fn the_part_for_the_variants_processor_is_judged() {
    let intel = Library { cpu: INTEL, macos: 26, ..GOOD };
    let bytes = fat(&[&intel, &GOOD], false);
    assert_eq!(Image::parse(&bytes.as_slice()).expect("a library").objects.len(), 2);
    assert!(codes(&bytes, &policy("torch213-metal-aarch64-darwin")).is_empty());
    let old = fat(&[&GOOD, &Library { macos: 26, ..GOOD }], true);
    assert_eq!(Image::parse(&old.as_slice()).expect("a library").objects.len(), 2);
    assert_eq!(
        codes(&bytes, &policy("torch213-cxx11-cpu-x86_64-linux")),
        BTreeSet::from(["abi/wrong-architecture".to_owned()])
    );
}

/// For the tests of hostile bytes.
pub(crate) fn samples() -> [Vec<u8>; 3] {
    let old = Library { cpu: POWER, wide: false, little: false, ..GOOD };
    [GOOD.bytes(), old.bytes(), fat(&[&GOOD, &Library { cpu: INTEL, ..GOOD }], false)]
}
