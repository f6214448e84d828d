//! The same two libraries load and pass on this system and on the oldest and the newest in reach, whatever compiled them.

use std::process::Command;

use kernel_abi::Image;
use kernel_abi::policy::Manylinux;
use kernel_core::toolchain::sysroot::Policy;
use kernel_spec::Severity;

use super::bench::{Bench, Compiler, run};
use super::systems::System;

/// The test programs, and two of them without optimisation, where headers' inline functions become functions of the library.
const LIBRARIES: [(&str, &str, &[&str]); 5] = [
    ("hardened", "hardened.cc", &["-std=c++17", "-fno-rtti", "-D_GLIBCXX_ASSERTIONS"]),
    ("cxx17", "cxx17.cc", &["-std=c++17"]),
    ("cxx20", "cxx20.cc", &["-std=c++20"]),
    ("cxx17-plain", "cxx17.cc", &["-std=c++17", "-O0"]),
    ("cxx20-plain", "cxx20.cc", &["-std=c++20", "-O0"]),
];
/// The pairs that are loaded into one process each.
const PAIRS: [[&str; 2]; 3] =
    [["./cxx17.so", "./cxx20.so"], ["./cxx17-plain.so", "./cxx20-plain.so"], ["./hardened.so", "./cxx17.so"]];

/// Links the test libraries, which may give rise to notes but to nothing worse, and which the judge places inside the
/// policy.
fn link(compiler: Compiler) -> Bench {
    link_for(compiler, Policy::Manylinux228)
}

fn link_for(compiler: Compiler, policy: Policy) -> Bench {
    let bench = Bench::new(compiler, policy);
    for (name, source, flags) in LIBRARIES {
        let object = bench.object(source, flags);
        let findings = bench.link(name, &[object], &[]);
        assert!(kernel_spec::finding::worst(&findings) <= Some(Severity::Note), "{findings:#?}");
        let bytes = fs_err::read(bench.path(&format!("{name}.so"))).unwrap();
        let image = Image::parse(&bytes.as_slice()).unwrap();
        let floor = Manylinux::floor(&image.objects[0], |_| false);
        assert!(
            floor.is_some() && floor <= policy.manylinux(),
            "{floor:?}: {:#?}",
            image.objects[0].version_needs
        );
    }
    bench
}

/// Loads the libraries on this system and in the oldest and newest.
fn load_everywhere(bench: &Bench) {
    let oldest = System::get("oldest");
    oldest.program(bench.root(), "load.c", &[], "load");
    let newest = System::get("newest");
    for [first, second] in PAIRS {
        run(Command::new("./load").args([first, second]).current_dir(bench.root()));
        for system in [&oldest, &newest] {
            system.run(bench.root(), &["./load", first, second]);
        }
    }
}

#[test]
fn libraries_of_this_machines_compiler_load_everywhere() {
    load_everywhere(&link(Compiler::host()));
}

#[test]
fn libraries_for_newer_systems_load_here() {
    let bench = link_for(Compiler::host(), Policy::Manylinux234);
    run(Command::new("gcc").args(["load.c", "-o", "load", "-ldl"]).current_dir(bench.root()));
    for pair in PAIRS {
        run(Command::new("./load").args(pair).current_dir(bench.root()));
    }
}

#[test]
#[ignore = "long: needs a compiler for 64-bit Arm and an emulator of it"]
fn libraries_for_aarch64_load_on_its_oldest_system() {
    let bench = link(Compiler::aarch64());
    let oldest = System::get("oldest-aarch64");
    oldest.program(bench.root(), "load.c", &[], "load");
    for [first, second] in PAIRS {
        let arguments = ["-L", oldest.root.as_str(), "./load", first, second];
        let output = run(Command::new("qemu-aarch64-static").args(arguments).current_dir(bench.root()));
        assert_eq!(String::from_utf8_lossy(&output.stdout).matches(": PASS").count(), 2);
    }
}

#[test]
#[ignore = "long: unpacks compilers of 600 MB"]
fn libraries_of_the_newest_gcc_load_everywhere() {
    load_everywhere(&link(Compiler::of(&System::get("compilers"), "/usr/bin/g++-16", &[])));
}

#[test]
#[ignore = "long: unpacks compilers of 600 MB"]
fn libraries_of_the_newest_clang_load_everywhere() {
    load_everywhere(&link(Compiler::of(&System::get("compilers"), "/usr/bin/clang++-23", &[])));
}

#[test]
#[ignore = "long: unpacks compilers of 600 MB"]
fn libraries_linked_by_lld_load_everywhere() {
    let lld = ["-fuse-ld=lld", "--ld-path=/usr/bin/ld.lld-23"];
    load_everywhere(&link(Compiler::of(&System::get("compilers"), "/usr/bin/clang++-23", &lld)));
}
