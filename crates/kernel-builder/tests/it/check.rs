//! `check`: every fault with its place, in one run, before anything is built.

use crate::scene::{Scene, python};
use crate::upload;

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

#[test]
fn check_and_hash_say_the_same_of_metadata_that_cannot_be_read() {
    for leads_nowhere in [false, true] {
        let scene = project().file("build/torch-cpu/__init__.py", "__all__ = []\n");
        if leads_nowhere {
            let link = scene.path("build/torch-cpu/metadata.json");
            std::os::unix::fs::symlink("metadata.json", link).expect("a link");
        }
        // What is there and cannot be read is not missing; a check judges the link too.
        let (code, status) =
            if leads_nowhere { ("artifact/unreadable", 15) } else { ("artifact/metadata", 6) };
        let told = |arguments: &[&str]| -> Vec<serde_json::Value> {
            let ran = scene.run(arguments);
            assert_eq!(ran.status, if arguments[0] == "check" { 6 } else { status }, "{ran}");
            let findings = ran.json().pop().expect("an answer")["findings"].take();
            let findings = findings.as_array().cloned().unwrap_or_default();
            let about = findings.into_iter().filter(|finding| finding["code"] == code);
            about.map(|finding| serde_json::json!([finding["message"], finding["causes"]])).collect()
        };
        let checked = told(&["check", "--json"]);
        assert_eq!(checked.len(), 1);
        assert_eq!(told(&["hash", "--check", "--json"]), checked);
    }
}

#[test]
fn findings_are_written_in_the_forms_of_other_tools() {
    let scene = Scene::new().file("p/build.toml", "[general]\nname = \"x\"\nlicence = 1\n");
    let ran = scene.run(&["check", "p", "--report", "sarif,junit"]);
    assert_eq!(ran.status, 3, "{ran}");
    assert!(ran.stdout.contains("report [SCENE]/here/p/.kernel-builder/reports/check.sarif"), "{ran}");
    let read = |name: &str| {
        fs_err::read_to_string(scene.path("p/.kernel-builder/reports").join(name)).expect("a form")
    };
    let sarif: serde_json::Value = serde_json::from_str(&read("check.sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let unknown =
        results.iter().find(|result| result["ruleId"] == "manifest/unknown-key").expect("the unknown key");
    let place = &unknown["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"p/build.toml".into(), &3.into())
    );
    assert!(read("check.xml").contains("<failure message="), "{}", read("check.xml"));
    let ran = scene.run(&["check", "p", "--report", "html"]);
    assert!(ran.status == 2 && ran.stderr.contains("`junit` or `sarif`"), "{ran}");
}

/// Compiles a source of the variant as Python, or somebody, would; then the sources are what they were.
const COMPILES: &str = "import os, py_compile, sys\nfrom importlib import util\n\
    source, mode, evil = sys.argv[1:]\nabout = os.stat(source)\ntext = open(source).read()\n\
    if evil:\n    open(source, 'w').write(evil)\n    os.utime(source, ns=(about.st_atime_ns, about.st_mtime_ns))\n\
    mode = getattr(py_compile.PycInvalidationMode, mode)\n\
    py_compile.compile(source, util.cache_from_source(source), doraise=True, invalidation_mode=mode)\n\
    open(source, 'w').write(text)\nos.utime(source, ns=(about.st_atime_ns, about.st_mtime_ns))\n";

#[test]
#[expect(clippy::disallowed_methods, reason = "byte code is made as Python makes it")]
fn byte_code_of_other_sources_is_refused_wherever_a_variant_is_judged() {
    let hub = upload::hub();
    let scene = upload::project(&hub, "writer", "one").file("torch-ext/demo/__init__.py", "__all__ = []\n");
    let source = scene.path("build/torch-cpu/__init__.py");
    let compile = |mode: &str, evil: &str| {
        let mut python = std::process::Command::new(python());
        let made = python.args(["-I", "-c", COMPILES]).arg(&source).args([mode, evil]).status();
        assert!(made.expect("Python runs").success());
    };
    let codes = |arguments: &[&str]| -> (i32, usize) {
        let ran = scene.run(arguments);
        (ran.status, ran.stdout.matches("\"artifact/bytecode\"").count())
    };
    // What an import leaves behind is worth a remark, whichever way Python tells it from another.
    for mode in ["TIMESTAMP", "CHECKED_HASH"] {
        compile(mode, "");
        assert_eq!(codes(&["hash", "--check", "--json"]), (0, 1), "{mode}");
        assert_eq!(codes(&["audit", "--json"]), (0, 1), "{mode}");
        assert_eq!(codes(&["check", "--json"]), (0, 1), "{mode}");
        assert_eq!(codes(&["status", "--json"]), (0, 0), "{mode}");
    }
    // Python runs the first without looking at the source; the others are of another.
    for (mode, evil) in
        [("UNCHECKED_HASH", ""), ("CHECKED_HASH", "evil = 1\n"), ("TIMESTAMP", "longer = 'than before'\n")]
    {
        compile(mode, evil);
        assert_eq!(codes(&["hash", "--check", "--json"]), (6, 1), "{mode}");
        assert_eq!(codes(&["audit", "--json"]), (6, 1), "{mode}");
        assert_eq!(codes(&["check", "--json"]), (6, 1), "{mode}");
        assert_eq!(codes(&["status", "--json"]), (0, 1), "{mode}");
        assert_eq!(codes(&["upload", "--dry-run", "--json"]), (6, 1), "{mode}");
    }
}

#[test]
fn a_variant_or_a_library_that_is_a_link_is_refused() {
    let hub = upload::hub();
    let scene = upload::project(&hub, "writer", "one").file("torch-ext/demo/__init__.py", "__all__ = []\n");
    let codes = |arguments: &[&str]| -> (i32, usize) {
        let ran = scene.run(arguments);
        (ran.status, ran.stdout.matches("\"artifact/layout\"").count())
    };
    let commands = [
        ["check", ".", "--json"],
        ["check-abi", ".", "--json"],
        ["hash", "--check", "--json"],
        ["audit", ".", "--json"],
    ];
    let (variant, elsewhere) = (scene.path("build/torch-cpu"), scene.path("elsewhere"));
    fs_err::rename(&variant, &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, &variant).expect("linked");
    for command in commands {
        assert_eq!(codes(&command), (6, 1), "{command:?}");
    }
    fs_err::remove_file(&variant).expect("removed");
    fs_err::rename(&elsewhere, &variant).expect("moved back");
    // The digest is that of what the link leads to, so it fits.
    scene.tool("cc", &["-shared", "-o", "library.so", "-x", "c", "/dev/null"]);
    std::os::unix::fs::symlink(scene.path("library.so"), variant.join("library.so")).expect("linked");
    let written = scene.run(&["hash", "."]);
    assert!(written.status == 0 && written.stdout.contains("warning[artifact/layout]"), "{written}");
    for command in commands {
        assert_eq!(codes(&command), (6, 1), "{command:?}");
    }
}

#[test]
fn a_variant_of_another_version_than_the_manifests_is_told() {
    let hub = upload::hub();
    let scene = upload::project(&hub, "writer", "one").file("torch-ext/demo/__init__.py", "__all__ = []\n");
    let scene = upload::manifest(scene, 2);
    let ran = scene.run(&["check"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(
        ran.stdout.contains("warning[upload/versions]: `torch-cpu` is of version 1, `build.toml` of 2"),
        "{ran}"
    );
}

#[test]
fn what_is_wrong_with_the_python_of_a_package_has_its_code() {
    let text = "from .layers import Layer\n__all__ = [\"Layer\", \"gone\"]\n";
    let layers = "import torch, tomllib\nfrom elsewhere import name\n\nclass Layer: ...\n\n\n\
                  torch.library.register_fake(name)\n";
    let scene =
        project().file("torch-ext/demo_op/__init__.py", text).file("torch-ext/demo_op/layers.py", layers);
    let ran = scene.run(&["check"]);
    assert_eq!(ran.status, 6, "{ran}");
    insta::assert_snapshot!("check-python", ran);
}
