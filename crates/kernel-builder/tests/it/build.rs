//! `build` and `plan`: the real binary, Ninja, compiler and sandbox. Kernels are bound to a stand-in of TVM-FFI (a
//! version and nothing else) and need no headers, so that a compile takes a moment.

use std::path::PathBuf;

use serde_json::Value;

use crate::scene::{Ran, Scene};

pub(crate) const VARIANT: &str = concat!("tvm-ffi01-cpu-", "x86_64-linux");

/// What a new id costs.
pub(crate) const OWN: [&str; 2] = ["compile the identity unit", "link"];

/// Two components that share a source under different flags, and sources of one name in different folders.
pub(crate) const MANIFEST: &str = r#"[general]
name = "demo-op"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu"]

[tvm-ffi]
src = ["binding.cpp"]

[kernel.p]
backend = "cpu"
depends = []
src = ["demo/common.cpp", "demo/common.h", "a/k.cpp"]
cxx-flags = ["-DW=one"]

[kernel.q]
backend = "cpu"
depends = []
src = ["demo/common.cpp", "demo/common.h", "b/k.cpp"]
cxx-flags = ["-DW=two"]
"#;

const COMMON: &str = r#"#include "common.h"
#define JOIN_(A, B) A##B
#define JOIN(A, B) JOIN_(A, B)
extern "C" __attribute__((visibility("default"))) int JOIN(__tvm_ffi_, W)() { return VALUE; }
"#;

pub(crate) fn kernel(scene: Scene, at: &str) -> Scene {
    let function = |name: &str| {
        format!(
            "extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_{name}() {{ return 1; }}\n"
        )
    };
    let file = |scene: Scene, path: &str, text: &str| scene.file(&format!("{at}{path}"), text);
    let scene = file(scene, "build.toml", MANIFEST);
    let scene = file(scene, "binding.cpp", &function("binding"));
    let scene = file(scene, "demo/common.cpp", COMMON);
    let scene = file(scene, "demo/common.h", "#pragma once\n#define VALUE 1\n");
    let scene = file(scene, "a/k.cpp", &function("in_a"));
    let scene = file(scene, "b/k.cpp", &function("in_b"));
    let scene = file(scene, "README.md", "# demo\n");
    file(scene, "tvm-ffi-ext/demo_op/__init__.py", "from ._ops import ops\n")
}

/// A scene with a Python environment that holds a stand-in of TVM-FFI.
pub(crate) fn scene() -> Scene {
    let cache = format!("{}/cache", env!("CARGO_TARGET_TMPDIR"));
    let scene =
        Scene::new().variable("KERNEL_BUILDER_CACHE_DIR", &cache).variable("KERNEL_BUILDER_OFFLINE", "true");
    let folder = scene.environment("env");
    let package = format!("env/lib/{folder}/site-packages/tvm_ffi");
    let environment = scene.path("env").to_str().expect("UTF-8").to_owned();
    scene
        .file(&format!("{package}/__init__.py"), "")
        .file(&format!("{package}/_version.py"), "__version__ = '0.1.15'\n")
        .file(&format!("{package}/include/stand_in.h"), "")
        .variable("VIRTUAL_ENV", &environment)
}

pub(crate) fn project() -> Scene {
    kernel(scene(), "")
}

/// A build with its report; anything but success is shown.
pub(crate) fn build(scene: &Scene, folder: &str, arguments: &[&str]) -> Value {
    let ran = scene.run_in(folder, &[&["build", "--json"], arguments].concat());
    assert_eq!(ran.status, 0, "{ran}");
    ran.json().pop().expect("a report")["variants"][0].clone()
}

pub(crate) fn steps(variant: &Value) -> Vec<&str> {
    let mut steps: Vec<&str> =
        variant["steps"].as_array().expect("steps").iter().filter_map(Value::as_str).collect();
    steps.sort_unstable();
    steps
}

pub(crate) fn library(scene: &Scene, folder: &str) -> Vec<u8> {
    let directory = scene.path(&format!("{folder}build/{VARIANT}"));
    let mut entries =
        fs_err::read_dir(directory).expect("a variant").map(|entry| entry.expect("an entry").path());
    let path: PathBuf =
        entries.find(|path| path.extension().is_some_and(|end| end == "so")).expect("a library");
    fs_err::read(path).expect("readable")
}

pub(crate) fn holds(bytes: &[u8], name: &str) -> bool {
    bytes.windows(name.len()).any(|window| window == name.as_bytes())
}

#[test]
fn every_source_of_every_component_is_in_the_library() {
    let scene = project();
    let built = build(&scene, "", &[]);
    assert_eq!(built["work"], "built");
    let library = library(&scene, "");
    for name in ["__tvm_ffi_one", "__tvm_ffi_two", "__tvm_ffi_in_a", "__tvm_ffi_in_b", "__tvm_ffi_binding"] {
        assert!(holds(&library, name), "{name} is missing");
    }
    // Nothing of this machine is in it.
    assert!(!holds(&library, scene.path("").to_str().expect("UTF-8")));
}

#[test]
fn only_what_changed_is_made_again() {
    let scene = project();
    let first = build(&scene, "", &[]);
    assert!(steps(&first).len() > 5, "{first}");
    let again = build(&scene, "", &[]);
    assert_eq!((again["work"].as_str(), steps(&again).len()), (Some("up-to-date"), 0));

    let change = |scene: Scene, path: &str, text: &str| -> (Scene, Vec<String>) {
        let scene = scene.file(path, text);
        let built = build(&scene, "", &[]);
        let ran = steps(&built).into_iter().map(str::to_owned).collect();
        (scene, ran)
    };
    let (scene, ran) = change(scene, "a/k.cpp", "extern \"C\" int __tvm_ffi_in_a() { return 2; }\n");
    assert_eq!(ran, ["compile a/k.cpp (kernel.p)", OWN[0], OWN[1]]);
    let (scene, ran) = change(scene, "demo/common.h", "#pragma once\n#define VALUE 2\n");
    let both = ["compile demo/common.cpp (kernel.p)", "compile demo/common.cpp (kernel.q)", OWN[0], OWN[1]];
    assert_eq!(ran, both);
    let (scene, ran) = change(scene, "tvm-ffi-ext/demo_op/__init__.py", "from ._ops import ops as ops\n");
    assert_eq!(ran, OWN);
    let (scene, ran) = change(scene, "README.md", "# changed\n");
    assert!(ran.is_empty(), "{ran:?}");
    let flags = MANIFEST.replace("\"-DW=two\"", "\"-DW=two\", \"-DX\"");
    let (scene, ran) = change(scene, "build.toml", &flags);
    assert_eq!(ran, ["compile b/k.cpp (kernel.q)", "compile demo/common.cpp (kernel.q)", OWN[0], OWN[1]]);
    // The framework is upgraded where it lies: everything is compiled again.
    let mut folders = fs_err::read_dir(scene.path("env/lib")).expect("lib");
    let folder = folders.next().expect("a folder").expect("an entry").file_name();
    let version = format!("env/lib/{}/site-packages/tvm_ffi/_version.py", folder.to_str().expect("UTF-8"));
    let (_, ran) = change(scene, &version, "__version__ = '0.1.16'\n");
    assert!(ran.len() > 6, "{ran:?}");
}

/// Ninja alone would miss each of these: the content is another, and no file became newer.
#[test]
fn content_that_changed_without_becoming_newer_is_compiled() {
    let text = |number: u8| {
        format!(
            "extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_in_a() {{ return {number}; }}\n"
        )
    };
    let scene = project().file("a/k.cpp", &text(1));
    build(&scene, "", &["--sandbox", "off"]);
    let first = library(&scene, "");
    // Restored from an archive, with its date.
    let scene = scene.file("a/k.cpp", &text(2));
    scene.tool("touch", &["-d", "2001-02-03 04:05:06", "a/k.cpp"]);
    let built = build(&scene, "", &["--sandbox", "off"]);
    assert!(steps(&built).contains(&"compile a/k.cpp (kernel.p)"), "{built}");
    assert_ne!(library(&scene, ""), first);
    // The sandbox reads its own copy, made before the content changed there and back again.
    let scene = scene.file("a/k.cpp", &text(1));
    build(&scene, "", &["--sandbox", "require"]);
    let scene = scene.file("a/k.cpp", &text(2));
    build(&scene, "", &["--sandbox", "off"]);
    let scene = scene.file("a/k.cpp", &text(1));
    build(&scene, "", &["--sandbox", "require"]);
    assert_eq!(library(&scene, ""), first);
}

#[test]
fn a_failure_shows_the_compilers_words_and_names_the_source() {
    let scene = project().file("a/k.cpp", "int broken( { return 1; }\n");
    let ran: Ran = scene.run(&["build", "--jobs", "1"]);
    assert_eq!(ran.status, 5, "{ran}");
    let compiler = ran.stderr.find("a/k.cpp:1:").expect("the compiler's message");
    let ours = ran.stderr.find("error[build/compile]").expect("our message");
    assert!(compiler < ours, "{ran}");
    assert!(ran.stderr.contains("`a/k.cpp` of component `kernel.p` does not compile"), "{ran}");
    assert!(!scene.path("build").join(VARIANT).exists(), "a failed build leaves nothing behind");
}

#[test]
fn an_earlier_result_outlives_a_failure() {
    let scene = project();
    build(&scene, "", &[]);
    let before = library(&scene, "");
    let scene = scene.file("a/k.cpp", "#error no\n");
    assert_eq!(scene.run(&["build"]).status, 5);
    assert_eq!(library(&scene, ""), before);
}

#[test]
fn flags_that_reach_outside_the_build_are_refused_where_they_stand() {
    let flags = r#"["-O2", "-fplugin=./x.so", "-I", "../secret", "@args", "-Wl,-rpath,/x"]"#;
    let scene = project().file("build.toml", &MANIFEST.replace("[\"-DW=one\"]", flags));
    let ran = scene.run(&["build"]);
    assert_eq!(ran.status, 3, "{ran}");
    for refused in ["-fplugin=./x.so", "../secret", "@args", "-Wl,-rpath,/x"] {
        assert!(ran.stderr.contains(&format!("the flag `{refused}` is not allowed")), "{refused}: {ran}");
    }
    assert!(ran.stderr.contains("build.toml:15:"), "{ran}");
    assert!(!ran.stderr.contains("`-O2`"), "{ran}");
}

#[test]
fn a_file_that_no_list_declares_is_named_with_the_line_to_add() {
    let source = "#define H \"hidden.h\"\n#include H\nextern \"C\" int __tvm_ffi_in_a() { return N; }\n";
    let scene = project().file("a/k.cpp", source).file("a/hidden.h", "#define N 1\n");
    let in_place = scene.run(&["build", "--sandbox", "off"]);
    assert_eq!(in_place.status, 6, "{in_place}");
    assert!(in_place.stderr.contains("error[build/undeclared-input]"), "{in_place}");
    assert!(in_place.stderr.contains("add \"a/hidden.h\" to `src` of `[kernel.p]`"), "{in_place}");
    let confined = scene.run(&["build", "--sandbox", "require"]);
    assert_eq!(confined.status, 5, "{confined}");
}

#[test]
fn a_plan_has_everything_and_builds_nothing() {
    let scene = project();
    let ran = scene.run(&["plan", "--json"]);
    assert_eq!(ran.status, 0, "{ran}");
    let report = ran.json().pop().expect("a report");
    let plan = &report["plans"][0];
    let compile = plan["library"]["compile"].as_array().expect("steps");
    let objects: std::collections::BTreeSet<&str> =
        compile.iter().filter_map(|step| step["object"].as_str()).collect();
    assert_eq!((compile.len(), objects.len()), (5, 5), "{plan}");
    let flags = |step: &Value| step["flags"].to_string();
    let shared: Vec<&Value> = compile.iter().filter(|step| step["source"] == "demo/common.cpp").collect();
    assert!(flags(shared[0]).contains("-DW=one") && !flags(shared[0]).contains("-DW=two"));
    assert!(flags(shared[1]).contains("-DW=two") && !flags(shared[1]).contains("-DW=one"));
    assert!(!scene.path("build").exists() && !scene.path(".kernel-builder").exists());
}

#[test]
fn a_variant_that_cannot_be_built_here_is_refused_with_the_reason() {
    let others = MANIFEST.replace("backends = [\"cpu\"]", "backends = [\"cpu\", \"cuda\", \"xpu\"]");
    let scene = project().file("build.toml", &others);
    let ran = scene.run(&["build", "--variant", "tvm-ffi01-xpu20253-x86_64-linux"]);
    assert_eq!(ran.status, 4, "{ran}");
    assert!(ran.stderr.contains("error[environment/backend-toolchain]"), "{ran}");
    let ran = scene.run(&["build", "--variant", "tvm-ffi01-cu132-x86_64-linux"]);
    assert_eq!(ran.status, 4, "{ran}");
    assert!(ran.stderr.contains("error[environment/cuda-toolkit]"), "{ran}");
    let unknown = scene.run(&["build", "--variant", "tvm-ffi01-cu999-x86_64-linux"]);
    assert_eq!(unknown.status, 3, "{unknown}");
    assert!(unknown.stderr.contains("tvm-ffi01-cu"), "{unknown}");
}

#[test]
fn everything_that_can_be_built_here_is_built_on_request() {
    let cuda = MANIFEST.replace("backends = [\"cpu\"]", "backends = [\"cpu\", \"cuda\"]");
    let scene = project().file("build.toml", &cuda);
    let ran = scene.run(&["build", "--all", "--json"]);
    assert_eq!(ran.status, 0, "{ran}");
    let report = ran.json().pop().expect("a report");
    let names: Vec<&str> = report["variants"]
        .as_array()
        .expect("variants")
        .iter()
        .filter_map(|v| v["variant"].as_str())
        .collect();
    assert_eq!(names, [VARIANT]);
    let both = scene.run(&["build", "--all", "--variant", VARIANT]);
    assert_eq!(both.status, 2, "{both}");
    // Without a framework nothing can be, and the reason is told.
    let scene = kernel(Scene::new(), "");
    scene.environment("bare");
    let bare = scene.path("bare").to_str().expect("UTF-8").to_owned();
    let none = scene.run(&["build", "--all", "--python", &bare]);
    assert_eq!(none.status, 3, "{none}");
    assert!(none.stderr.contains("error[variant/none-here]"), "{none}");
    assert!(none.stderr.contains("tvm-ffi 0.1"), "{none}");
}

#[test]
fn another_place_for_results_is_taken_from_where_the_user_stands() {
    let scene = kernel(scene(), "nested/");
    let ran = scene.run(&["build", "nested", "--out", "results/here"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(scene.path(&format!("results/here/{VARIANT}/metadata.json")).is_file(), "{ran}");
    assert!(!scene.path("nested/build").exists() && !scene.path("nested/results").exists());
    let again = scene.run_in("nested", &["build", "--json", "--out", "../results/here"]);
    assert_eq!(again.json().pop().expect("a report")["variants"][0]["work"], "up-to-date", "{again}");
}

#[test]
fn every_failure_is_reported_when_the_build_is_to_go_on() {
    let scene = project().file("a/k.cpp", "#error first\n").file("b/k.cpp", "#error second\n");
    let ran = scene.run(&["build", "--jobs", "1", "--keep-going"]);
    assert_eq!(ran.status, 5, "{ran}");
    for failed in ["`a/k.cpp` of component `kernel.p`", "`b/k.cpp` of component `kernel.q`"] {
        assert!(ran.stderr.contains(failed), "{failed}: {ran}");
    }
    assert!(ran.stderr.contains("2 steps of the build failed"), "{ran}");
}

#[test]
fn what_fails_its_checks_is_not_sealed_and_can_be_looked_at() {
    let scene = project();
    build(&scene, "", &[]);
    let before = library(&scene, "");
    // The loader gives the package another name.
    let itself = "import demo_op\nfrom ._ops import ops\n";
    let scene = scene.file("tvm-ffi-ext/demo_op/__init__.py", itself);
    let ran = scene.run(&["build"]);
    assert_eq!(ran.status, 6, "{ran}");
    assert!(ran.stderr.contains("error[build/check]") && ran.stderr.contains("error[python/"), "{ran}");
    assert_eq!(library(&scene, ""), before, "the earlier result stays");
    let kept = scene.path(&format!("build/.{VARIANT}.partial"));
    assert!(kept.join("__init__.py").is_file() && !kept.join("metadata.json").exists());
    let again = scene.run(&["build"]);
    assert_eq!(again.status, 6, "a failure is not forgotten: {again}");
}

#[test]
fn nothing_to_do_is_silent_and_a_result_that_was_touched_is_made_anew() {
    let scene = project();
    build(&scene, "", &[]);
    let ran = scene.run(&["build", "--json"]);
    let events = ran.json();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(kinds, ["start", "report"], "{ran}");
    let place = scene.path(&format!("build/{VARIANT}/__init__.py"));
    let text = fs_err::read_to_string(&place).expect("readable");
    fs_err::write(&place, "import os\n").expect("written");
    let restored = build(&scene, "", &[]);
    assert_eq!(restored["work"], "built");
    assert_eq!(fs_err::read_to_string(&place).expect("readable"), text);
    fs_err::write(place.with_file_name("added.py"), "").expect("written");
    build(&scene, "", &[]);
    assert!(!place.with_file_name("added.py").exists());
    fs_err::remove_file(place.with_file_name("metadata.json")).expect("removed");
    let ran = scene.run(&["build"]);
    assert_eq!(ran.status, 6, "what no build has sealed is nobody's to replace: {ran}");
    assert!(ran.stderr.contains("error[artifact/foreign]"), "{ran}");
}
