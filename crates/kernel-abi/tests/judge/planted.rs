//! Libraries with one planted fault each: the judge names exactly that fault, also in the stripped copy and in those
//! without section headers, and nothing else.

use std::collections::BTreeSet;

use kernel_abi::{Image, Policy, check};
use kernel_spec::Severity;
use kernel_spec::variant::{ArchVariant, Variant};

use crate::workshop::{Workshop, without_section_headers};

const GOOD: &str = "extern int puts(const char *); int work(int x) { return puts(\"x\") + x; }\n\
                    __attribute__((visibility(\"default\"))) void *PyInit__relu_cpu_x(void) { return (void *)work; }\n";

pub(crate) fn policy(variant: &str) -> Policy {
    let variant: Variant = variant.parse().expect("a variant");
    let arch: &ArchVariant = variant.arch().expect("compiled");
    Policy::for_variant(arch)
}

pub(crate) fn torch() -> Policy {
    policy("torch213-cxx11-cpu-x86_64-linux")
}

/// The codes of a judgement, with `?` behind those of warnings.
pub(crate) fn codes(bytes: &[u8], policy: &Policy) -> BTreeSet<String> {
    let findings = match Image::parse(&bytes) {
        Ok(image) => check("lib.so", &image, policy),
        Err(error) => vec![error.finding("lib.so")],
    };
    for finding in &findings {
        assert!(!finding.help.is_empty() && finding.subject.file.as_deref() == Some("lib.so"), "{finding:?}");
    }
    let code = |severity| if severity == Severity::Error { "" } else { "?" };
    findings.iter().map(|finding| format!("{}{}", finding.code, code(finding.severity))).collect()
}

/// Judges a library, its stripped copy, and the copies of both without section headers: all alike.
pub(crate) fn verdict(workshop: &Workshop, bytes: &[u8], policy: &Policy) -> BTreeSet<String> {
    let verdict = codes(bytes, policy);
    let stripped = workshop.stripped(bytes);
    assert_eq!(codes(&stripped, policy), verdict, "stripped");
    for hidden in without_section_headers(bytes).iter().chain(&without_section_headers(&stripped)) {
        assert_eq!(codes(hidden, policy), verdict, "without section headers");
    }
    verdict
}

/// One planted fault.
pub(crate) struct Plant<'a> {
    pub(crate) name: &'a str,
    /// C source, behind a good library's.
    pub(crate) source: &'a str,
    pub(crate) flags: &'a [&'a str],
    /// Codes that must be found; `?` marks warnings.
    pub(crate) codes: &'a [&'a str],
}

const fn plant(
    name: &'static str,
    source: &'static str,
    flags: &'static [&'static str],
    codes: &'static [&'static str],
) -> Plant<'static> {
    Plant { name, source, flags, codes }
}

#[rustfmt::skip]
const PLANTS: &[Plant<'_>] = &[
    plant("nothing", "", &[], &[]),
    plant("a torch symbol", "extern void c10_thing(void); void *b(void) { return (void *)c10_thing; }", &["-Wl,--no-as-needed", "libc10.so"], &[]),
    plant("libgomp in a torch kernel", "", &["-Wl,--no-as-needed", "libgomp.so.1"], &[]),
    plant("another relro", "", &["-Wl,-z,norelro", "-Wl,-z,lazy"], &[]),
    plant("a new glibc", "extern unsigned arc4random(void); unsigned a(void) { return arc4random(); }", &[], &["abi/symbol-version"]),
    plant("a private glibc", "extern void __libc_early_init(int); __asm__(\".symver __libc_early_init,__libc_early_init@GLIBC_PRIVATE\"); void a(void) { __libc_early_init(1); }", &[], &["abi/version-node"]),
    plant("packed relocations", "static int x; int *volatile p[] = { &x, &x, &x };", &["-Wl,-z,pack-relative-relocs"], &["abi/symbol-version"]),
    plant("transactional memory", "extern void tm(void); void a(void) { tm(); }", &["libnodes.so"], &[]),
    plant("long floats", "extern void quad(void); void a(void) { quad(); }", &["libnodes.so"], &[]),
    plant("a node of tomorrow", "extern void tomorrow(void); void a(void) { tomorrow(); }", &["libnodes.so"], &["abi/symbol-version"]),
    plant("packed relocations without a version", "static int x; int *volatile p[] = { &x, &x, &x };", &["-nostdlib", "-Wl,-z,pack-relative-relocs"], &["abi/symbol-version"]),
    plant("an OpenMP that Torch has", "extern void tm(void); void a(void) { tm(); }", &["libnow.so"], &[]),
    plant("an OpenMP of tomorrow", "extern void tomorrow(void); void a(void) { tomorrow(); }", &["libnow.so"], &["abi/symbol-version"]),
    plant("its own nodes", "", &["-Wl,--version-script,own.map"], &[]),
    plant("an unknown node", "extern void odd(void); void a(void) { odd(); }", &["libodd.so"], &["abi/version-node"]),
    plant("a foreign library", "", &["-Wl,--no-as-needed", "libforeign.so"], &["abi/needed-library"]),
    plant("libpython", "", &["-Wl,--no-as-needed", "libpython3.11.so.1.0"], &["abi/needed-library"]),
    plant("a CUDA library in a CPU variant", "", &["-Wl,--no-as-needed", "libcudart.so.12"], &["abi/needed-library"]),
    plant("an internal of zlib", "extern void _tr_init(void); void a(void) { _tr_init(); }", &["libz.so.1"], &["abi/forbidden-symbol"]),
    plant("an rpath", "", &["-Wl,-rpath,/opt/lib", "-Wl,--disable-new-dtags"], &["abi/search-path"]),
    plant("a runpath", "", &["-Wl,-rpath,/opt/lib", "-Wl,--enable-new-dtags"], &["abi/search-path"]),
    plant("a relative rpath", "", &["-Wl,-rpath,$ORIGIN/../lib"], &["abi/search-path?"]),
    plant("a store rpath", "", &["-Wl,-rpath,/nix/store/abc-gcc/lib"], &["abi/search-path", "abi/nix-store-path?"]),
    plant("an executable stack", "", &["-Wl,-z,execstack"], &["abi/executable-stack"]),
    plant("assembly without a note", "", &["bare.s"], &["abi/executable-stack"]),
    plant("text relocations", "__asm__(\".text\\n.quad work\\n\");", &["-Wl,-z,notext"], &["abi/text-relocations"]),
    plant("a unique export", "", &["unique.cpp"], &["abi/shared-state"]),
    plant("an exported variable", "__attribute__((visibility(\"default\"))) int counter = 3;", &[], &["abi/shared-state?"]),
    plant("a weak exported variable", "__attribute__((visibility(\"default\"), weak)) int counter = 3;", &[], &["abi/shared-state?"]),
    plant("an exported function", "__attribute__((visibility(\"default\"))) int extra(void) { return 1; }", &[], &["abi/exports?"]),
    plant("a new processor", "", &["-Wl,-z,x86-64-v3"], &["abi/instruction-set"]),
    plant("a frame of Python", "extern void *PyFrame_GetBack(void *); void *a(void) { return PyFrame_GetBack(0); }", &[], &["abi/python-api"]),
    plant("a newer Python", "extern void *PyType_GetName(void *); void *a(void) { return PyType_GetName(0); }", &[], &["abi/python-api"]),
    plant("the limited API", "extern void *PyModule_Create2(void *, int); void *a(void) { return PyModule_Create2(0, 3); }", &[], &[]),
    plant("a path into a store", "const char *a(void) { return \"/nix/store/abc-thing/share\"; }", &[], &["abi/nix-store-path?"]),
    plant("a path of a source", "const char *a(void) { return \"/home/somebody/kernel.cu\"; }", &[], &["abi/build-path?"]),
    plant("an ordinary path", "const char *a(void) { return \"/usr/share/zoneinfo\"; }", &[], &[]),
    plant("a path in writable data", "char *a(void) { static char path[] = \"/home/somebody/kernel.cu\"; return path; }", &[], &["abi/build-path?"]),
    plant("a path in code", "__asm__(\".section .text.odd,\\\"ax\\\"\\n.asciz \\\"/home/somebody/kernel.cu\\\"\\n.previous\");", &["-Wl,-z,separate-code"], &["abi/build-path?"]),
    plant("code and data in one segment", "const char *a(void) { return \"/home/somebody/kernel.cu\"; }", &["-Wl,-z,noseparate-code"], &["abi/build-path?"]),
    plant("code that can be written to", "const char *a(void) { return \"/home/somebody/kernel.cu\"; }", &["-nostdlib", "-Wl,-N"], &["abi/writable-code", "abi/not-loadable", "abi/build-path?"]),
    plant("catching without RTTI", "", &["-fno-rtti", "catch.cpp", "-lstdc++", "-Wl,--version-script,own.map"], &[]),
    plant("names of types as text", "const char *a(int i) { static const char *const n[] = { \"St9bad_alloc\", \"NSt6locale5facetE\", \"N10__cxxabiv117__class_type_infoE\", \"terminate called recursively\\n\" }; return n[i]; }", &[], &[]),
    plant("nearly the name of a loader", "", &["-Wl,--no-as-needed", "libworld-linux.so"], &["abi/needed-library"]),
    plant("the loader of another processor", "", &["-Wl,--no-as-needed", "ld-linux-aarch64.so.1"], &["abi/needed-library"]),
    plant("a version of Torch's library", "", &["-Wl,--no-as-needed", "libtorch.so.666"], &["abi/needed-library"]),
    plant("nearly the name of Torch's library", "", &["-Wl,--no-as-needed", "libtorch.so_evil.so"], &["abi/needed-library"]),
    plant("Torch's library by its path", "", &["-Wl,--no-as-needed", "./torch/libtorch.so"], &["abi/needed-library"]),
    plant("libc by its path", "", &["-Wl,--no-as-needed", "./libc-by-path.so"], &["abi/needed-library"]),
    plant("an auxiliary library", "", &["-Wl,--auxiliary,libodd.so"], &["abi/loader-request"]),
    plant("a filter", "", &["-Wl,-F,libodd.so"], &["abi/loader-request"]),
    plant("an auditor", "", &["-Wl,--audit,libodd.so"], &["abi/loader-request"]),
    plant("an auditor of others", "", &["-Wl,--depaudit,libodd.so"], &["abi/loader-request"]),
    plant("no loading by programs", "", &["-Wl,-z,nodlopen"], &["abi/loader-request"]),
    plant("no system paths", "", &["-Wl,-z,nodefaultlib"], &["abi/loader-request"]),
    plant("global names", "", &["-Wl,-z,global"], &["abi/loader-request?"]),
    plant("names before others", "", &["-Wl,-z,interpose"], &["abi/loader-request?"]),
    plant("a name of the system's", "", &["-Wl,-soname,libz.so.1"], &["abi/loader-request"]),
    plant("a name of Torch's", "", &["-Wl,-soname,libc10.so"], &["abi/loader-request"]),
    plant("a name of its own", "", &["-Wl,-soname,relu.so.1"], &[]),
    plant("an interpreter and no name", "const char where[] __attribute__((section(\".interp\"), used)) = \"/lib64/ld-linux-x86-64.so.2\";", &[], &[]),
    plant("no unloading", "", &["-Wl,-z,nodelete"], &[]),
    plant("an empty entry of a path", "", &["-Wl,-rpath,$ORIGIN:"], &["abi/search-path", "abi/search-path?"]),
    plant("a path from anywhere", "", &["-Wl,-rpath,lib"], &["abi/search-path"]),
    plant("a path out of the variant", "", &["-Wl,-rpath,$ORIGIN/../../.."], &["abi/search-path"]),
    plant("a winding path out of the variant", "", &["-Wl,-rpath,$ORIGIN/a/../../x/../.."], &["abi/search-path"]),
    plant("storage of threads", "static _Thread_local char a[4096]; char *b(void) { return a; }", &[], &[]),
    plant("storage set aside", "static _Thread_local char a[64] __attribute__((tls_model(\"initial-exec\"))); char *b(void) { return a; }", &[], &["abi/thread-storage?"]),
    plant("more storage than is set aside", "static _Thread_local char a[4096] __attribute__((tls_model(\"initial-exec\"))); char *b(void) { return a; }", &[], &["abi/thread-storage"]),
    plant("GPU code for nothing promised", FATBIN, &[], &["abi/gpu-architecture?"]),
];

/// Machine code for 9.0a and PTX for 8.0, as the run time finds them; the payload names a store, which nobody reads.
const FATBIN: &str = "static const struct { unsigned magic; unsigned short version, header; unsigned long size;\n\
    struct { unsigned short kind, version; unsigned header; unsigned long size; unsigned rest[12]; char code[16]; } e[2]; } code =\n\
    { 0xba55ed50, 1, 16, 160, {{ 2, 0x101, 64, 16, { 0, 0, 0, 90, 0, 0, 0x100011 }, \"/nix/store/x\" }, { 1, 0x101, 64, 16, { 0, 0, 0, 80 }, \"\" }} };\n\
    static struct { unsigned magic, version; const void *code; void *unused; } wrapper __attribute__((used, section(\".nvFatBinSegment\"))) = { 0x466243b1, 1, &code, 0 };";

/// Compiles C behind the good source, with everything hidden but what asks to be seen.
pub(crate) fn build(workshop: &Workshop, plant: &Plant<'_>) -> Vec<u8> {
    fs_err::write(workshop.path("planted.c"), format!("{GOOD}{}\n", plant.source)).expect("writes");
    let mut arguments = vec![
        "-shared",
        "-fPIC",
        "-O1",
        "-fvisibility=hidden",
        "-Wl,-z,noexecstack",
        "planted.c",
        "-o",
        "planted.so",
    ];
    arguments.extend(plant.flags);
    if plant.name.starts_with("assembly") {
        arguments.retain(|argument| *argument != "-Wl,-z,noexecstack");
    }
    workshop.run("gcc", &arguments);
    workshop.read("planted.so")
}

/// Libraries to link against: only their names and versions count.
pub(crate) fn shelf() -> Workshop {
    let workshop = Workshop::new();
    let write = |name: &str, text: &str| fs_err::write(workshop.path(name), text).expect("writes");
    write("empty.c", "void c10_thing(void) {} void odd(void) {} void _tr_init(void) {}");
    write("nodes.c", "void tm(void) {} void quad(void) {} void tomorrow(void) {}");
    write("nodes.map", "CXXABI_TM_1 { tm; }; CXXABI_FLOAT128 { quad; }; CXXABI_99.9 { tomorrow; };");
    write("openmp.map", "OMP_5.0 { tm; }; OMP_5.1 { tomorrow; };");
    write("own.map", "OWN_1 { global: PyInit*; local: *; };");
    write("odd.map", "ODD_1 { odd; };");
    write(
        "catch.cpp",
        "#include <iostream>\n#include <new>\n__attribute__((visibility(\"hidden\"))) int risk(int n) {\n\
         try { std::cout << n; return *new int[n]; } catch (const std::bad_alloc &) { return -1; } }",
    );
    write("bare.s", ".globl bare\n.hidden bare\nbare: ret\n");
    write(
        "unique.cpp",
        "template <class T> struct __attribute__((visibility(\"default\"))) S { static int state; };\n\
         template <class T> int S<T>::state = 1;\n\
         __attribute__((visibility(\"hidden\"))) int *use() { return &S<int>::state; }",
    );
    let by_path = ["torch/libtorch.so", "libc-by-path.so"];
    fs_err::create_dir(workshop.path("torch")).expect("a directory");
    for name in by_path {
        workshop.run("gcc", &["-shared", "-fPIC", "-nostdlib", "empty.c", "-o", name]);
    }
    for name in [
        "libc10.so",
        "libgomp.so.1",
        "libforeign.so",
        "libpython3.11.so.1.0",
        "libcudart.so.12",
        "libz.so.1",
        "libworld-linux.so",
        "ld-linux-aarch64.so.1",
        "libtorch.so.666",
        "libtorch.so_evil.so",
    ] {
        let soname = format!("-Wl,-soname,{name}");
        workshop.run("gcc", &["-shared", "-fPIC", "-nostdlib", "empty.c", &soname, "-o", name]);
    }
    // A node that glibc never had, of a library that carries glibc's name.
    let odd =
        ["-shared", "-fPIC", "-nostdlib", "empty.c", "-Wl,-soname,libm.so.6", "-Wl,--version-script,odd.map"];
    workshop.run("gcc", &[&odd[..], &["-o", "libodd.so"]].concat());
    let nodes = "-shared -fPIC -nostdlib nodes.c -Wl,-soname,libstdc++.so.6 -Wl,--version-script,nodes.map -o libnodes.so";
    workshop.run("gcc", &nodes.split(' ').collect::<Vec<_>>());
    let openmp = "-shared -fPIC -nostdlib nodes.c -Wl,-soname,libgomp.so.1 -Wl,--version-script,openmp.map -o libnow.so";
    workshop.run("gcc", &openmp.split(' ').collect::<Vec<_>>());
    workshop
}

#[test]
fn every_planted_fault_is_found_and_nothing_else() {
    let workshop = shelf();
    for plant in PLANTS {
        let bytes = build(&workshop, plant);
        let wanted: BTreeSet<String> = plant.codes.iter().map(|&code| code.to_owned()).collect();
        assert_eq!(verdict(&workshop, &bytes, &torch()), wanted, "{}", plant.name);
    }
}

#[test]
fn variants_differ_in_what_they_allow() {
    let workshop = shelf();
    let judge = |source, flags, variant| {
        verdict(&workshop, &build(&workshop, &plant("", source, flags, &[])), &policy(variant))
    };
    let set = |codes: &[&str]| codes.iter().map(|&code| code.to_owned()).collect::<BTreeSet<String>>();
    let cudart: &[&str] = &["-Wl,--no-as-needed", "libcudart.so.12"];
    assert_eq!(judge("", cudart, "torch213-cxx11-cu126-x86_64-linux"), set(&[]));
    assert_eq!(judge("", cudart, "torch213-cxx11-cu130-x86_64-linux"), set(&["abi/needed-library"]));
    let newer =
        "extern int aoti_torch_cpu__grouped_mm(void); int a(void) { return aoti_torch_cpu__grouped_mm(); }";
    assert_eq!(judge(newer, &[], "torch-stable-abi211-cpu-x86_64-linux"), set(&["abi/torch-abi"]));
    assert_eq!(judge(newer, &[], "torch-stable-abi212-cpu-x86_64-linux"), set(&[]));
    assert_eq!(judge(newer, &[], "torch211-cxx11-cpu-x86_64-linux"), set(&[]));
    let cxx = "extern int a1(void) __asm__(\"_ZN2at5emptyEv\"); int a(void) { return a1(); }";
    assert_eq!(judge(cxx, &[], "torch-stable-abi212-cpu-x86_64-linux"), set(&["abi/torch-abi"]));
    let gomp: &[&str] = &["-Wl,--no-as-needed", "libgomp.so.1"];
    assert_eq!(judge("", gomp, "tvm-ffi01-cpu-x86_64-linux"), set(&["abi/needed-library", "abi/exports?"]));
    assert_eq!(judge("", &[], "torch213-cxx11-cpu-aarch64-linux"), set(&["abi/wrong-architecture"]));
    assert_eq!(judge("", &[], "torch213-cpu-aarch64-darwin"), set(&["abi/wrong-architecture"]));
}

#[test]
fn promised_gpu_code_is_compared() {
    let workshop = shelf();
    let bytes = build(&workshop, &plant("", FATBIN, &[], &[]));
    let judge = |promised: &[&str]| {
        let gpu = Some(promised.iter().map(|&arch| arch.to_owned()).collect());
        verdict(&workshop, &bytes, &Policy { gpu, ..policy("torch213-cxx11-cu126-x86_64-linux") })
    };
    assert!(judge(&["8.0+PTX", "9.0a"]).is_empty());
    assert_eq!(judge(&["8.0+PTX", "9.0"]), BTreeSet::from(["abi/gpu-architecture".to_owned()]));
    assert_eq!(judge(&["9.0a"]), BTreeSet::from(["abi/gpu-architecture?".to_owned()]));
}

#[test]
fn files_that_are_no_libraries_are_told_apart() {
    let workshop = shelf();
    let good = build(&workshop, &PLANTS[0]);
    workshop.run("gcc", &["-c", "-fPIC", "empty.c", "-o", "object.so"]);
    workshop.run("ar", &["rc", "archive.so", "object.so"]);
    fs_err::write(workshop.path("main.c"), "int main(void) { return 0; }").expect("writes");
    workshop.run("gcc", &["-pie", "-fPIE", "main.c", "-o", "program.so"]);
    workshop.run("gcc", &["-no-pie", "main.c", "-o", "fixed.so"]);
    let mut class = good.clone();
    class[4] = 9;
    let mut machine = good.clone();
    machine[0x12] = 0xf3;
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("empty", Vec::new(), "abi/not-an-object"),
        ("linker script", b"/* GNU ld script */\nGROUP ( libc.so.6 )\n".to_vec(), "abi/not-an-object"),
        ("text", b"hello\n".to_vec(), "abi/not-an-object"),
        ("pointer", b"version https://git-lfs.github.com/spec/v1\n".to_vec(), "abi/not-an-object"),
        ("zeros", vec![0; 4096], "abi/not-an-object"),
        ("bitcode", b"BC\xc0\xde0000".to_vec(), "abi/not-an-object"),
        ("archive", workshop.read("archive.so"), "abi/not-an-object"),
        ("object", workshop.read("object.so"), "abi/not-shared"),
        ("program", workshop.read("program.so"), "abi/not-shared"),
        ("fixed program", workshop.read("fixed.so"), "abi/not-shared"),
        ("half", good[..good.len() / 2].to_vec(), "abi/damaged"),
        ("header only", good[..64].to_vec(), "abi/damaged"),
        ("magic only", good[..4].to_vec(), "abi/damaged"),
        ("class", class, "abi/damaged"),
        ("machine", machine, "abi/wrong-architecture"),
        ("windows", windows(), "abi/wrong-architecture"),
    ];
    for (name, bytes, code) in cases {
        assert_eq!(codes(bytes, &torch()), BTreeSet::from([(*code).to_owned()]), "{name}");
    }
    let stranger =
        Image::parse(&&b"version https://git-lfs.github.com/spec/v1\n"[..]).expect_err("no library");
    assert!(stranger.to_string().contains("Git LFS"), "{stranger}");
}

fn windows() -> Vec<u8> {
    let mut bytes = vec![0; 0x80];
    bytes[..2].copy_from_slice(b"MZ");
    bytes[0x3c] = 0x40;
    bytes[0x40..0x46].copy_from_slice(b"PE\0\0\x64\x86");
    bytes
}
