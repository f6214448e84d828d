//! What `check` says of files that Git does not track: a warning where it could, a note with the reason where it cannot.

use serde_json::Value;

use crate::scene::{Scene, is_root};

const MANIFEST: &str = "[general]\nname = \"demo-op\"\nversion = 1\nlicense = \"Apache-2.0\"\nbackends = [\"cpu\"]\n\
                        edition = 5\n\n[torch-noarch]\n";

fn project(folder: &str) -> Scene {
    Scene::new()
        .file(&format!("{folder}/build.toml"), MANIFEST)
        .file(&format!("{folder}/torch-ext/demo_op/__init__.py"), "__all__ = []\n")
}

fn git(scene: &Scene, folder: &str, arguments: &[&str]) {
    let settings = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "safe.directory=*"];
    let files = ["-c", "protocol.file.allow=always", "-C", folder];
    scene.tool("git", &[&settings[..], &files, arguments].concat());
}

fn commit(scene: &Scene, folder: &str) {
    git(scene, folder, &["add", "-A"]);
    git(scene, folder, &["commit", "-q", "-m", "x"]);
}

/// The one thing that is said about tracking, if any: severity, message and help.
fn said(scene: &Scene, folder: &str) -> Option<(String, String, String)> {
    let ran = scene.run(&["check", folder, "--json"]);
    assert_eq!(ran.status, 0, "{ran}");
    let report = ran.json().pop().expect("a report");
    let findings = report["findings"].as_array().expect("a list").clone();
    let of = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let mut findings = findings.iter().filter(|finding| finding["code"] == "inputs/untracked");
    let first = findings.next().map(|it| (of(it, "severity"), of(it, "message"), of(it, "help")));
    assert!(findings.next().is_none(), "{ran}");
    first
}

#[test]
fn without_a_repository_or_a_commit_there_is_a_note() {
    let scene = project("plain");
    let (severity, message, help) = said(&scene, "plain").expect("a note");
    assert_eq!((severity.as_str(), message.as_str()), ("note", "the project is in no git repository"));
    assert!(help.contains("commit"), "{help}");
    git(&scene, "plain", &["init", "-q"]);
    let (severity, message, _) = said(&scene, "plain").expect("a note");
    assert_eq!((severity.as_str(), message.as_str()), ("note", "the git repository has no commit yet"));
}

#[test]
fn what_git_does_not_track_is_named_with_the_command_to_run() {
    let scene = project("repo/it's one");
    git(&scene, "repo", &["init", "-q"]);
    commit(&scene, "repo");
    assert_eq!(said(&scene, "repo/it's one"), None);
    let scene = scene.file("repo/it's one/torch-ext/demo_op/a b.py", "").file("repo/notes.txt", "");
    let (severity, message, help) = said(&scene, "repo/it's one").expect("a warning");
    assert_eq!(severity, "warning");
    assert_eq!(message, "`torch-ext/demo_op/a b.py` is not tracked by Git");
    assert!(help.starts_with("run `git add -- 'torch-ext/demo_op/a b.py'` in "), "{help}");
    // What is staged is seen by a flake.
    git(&scene, "repo", &["add", "-A"]);
    assert_eq!(said(&scene, "repo/it's one"), None);
}

#[test]
fn a_submodule_and_a_checkout_of_another_user_are_read() {
    let scene = project("inner");
    git(&scene, "inner", &["init", "-q"]);
    commit(&scene, "inner");
    fs_err::create_dir(scene.path("outer")).expect("made");
    git(&scene, "outer", &["init", "-q"]);
    let inner = scene.path("inner").to_str().expect("UTF-8").to_owned();
    git(&scene, "outer", &["submodule", "-q", "add", &inner, "sub"]);
    commit(&scene, "outer");
    assert_eq!(said(&scene, "outer/sub"), None);
    let scene = scene.file("outer/sub/torch-ext/demo_op/new.py", "");
    assert_eq!(said(&scene, "outer/sub").map(|said| said.0).as_deref(), Some("warning"));
    if !is_root() {
        eprintln!("skipped: only root can give a checkout to another user");
        return;
    }
    scene.tool("chown", &["-R", "65534:65534", "inner"]);
    assert_eq!(said(&scene, "inner"), None);
}
