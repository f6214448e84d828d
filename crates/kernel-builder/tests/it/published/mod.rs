//! `OWNER/NAME@vN` where a command takes a directory: what is read of a published kernel, what the real loader says of it,
//! and Hubs that lie.

mod hostile;
mod loader;
mod runs;

use serde_json::Value;

use crate::scene::{Ran, Scene};
use crate::upload::{REPOSITORY, hub, local, project, report, sample, scene, sealed, variant};

/// Where fetched kernels are.
fn cache(scene: &Scene) -> std::path::PathBuf {
    scene.path("../home/.cache/kernel-builder/published")
}

/// A scene of somebody else, who has nothing but the Hub's address.
fn reader(hub: &hub_testkit::Hub) -> Scene {
    Scene::new().variable("HF_ENDPOINT", &hub.url())
}

fn codes(ran: &Ran) -> Vec<String> {
    let last = ran.json().pop().expect("a last line");
    let code = |value: &Value| value["code"].as_str().expect("a code").to_owned();
    match last["event"].as_str() {
        Some("error") => vec![code(&last)],
        _ => last["findings"].as_array().into_iter().flatten().map(code).collect(),
    }
}

#[test]
fn a_published_kernel_is_read_like_a_directory() {
    let hub = hub();
    let publisher = project(&hub, "writer", "one");
    let publisher = sealed(variant(publisher, "torch-universal", 1, &sample("two")));
    assert_eq!(publisher.run(&["upload"]).status, 0);
    let scene = reader(&hub);
    let ran = scene.run(&["variants", "acme/demo@v1"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "torch-cpu\ntorch-universal\n"), "{ran}");
    assert!(!cache(&scene).exists(), "a list fetches no files");
    let ran = scene.run(&["hash", "acme/demo@v1", "--json"]);
    assert_eq!((ran.status, report(&ran)["check"].clone()), (0, true.into()), "{ran}");
    assert_eq!(scene.run(&["check", "acme/demo@v1"]).status, 0);
    for command in ["check-abi", "inspect"] {
        // It was fetched, and holds no library.
        let ran = scene.run(&[command, "acme/demo@v1"]);
        assert!(ran.status == 0 || ran.to_string().contains("abi/nothing-to-check"), "{ran}");
    }

    // What is there is not fetched again, and what was damaged or added is.
    hub.take_log();
    let ran = scene.run(&["hash", "acme/demo@v1", "--json"]);
    let fetched =
        |hub: &hub_testkit::Hub| hub.take_log().iter().filter(|line| line.contains("/resolve/")).count();
    assert_eq!((ran.status, fetched(&hub)), (0, 0), "{ran}");
    let directory = report(&ran)["variants"][0]["directory"].as_str().expect("a directory").to_owned();
    let directory = directory.replace("[SCENE]/", "../");
    let found = |name: &str| fs_err::read(scene.path(&format!("{directory}/{name}")));
    assert_eq!(found("__init__.py").expect("a file"), local(&publisher)["build/torch-cpu/__init__.py"]);
    fs_err::write(scene.path(&format!("{directory}/__init__.py")), "evil = 1\n").expect("damaged");
    fs_err::write(scene.path(&format!("{directory}/more.py")), "evil = 1\n").expect("added");
    let ran = scene.run(&["hash", "acme/demo@v1"]);
    assert_eq!((ran.status, found("more.py").is_err()), (0, true), "{ran}");
    assert_eq!(found("__init__.py").expect("a file"), local(&publisher)["build/torch-cpu/__init__.py"]);

    // A commit stays what it is when its branch goes on.
    let commit = report(&scene.run(&["variants", "acme/demo@v1", "--json"]))["published"]["commit"].clone();
    hub.put(REPOSITORY, "v1", "build/torch-cpu/__init__.py", b"VALUE = 'other'\n").expect("changed");
    let ran = scene.run(&["hash", "acme/demo@v1"]);
    assert_eq!(ran.status, 6, "{ran}");
    let ran = scene.run(&["check", "acme/demo@v1", "--json"]);
    assert!(ran.status == 6 && codes(&ran).contains(&"artifact/digest".to_owned()), "{ran}");
    let commit = format!("acme/demo@{}", commit.as_str().expect("a commit"));
    assert_eq!(scene.run(&["hash", &commit]).status, 0);
}

#[test]
fn what_is_not_published_is_said() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let scene = reader(&hub);
    let ran = scene.run(&["variants", "acme/demo@v9"]);
    insta::assert_snapshot!(ran.to_string().replace(&hub.url(), "[HUB]"));
    let told = |arguments: &[&str]| {
        let ran = scene.run(&[arguments, &["--json"]].concat());
        (ran.status, codes(&ran))
    };
    let only = |code: &str| vec![code.to_owned()];
    assert_eq!(told(&["variants", "acme/none@v1"]), (8, only("hub/login")));
    assert_eq!(told(&["inspect", "acme/demo@main"]), (6, only("published/variant")));
    assert_eq!(told(&["variants", "acme/demo@v1", "--offline"]), (8, only("hub/offline")));
    // A directory of such a name is written as a path.
    let ran = scene.run(&["check", "./acme/demo@v1", "--json"]);
    assert_eq!(codes(&ran), only("manifest/not-found"), "{ran}");
}

/// Where fetched files are kept is nobody's concern: what is wrong with a published kernel is told by its name.
#[test]
fn a_published_variant_without_metadata_is_told_by_its_name() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    assert_eq!(project(&hub, "writer", "one").run(&["upload", "--repo-id", "acme/none"]).status, 0);
    hub.put(REPOSITORY, "v1", "build/torch-universal/__init__.py", b"").expect("added");
    hub.put("kernels/acme/none", "main", "build/notes/readme.txt", b"").expect("added");
    let scene = reader(&hub);
    let python = crate::scene::python();
    for arguments in [
        &["hash", "acme/demo@v1"][..],
        &["verify", "acme/demo@v1"],
        &["audit", "acme/demo@v1", "--sbom", "bill.json"],
        &["check", "acme/demo@v1"],
        &["test", "acme/demo@v1", "--variant", "torch-universal", "--python", &python],
        &["hash", "acme/none@main"],
        &["verify", "acme/none@main"],
        &["audit", "acme/none@main"],
        &["check-abi", "acme/none@main"],
        &["test", "acme/none@main", "--python", &python],
    ] {
        let ran = scene.run(&[arguments, &["--json"]].concat());
        let text = ran.to_string();
        assert_eq!(ran.status, 6, "{arguments:?}: {text}");
        assert!(text.contains("torch-universal") || text.contains("acme/none@main"), "{arguments:?}: {text}");
        assert!(!text.contains(".cache"), "{arguments:?}: {text}");
    }
}
