//! The same two libraries load and pass on this system and on the oldest and newest in reach.

use std::process::Command;

use kernel_core::toolchain::sysroot::Policy;

use kernel_spec::Severity;

use super::bench::{Bench, Compiler, run};

#[test]
fn libraries_pass_on_this_system() {
    let bench = Bench::new(Compiler::host(), Policy::Manylinux228);
    let libraries = [("cxx17", "-std=c++17"), ("cxx20", "-std=c++20")].map(|(name, standard)| {
        let object = bench.object(&format!("{name}.cc"), &[standard]);
        let linked = bench.link(name, &[object], &[]);
        let worst = kernel_spec::finding::worst(&linked.findings);
        assert!(worst <= Some(Severity::Note), "{:#?}", linked.findings);
        linked.library
    });
    run(Command::new("gcc").args(["load.c", "-o", "load", "-ldl"]).current_dir(bench.root()));
    run(Command::new(bench.path("load")).args(&libraries));
}
