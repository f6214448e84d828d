//! What people see of three versions of Nix: logs that were recorded while each built the project below, replayed by a
//! program of Nix's name. Paths of the machine that recorded them were replaced.

use crate::build::{VARIANT, scene};
use crate::nix::{place, with_nix};
use crate::scene::{Scene, repository};

const MANIFEST: &str = r#"[general]
name = "demo"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu"]

[tvm-ffi]
src = ["binding.cpp"]

[kernel.p]
backend = "cpu"
depends = []
src = ["a/k.cpp"]
"#;

fn function(name: &str) -> String {
    format!("extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_{name}() {{ return 1; }}\n")
}

/// The recorded project with a `nix` that says what was recorded. What the compiler is, and what was built where it
/// succeeded, the real one answers.
fn replay(version: &str, how: &str, status: u8) -> Scene {
    let log = repository().join(format!("crates/kernel-builder/tests/it/nix_logs/{version}-{how}.log"));
    let (log, real) = (log.to_str().expect("UTF-8").to_owned(), place().join("bin/nix"));
    let real = real.to_str().expect("UTF-8");
    let stub = format!(
        "#!/bin/sh\ncase \"$*\" in *facts.nix*) exec {real} \"$@\" ;; esac\ncat {log} >&2\n\
         [ {status} = 0 ] || exit {status}\nexec {real} \"$@\" 2>/dev/null\n"
    );
    let broken = if how == "failing" { "int broken( {\n" } else { "" };
    let source = format!("#include <vector>\n{}// recorded\n{broken}", function("in_a"));
    let scene = with_nix(scene()).file("build.toml", MANIFEST).file("bin/nix", &stub);
    let scene = scene.file("binding.cpp", &function("binding")).file("a/k.cpp", &source);
    let scene = scene.file("tvm-ffi-ext/demo/__init__.py", "__all__ = [\"ops\"]\nfrom ._ops import ops\n");
    scene.tool("chmod", &["+x", "bin/nix"]);
    let path = format!("{}:/usr/bin:/bin", scene.path("bin").to_str().expect("UTF-8"));
    scene.variable("PATH", &path)
}

#[test]
fn recorded_logs_of_three_versions_are_told_alike() {
    for version in ["2.34", "2.26", "2.8"] {
        for (how, status) in [("good", 0), ("failing", 1), ("interrupted", 1)] {
            let ran = replay(version, how, status).run(&["build", "--variant", VARIANT]);
            let words = ran.to_string();
            assert!(!words.contains('\u{1b}'), "{words}");
            insta::assert_snapshot!(format!("{how}_{version}"), words);
        }
    }
}
