//! Directories that the user may not write: each command says which and why, and leaves nothing behind.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::scene::{Ran, Scene, is_root};

const MANIFEST: &str = "[general]\nname = \"demo-op\"\nversion = 1\nlicense = \"Apache-2.0\"\nbackends = [\"cpu\"]\n\n\
                        [torch-noarch]\n";
const METADATA: &str = r#"{"name":"demo-op","id":"_demo_op_cpu_x","version":1,"license":"Apache-2.0",
  "python-depends":[],"backend":{"type":"cpu"}}"#;

/// Nobody's user and group.
const NOBODY: u32 = 65534;

/// A project of edition 4 with one built variant, none of which can be written by who runs the binary.
fn scene() -> Scene {
    let scene = Scene::new()
        .file("project/build.toml", MANIFEST)
        .file("project/torch-ext/demo_op/__init__.py", "__all__ = []\n")
        .file("project/build/torch-cpu/__init__.py", "")
        .file("project/build/torch-cpu/metadata.json", METADATA);
    let binary = scene.path("kernel-builder");
    fs_err::copy(env!("CARGO_BIN_EXE_kernel-builder"), &binary).expect("copied");
    for directory in scene.path("").ancestors().take(2).chain([scene.path("../home").as_path()]) {
        allow(directory, 0o755);
    }
    for directory in ["project/torch-ext/demo_op", "project/build/torch-cpu", "project/build", "project", ""]
    {
        allow(&scene.path(directory), 0o555);
    }
    scene
}

fn allow(path: &Path, mode: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("rights");
}

/// Runs the binary as a user without rights: root becomes nobody.
#[expect(clippy::disallowed_methods, reason = "the tests start the binary as a shell does")]
fn run(scene: &Scene, arguments: &[&str]) -> Ran {
    let binary = scene.path("kernel-builder");
    let mut command = if is_root() {
        let mut command = Command::new("setpriv");
        command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()]);
        command.arg(binary);
        command
    } else {
        Command::new(binary)
    };
    command.args(arguments).current_dir(scene.path("")).env_clear().env("HOME", scene.path("../home"));
    let output =
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("an end");
    Ran { status, stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn files(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs_err::read_dir(directory).expect("readable") {
        let path = entry.expect("an entry").path();
        found.insert(path.to_str().expect("UTF-8").to_owned());
        if path.is_dir() {
            found.extend(files(&path));
        }
    }
    found
}

#[test]
fn what_cannot_be_written_is_said_with_cause_and_help() {
    let scene = scene();
    let before = files(&scene.path(""));
    for arguments in [
        &["init", "fresh", "--framework", "torch-noarch"][..],
        &["init", "project/inside", "--framework", "torch-noarch"],
        &["build", "project"],
        &["card", "project"],
        &["migrate", "project"],
        &["hash", "project"],
    ] {
        let ran = run(&scene, &[arguments, &["--json"]].concat());
        assert_eq!(ran.status, 4, "{arguments:?}: {ran}");
        let error = ran.json().pop().expect("an error");
        assert_eq!(error["code"], "environment/file", "{arguments:?}: {ran}");
        assert!(!error["help"].as_str().expect("help").is_empty(), "{arguments:?}: {ran}");
        let causes = error["causes"].to_string();
        assert!(causes.contains("ermission denied"), "{arguments:?}: {ran}");
        assert!(
            causes.contains(scene.path("").to_str().expect("UTF-8")),
            "{arguments:?} names no path: {ran}"
        );
        let human = run(&scene, arguments);
        assert_eq!(human.status, 4, "{human}");
        assert!(human.stderr.contains("environment/file") && human.stderr.contains("help: "), "{human}");
        assert_eq!(files(&scene.path("")), before, "{arguments:?} left something behind");
    }
    // So that the scene can be removed.
    for directory in ["", "project", "project/build", "project/build/torch-cpu", "project/torch-ext/demo_op"]
    {
        allow(&scene.path(directory), 0o755);
    }
}

#[test]
fn a_python_file_of_a_variant_that_cannot_be_read_is_no_fault_of_the_variant() {
    let scene = scene();
    allow(&scene.path("project/build/torch-cpu/__init__.py"), 0);
    for arguments in [
        &["check", "project"][..],
        &["check-abi", "project/build"],
        &["audit", "project"],
        &["hash", "--check", "project"],
    ] {
        let ran = run(&scene, &[arguments, &["--json"]].concat());
        assert_eq!(ran.status, 15, "{arguments:?}: {ran}");
        assert!(ran.stdout.contains("\"artifact/unreadable\""), "{arguments:?}: {ran}");
    }
}
