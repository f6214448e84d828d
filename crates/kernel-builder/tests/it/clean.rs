//! `clean` removes what we made and nobody edited, in the named project and nowhere else.

use kernel_spec::identifier::hexadecimal;
use sha2::{Digest, Sha256};

use crate::scene::Scene;

/// A project with a work directory, an unfinished build, and things that are not ours; beside it a folder of the user's.
fn scene() -> Scene {
    Scene::new()
        .file("project/build.toml", "this is not even TOML")
        .file("project/.kernel-builder/torch215-cxx11-cpu-x86_64-linux/build.ninja", "")
        .file("project/build/.torch215-cxx11-cpu-x86_64-linux.partial/__init__.py", "")
        .file("project/build/notes/plan.md", "mine")
        .file("project/build/torch215-cxx11-cpu-x86_64-linux/__init__.py", "no metadata")
        .file("other/setup.py", "mine")
        .file("other/build/setup.py", "mine")
}

#[test]
fn a_dry_run_touches_nothing() {
    let scene = scene();
    insta::assert_snapshot!(scene.run(&["clean", "project", "--dry-run"]));
    assert!(scene.path("project/.kernel-builder").is_dir());
}

#[test]
fn only_our_untouched_products_of_the_named_project_go() {
    let scene = scene();
    let ran = scene.run_in("other", &["clean", "../project"]);
    insta::assert_snapshot!(ran);
    assert!(!scene.path("project/.kernel-builder").exists());
    assert!(scene.path("project/build/notes/plan.md").is_file());
    assert!(scene.path("other/setup.py").is_file() && scene.path("other/build/setup.py").is_file());
    let again = scene.run(&["clean", "project", "--json"]).json();
    assert_eq!(again[1]["removed"].as_array().map(Vec::len), Some(0));
}

#[cfg(unix)]
#[test]
fn a_link_is_never_followed() {
    let scene = scene().file("elsewhere/.kernel-builder/precious", "mine").file("linked/build.toml", "");
    for name in [".kernel-builder", "build"] {
        std::os::unix::fs::symlink("../elsewhere/.kernel-builder", scene.path("linked").join(name))
            .expect("a link");
    }
    let ran = scene.run(&["clean", "linked"]);
    assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("kept ")).count(), 2, "{ran}");
    assert!(scene.path("elsewhere/.kernel-builder/precious").is_file());
}

#[test]
fn a_directory_without_a_manifest_is_no_project() {
    let scene = Scene::new().file("build/precious", "mine");
    insta::assert_snapshot!(scene.run(&["clean"]));
    assert!(scene.path("build/precious").is_file());
}

/// A document with the digest that was kept when it was written.
fn document(scene: Scene, path: &str) -> Scene {
    scene
        .file(&format!("project/{path}"), "{}")
        .file(&format!("project/.kernel-builder/written/{path}"), &hexadecimal(&Sha256::digest("{}")))
}

#[test]
fn measurements_are_named_before_they_go() {
    let scene = document(scene(), ".kernel-builder/bench/torch-cpu.json");
    let named = "project/.kernel-builder/bench/torch-cpu.json";
    for (more, there) in [(&["--dry-run"][..], true), (&[], false)] {
        let ran = scene.run(&[&["clean", "project"], more].concat());
        assert!(ran.stdout.contains(" .kernel-builder/bench/torch-cpu.json\n"), "{ran}");
        assert_eq!(scene.path(named).exists(), there);
    }
    assert!(!scene.path("project/.kernel-builder").exists());
}

#[test]
fn own_files_and_edited_documents_in_the_state_directory_stay() {
    let scene = document(scene(), ".kernel-builder/bench/torch-cpu.json");
    let scene = document(scene, ".kernel-builder/tests/torch-cpu.json")
        .file("project/.kernel-builder/bench/torch-cpu.json", "{\"edited\": 1}")
        .file("project/.kernel-builder/bench/old.json", "{}")
        .file("project/.kernel-builder/notes.md", "mine")
        .file("project/.kernel-builder/build.ninja", "")
        .file("project/.kernel-builder/staged/src/a.cpp", "");
    insta::assert_snapshot!(scene.run(&["clean", "project"]));
    for (path, there) in [
        ("bench/torch-cpu.json", true),
        ("bench/old.json", true),
        ("notes.md", true),
        ("tests", false),
        ("staged", false),
        ("build.ninja", false),
        ("torch215-cxx11-cpu-x86_64-linux", false),
    ] {
        assert_eq!(scene.path(&format!("project/.kernel-builder/{path}")).exists(), there, "{path}");
    }
}
