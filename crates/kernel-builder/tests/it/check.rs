//! `check`: every fault with its place, in one run, before anything is built.

use crate::scene::Scene;

const MANIFEST: &str = r#"[general]
name = "demo-op"
version = 1
license = "Apache-2.0"
backends = ["cpu"]
edition = 5

[general.hub]
repo-id = "acme/demo-op"

[torch]
src = ["torch-ext/binding.cpp"]

[kernel.demo]
backend = "cpu"
depends = ["torch"]
src = ["demo/demo.cpp"]
"#;

/// A whole project, as small as one can be.
fn project() -> Scene {
    Scene::new()
        .file("build.toml", MANIFEST)
        .file("torch-ext/binding.cpp", "#include <torch/library.h>\n")
        .file("torch-ext/demo_op/__init__.py", "__all__ = []\n")
        .file("demo/demo.cpp", "#include <cmath>\n")
}

/// The project with another manifest.
fn with(manifest: &str) -> Scene {
    project().file("build.toml", manifest)
}

#[test]
fn a_sound_project_has_no_errors() {
    let ran = project().run(&["check"]);
    assert_eq!(ran.status, 0, "{ran}");
    insta::assert_snapshot!("check-sound", ran);
    assert_eq!(project().run(&["check", "--deny", "warnings"]).status, 0);
}

#[test]
fn all_faults_of_a_manifest_come_in_one_run() {
    let twice = format!("{MANIFEST}\n[general.hub]\nrepo-id = \"acme/other\"\n");
    let text = twice
        .replace("license = \"Apache-2.0\"", "licence = 2")
        .replace("backends = [\"cpu\"]", "backends = [\"CPU\", \"cpu\"]")
        .replace("name = \"demo-op\"", "name = \"Demo_Op\"");
    insta::assert_snapshot!("check-many-faults", with(&text).run(&["check", "."]));
}

#[test]
fn files_are_checked_against_the_manifest() {
    let text = MANIFEST.replace(
        "[\"demo/demo.cpp\"]",
        "[\"demo/Demo.cpp\", \"demo/demo.cpp\", \"demo/./demo.cpp\", \"demo\", \"demo/*.cpp\", \"demo/dem.cpp\"]",
    );
    let scene =
        with(&text).file("demo/demo.cpp", "#include \"inner.h\"\n").file("demo/inner.h", "#pragma once\n");
    fs_err::remove_file(scene.path("torch-ext/demo_op/__init__.py")).expect("removed");
    let ran = scene.run(&["check"]);
    assert_eq!(ran.status, 3, "{ran}");
    insta::assert_snapshot!("check-files", ran);
    assert_eq!(scene.run(&["check", "--manifest-only"]).status, 0);
}
