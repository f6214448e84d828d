//! Variants in places where the loader looks and a verifier might not: no verdict leaves one out.

use super::*;
use crate::upload::{REPOSITORY, hub};

const METADATA: &str = r#"{"name": "demo", "id": "_demo_cpu_abcdefghijklm", "version": 1, "license": "Apache-2.0",
    "python-depends": [], "backend": {"type": "cpu"}}"#;

/// A variant that nobody signed.
fn unsigned(scene: Scene, folder: &str) -> Scene {
    scene
        .file(&format!("{folder}/__init__.py"), "VALUE = 'other'\n")
        .file(&format!("{folder}/metadata.json"), METADATA)
}

/// That every verdict about a directory is refused, with one code; and where the loader was said to look.
fn refused(scene: &Scene, directory: &str) -> String {
    let mut said = String::new();
    for ran in [
        verify(scene, &[directory]),
        scene.run(&["audit", directory, "--json"]),
        scene.run(&["hash", directory, "--check", "--json"]),
    ] {
        let last = report(&ran);
        assert_eq!((ran.status, &last["code"]), (6, &"artifact/places".into()), "{directory}: {ran}");
        last["message"].as_str().expect("a message").clone_into(&mut said);
    }
    said
}

#[test]
fn a_directory_in_which_the_loader_takes_other_variants_has_no_verdict() {
    let services = Sigstore::start().expect("services");
    let scene = unsigned(signed(&services), "torch-cpu");
    let said = refused(&scene, ".");
    assert!(
        said.starts_with("the variants of ") && said.ends_with("the loader finds others in `[SCENE]/here`"),
        "{said}"
    );
    let ran = scene.run(&["check", "--json"]);
    assert!(ran.stdout.contains("artifact/places"), "{ran}");
    let ran = scene.run(&["sign", "--trust-config", "trust.json", "--json"]);
    assert_eq!(report(&ran)["code"], "artifact/places", "{ran}");
    // Who names the folder of those that are meant gets a verdict about them.
    assert_eq!(verify(&scene, &["build"]).status, 0);

    // What is signed lies in `build` of `build`, or in `result`; what the loader takes, above it or beside it.
    let scene = signed(&services);
    copy(&scene.path("build"), &scene.path("copy"));
    fs_err::rename(scene.path("copy"), scene.path("build/build")).expect("renamed");
    let scene = unsigned(scene, "build/torch-cpu");
    refused(&scene, "build");
    let scene = signed(&services);
    fs_err::rename(scene.path("build"), scene.path("result")).expect("renamed");
    assert_eq!(verify(&scene, &[]).status, 0, "another tool's `result` alone");
    refused(&unsigned(scene, "torch-universal"), ".");
    // The loader never looks into `result`, knows nothing of `torch-ext`, and takes nothing without metadata.
    let scene = unsigned(unsigned(signed(&services), "result/torch-cpu"), "sources");
    let scene = scene.file("torch-ext/__init__.py", "").file("torch-cuda/notes.txt", "");
    assert_eq!(verify(&scene, &[]).status, 0);
}

#[test]
fn variants_of_a_repository_outside_of_build_are_named() {
    let (services, hub) = (Sigstore::start().expect("services"), hub());
    let scene = signed(&services);
    let scene = scene.variable("HF_ENDPOINT", &hub.url()).variable("HF_TOKEN", "hf_secret_writer");
    assert_eq!(scene.run(&["upload"]).status, 0);
    hub.put(REPOSITORY, "v1", "torch-ext/demo/__init__.py", b"").expect("sources");
    assert_eq!(verify(&scene, &["acme/demo@v1"]).status, 0);
    for place in ["torch-cpu", "build/build/torch-cpu"] {
        hub.put(REPOSITORY, "v1", &format!("{place}/__init__.py"), b"import os\n").expect("added");
        let ran = verify(&scene, &["acme/demo@v1"]);
        assert_eq!((ran.status, codes(&ran)), (6, vec!["artifact/places".to_owned()]), "{ran}");
        assert!(report(&ran)["findings"][0]["causes"].to_string().contains(place), "{ran}");
    }
    for command in ["audit", "check"] {
        let ran = scene.run(&[command, "acme/demo@v1", "--json"]);
        assert!(ran.status == 6 && ran.stdout.contains("artifact/places"), "{ran}");
    }
}
