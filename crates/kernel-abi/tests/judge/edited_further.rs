//! More libraries that somebody changed after the linker, and what other linkers write, changed into it here.

use kernel_abi::Policy;

use crate::edited::{
    Change, Edit, FINI_ARRAY, GNU_HASH, INIT_ARRAY, JMPREL, LOAD, NOTE, RELA, RELASZ, RELRO, SYMTAB, TLS,
    place, set, told,
};
use crate::planted::{codes, policy, shelf, torch};

const PLTGOT: u64 = 3;

const CALLING: &str = "extern \"C\" int puts(const char *); extern \"C\" void *PyInit__relu_cpu_x(void) { puts(\"x\"); return 0; }";

/// Where calls are looked up at their first time, the loader writes what that needs to a table that the library names.
#[test]
fn the_table_that_first_calls_go_by_is_the_one_that_the_loader_prepares() {
    let workshop = shelf();
    let lazy = workshop.library("lazy.so", CALLING, &["-s", "-Wl,-z,lazy"]);
    let now = workshop.library("now.so", CALLING, &["-s", "-Wl,-z,now"]);
    let changes: &[(&str, Change)] = &[
        ("at the header", |edit| edit.set::<8>(edit.entry(PLTGOT), 0)),
        ("outside", |edit| edit.set::<8>(edit.entry(PLTGOT), 0x7fff_ffff_0000)),
        ("nowhere", |edit| edit.set::<8>(edit.entry(PLTGOT) - 8, 0x6000_0001)),
        ("beside", |edit| edit.set::<8>(edit.entry(PLTGOT), edit.number::<8>(edit.entry(PLTGOT)) + 8)),
    ];
    assert_eq!(codes(&lazy, &torch()), set(&[]));
    for (name, change) in changes {
        for (library, expected) in [(&lazy, &["abi/damaged"][..]), (&now, &[])] {
            let mut edit = Edit(library.clone());
            change(&mut edit);
            assert_eq!(codes(&edit.0, &torch()), set(expected), "{name}");
        }
    }
    // lld leaves the words of calls empty where all are filled at once.
    for (library, expected) in [(lazy, &["abi/damaged"][..]), (now, &[])] {
        let mut edit = Edit(library);
        let slots = if expected.is_empty() { RELA } else { JMPREL };
        if slots == JMPREL {
            let slot = edit.number::<8>(edit.table(JMPREL));
            let load = edit.headers(LOAD).pop().expect("writable data");
            let at = place(slot - edit.number::<8>(load + 16) + edit.number::<8>(load + 8));
            edit.set::<8>(at, 0);
        }
        assert_eq!(codes(&edit.0, &torch()), set(expected));
    }
    let mut edit = Edit(workshop.library(
        "now.so",
        CALLING,
        &["-s", "-Wl,-z,now", "-Wl,-z,noseparate-code", "-fno-plt"],
    ));
    edit.set::<8>(edit.entry(PLTGOT), 0);
    assert_eq!(codes(&edit.0, &torch()), set(&[]), "no calls");
}

/// gold names the section of such variables, where other linkers name nothing, for the library itself.
#[test]
fn variables_of_threads_of_the_library_itself_may_be_named_by_their_section() {
    let workshop = shelf();
    let source = "static thread_local int kept[2]; extern \"C\" int puts(const char *);\n\
                  extern \"C\" void *PyInit__relu_cpu_x(void) { puts(\"x\"); return kept; }";
    let library = workshop.library("kept.so", source, &["-s", "-ftls-model=local-dynamic", "-Wl,--no-relax"]);
    assert_eq!(codes(&library, &torch()), set(&[]));
    let module = |edit: &Edit| {
        let start = edit.table(RELA);
        let mut all = (start..start + place(edit.number::<8>(edit.entry(RELASZ)))).step_by(24);
        all.find(|at| edit.number::<4>(at + 8) == 16).expect("a library's own storage")
    };
    // A symbol that the dynamic linker need not look up: turn the first one, of which something else is said, into such one.
    for (info, section, expected) in
        [(3_u64, 1_u64, &[][..]), (3, 0, &["abi/damaged"]), (0x12, 1, &["abi/damaged"])]
    {
        let mut edit = Edit(library.clone());
        let at = module(&edit);
        // Symbol 0 is looked at by nobody, and others are in use; so the last weak one is taken.
        let weak = (1..10_000)
            .find(|symbol| edit.number::<1>(edit.table(SYMTAB) + 24 * symbol + 4) == 0x20)
            .expect("a weak name");
        let symbol = edit.table(SYMTAB) + 24 * weak;
        edit.set::<1>(symbol + 4, info);
        edit.set::<2>(symbol + 6, section);
        edit.set::<4>(at + 12, weak as u64);
        let found = codes(&edit.0, &torch());
        // Its other relocation goes on writing an address, which is none of the judge's business here.
        assert_eq!(found, set(expected), "{info:#x} {section}");
    }
}

/// GNU ld leaves relocations of nothing at address 0; whoever takes one away leaves its address.
#[test]
fn relocations_that_a_linker_left_empty_write_nowhere() {
    let workshop = shelf();
    let library = workshop.library("calls.so", CALLING, &["-s"]);
    let last = |edit: &Edit| edit.table(RELA) + place(edit.number::<8>(edit.entry(RELASZ))) - 24;
    let mut edit = Edit(library.clone());
    let at = last(&edit);
    edit.0[at..at + 24].fill(0);
    assert_eq!(codes(&edit.0, &torch()), set(&[]));
    let mut edit = Edit(library);
    edit.set::<4>(last(&edit) + 8, 0);
    assert_eq!(codes(&edit.0, &torch()), set(&["abi/damaged"]));
}

#[test]
fn alignments_that_memory_or_the_process_do_not_have_are_found() {
    let workshop = shelf();
    let kept = "static thread_local int kept __attribute__((tls_model(\"initial-exec\")));\n\
                extern \"C\" void *PyInit__relu_cpu_x(void) { return &kept; }";
    let kept = workshop.library("kept.so", kept, &["-s"]);
    for (align, expected) in
        [(64, &["abi/thread-storage?"][..]), (128, &["abi/thread-storage", "abi/thread-storage?"])]
    {
        let mut edit = Edit(kept.clone());
        edit.every(TLS, 48, align);
        assert_eq!(codes(&edit.0, &torch()), set(expected), "{align}");
    }
    let none = workshop.library("none.so", "static int kept;", &["-s", "-nostdlib", "-Wl,--hash-style=gnu"]);
    let before = codes(&none, &torch());
    let mut edit = Edit(none.clone());
    // An address that is zero fits every alignment.
    let first = edit.headers(LOAD)[0];
    for align in [1 << 46, 1 << 31] {
        edit.set::<8>(first + 48, align);
        let found = codes(&edit.0, &torch());
        assert!(
            found.contains("abi/not-loadable") && !before.contains("abi/not-loadable"),
            "{align:#x} {found:?}"
        );
    }
    let mut edit = Edit(none);
    edit.set::<4>(edit.table(GNU_HASH) + 8, 3);
    assert_eq!(codes(&edit.0, &torch()), set(&["abi/damaged"]), "nothing is exported");
}

#[test]
fn packed_relocations_have_to_be_asked_for_everywhere() {
    let workshop = shelf();
    let source = "extern \"C\" int puts(const char *); static int x; static int *volatile p[] = { &x, &x, &x };\n\
                  extern \"C\" void *PyInit__relu_cpu_x(void) { puts(\"x\"); return p[1]; }";
    let good = workshop.library("packed.so", source, &["-s", "-Wl,-z,pack-relative-relocs"]);
    // The name of that version, taken for the one of another.
    let with = |hidden: bool, system: Option<&str>| {
        let manylinux = system.map(|name| name.parse().expect("a policy"));
        let mut edit = Edit(good.clone());
        let name = b"GLIBC_ABI_DT_RELR\0";
        let at = edit.0.windows(name.len()).position(|window| window == name).expect("it asks");
        if hidden {
            // The hash that a name has is written beside it, and compared: both change.
            edit.0[at..at + 12].copy_from_slice(b"GLIBC_2.2.5\0");
            let hash = b"GLIBC_2.2.5".iter().fold(0_u64, |hash, byte| {
                let hash = (hash << 4) + u64::from(*byte);
                (hash ^ (hash >> 24 & 0xf0)) & 0x0fff_ffff
            });
            let old = b"GLIBC_ABI_DT_RELR".iter().fold(0_u64, |hash, byte| {
                let hash = (hash << 4) + u64::from(*byte);
                (hash ^ (hash >> 24 & 0xf0)) & 0x0fff_ffff
            });
            let old = u32::try_from(old).expect("a hash").to_le_bytes();
            let at = edit.0.windows(4).position(|window| window == old).expect("its hash");
            edit.set::<4>(at, hash);
        }
        codes(&edit.0, &Policy { manylinux, ..torch() })
    };
    assert_eq!(with(false, None), set(&[]));
    assert_eq!(with(false, Some("manylinux_2_39")), set(&[]));
    assert_eq!(with(true, None), set(&["abi/not-loadable"]));
    assert_eq!(with(true, Some("manylinux_2_39")), set(&["abi/not-loadable"]));
    assert_eq!(with(true, Some("manylinux_2_28")), set(&["abi/symbol-version"]));
}

/// glibc keeps versions for what its loader can do, and no symbol is in them.
#[test]
fn nothing_is_taken_from_versions_without_symbols() {
    let workshop = shelf();
    fs_err::write(workshop.path("able.map"), "GLIBC_ABI_DT_RELR { odd; };").expect("writes");
    let flags =
        "-shared -fPIC -nostdlib empty.c -Wl,--version-script,able.map -Wl,-soname,libc.so.6 -o libable.so";
    workshop.run("gcc", &flags.split(' ').collect::<Vec<_>>());
    let source = "extern \"C\" void odd(); extern \"C\" void *PyInit__relu_cpu_x() { odd(); return 0; }";
    let library = workshop.library("able.so", source, &["-nostdlib", "libable.so", "-s"]);
    let policy = Policy { manylinux: Some("manylinux_2_39".parse().expect("a policy")), ..torch() };
    assert_eq!(codes(&library, &policy), set(&["abi/version-node"]));
    assert!(told(&library, &policy).contains("takes `odd` from `libc.so.6` in `GLIBC_ABI_DT_RELR`"));
}

/// What runs when a library is loaded, and what Python loads it by, against the places where its functions begin.
#[test]
fn functions_are_entered_where_they_begin() {
    let workshop = shelf();
    let source = "extern \"C\" int puts(const char *);\n\
        __attribute__((constructor)) static void begin(void) { puts(\"begin\"); puts(\"go on\"); }\n\
        __attribute__((destructor)) static void end(void) { puts(\"end\"); puts(\"go off\"); }\n\
        extern \"C\" void *PyInit__relu_cpu_x(void) { puts(\"a\"); puts(\"b\"); return 0; }\n";
    let good = workshop.library("entered.so", source, &["-s", "-Wl,-z,lazy"]);
    assert_eq!(codes(&good, &torch()), set(&[]));
    let bare =
        workshop.library("bare.so", source, &["-s", "-fno-asynchronous-unwind-tables", "-fno-exceptions"]);
    assert_eq!(codes(&bare, &torch()), set(&[]));
    let edit = Edit(good.clone());
    let (relocations, arrays) = (edit.table(RELA), [edit.entry(INIT_ARRAY), edit.entry(FINI_ARRAY)]);
    let arrays = arrays.map(|entry| edit.number::<8>(entry));
    let within = |by: u64| -> usize {
        let mut wrong = 0;
        for at in (0..place(edit.number::<8>(edit.entry(RELASZ)))).step_by(24) {
            let at = relocations + at;
            // The second of each array is this library's own: the first is the compiler's, of which nothing tells how long it is.
            if arrays.iter().any(|array| edit.number::<8>(at) == array + 8) {
                let mut edit = Edit(good.clone());
                edit.set::<8>(at + 16, edit.number::<8>(at + 16) + by);
                wrong += usize::from(codes(&edit.0, &torch()) == set(&["abi/damaged"]));
            }
        }
        wrong
    };
    assert_eq!((within(0), within(1), within(4)), (0, 2, 2));
    let entry = edit.table(SYMTAB);
    let mut own = entry + 24;
    while edit.number::<8>(own + 8) == 0 {
        own += 24;
    }
    let mut moved = Edit(good.clone());
    moved.set::<8>(own + 8, edit.number::<8>(own + 8) + 4);
    assert_eq!(codes(&moved.0, &torch()), set(&["abi/damaged"]));
}

/// As run times of sanitizers find their own header, and as GNU ld writes `_end` where a needed library has it.
#[test]
fn what_linkers_write_of_their_own_is_taken() {
    let workshop = shelf();
    let source = "extern \"C\" char __ehdr_start __attribute__((visibility(\"hidden\")));\n\
        extern \"C\" { __attribute__((visibility(\"hidden\"), used)) char *const header[] = { &__ehdr_start }; }\n\
        extern \"C\" void *PyInit__relu_cpu_x(void) { return (void *)header; }";
    for pointer in ["*const", "*"] {
        let source = source.replace("*const", pointer);
        let header = workshop.library("header.so", &source, &["-s", "-Wl,-z,relro"]);
        assert_eq!(codes(&header, &torch()), set(&[]), "{pointer}");
    }
    fs_err::write(
        workshop.path("end.c"),
        "extern char _end __attribute__((weak)); char *end_of(void) { return &_end; }",
    )
    .expect("writes");
    workshop
        .run("gcc", &["-shared", "-fPIC", "-nostdlib", "end.c", "-o", "libend.so", "-Wl,-soname,libc10.so"]);
    let source =
        "extern \"C\" char *end_of(void); extern \"C\" void *PyInit__relu_cpu_x(void) { return end_of(); }";
    let with_end = workshop.library("end.so", source, &["libend.so", "-s", "-Wl,--hash-style=gnu"]);
    // A table that does not know the mark.
    let mut edit = Edit(with_end);
    let table = edit.table(GNU_HASH);
    let [buckets, words] = [0, 8].map(|at| place(edit.number::<4>(table + at)));
    let hash =
        b"_end".iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
    let mut chains = (table + 16 + 8 * words + 4 * buckets..).step_by(4);
    let own = chains.find(|at| edit.number::<4>(*at) | 1 == u64::from(hash | 1)).expect("the mark's hash");
    edit.set::<4>(own, edit.number::<4>(own) ^ 0x1000);
    assert!(!codes(&edit.0, &torch()).contains("abi/damaged"));
}

#[test]
fn what_is_protected_ends_within_memory() {
    let workshop = shelf();
    let good = workshop.library("good.so", CALLING, &["-s", "-Wl,-z,relro"]);
    let mut edit = Edit(good.clone());
    let header = edit.headers(RELRO)[0];
    edit.set::<8>(header + 16, u64::MAX);
    assert_eq!(codes(&good, &torch()), set(&[]));
    assert_eq!(codes(&edit.0, &torch()), set(&["abi/not-loadable"]));
}

/// The note by which glibc up to 2.35 refuses libraries of other systems, and for newer kernels.
#[test]
fn libraries_for_other_systems_and_newer_kernels_are_refused() {
    let workshop = shelf();
    for (system, kernel, manylinux, expected) in [
        (0, "3, 2, 0", Some("manylinux_2_28"), &[][..]),
        (0, "4, 18, 0", Some("manylinux_2_28"), &[]),
        (0, "4, 19, 0", Some("manylinux_2_28"), &["abi/not-loadable"]),
        (0, "9, 9, 9", Some("manylinux_2_17"), &["abi/not-loadable"]),
        (1, "3, 2, 0", Some("manylinux_2_28"), &["abi/not-loadable"]),
        (1, "9, 9, 9", Some("manylinux_2_39"), &[]),
        (1, "9, 9, 9", None, &[]),
    ] {
        let note = format!(
            "__asm__(\".section .note.ABI-tag,\\\"a\\\",@note\\n.long 4, 16, 1\\n.asciz \\\"GNU\\\"\\n.long {system}, {kernel}\\n.previous\");\n{CALLING}"
        );
        let library = workshop.library("tagged.so", &note, &["-s"]);
        assert!(!Edit(library.clone()).headers(NOTE).is_empty());
        let manylinux = manylinux.map(|name| name.parse().expect("a policy"));
        let policy = Policy { manylinux, ..policy("torch213-cxx11-cpu-x86_64-linux") };
        assert_eq!(codes(&library, &policy), set(expected), "{system} {kernel} {manylinux:?}");
    }
}

/// Clang's code of the large model has frames with distances of eight bytes, and start files that follow have none.
#[test]
#[cfg(target_arch = "x86_64")]
fn frames_with_long_distances_are_no_longer_than_they_say() {
    const FRAME: &str = r#"
extern "C" void *PyInit__relu_cpu_x(void) { return 0; }
asm(R"(
.section .text.last,"ax",@progbits
last: ret
.section .eh_frame,"a",@progbits
.Lcommon: .long .Lcommon_end - .Lcommon_begin
.Lcommon_begin: .long 0
.byte 1
.asciz "zR"
.uleb128 1
.sleb128 -8
.byte 16
.uleb128 1
.byte 0x1c
.byte 0x0c
.uleb128 7
.uleb128 8
.byte 0x90
.uleb128 1
.balign 8
.Lcommon_end: .long .Lframe_end - .Lframe_begin
.Lframe_begin: .long .Lframe_begin - .Lcommon
.quad last - .
.quad 1
.byte 0
.balign 8
.Lframe_end:
.text
)");
"#;
    let long = shelf().library("long.so", FRAME, &["-s"]);
    assert_eq!(codes(&long, &torch()), set(&[]));
}
