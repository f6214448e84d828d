//! XPU: what the formats (section 4.3) ask for, flag by flag, in the plan; and a build is refused with what to do.

use serde_json::{Value, json};

use crate::scene::{Scene, python};

const VARIANT: &str = concat!("torch213-cxx11-xpu20260-", "x86_64-linux");
const MANIFEST: &str = r#"[general]
name = "plus-one"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["xpu"]

[torch]
src = ["torch-ext/binding.cpp"]

[kernel.plus]
backend = "xpu"
depends = ["torch"]
src = ["plus.cpp", "plus.h", "plain.c"]
sycl-flags = ["-O2", "-DSTEP=1"]
cxx-flags = ["-DCXX=1"]
"#;

/// Compile flags of the table, of which `-fPIC` is every variant's.
const COMPILE: &[&str] = &[
    "-fPIC",
    "-fsycl",
    "-fhonor-nans",
    "-fhonor-infinities",
    "-fno-associative-math",
    "-fno-approx-func",
    "-foffload-fp32-prec-div",
    "-foffload-fp32-prec-sqrt",
    "-fno-sycl-instrument-device-code",
    "--offload-compress",
    "-fsycl-targets=spir64_gen,spir64",
];

fn scene() -> Scene {
    let cache = format!("{}/cache", env!("CARGO_TARGET_TMPDIR"));
    Scene::new()
        .variable("KERNEL_BUILDER_CACHE_DIR", &cache)
        .variable("KERNEL_BUILDER_OFFLINE", "true")
        .file("build.toml", MANIFEST)
        .file("plus.cpp", "")
        .file("plus.h", "")
        .file("plain.c", "")
        .file("torch-ext/binding.cpp", "")
        .file("torch-ext/plus_one/__init__.py", "__all__ = []\n")
}

fn answer(verb: &str) -> (i32, Value) {
    let ran = scene().run(&[verb, "--json", "--python", &python(), "--variant", VARIANT]);
    (ran.status, ran.json().pop().expect("an answer"))
}

#[test]
fn the_plan_says_every_flag_of_sycl() {
    let (status, report) = answer("plan");
    assert_eq!(status, 0, "{report}");
    let plan = &report["plans"][0];
    let steps = plan["library"]["compile"].as_array().expect("steps");
    let step = |source: &str| steps.iter().find(|step| step["source"] == source).expect("a step");
    let flags = |source: &str| step(source)["flags"].as_array().expect("flags").clone();
    assert_eq!(step("plus.cpp")["language"], "sycl");
    for flag in
        COMPILE.iter().chain(&["-DXPU_KERNEL", "-DUSE_XPU", "-O2", "-DSTEP=1", "-DCXX=1", "-std=c++20"])
    {
        assert!(flags("plus.cpp").contains(&json!(flag)), "{flag} is missing: {}", step("plus.cpp"));
    }
    // The binding is C++ that knows the backend; C is plain C.
    for source in ["torch-ext/binding.cpp", "plain.c"] {
        assert!(!flags(source).contains(&json!("-fsycl")), "{source}");
        assert!(flags(source).contains(&json!("-DXPU_KERNEL")), "{source}");
    }
    assert!(!flags("torch-ext/binding.cpp").contains(&json!("-fno-gnu-unique")), "icpx has no such flag");
    let link = plan["library"]["link"]["arguments"].as_array().expect("arguments");
    for flag in ["-fsycl", "-fsycl-targets=spir64_gen,spir64", "--offload-compress", "-Wl,-z,noexecstack"] {
        assert!(link.contains(&json!(flag)), "{flag} is missing: {link:?}");
    }
    let at = link
        .iter()
        .position(|flag| flag == "-Xsycl-target-backend=spir64_gen")
        .expect("options of the devices");
    let options = link[at + 1].as_str().expect("options");
    assert!(options.starts_with("-device pvc,xe-lpg,ats-m150 "), "{options}");
    for option in
        ["enable-auto-large-GRF-mode", "poison-unsupported-fp64-kernels", "greater-than-4GB-buffer-required"]
    {
        assert!(options.contains(option), "{option}: {options}");
    }
    let findings = plan["findings"].to_string();
    assert!(findings.contains("no XPU compiler"), "{findings}");
}

#[test]
fn a_build_is_refused_with_what_to_do() {
    let (status, error) = answer("build");
    assert_eq!((status, &error["code"]), (4, &json!("environment/backend-toolchain")), "{error}");
    assert!(error["help"].as_str().is_some_and(|help| help.contains("machine")), "{error}");
}
