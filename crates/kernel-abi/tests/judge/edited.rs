//! Libraries that somebody changed after the linker, so that a reader who trusts a count or an offset sees less than the
//! loader does, and those that no loader takes.

use std::collections::BTreeSet;

use kernel_abi::{Image, Policy};

use crate::planted::{codes, shelf, torch, verdict};
use crate::workshop::{Workshop, without_section_headers};

pub(crate) const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
pub(crate) const NOTE: u32 = 4;
const PHDR: u32 = 6;
pub(crate) const TLS: u32 = 7;
const UNWINDING: u32 = 0x6474_e550;
const STACK: u32 = 0x6474_e551;
pub(crate) const RELRO: u32 = 0x6474_e552;
/// A program header that nobody reads.
const UNKNOWN: u32 = 0x6000_0001;

const NEEDED: u64 = 1;
const HASH: u64 = 4;
const STRSZ: u64 = 10;
pub(crate) const SYMTAB: u64 = 6;
pub(crate) const RELA: u64 = 7;
const RELAENT: u64 = 9;
const SYMENT: u64 = 11;
const INIT: u64 = 12;
pub(crate) const RELASZ: u64 = 8;
const PLTRELSZ: u64 = 2;
const PLTREL: u64 = 20;
pub(crate) const JMPREL: u64 = 23;
pub(crate) const INIT_ARRAY: u64 = 25;
pub(crate) const FINI_ARRAY: u64 = 26;
const INIT_ARRAYSZ: u64 = 27;
const FLAGS: u64 = 30;
const RUNPATH: u64 = 29;
pub(crate) const GNU_HASH: u64 = 0x6fff_fef5;
const VERSYM: u64 = 0x6fff_fff0;
pub(crate) const VERNEED: u64 = 0x6fff_fffe;
const VERNEEDNUM: u64 = 0x6fff_ffff;

/// An ELF library of 64 bits, little-endian, in the hands of somebody who knows it.
pub(crate) struct Edit(pub(crate) Vec<u8>);

impl Edit {
    pub(crate) fn number<const N: usize>(&self, at: usize) -> u64 {
        self.0[at..at + N].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }

    pub(crate) fn set<const N: usize>(&mut self, at: usize, value: u64) {
        self.0[at..at + N].copy_from_slice(&value.to_le_bytes()[..N]);
    }

    /// Where the program headers of a kind stand.
    pub(crate) fn headers(&self, kind: u32) -> Vec<usize> {
        let start = place(self.number::<8>(0x20));
        let all = (0..place(self.number::<2>(0x38))).map(|index| start + 56 * index);
        all.filter(|at| self.number::<4>(*at) == u64::from(kind)).collect()
    }

    /// Where the value of an entry of the dynamic segment stands.
    pub(crate) fn entry(&self, tag: u64) -> usize {
        let dynamic = place(self.number::<8>(self.headers(DYNAMIC)[0] + 8));
        let at =
            (dynamic..).step_by(16).find(|at| self.number::<8>(*at) == tag || self.number::<8>(*at) == 0);
        at.expect("a dynamic segment ends") + 8
    }

    /// The place in the file that an entry of the dynamic segment leads to.
    pub(crate) fn table(&self, tag: u64) -> usize {
        let address = self.number::<8>(self.entry(tag));
        let holds = |at: &usize| (self.number::<8>(at + 16)..).contains(&address);
        let load = self.headers(LOAD).into_iter().rfind(holds).expect("a loaded table");
        place(address - self.number::<8>(load + 16) + self.number::<8>(load + 8))
    }

    /// Where the record of the only function stands that it defines.
    fn symbol(&self) -> usize {
        let is_function = |at: &usize| self.number::<1>(at + 4) == 0x12 && self.number::<2>(at + 6) != 0;
        (self.table(SYMTAB)..).step_by(24).find(is_function).expect("a function")
    }

    pub(crate) fn every(&mut self, kind: u32, field: usize, value: u64) {
        for at in self.headers(kind) {
            match field {
                0 => self.set::<4>(at, value),
                _ => self.set::<8>(at + field, value),
            }
        }
    }
}

pub(crate) fn place(value: u64) -> usize {
    usize::try_from(value).expect("small")
}

/// A library with a version and a symbol that no policy allows, a search path, and a note about processors.
fn bad(workshop: &Workshop) -> Vec<u8> {
    let source = "extern int puts(const char *); extern unsigned arc4random(void); extern void *PyFrame_GetBack(void *);\n\
                  void *PyInit__relu_cpu_x(void) { puts(\"x\"); arc4random(); return PyFrame_GetBack(0); }";
    fs_err::write(workshop.path("bad.c"), source).expect("writes");
    let flags =
        "-shared -fPIC -O1 -Wl,--hash-style=both -Wl,-rpath,/opt/lib -Wl,-z,x86-64-v3 bad.c -o bad.so";
    workshop.run("gcc", &flags.split(' ').collect::<Vec<_>>());
    workshop.read("bad.so")
}

pub(crate) type Change = fn(&mut Edit);

#[test]
fn what_an_edit_hides_from_counts_is_found_or_the_file_is_called_damaged() {
    let workshop = shelf();
    let bad = bad(&workshop);
    let all = ["abi/instruction-set", "abi/python-api", "abi/search-path", "abi/symbol-version"];
    assert_eq!(verdict(&workshop, &bad, &torch()), set(&all));
    let changes: &[(&str, Change, &[&str])] = &[
        ("fewer libraries with versions", |edit| edit.set::<8>(edit.entry(VERNEEDNUM), 0), &["abi/damaged"]),
        ("no count of them", |edit| edit.set::<8>(edit.entry(VERNEEDNUM) - 8, u64::from(UNKNOWN)), &all),
        ("fewer versions", |edit| edit.set::<2>(edit.table(VERNEED) + 2, 0), &["abi/damaged"]),
        ("fewer symbols", |edit| edit.set::<4>(edit.table(HASH) + 4, 1), &["abi/damaged"]),
        ("fewer names", |edit| edit.set::<8>(edit.entry(STRSZ), 2), &["abi/damaged"]),
        ("another dynamic segment in the file", another_dynamic_segment, &["abi/damaged"]),
        ("a dynamic segment without its end", |edit| edit.every(DYNAMIC, 32, 16), &all),
        ("notes elsewhere in the file", |edit| edit.every(NOTE, 8, 0), &all),
        ("notes of an unknown kind", |edit| edit.every(NOTE, 0, UNKNOWN.into()), &all),
    ];
    for (name, change, expected) in changes {
        let mut edit = Edit(bad.clone());
        change(&mut edit);
        assert_eq!(codes(&edit.0, &torch()), set(expected), "{name}");
    }
}

#[test]
fn versions_of_a_library_that_is_not_needed_are_found() {
    let workshop = shelf();
    let source = "extern \"C\" void odd(); extern \"C\" void *PyInit__relu_cpu_x() { odd(); return 0; }";
    for (name, all) in
        [("libforeign.so", &["abi/needed-library"][..]), ("libgomp.so.1", &["abi/symbol-version"])]
    {
        let map = "-Wl,--version-script,odd.map";
        let soname = format!("-Wl,-soname,{name}");
        let flags = ["-shared", "-fPIC", "-nostdlib", "empty.c", map, &soname, "-o", "libodd-version.so"];
        workshop.run("gcc", &flags);
        let library = workshop.library("odd.so", source, &["-nostdlib", "libodd-version.so"]);
        assert_eq!(verdict(&workshop, &library, &torch()), set(all), "{name}");
        let mut edit = Edit(library);
        edit.set::<8>(edit.entry(NEEDED) - 8, u64::from(UNKNOWN));
        // Torch brings its own libgomp, needed by name or not.
        assert_eq!(codes(&edit.0, &torch()), set(all), "{name}, not needed");
        if name == "libforeign.so" {
            assert!(told(&edit.0, &torch()).contains("but not that library itself"));
        }
    }
}

/// A copy of the dynamic segment without its search path, where the header says that it is, but not where the loader looks.
fn another_dynamic_segment(edit: &mut Edit) {
    let header = edit.headers(DYNAMIC)[0];
    let (start, length) = (place(edit.number::<8>(header + 8)), place(edit.number::<8>(header + 32)));
    let at = edit.0.len().next_multiple_of(16);
    edit.0.resize(at, 0);
    edit.0.extend_from_within(start..start + length);
    edit.set::<8>(header + 8, at as u64);
    let path = edit.entry(RUNPATH) - 8;
    edit.set::<8>(path, UNKNOWN.into());
}

#[test]
fn files_that_the_loader_refuses_are_told_so() {
    let workshop = shelf();
    let source = "void *PyInit__relu_cpu_x(void) { return 0; }";
    let good = workshop.library("good.so", &format!("extern \"C\" {source}"), &["-s"]);
    assert!(verdict(&workshop, &good, &torch()).is_empty());
    let changes: &[(&str, Change, &str, &str)] = &[
        ("no program headers", |edit| edit.set::<2>(0x38, 0), "abi/not-loadable", "no program headers"),
        ("no dynamic segment", |edit| edit.every(DYNAMIC, 0, 0), "abi/not-loadable", "no dynamic segment"),
        ("nothing to load", |edit| edit.every(LOAD, 0, 0), "abi/damaged", "outside the loaded segments"),
        (
            "no symbols",
            |edit| edit.set::<8>(edit.entry(SYMTAB) - 8, 0x6fff_fef0),
            "abi/not-loadable",
            "dynamic symbols",
        ),
        ("another system", |edit| edit.0[7] = 9, "abi/not-loadable", "another system"),
        ("a version of the ABI", |edit| edit.0[8] = 1, "abi/not-loadable", "version of an ABI"),
        ("reserved bytes", |edit| edit.0[12] = 1, "abi/not-loadable", "reserved bytes"),
        ("another ELF", |edit| edit.0[6] = 9, "abi/not-loadable", "ELF version"),
        ("another version of the file", |edit| edit.0[0x14] = 9, "abi/not-loadable", "ELF version"),
        ("odd alignment", |edit| edit.every(LOAD, 48, 3), "abi/not-loadable", "not aligned"),
        ("no stack header", |edit| edit.every(STACK, 0, 0), "abi/executable-stack", "no stack header"),
    ];
    for (name, change, code, words) in changes {
        let mut edit = Edit(good.clone());
        change(&mut edit);
        assert_eq!(codes(&edit.0, &torch()), set(&[code]), "{name}");
        assert!(told(&edit.0, &torch()).contains(words), "{name}: {}", told(&edit.0, &torch()));
    }
    let mut edit = Edit(good.clone());
    edit.set::<8>(0x28, 1 << 60);
    assert_eq!(codes(&edit.0, &torch()), set(&["abi/damaged?"]), "sections far away");
    let mut edit = Edit(good.clone());
    edit.every(LOAD, 16, 0);
    assert_eq!(codes(&edit.0, &torch()), set(&["abi/damaged"]), "segments over one another");
}

/// Sections that `objcopy` takes away leave zeros where the dynamic segment goes on to name a table.
#[test]
fn tables_that_somebody_emptied_are_found() {
    let workshop = shelf();
    let source = "extern \"C\" int puts(const char *); static int x; static int *volatile p[] = { &x, &x, &x };\n\
                  extern \"C\" void *PyInit__relu_cpu_x(void) { puts(\"x\"); return p[1]; }";
    let packed = ["-nostdlib", "-Wl,-z,pack-relative-relocs"];
    let own = ["-Wl,--version-script,own.map"];
    for (flags, tables) in [
        (&["-Wl,--hash-style=gnu"][..], &[".gnu.hash", ".dynsym", ".dynstr", ".rela.dyn", ".rela.plt"][..]),
        (&["-Wl,--hash-style=sysv"], &[".hash", ".dynsym", ".dynstr", ".gnu.version_r", ".init", ".fini"]),
        (&["-Wl,--hash-style=both"], &[".gnu.hash", ".hash", ".dynsym"]),
        (&packed, &[".relr.dyn"]),
        (&own, &[".gnu.version_d"]),
    ] {
        let library = workshop.library("whole.so", source, flags);
        let whole = verdict(&workshop, &library, &torch());
        assert!(!whole.contains("abi/damaged"), "{flags:?} {whole:?}");
        for table in tables {
            workshop.run("objcopy", &["-R", table, "whole.so", "emptied.so"]);
            let emptied = workshop.read("emptied.so");
            for hidden in without_section_headers(&emptied).iter().chain([&emptied]) {
                assert_eq!(codes(hidden, &torch()), set(&["abi/damaged"]), "{table} {flags:?}");
            }
        }
        // What the loader does not follow may go.
        workshop.run("objcopy", &["-R", ".comment", "whole.so", "emptied.so"]);
        assert_eq!(codes(&workshop.read("emptied.so"), &torch()), whole, "{flags:?}");
    }
}

#[test]
fn tables_that_lead_the_loader_astray_are_found() {
    let workshop = shelf();
    let source = "extern \"C\" int puts(const char *); static int x; static int *volatile p[] = { &x, &x, &x };\n\
                  extern \"C\" void *PyInit__relu_cpu_x(void) { puts(\"x\"); return p[1]; }";
    let gnu = workshop.library("gnu.so", source, &["-s", "-Wl,--hash-style=gnu"]);
    let classic = workshop.library("classic.so", source, &["-s", "-Wl,--hash-style=sysv"]);
    let damaged: &[(&str, &[u8], Change)] = &[
        ("a filter that lets nothing through", &gnu, |edit| edit.set::<8>(edit.table(GNU_HASH) + 16, 0)),
        ("a bucket that leads nowhere", &gnu, |edit| edit.set::<4>(edit.table(GNU_HASH) + 24, 0)),
        ("no hash table", &gnu, |edit| edit.set::<8>(edit.entry(GNU_HASH) - 8, u64::from(UNKNOWN))),
        ("a bucket of the classic table", &classic, |edit| {
            let buckets = place(edit.number::<4>(edit.table(HASH)));
            for bucket in 0..buckets {
                edit.set::<4>(edit.table(HASH) + 8 + 4 * bucket, 0);
            }
        }),
        ("a circle in the classic table", &classic, |edit| {
            let table = edit.table(HASH);
            let buckets = place(edit.number::<4>(table));
            let heads = (0..buckets).map(|bucket| edit.number::<4>(table + 8 + 4 * bucket));
            let head = heads.into_iter().find(|head| *head != 0).expect("a symbol");
            edit.set::<4>(table + 8 + 4 * (buckets + place(head)), head);
        }),
        ("the form of versions", &gnu, |edit| edit.set::<2>(edit.table(VERNEED), 2)),
        ("the hash of a version", &gnu, |edit| edit.set::<4>(edit.table(VERNEED) + 16, 1)),
        ("an index of no version", &gnu, |edit| {
            let last = edit.table(VERSYM) + 2;
            edit.set::<2>(last, 77);
            edit.set::<2>(last + 2, 77);
            edit.set::<2>(last + 4, 77);
        }),
        ("relocations that write into headers", &gnu, |edit| edit.set::<8>(edit.table(RELA), 0)),
        ("relocations of another kind", &gnu, |edit| edit.set::<4>(edit.table(RELA) + 8, 6)),
        ("code at the start", &gnu, |edit| edit.set::<8>(edit.entry(INIT), 0x7fff_0000)),
    ];
    for (name, library, change) in damaged {
        let mut edit = Edit(library.to_vec());
        change(&mut edit);
        assert_eq!(codes(&edit.0, &torch()), set(&["abi/damaged"]), "{name}");
    }
    let refused: &[(&str, Change)] = &[
        ("the size of relocations", |edit| edit.set::<8>(edit.entry(RELAENT), 16)),
        ("segments in another order", |edit| {
            let loads = edit.headers(LOAD);
            let (first, second) = (loads[0], loads[1]);
            for at in 0..56 {
                edit.0.swap(first + at, second + at);
            }
        }),
        ("relocations without a size", |edit| edit.set::<8>(edit.entry(RELASZ) - 8, u64::from(UNKNOWN))),
        ("an array without a size", |edit| edit.set::<8>(edit.entry(INIT_ARRAYSZ) - 8, u64::from(UNKNOWN))),
        ("versions of no symbols", |edit| edit.set::<8>(edit.entry(VERSYM) - 8, u64::from(UNKNOWN))),
        ("more memory than there is", |edit| {
            let last = edit.headers(LOAD).pop().expect("a segment");
            edit.set::<8>(last + 40, 1 << 50);
        }),
        ("protection of nothing", |edit| edit.every(RELRO, 16, 1 << 40)),
        ("the size of symbols", |edit| edit.set::<8>(edit.entry(SYMENT), 16)),
        ("an alignment that addresses do not have", |edit| edit.every(LOAD, 48, 1 << 21)),
    ];
    for (name, change) in refused {
        let mut edit = Edit(gnu.clone());
        change(&mut edit);
        assert_eq!(codes(&edit.0, &torch()), set(&["abi/not-loadable"]), "{name}");
    }
}

/// What the loader does at a library's start, ended early or sent elsewhere: each of these ends the process or the loading.
#[test]
fn what_ends_the_process_at_loading_is_found() {
    let workshop = shelf();
    let source = "extern \"C\" int puts(const char *); thread_local int kept = 3; static int x; int *volatile p[] = { &x };\n\
                  struct Start { Start(); ~Start(); }; Start::Start() { puts(\"x\"); } Start::~Start() { puts(\"y\"); }\n\
                  Start start; extern \"C\" void *PyInit__relu_cpu_x(void) { if (kept > puts(\"x\")) throw 1; return p[0]; }";
    let own = "-Wl,--version-script,own.map";
    let good = workshop.library("good.so", source, &["-s", "-ftls-model=global-dynamic", own]);
    assert_eq!(verdict(&workshop, &good, &torch()), set(&[]));
    let refused: &[(&str, Change)] = &[
        ("a version of an ABI", |edit| edit.set::<2>(7, 0x0903)),
        ("storage of threads outside", |edit| edit.every(TLS, 16, 0x7f00_0000)),
        ("more storage in the file than in memory", |edit| edit.every(TLS, 32, 1 << 10)),
        ("impossible storage", |edit| edit.every(TLS, 40, 1 << 40)),
        ("protection of code", |edit| edit.every(RELRO, 16, edit.number::<8>(edit.headers(LOAD)[1] + 16))),
        ("a dynamic segment of debug information", |edit| edit.every(DYNAMIC, 32, 0)),
        ("program headers elsewhere", |edit| edit.every(NOTE, 0, PHDR.into())),
        ("storage that is aligned to nothing", |edit| edit.every(TLS, 48, 0)),
        ("zeros that nobody can write", |edit| {
            let load = edit.headers(LOAD)[1];
            edit.set::<8>(load + 32, edit.number::<8>(load + 32) - 2);
        }),
        ("nothing at the start", |edit| edit.set::<8>(edit.entry(INIT_ARRAYSZ), 0)),
        ("another form of table for exceptions", |edit| {
            let at = place(edit.number::<8>(edit.headers(UNWINDING)[0] + 8));
            edit.set::<1>(at + 1, 0);
        }),
        ("functions in disorder", |edit| {
            let at = place(edit.number::<8>(edit.headers(UNWINDING)[0] + 8));
            edit.set::<4>(at + 12, 0);
        }),
        ("no table for exceptions", |edit| edit.every(UNWINDING, 0, UNKNOWN.into())),
        ("a table for exceptions elsewhere", |edit| edit.every(UNWINDING, 16, 0x7f00_0000)),
    ];
    let damaged: &[(&str, Change)] = &[
        ("another form of relocations", |edit| edit.set::<8>(edit.entry(PLTREL), 17)),
        ("no storage of threads", |edit| edit.every(TLS, 0, UNKNOWN.into())),
        ("segments that nobody may read", |edit| edit.set::<4>(edit.headers(LOAD)[0] + 4, 0)),
        ("a relocation of an unknown kind", |edit| edit.set::<4>(edit.table(JMPREL) + 8, 200)),
        ("a relocation of programs", |edit| edit.set::<4>(edit.table(JMPREL) + 8, 5)),
        ("a function that says where, and is none", |edit| edit.set::<4>(edit.table(JMPREL) + 8, 37)),
        ("a relocation into the dynamic segment", |edit| {
            let dynamic = edit.number::<8>(edit.headers(DYNAMIC)[0] + 16);
            edit.set::<8>(edit.table(JMPREL), dynamic + 8);
        }),
        ("fewer relocations", |edit| {
            edit.set::<8>(edit.entry(RELASZ), edit.number::<8>(edit.entry(RELASZ)) - 24);
        }),
        ("no relocations of calls", |edit| edit.set::<8>(edit.entry(PLTRELSZ), 0)),
        ("a relocation of nothing", |edit| edit.set::<4>(edit.table(RELA) + 8, 0)),
        ("two relocations of one place", |edit| {
            edit.set::<8>(edit.table(JMPREL) + 24, edit.number::<8>(edit.table(JMPREL)));
        }),
        ("a call that goes by an odd place", |edit| {
            edit.set::<8>(edit.table(JMPREL), edit.number::<8>(edit.table(JMPREL)) + 1);
        }),
        ("a call of nothing", |edit| edit.set::<4>(edit.table(JMPREL) + 12, 0)),
        ("two calls of one function", |edit| {
            edit.set::<4>(edit.table(JMPREL) + 36, edit.number::<4>(edit.table(JMPREL) + 12));
        }),
        ("a pointer into the header", |edit| edit.set::<8>(edit.table(RELA) + 16, 16)),
        ("a pointer out of the library", |edit| edit.set::<8>(edit.table(RELA) + 16, 1 << 40)),
        ("a hidden name of others", |edit| edit.set::<1>(edit.table(SYMTAB) + 24 + 5, 2)),
        ("a name of others with a value", |edit| edit.set::<8>(edit.table(SYMTAB) + 24 + 8, 1)),
        ("code over the header", |edit| edit.set::<8>(edit.headers(LOAD)[1] + 8, 0)),
        ("a start that is no code", |edit| {
            edit.set::<8>(edit.entry(INIT), edit.number::<8>(edit.entry(SYMTAB)));
        }),
        ("an array of no code", |edit| {
            edit.set::<8>(edit.entry(INIT_ARRAY), edit.number::<8>(edit.entry(SYMTAB)));
        }),
    ];
    let mut wrong = Vec::new();
    for (code, changes) in [("abi/not-loadable", refused), ("abi/damaged", damaged)] {
        for (name, change) in changes {
            let mut edit = Edit(good.clone());
            change(&mut edit);
            let found = codes(&edit.0, &torch());
            if found != set(&[code]) {
                wrong.push(format!("{name}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Rules that look at what only some libraries have.
#[test]
fn functions_chosen_at_loading_and_storage_set_aside_are_judged_by_relocations_alone() {
    let workshop = shelf();
    let chosen = "static int six() { return 6; } extern \"C\" { static int (*choose())() { return six; } }\n\
                  static int chosen() __attribute__((ifunc(\"choose\")));\n\
                  extern \"C\" void *PyInit__relu_cpu_x(void) { return (void *)(long)chosen(); }";
    let chosen = workshop.library("chosen.so", chosen, &["-s", "-Wl,-z,now"]);
    assert_eq!(codes(&chosen, &torch()), set(&[]));
    let mut edit = Edit(chosen);
    let indirect =
        (edit.table(JMPREL)..).step_by(24).find(|at| edit.number::<4>(at + 8) == 37).expect("chosen");
    let address = edit.number::<8>(edit.entry(SYMTAB));
    edit.set::<8>(indirect + 16, address);
    assert_eq!(codes(&edit.0, &torch()), set(&["abi/damaged"]));
    let kept = "static thread_local int kept __attribute__((tls_model(\"initial-exec\")));\n\
                extern \"C\" void *PyInit__relu_cpu_x(void) { return &kept; }";
    let mut edit = Edit(workshop.library("kept.so", kept, &["-s"]));
    assert_eq!(codes(&edit.0, &torch()), set(&["abi/thread-storage?"]));
    edit.set::<8>(edit.entry(FLAGS), 0);
    assert_eq!(codes(&edit.0, &torch()), set(&["abi/thread-storage?"]), "without the flag");
    let packed = "struct __attribute__((packed)) Odd { char c; int *p; }; static int x; static volatile Odd odd[] = {{ 1, &x }};\n\
                  extern \"C\" void *PyInit__relu_cpu_x(void) { return (void *)odd[0].p; }";
    let packed = workshop.library("packed.so", packed, &["-s"]);
    assert_eq!(codes(&packed, &torch()), set(&["abi/not-loadable?"]));
}

/// A library whose relocations are written as those of 64-bit Arm.
#[test]
fn relocations_for_aarch64_are_judged_as_well() {
    let workshop = shelf();
    let policy = crate::planted::policy("torch213-cxx11-cpu-aarch64-linux");
    let source = "extern \"C\" int c10_call(void); extern int c10_data; static int x; int *volatile p[] = { &x, &x };\n\
                  extern \"C\" void *PyInit__relu_cpu_x(void) { return c10_call() + c10_data ? p[1] : p[0]; }";
    let flags =
        ["-s", "-nostdlib", "-Wl,-z,max-page-size=65536", "-Wl,-z,lazy", "-Wl,--version-script,own.map"];
    let mut good = Edit(workshop.library("arm.so", source, &flags));
    good.set::<2>(18, 183);
    let tables = [(RELA, RELASZ), (JMPREL, PLTRELSZ)];
    let entries = tables.into_iter().flat_map(|(table, size)| {
        let start = good.table(table);
        (start..start + place(good.number::<8>(good.entry(size)))).step_by(24).collect::<Vec<_>>()
    });
    for at in entries.collect::<Vec<_>>() {
        let kind = match good.number::<4>(at + 8) {
            1 => 257,
            6 => 1025,
            7 => 1026,
            8 => 1027,
            other => panic!("relocation {other}"),
        };
        good.set::<4>(at + 8, kind);
    }
    assert_eq!(codes(&good.0, &policy), set(&[]));
    let damaged: &[(&str, Change)] = &[
        ("a relocation of nothing", |edit| edit.set::<4>(edit.table(RELA) + 8, 0)),
        ("a relocation of another processor", |edit| edit.set::<4>(edit.table(RELA) + 8, 8)),
        ("a relocation of programs", |edit| edit.set::<4>(edit.table(JMPREL) + 8, 1024)),
        ("a call that goes by another place", |edit| {
            edit.set::<8>(edit.table(JMPREL), edit.number::<8>(edit.table(JMPREL)) + 4);
        }),
        ("a call of nothing", |edit| edit.set::<4>(edit.table(JMPREL) + 12, 0)),
        ("storage that there is not", |edit| edit.set::<4>(edit.table(RELA) + 8, 1028)),
        ("fewer relocations", |edit| {
            edit.set::<8>(edit.entry(RELASZ), edit.number::<8>(edit.entry(RELASZ)) - 24);
        }),
        ("a pointer into the header", |edit| edit.set::<8>(edit.table(RELA) + 16, 16)),
    ];
    for (name, change) in damaged {
        let mut edit = Edit(good.0.clone());
        change(&mut edit);
        assert_eq!(codes(&edit.0, &policy), set(&["abi/damaged"]), "{name}");
    }
}

/// What `dlsym` does not find, and what is no code.
#[test]
fn entry_points_that_lead_nowhere_are_found() {
    let workshop = shelf();
    let (versioned, hidden) = ("-Wl,--version-script,own.map", "PyInit__relu_cpu_x@OWN_1");
    let good = workshop.library(
        "good.so",
        "extern \"C\" void *PyInit__relu_cpu_x(void) { return 0; }",
        &["-s", versioned],
    );
    let entry = |bytes: &[u8]| {
        let image = Image::parse(&bytes).expect("a library");
        kernel_abi::entry_point("_relu_cpu_x", &image, &torch()).map(|finding| format!("{finding:?}"))
    };
    assert_eq!(entry(&good), None);
    let old = format!("__asm__(\".symver old,{hidden}\"); extern \"C\" void *old(void) {{ return 0; }}");
    let old = workshop.library("old.so", &old, &[versioned]);
    assert!(entry(&old).is_some_and(|told| told.contains("old programs only")));
    let changes: &[(&str, Change)] = &[
        ("no place", |edit| edit.set::<8>(edit.symbol() + 8, 0)),
        ("a place outside", |edit| edit.set::<8>(edit.symbol() + 8, 0x7f00_0000)),
        ("a place in the headers", |edit| edit.set::<8>(edit.symbol() + 8, 8)),
        ("a number", |edit| edit.set::<2>(edit.symbol() + 6, 0xfff1)),
        ("a section", |edit| edit.set::<1>(edit.symbol() + 4, 0x13)),
        ("code that chooses", |edit| edit.set::<1>(edit.symbol() + 4, 0x1a)),
        ("an unknown kind", |edit| edit.set::<1>(edit.symbol() + 4, 0x17)),
        ("an unknown binding", |edit| edit.set::<1>(edit.symbol() + 4, 0x52)),
        ("hidden", |edit| edit.set::<1>(edit.symbol() + 5, 2)),
    ];
    for (name, change) in changes {
        let mut edit = Edit(good.clone());
        change(&mut edit);
        assert!(Image::parse(&edit.0.as_slice()).is_err() || entry(&edit.0).is_some(), "{name}");
    }
}

/// Messages and causes, for people.
pub(crate) fn told(bytes: &[u8], policy: &Policy) -> String {
    match Image::parse(&bytes) {
        Ok(image) => format!("{:?}", kernel_abi::check("lib.so", &image, policy)),
        Err(error) => format!("{:?}", error.finding("lib.so")),
    }
}

pub(crate) fn set(codes: &[&str]) -> BTreeSet<String> {
    codes.iter().map(|&code| code.to_owned()).collect()
}
