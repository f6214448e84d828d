//! Two kernels with regular expressions, locales and streams in one process with Torch.

use std::process::Command;

use camino::Utf8Path;
use kernel_core::toolchain::sysroot::Policy;
use kernel_core::toolchain::sysroot::runtime::Runtime;

use super::bench::{Bench, Compiler, run, sources};

#[test]
fn two_kernels_and_torch_share_libstdcxx_and_no_counter() {
    let repository = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    run(&mut Command::new(repository.join("scripts/python-environment")));
    let bench = Bench::new(Compiler::host(), Policy::Manylinux228);
    let runtimes: Vec<&Runtime> =
        ["libtorch.so", "libtorch_cpu.so", "libc10.so"].into_iter().filter_map(Runtime::find).collect();
    let kernels = [("one", "-DSEPARATOR=','"), ("two", "-DSEPARATOR='.'")].map(|(name, separator)| {
        let object = bench.object("beside.cc", &["-std=c++17", separator]);
        let findings = bench.link(name, &[object], &runtimes);
        assert!(findings.is_empty(), "{findings:#?}");
        bench.path(&format!("{name}.so"))
    });
    let python = repository.join(".environment/bin/python");
    let output = run(Command::new(python).arg("-I").arg(sources().join("beside.py")).args(kernels));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.ends_with("PASS\n"), "{printed}");
    // Every line of both kernels came through one std::cout.
    assert_eq!(printed.matches("1,234,567").count(), 200);
    assert_eq!(printed.matches("1.234.567").count(), 200);
}
