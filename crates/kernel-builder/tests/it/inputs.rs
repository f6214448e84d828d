//! Files and directories that are named and cannot be read: one rule for all commands, whatever is read and whether it is
//! missing, a pipe or a directory. A project without its manifest is a wrong project; everything else is an input.

use crate::scene::{Ran, Scene, python};
use crate::upload::{manifest, sample, sealed, variant};

/// The codes of what a run says, its own and those of its findings.
fn codes(ran: &Ran) -> Vec<String> {
    let last = ran.json().pop().expect("a last line");
    let findings = last["findings"].as_array().cloned().unwrap_or_default();
    let all =
        std::iter::once(last["code"].clone()).chain(findings.iter().map(|finding| finding["code"].clone()));
    all.filter_map(|code| code.as_str().map(str::to_owned)).collect()
}

/// A built project, and a pipe and a directory to name in the place of files.
fn scene() -> Scene {
    let scene = variant(manifest(Scene::new(), 1), "torch-cpu", 1, &sample("one"));
    let scene = sealed(scene.variable("HF_ENDPOINT", "http://127.0.0.1:1")).file("folder/keep", "");
    scene.tool("mkfifo", &["pipe"]);
    scene
}

#[test]
fn a_file_that_cannot_be_read_has_one_exit_status_everywhere() {
    let scene = scene();
    let python = python();
    for before in [
        &["verify", "--policy"][..],
        &["verify", "--dependency-policy"],
        &["verify", "--trust-config"],
        &["sign", "--identity-token"],
        &["sign", "--trust-config"],
        &["upload", "--require-signed", "--trust-config"],
        &["variants", "--explain", "--env"],
        &["bench", "--python", &python, "--against"],
        &["bench", "compare", "build.toml"],
        &["bench", "merge", "build.toml"],
        &["run", "--verified", "--pins"],
    ] {
        for named in ["nowhere", "pipe", "folder"] {
            let mut arguments = [before, &[named, "--json"]].concat();
            if before[0] == "run" {
                arguments.extend(["--", "true"]);
            }
            let ran = scene.run(&arguments);
            assert_eq!(ran.status, 15, "{arguments:?}: {ran}");
            assert!(codes(&ran).iter().all(|code| code != "environment/file"), "{arguments:?}: {ran}");
        }
    }
}

#[test]
fn a_file_that_a_variable_names_has_the_same() {
    let scene = scene();
    for variable in ["KERNEL_BUILDER_CONFIG", "KERNEL_BUILDER_MATRIX"] {
        for named in ["nowhere", "pipe", "folder"] {
            let mut command = scene.command(&["variants", "--json"]);
            let ran = scene.ran(command.env(variable, named));
            assert_eq!(
                (ran.status, codes(&ran)[0].as_str()),
                (15, "environment/unreadable"),
                "{variable}: {ran}"
            );
        }
    }
}

#[test]
fn a_directory_that_cannot_be_read_is_an_input_and_a_project_without_manifest_is_not() {
    let scene = scene();
    for command in ["hash", "audit", "inspect", "check-abi", "collect", "sign", "verify", "upload"] {
        for named in ["nowhere", "nowhere/at/all"] {
            let ran = scene.run(&[command, named, "--json"]);
            assert_eq!(ran.status, 15, "{command} {named}: {ran}");
        }
        let ran = scene.run(&[command, "folder", "--json"]);
        assert!(ran.status != 15 && ran.status != 0, "{command}: a directory without variants: {ran}");
    }
    let ran = scene.run(&["test", "acme/demo@v1", "--tests", "nowhere", "--json"]);
    assert_eq!((ran.status, codes(&ran)), (15, vec!["environment/unreadable".to_owned()]), "{ran}");
    for command in
        ["check", "build", "plan", "test", "bench", "card", "status", "clean", "migrate", "variants"]
    {
        let ran = scene.run(&[command, "nowhere", "--json"]);
        assert_eq!((ran.status, codes(&ran)), (3, vec!["manifest/not-found".to_owned()]), "{command}: {ran}");
    }
}

/// What is written has one rule too: the directories above it are made.
#[test]
fn outputs_make_the_directories_above_them() {
    let hub = crate::upload::hub();
    let scene =
        sealed(variant(manifest(crate::upload::scene(&hub, "writer"), 1), "torch-cpu", 1, &sample("one")));
    for (arguments, written) in [
        (&["audit", "--sbom", "a/b/bill.json"][..], "a/b/bill.json"),
        (&["card", "--output", "c/d/CARD.md"], "c/d/CARD.md"),
        (&["card", "--preview", "e/f/card.html"], "e/f/card.html"),
        (&["upload", "--output-json", "g/h/answer.json"], "g/h/answer.json"),
        (
            &["pin", "acme/demo@v1", "--pins", "i/j/pins.json", "--lock", "k/l/kernels.lock"],
            "k/l/kernels.lock",
        ),
        (&["collect", ".", "--out", "o/p/set"], "o/p/set/build/torch-cpu/metadata.json"),
    ] {
        let ran = scene.run(arguments);
        assert!(scene.path(written).is_file(), "{arguments:?}: {ran}");
    }
}
