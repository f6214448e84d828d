//! The stub libraries as an independent reader sees them.

use std::collections::BTreeMap;

use camino::Utf8Path;
use kernel_core::toolchain::sysroot::runtime::Runtime;
use kernel_core::toolchain::sysroot::{Policy, Sysroot};
use kernel_spec::arch::Cpu;
use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _, Sym as _};
use object::{LittleEndian, elf};

/// The libraries of a new sysroot, by file name.
fn libraries(policy: Policy, cpu: Cpu) -> BTreeMap<String, Vec<u8>> {
    let cache = tempfile::tempdir().unwrap();
    let sysroot = Sysroot::ensure(Utf8Path::from_path(cache.path()).unwrap(), policy, cpu).unwrap();
    let entries = sysroot.directory.read_dir_utf8().unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().to_owned(), fs_err::read(entry.path()).unwrap())).collect()
}

/// What a linker reads of a library: machine, SONAME, and the version of each symbol.
struct Seen {
    machine: elf::Machine,
    soname: String,
    versions: BTreeMap<String, String>,
}

fn see(bytes: &[u8]) -> Seen {
    let file = ElfFile64::<LittleEndian>::parse(bytes).unwrap();
    let sections = file.elf_section_table();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let table = file.elf_dynamic_symbol_table();
    let (entries, link) = sections.dynamic(LittleEndian, bytes).unwrap().unwrap();
    let strings = sections.strings(LittleEndian, bytes, link).unwrap();
    let soname = entries.iter().find(|entry| entry.d_tag(LittleEndian) == elf::DT_SONAME).unwrap();
    let soname = text(strings.get(u32::try_from(soname.d_val(LittleEndian)).unwrap()).unwrap());
    let known = sections.versions(LittleEndian, bytes).unwrap();
    let versions = table.enumerate().skip(1).map(|(index, symbol)| {
        let known = known.as_ref().unwrap();
        let version = known.version(known.version_index(LittleEndian, index).index()).unwrap().unwrap();
        (text(symbol.name(LittleEndian, table.strings()).unwrap()), text(version.name()))
    });
    Seen { machine: file.elf_header().e_machine(LittleEndian), soname, versions: versions.collect() }
}

#[test]
fn every_stub_has_its_name_and_nothing_that_the_policy_lacks() {
    for (policy, cpu, machine) in [
        (Policy::Manylinux228, Cpu::X86_64, elf::EM_X86_64),
        (Policy::Manylinux228, Cpu::Aarch64, elf::EM_AARCH64),
        (Policy::Manylinux234, Cpu::X86_64, elf::EM_X86_64),
        (Policy::Manylinux234, Cpu::Aarch64, elf::EM_AARCH64),
    ] {
        for (name, bytes) in libraries(policy, cpu) {
            let seen = see(&bytes);
            assert_eq!((seen.machine, &seen.soname), (machine, &name));
            assert_eq!(seen.versions.is_empty(), Runtime::find(&name).is_some(), "{name}");
            for (symbol, version) in &seen.versions {
                assert!(policy.allows(cpu, version), "{name}: {symbol}@{version}");
            }
        }
    }
}

#[test]
fn a_symbol_has_the_highest_version_of_the_policy() {
    let old = libraries(Policy::Manylinux228, Cpu::X86_64);
    let new = libraries(Policy::Manylinux234, Cpu::X86_64);
    let of = |libraries: &BTreeMap<String, Vec<u8>>, library: &str, name: &str| {
        libraries.get(library).and_then(|bytes| see(bytes).versions.remove(name)).unwrap_or_default()
    };
    // Figures of glibc's and libstdc++'s own version scripts.
    for (library, name, in_old, in_new) in [
        ("libc.so.6", "memcpy", "GLIBC_2.14", "GLIBC_2.14"),
        ("libc.so.6", "gettid", "", "GLIBC_2.30"),
        ("libc.so.6", "arc4random", "", ""),
        ("libc.so.6", "pthread_create", "", "GLIBC_2.34"),
        ("libpthread.so.0", "pthread_create", "GLIBC_2.2.5", ""),
        ("libm.so.6", "exp", "GLIBC_2.2.5", "GLIBC_2.29"),
        ("libdl.so.2", "dlopen", "GLIBC_2.2.5", ""),
        ("libstdc++.so.6", "_ZSt4cout", "GLIBCXX_3.4", "GLIBCXX_3.4"),
        ("libstdc++.so.6", "_ZSt28__throw_bad_array_new_lengthv", "", "GLIBCXX_3.4.29"),
        ("libstdc++.so.6", "_ZSt11__once_call", "GLIBCXX_3.4.11", "GLIBCXX_3.4.11"),
        ("libgcc_s.so.1", "_Unwind_Resume", "GCC_3.0", "GCC_3.0"),
    ] {
        assert_eq!(
            (of(&old, library, name), of(&new, library, name)),
            (in_old.into(), in_new.into()),
            "{name}"
        );
    }
}

#[test]
fn the_same_policy_gives_the_same_bytes_and_is_written_once() {
    assert_eq!(libraries(Policy::Manylinux228, Cpu::X86_64), libraries(Policy::Manylinux228, Cpu::X86_64));

    let cache = tempfile::tempdir().unwrap();
    let cache = Utf8Path::from_path(cache.path()).unwrap();
    let racing: Vec<Sysroot> = std::thread::scope(|scope| {
        let ensure = || scope.spawn(|| Sysroot::ensure(cache, Policy::Manylinux228, Cpu::X86_64).unwrap());
        [ensure(), ensure(), ensure()].into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(racing.iter().all(|sysroot| sysroot == &racing[0]));
    let marker = racing[0].directory.join("marker");
    fs_err::write(&marker, "").unwrap();
    Sysroot::ensure(cache, Policy::Manylinux228, Cpu::X86_64).unwrap();
    assert!(marker.exists(), "the sysroot was written again");
    let left = cache.join("sysroot").read_dir_utf8().unwrap().count();
    assert_eq!(left, 1, "partial folders are left behind");
}

#[test]
fn the_hosts_own_policy_has_stubs_for_run_times_only() {
    let names: Vec<String> = libraries(Policy::Host, Cpu::X86_64).into_keys().collect();
    let mut runtimes: Vec<&str> = Runtime::named().map(|runtime| runtime.soname).collect();
    runtimes.sort_unstable();
    assert_eq!(names, runtimes);
}

#[test]
fn a_cache_that_cannot_be_written_is_a_named_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let cache = Utf8Path::from_path(file.path()).unwrap();
    let error = Sysroot::ensure(cache, Policy::Manylinux228, Cpu::X86_64).unwrap_err();
    assert_eq!(miette::Diagnostic::code(&error).unwrap().to_string(), "link/sysroot");
    assert!(error.to_string().contains(cache.as_str()), "{error}");
}
