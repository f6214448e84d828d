//! `pin`: commits, hashes and dependencies of published kernels; the real loader reads the lock and keeps to it.

use std::process::Command;

use fs_err::os::unix::fs::symlink;
use serde_json::{Value, json};

use crate::scene::{Scene, python};
use crate::upload::{REPOSITORY, hub, manifest, project, sample, scene, sealed, variant};

const LOAD: &str = "import sys\nfrom pathlib import Path\nfrom kernels import get_locked_kernel\n\
    print(get_locked_kernel('acme/demo', lockfile=Path(sys.argv[1])).VALUE)\n";

/// What the loader loads by a lock.
#[expect(clippy::disallowed_methods, reason = "the loader is asked as a user would")]
fn locked(hub: &hub_testkit::Hub, scene: &Scene) -> String {
    let output = Command::new(python())
        .args(["-c", LOAD])
        .arg(scene.path("kernels.lock"))
        .env("HF_ENDPOINT", hub.url())
        .env("HF_HOME", scene.path("loader"))
        .env("HF_HUB_DISABLE_XET", "1")
        .env("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        .output()
        .expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

/// A project whose variant depends on other kernels.
fn depending(hub: &hub_testkit::Hub, on: &[&str]) -> Scene {
    let scene = variant(manifest(scene(hub, "writer"), 1), "torch-cpu", 1, &sample("one"));
    let path = "build/torch-cpu/metadata.json";
    let text = fs_err::read_to_string(scene.path(path)).expect("metadata");
    let on: Vec<Value> = on.iter().map(|id| serde_json::json!({ "repo-id": id, "version": 1 })).collect();
    let more = format!("\"kernel-depends\": {}, \"backend\"", Value::Array(on));
    sealed(scene.file(path, &text.replace("\"backend\"", &more)))
}

/// Two ways lead to one of them, and from there one leads back.
#[test]
fn dependencies_that_meet_and_go_round_are_pinned_once() {
    let hub = hub();
    for (id, on) in [
        ("acme/one", &["acme/left", "acme/right"][..]),
        ("acme/left", &["acme/both"]),
        ("acme/right", &["acme/both"]),
        ("acme/both", &["acme/one", "acme/both"]),
    ] {
        let ran = depending(&hub, on).run(&["upload", "--repo-id", id]);
        assert_eq!(ran.status, 0, "{ran}");
    }
    hub.take_log();
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
    let ran = scene.run(&["pin", "acme/one@v1", "acme/one@v1", "--json"]);
    let report = ran.json().pop().expect("a report");
    let kernels = report["kernels"].as_array().expect("kernels").iter();
    let names: Vec<&str> = kernels.filter_map(|kernel| kernel["repository"].as_str()).collect();
    assert_eq!((ran.status, names), (0, vec!["acme/both", "acme/left", "acme/one", "acme/right"]), "{ran}");
    let asked = hub.take_log();
    assert_eq!(asked.iter().filter(|line| line.contains("acme/both/refs")).count(), 1, "{asked:?}");
}

#[test]
fn the_loader_keeps_to_what_was_pinned() {
    let hub = hub();
    let publisher = project(&hub, "writer", "one");
    assert_eq!(publisher.run(&["upload"]).status, 0);
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
    let ran = scene.run(&["pin", "acme/demo@v1"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(locked(&hub, &scene), "one");
    let publisher = sealed(variant(publisher, "torch-cpu", 1, &sample("two")));
    assert_eq!(publisher.run(&["upload"]).status, 0);
    assert_eq!(locked(&hub, &scene), "one", "the branch went on, and the lock did not");
    let ran = scene.run(&["pin", "acme/demo@v1", "--check", "--json"]);
    assert_eq!((ran.status, &ran.json().pop().expect("a line")["state"]), (6, &"stale".into()), "{ran}");
    assert_eq!(scene.run(&["pin", "acme/demo@v1"]).status, 0);
    assert_eq!(scene.run(&["pin", "acme/demo@v1", "--check"]).status, 0);
    assert_eq!(locked(&hub, &scene), "two");
}

#[test]
fn dependencies_are_pinned_too() {
    let hub = hub();
    let other = project(&hub, "writer", "other");
    assert_eq!(other.run(&["upload", "--repo-id", "untrusted/other"]).status, 0);
    assert_eq!(depending(&hub, &["untrusted/other"]).run(&["upload"]).status, 0);
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
    let ran = scene.run(&["pin", "acme/demo@v1"]);
    assert!(
        ran.status == 0 && ran.stdout.contains("untrusted/other@v1") && ran.stdout.contains("not trusted"),
        "{ran}"
    );
    let pins: Value =
        serde_json::from_str(&fs_err::read_to_string(scene.path("kernel-pins.json")).expect("pins"))
            .expect("JSON");
    let hash = &pins["kernels"][1]["variants"]["torch-cpu"];
    assert_eq!(hash.as_str().map(str::len), Some(64), "{pins}");
    let lock: Value =
        serde_json::from_str(&fs_err::read_to_string(scene.path("kernels.lock")).expect("a lock"))
            .expect("JSON");
    assert_eq!(lock[1]["dependency"], serde_json::json!({ "repo-id": "untrusted/other", "version": 1 }));
}

#[test]
fn what_nothing_vouches_for_is_not_pinned() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    hub.put(REPOSITORY, "v1", "build/torch-cuda/__init__.py", b"").expect("added");
    hub.put(REPOSITORY, "v1", "build/torch-universal/metadata.json", b"{}").expect("added");
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
    let ran = scene.run(&["pin", "acme/demo@v1", "--json"]);
    let last = ran.json().pop().expect("a line");
    assert_eq!((ran.status, &last["code"]), (6, &"pin/unfit".into()), "{ran}");
    assert_eq!(last["findings"].as_array().map(Vec::len), Some(2), "{ran}");
    assert!(!scene.path("kernels.lock").exists() && !scene.path("kernel-pins.json").exists());
    let ran = scene.run(&["pin", "acme/demo", "--json"]);
    assert_eq!(ran.json().pop().expect("a line")["code"], "pin/name", "{ran}");
}

/// `run` would refuse it, so it is not pinned.
#[test]
fn what_would_not_be_run_is_not_pinned() {
    let hub = hub();
    let unfit = |path: &str, content: &[u8]| {
        let repository = format!("kernels/acme/demo{}", path.len());
        let id = repository.trim_start_matches("kernels/").to_owned();
        assert_eq!(project(&hub, "writer", "one").run(&["upload", "--repo-id", &id]).status, 0);
        let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
        assert_eq!(scene.run(&["pin", &format!("{id}@v1")]).status, 0, "before");
        hub.put(&repository, "v1", &format!("build/torch-cpu/{path}"), content).expect("changed");
        let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
        let ran = scene.run(&["pin", &format!("{id}@v1"), "--json"]);
        let last = ran.json().pop().expect("a line");
        assert_eq!((ran.status, &last["code"]), (6, &"pin/unfit".into()), "{path}: {ran}");
        assert!(!scene.path("kernels.lock").exists() && !scene.path("kernel-pins.json").exists());
        last["findings"][0]["message"].as_str().expect("a message").to_owned()
    };
    assert!(unfit("__init__.py", b"VALUE = 'other'\n").ends_with("`__init__.py` was changed"));
    assert!(unfit("data/table.bin", b"another table").ends_with("`data/table.bin` was changed"));
    assert!(unfit("more.py", b"").ends_with("nothing vouches for `more.py`"));
    assert!(unfit("a.pyc", b"").ends_with("`a.pyc` is byte code that nothing vouches for"));
    let cached = "__pycache__/__init__.cpython-311.pyc";
    assert!(unfit(cached, b"").ends_with(&format!("`{cached}` is byte code that nothing vouches for")));
    let named = "xyz/__pycache__";
    assert!(unfit(named, b"").contains(&format!("`{named}`")));
    let metadata =
        br#"{"name": "demo", "id": "_demo_cpu_0", "version": 1, "license": "MIT", "python-depends": [],
        "backend": {"type": "cpu"}, "digest": {"algorithm": "sha512", "files": {"__init__.py": "AA=="}}}"#;
    assert!(unfit("metadata.json", metadata).contains("is not by SHA-256"));
}

#[test]
fn what_has_no_variants_is_not_pinned() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
    for kernels in [&["acme/demo@main"][..], &["acme/demo@v1", "acme/demo@main"]] {
        let ran = scene.run(&[&["pin", "--json"], kernels].concat());
        let last = ran.json().pop().expect("a line");
        assert_eq!((ran.status, &last["code"]), (6, &"pin/unfit".into()), "{ran}");
        assert!(last.to_string().contains("`acme/demo@main` has no variants"), "{ran}");
        assert!(!scene.path("kernels.lock").exists() && !scene.path("kernel-pins.json").exists());
    }
}

#[test]
fn two_files_are_not_written_to_one_place() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url()).file("folder/pins.json", "{}");
    fs_err::os::unix::fs::symlink("folder", scene.path("other")).expect("linked");
    fs_err::os::unix::fs::symlink("folder/pins.json", scene.path("linked.json")).expect("linked");
    for (pins, lock) in [
        ("pins.json", "pins.json"),
        ("pins.json", "./pins.json"),
        ("folder/new.json", "other/new.json"),
        ("folder/pins.json", "linked.json"),
        ("new/pins.json", "new/../new/pins.json"),
        ("new/../z.json", "z.json"),
    ] {
        let ran = scene.run(&["pin", "acme/demo@v1", "--pins", pins, "--lock", lock, "--json"]);
        assert_eq!((ran.status, &ran.json()[1]["code"]), (2, &"pin/one-file".into()), "{pins} {lock}: {ran}");
    }
    assert_eq!(scene.run(&["pin", "acme/demo@v1", "--pins", "a/one", "--lock", "b/one"]).status, 0);
}

#[test]
fn where_one_file_cannot_be_written_the_other_is_not_replaced() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
    let earlier =
        [("kernel-pins.json", "{ \"schema\": \"kernel-pins/1\", \"kernels\": [] }"), ("kernels.lock", "[]")];
    let scene = earlier.into_iter().fold(scene, |scene, (name, text)| scene.file(name, text));
    let scene = scene.file("folder/x", "").file("notes.json", "{ \"mine\": 1 }").file("notes.txt", "mine");
    symlink(scene.path("notes.txt"), scene.path("link")).expect("linked");
    for (pins, lock, code) in [
        ("kernel-pins.json", "folder", "environment/occupied"),
        ("kernel-pins.json", "kernel-pins.json/lock", "environment/file"),
        ("folder", "kernels.lock", "environment/occupied"),
        ("kernels.lock/pins", "kernels.lock", "environment/file"),
        ("notes.txt", "kernels.lock", "environment/occupied"),
        ("kernel-pins.json", "notes.json", "environment/occupied"),
        ("link", "kernels.lock", "environment/occupied"),
    ] {
        let ran = scene.run(&["pin", "acme/demo@v1", "--pins", pins, "--lock", lock, "--json"]);
        let last = ran.json().pop().expect("a line");
        assert_eq!(last["code"], code, "{pins} {lock}: {ran}");
        for (name, text) in earlier.iter().chain(&[("notes.txt", "mine")]) {
            assert_eq!(fs_err::read_to_string(scene.path(name)).expect("kept"), *text, "{pins} {lock}");
        }
    }
    assert_eq!(scene.run(&["pin", "acme/demo@v1"]).status, 0);
    let other = "{ \"spdxVersion\": \"SPDX-2.3\", \"documentNamespace\": \"https://example.org/a\" }";
    let scene = scene.file("other.spdx.json", other);
    for place in ["notes.txt", "other.spdx.json"] {
        let ran = scene.run(&["audit", "acme/demo@v1", "--sbom", place, "--json"]);
        let last = ran.json().pop().expect("a line");
        assert_eq!((ran.status, &last["code"]), (2, &"environment/occupied".into()), "{place}: {ran}");
    }
    for _ in 0..2 {
        assert_eq!(scene.run(&["audit", "acme/demo@v1", "--sbom", "own.spdx.json"]).status, 0);
    }
}

/// The files are of all kernels of a project, and the lock is the loader's own.
#[test]
fn what_other_kernels_are_pinned_to_stays() {
    let hub = hub();
    for id in ["acme/one", "acme/two"] {
        assert_eq!(project(&hub, "writer", "one").run(&["upload", "--repo-id", id]).status, 0);
    }
    let entry = |id: &str, commit: &str| json!({ "dependency": { "repo-id": id, "version": 1 }, "lock": { "commit": commit } });
    let locked = json!([entry("other/rope", "b"), entry("acme/one", "a"), entry("other/attention", "c")]);
    let scene = Scene::new().variable("HF_ENDPOINT", &hub.url()).file("kernels.lock", &locked.to_string());
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs_err::read_to_string(scene.path(name)).expect("text")).expect("JSON")
    };
    for id in ["acme/one", "acme/two"] {
        let kernel = format!("{id}@v1");
        let ran = scene.run(&["pin", &kernel, "--check", "--json"]);
        assert_eq!((ran.status, &ran.json().pop().expect("a line")["state"]), (6, &"stale".into()), "{ran}");
        assert_eq!(scene.run(&["pin", &kernel]).status, 0);
    }
    let (pins, lock) = (read("kernel-pins.json"), read("kernels.lock"));
    let commit = |at: usize| pins["kernels"][at]["commit"].as_str().expect("a commit");
    let expected = json!([
        entry("other/rope", "b"),
        entry("acme/one", commit(0)),
        entry("other/attention", "c"),
        entry("acme/two", commit(1)),
    ]);
    assert_eq!(lock, expected);
    assert_eq!(
        (&pins["kernels"][0]["repository"], &pins["kernels"][1]["repository"]),
        (&"acme/one".into(), &"acme/two".into())
    );
    for id in ["acme/one", "acme/two"] {
        assert_eq!(scene.run(&["pin", &format!("{id}@v1"), "--check"]).status, 0);
    }
}
