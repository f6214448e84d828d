//! What the checks after a link say about kernels that must not ship, and that they say nothing about good ones.

use std::process::Command;

use kernel_core::toolchain::sysroot::Policy;
use kernel_core::toolchain::sysroot::link::LinkParts;
use kernel_core::toolchain::sysroot::runtime::Runtime;

use super::bench::{Bench, Compiler, run};

/// The findings about a kernel of this source, one line each: code, message, causes and what it is about.
fn findings(source: &str, runtimes: &[&str], change: impl Fn(&mut LinkParts)) -> String {
    let bench = Bench::new(Compiler::host(), Policy::Manylinux228);
    fs_err::write(bench.path("kernel.cc"), source).unwrap();
    bench.compile(&["-std=c++17", "-O2", "-fPIC", "-c", "kernel.cc", "-o", "kernel.o"]);
    let runtimes: Vec<&Runtime> = runtimes.iter().map(|soname| Runtime::find(soname).unwrap()).collect();
    let mut parts = bench.parts();
    change(&mut parts);
    let found = bench.link_with("kernel", &["kernel.o".into()], &runtimes, &parts);
    let line = |finding: &kernel_spec::Finding| {
        let subject = [&finding.subject.symbol, &finding.subject.version, &finding.subject.library];
        let subject: Vec<&str> = subject.into_iter().flatten().map(String::as_str).collect();
        format!(
            "{}: {} [{}] <{}>",
            finding.code,
            finding.message,
            finding.causes.join("; "),
            subject.join(" ")
        )
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_function_newer_than_the_policy_is_explained() {
    let source = r#"
        #include <signal.h>
        extern "C" int kernel_signal() { return tgkill(1, 2, 0); }
    "#;
    insta::assert_snapshot!(findings(source, &[], |_| ()), @"link/undefined-symbol: nothing defines `tgkill` [it came to `libc.so.6` with GLIBC_2.30, and manylinux_2_28 does not have that] <tgkill GLIBC_2.30 libc.so.6>");
}

#[test]
fn a_function_that_nobody_defines_is_named() {
    let source = r#"
        void launch(float *data, int count);
        extern "C" void kernel_run(float *data) { launch(data, 1); }
    "#;
    insta::assert_snapshot!(findings(source, &["libtorch.so", "libc10.so"], |_| ()), @"link/undefined-symbol: nothing defines `_Z6launchPfi` [] <_Z6launchPfi>");
}

#[test]
fn the_library_of_a_name_is_told_where_the_variant_lacks_it() {
    let source = r#"
        extern "C" int omp_get_max_threads();
        extern "C" int kernel_threads() { return omp_get_max_threads(); }
    "#;
    insta::assert_snapshot!(findings(source, &["libtvm_ffi.so"], |_| ()), @"link/undefined-symbol: nothing defines `omp_get_max_threads` [it belongs to `libgomp.so.1`, which is not among the libraries of this variant] <omp_get_max_threads libgomp.so.1>");
    insta::assert_snapshot!(findings(source, &["libtorch.so", "libgomp.so.1"], |_| ()), @"");
}

#[test]
fn names_of_the_run_times_are_expected_only_where_they_are_needed() {
    let source = r#"
        namespace c10 { void exported(); }
        extern "C" { int cudaMalloc(void **, unsigned long); int cudaMelloc(void **, unsigned long); void PyErr_Clear(); }
        extern "C" int kernel_run(void **p) { c10::exported(); PyErr_Clear(); return cudaMalloc(p, 1) + cudaMelloc(p, 1); }
    "#;
    insta::assert_snapshot!(findings(source, &["libc10.so", "libcudart.so.13"], |_| ()), @"link/undefined-symbol: nothing defines `cudaMelloc` [] <cudaMelloc>");
    insta::assert_snapshot!(findings(source, &["libcudart.so.12"], |_| ()), @r"
    link/undefined-symbol: nothing defines `_ZN3c108exportedEv` [] <_ZN3c108exportedEv>
    link/undefined-symbol: nothing defines `cudaMelloc` [] <cudaMelloc>
    ");
}

#[test]
fn a_torch_function_that_torch_does_not_export_is_named_where_torch_is_at_hand() {
    let repository = camino::Utf8Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    run(&mut Command::new(repository.join("scripts/python-environment")));
    let place = "import sysconfig; print(sysconfig.get_path('platlib'))";
    let output = run(Command::new(repository.join(".environment/bin/python")).args(["-I", "-c", place]));
    let torch = camino::Utf8PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()).join("torch/lib");

    let mut bench = Bench::new(Compiler::host(), Policy::Manylinux228);
    let source = r#"
        namespace c10 { void nowhere(); }
        extern "C" { int aoti_torch_device_type_cpu(); int aoti_torch_nothing(); }
        extern "C" int kernel_run() { c10::nowhere(); return aoti_torch_device_type_cpu() + aoti_torch_nothing(); }
    "#;
    fs_err::write(bench.path("kernel.cc"), source).unwrap();
    bench.compile(&["-std=c++17", "-O2", "-fPIC", "-c", "kernel.cc", "-o", "kernel.o"]);
    let runtimes: Vec<&Runtime> =
        ["libtorch_cpu.so", "libc10.so"].into_iter().filter_map(Runtime::find).collect();
    assert_eq!(bench.link("kernel", &["kernel.o".into()], &runtimes), []);
    bench.torch = Some(torch);
    let found = bench.link("kernel", &["kernel.o".into()], &runtimes);
    let named: Vec<&str> = found.iter().filter_map(|finding| finding.subject.symbol.as_deref()).collect();
    assert_eq!(named, ["_ZN3c107nowhereEv", "aoti_torch_nothing"]);
}

#[test]
fn a_member_with_shared_state_is_refused() {
    // The buffers of the standard streams, which only the static libstdc++ gives away.
    let source = r#"
        extern char buffer[] __asm__("_ZN14__gnu_internal8buf_coutE");
        extern "C" char *kernel_buffer() { return buffer; }
    "#;
    let found = findings(source, &[], |_| ());
    assert!(
        found.contains("link/stateful-member: `globals_io.o` of the static libstdc++ holds state"),
        "{found}"
    );
    assert!(found.contains("it was taken for kernel.o ("), "{found}");
}

#[test]
fn a_default_memory_resource_of_its_own_is_noted() {
    let source = r#"
        #include <memory_resource>
        extern "C" void *kernel_memory() { return std::pmr::get_default_resource()->allocate(8); }
    "#;
    insta::assert_snapshot!(findings(source, &[], |_| ()), @"link/own-state: the kernel carries its own copy of a part of libstdc++ (`memory_resource.o`): `std::pmr::set_default_resource` of another library does not change this kernel's default [it was taken for kernel.o (std::pmr::get_default_resource())] <_ZNSt3pmr12_GLOBAL__N_110newdel_resE libstdc++.a(memory_resource.o)>");
}

#[test]
fn a_missing_archive_matters_only_when_a_member_is_needed() {
    let source = r#"
        #include <charconv>
        extern "C" double kernel_number(const char *from, const char *to) { double d = 0; std::from_chars(from, to, d); return d; }
    "#;
    let without = |parts: &mut LinkParts| parts.libstdcxx = None;
    insta::assert_snapshot!(findings(source, &[], without), @"link/archive-missing: `_ZSt10from_charsPKcS0_RdSt12chars_format` is newer than the libstdc++ of manylinux_2_28 [the compiler has no `libstdc++.a` to take it from] <_ZSt10from_charsPKcS0_RdSt12chars_format>");
    let plain = r#"
        #include <string>
        extern "C" int kernel_length(const char *text) { return std::string(text).append("!").size(); }
    "#;
    insta::assert_snapshot!(findings(plain, &[], without), @"");
}
