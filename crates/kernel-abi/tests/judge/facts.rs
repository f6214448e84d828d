//! The facts of libraries that we know because we made them.

use kernel_abi::image::{Binding, ExecutableStack, Format, Image, Kind, Machine, MarkKind, Object, Relro};

use crate::workshop::{Workshop, without_section_headers};

const STREAM: &str = r#"
#include <iostream>
#include <map>
#include <string>
extern "C" int entry(const char *text) {
    std::map<std::string, int> seen;
    std::cout << text << std::endl;
    return seen[text] = 1;
}
"#;

pub(crate) fn object(bytes: &[u8]) -> Object {
    let mut image = Image::parse(&bytes).expect("a library");
    assert_eq!(image.objects.len(), 1);
    image.objects.remove(0)
}

#[test]
fn facts_of_a_plain_library() {
    let workshop = Workshop::new();
    let flags =
        ["-Wl,-soname,libmine.so.3", "-Wl,-rpath,/somewhere", "-Wl,-z,relro,-z,now", "-Wl,--build-id=0x0102"];
    let bytes = workshop.library("plain.so", STREAM, &flags);
    let image = Image::parse(&bytes.as_slice()).expect("a library");
    assert_eq!(image.format, Format::Elf);
    let object = object(&bytes);
    assert_eq!((object.machine, object.kind), (host(), Kind::SharedLibrary));
    assert_eq!(object.name.as_deref(), Some("libmine.so.3"));
    assert_eq!(object.build_id.as_deref(), Some("0102"));
    assert_eq!(object.relro, Relro::Full);
    assert_eq!(object.executable_stack, ExecutableStack::No);
    assert!(!object.text_relocations && object.provenance.is_empty() && object.marks.is_empty());
    assert_eq!(object.search_paths[0].path, "/somewhere");
    assert!(object.needed.iter().any(|library| library == "libstdc++.so.6"), "{:?}", object.needed);
    let entry = object.symbols().find(|symbol| symbol.name == "entry").expect("the entry");
    assert!(entry.is_exported() && entry.version.is_none());
    let stream = object.symbols().find(|symbol| symbol.name == "_ZSt4cout").expect("the stream");
    let version = stream.version.expect("a version");
    assert_eq!((version.library.as_deref(), version.name.as_str()), (Some("libstdc++.so.6"), "GLIBCXX_3.4"));
    assert!(!stream.defined);
    assert!(object.sections.iter().any(|section| section.name == ".rodata" && section.size > 0));
}

#[test]
fn bindings_stacks_and_static_runtimes_are_seen() {
    let workshop = Workshop::new();
    let unique = "template <class T> struct S { static int state; }; template <class T> int S<T>::state = 1;\n\
                  int *use() { return &S<int>::state; }";
    let unique = object(&workshop.library("unique.so", unique, &["-fgnu-unique"]));
    assert!(unique.symbols().any(|symbol| symbol.binding == Binding::Unique && symbol.is_exported()));
    let stack = object(&workshop.library("stack.so", "int f() { return 1; }", &["-Wl,-z,execstack"]));
    assert_eq!(stack.executable_stack, ExecutableStack::Yes);
    let hidden = ["-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL", "-fvisibility=hidden"];
    let hidden = object(&workshop.stripped(&workshop.library("static.so", STREAM, &hidden)));
    assert!(!hidden.needed.iter().any(|library| library.starts_with("libstdc++")));
    assert!(hidden.marks.iter().any(|mark| mark.kind == MarkKind::Exceptions));
    let store =
        "const char *where = \"/nix/store/abc-thing/share\"; const char *file = \"/home/me/kernel.cu\";";
    let marks = object(&workshop.library("marks.so", store, &[])).marks;
    assert_eq!(
        marks.iter().map(|mark| mark.kind).collect::<Vec<_>>(),
        [MarkKind::NixStore, MarkKind::BuildPath]
    );
}

#[test]
fn hidden_section_headers_change_no_fact() {
    let workshop = Workshop::new();
    let hash = |style: &'static str| vec!["-static-libstdc++", style];
    for (name, flags) in
        [("gnu.so", hash("-Wl,--hash-style=gnu")), ("sysv.so", hash("-Wl,--hash-style=sysv"))]
    {
        let bytes = workshop.library(name, STREAM, &flags);
        let told = |bytes: &[u8]| {
            let mut object = object(bytes);
            object.sections.clear();
            let symbols: Vec<String> = object.symbols().map(|symbol| format!("{symbol:?}")).collect();
            assert!(symbols.len() > 20, "{name} has {} symbols", symbols.len());
            format!("{object:?}{symbols:?}")
        };
        let original = told(&bytes);
        for hidden in without_section_headers(&bytes) {
            assert_eq!(told(&hidden), original, "{name}");
        }
        let stripped = workshop.stripped(&bytes);
        for hidden in without_section_headers(&stripped) {
            assert_eq!(told(&hidden), told(&stripped), "{name}, stripped");
        }
    }
}

/// GNU ld writes the GNU hash table of a library without exports in a form that does not tell the number of symbols.
#[test]
fn imports_are_found_without_exports() {
    let workshop = Workshop::new();
    fs_err::write(workshop.path("none.map"), "{ local: *; };").expect("writes");
    let source = "#include <cstdio>\nstatic int use = puts(\"x\");";
    let bytes =
        workshop.library("none.so", source, &["-Wl,--version-script,none.map", "-Wl,--hash-style=gnu"]);
    assert!(object(&bytes).symbols().any(|symbol| symbol.name == "puts" && !symbol.defined));
}

fn host() -> Machine {
    if cfg!(target_arch = "aarch64") { Machine::Aarch64 } else { Machine::X86_64 }
}

/// A function that cannot be reached may have no instructions, even as the last one.
#[test]
fn empty_functions_are_no_damage() {
    let workshop = Workshop::new();
    let empty = "int first() { return 1; }\n\
                 asm(\".globl last\\n.type last, @function\\nlast:\\n.size last, 0\");";
    let flags = ["-nostdlib", "-O1", "-fno-asynchronous-unwind-tables", "-Wl,--build-id=none"];
    let empty = object(&workshop.library("empty.so", empty, &flags));
    assert!(empty.symbols().any(|symbol| symbol.name == "last" && symbol.defined));
}

/// A program has the data of others that it uses itself, under their versions: the linker copies it there.
#[test]
fn copies_of_others_data_in_a_program_are_no_damage() {
    let workshop = Workshop::new();
    fs_err::write(
        workshop.path("copy.c"),
        "#include <stdio.h>\nint main(void) { return fputs(\"\", stdout) + (stderr == stdout); }",
    )
    .expect("writes");
    workshop.run("gcc", &["-O1", "-fno-pie", "-no-pie", "copy.c", "-o", "copy"]);
    let object = object(&workshop.read("copy"));
    let copied = object.symbols().any(|symbol| symbol.defined && symbol.name == "stdout");
    assert!(copied || !cfg!(target_arch = "x86_64"), "{:?}", object.symbols().collect::<Vec<_>>());
}
