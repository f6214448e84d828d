//! `upload` against the Hub of the testkit, and what the real loader makes of the result.

mod answer_file;
mod believed;
pub(super) mod ended;
mod faults;
mod hostile;
mod judged;
mod large;
mod loads;
mod plan;
mod proposals;
mod publisher;
mod readme;
mod records;
mod refused;
mod rules;
mod staying;
mod swapped;
mod unfinished;
mod wrong;

use std::collections::BTreeMap;

use hub_testkit::{Commit, Entry, Hub, Limits, Role};
use serde_json::Value;

use crate::scene::{Ran, Scene};

pub(super) const REPOSITORY: &str = "kernels/acme/demo";

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A Hub with one organization that is trusted and one that is not.
pub(super) fn hub_with(limits: Limits) -> Hub {
    Hub::builder()
        .organization("acme", true, &[("writer", Role::Write), ("reader", Role::Read)])
        .organization("untrusted", false, &[("writer", Role::Write)])
        .user("writer", "hf_secret_writer", Role::Write)
        .user("reader", "hf_secret_reader", Role::Write)
        .user("outsider", "hf_secret_outsider", Role::Write)
        .limits(limits)
        .start()
        .expect("a hub")
}

pub(super) fn hub() -> Hub {
    hub_with(Limits::default())
}

/// A scene in which a user is logged in to a Hub.
pub(super) fn scene(hub: &Hub, user: &str) -> Scene {
    Scene::new().variable("HF_ENDPOINT", &hub.url()).variable("HF_TOKEN", &format!("hf_secret_{user}"))
}

/// A project of a kernel without compiled code.
pub(super) fn manifest(scene: Scene, version: u32) -> Scene {
    scene.file(
        "build.toml",
        &format!(
            "[general]\nname = \"demo\"\nversion = {version}\nedition = 5\nlicense = \"Apache-2.0\"\n\
             backends = [\"cpu\"]\n\n[general.hub]\nrepo-id = \"acme/demo\"\n\n[torch-noarch]\n"
        ),
    )
}

/// Writes a built variant; its digest is still missing.
pub(super) fn variant(scene: Scene, name: &str, version: u32, files: &BTreeMap<String, Vec<u8>>) -> Scene {
    let metadata = format!(
        r#"{{"name": "demo", "id": "_demo_cpu_abcdefghijklm", "version": {version}, "license": "Apache-2.0",
        "python-depends": [], "backend": {{"type": "cpu"}},
        "provenance": {{"kernel-builder": {{"version": "0.1.0"}}, "kernel": {{"commit": "{COMMIT}", "dirty": false}}}}}}"#
    );
    let folder = scene.path(&format!("build/{name}"));
    if folder.exists() {
        fs_err::remove_dir_all(&folder).expect("an older variant goes");
    }
    for (path, content) in files {
        let path = folder.join(path);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs_err::write(path, content).expect("a file");
    }
    scene.file(&format!("build/{name}/metadata.json"), &metadata)
}

/// A variant of a few files, one of them large for the Hub.
pub(super) fn sample(value: &str) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([
        ("__init__.py".to_owned(), format!("__all__ = [\"VALUE\"]\nVALUE = {value:?}\n").into_bytes()),
        ("data/table.bin".to_owned(), [value.as_bytes(), &[0; 2000]].concat()),
        ("empty.py".to_owned(), Vec::new()),
    ])
}

/// A project with one built variant, ready to upload.
pub(super) fn project(hub: &Hub, user: &str, value: &str) -> Scene {
    let scene = variant(manifest(scene(hub, user), 1), "torch-cpu", 1, &sample(value));
    sealed(scene)
}

/// Writes the digests.
pub(super) fn sealed(scene: Scene) -> Scene {
    assert_eq!(scene.run(&["hash", "."]).status, 0);
    scene
}

/// The report of a run that went well.
pub(super) fn report(ran: &Ran) -> Value {
    let last = ran.json().pop().expect("a last line");
    assert_eq!(last["event"], "report", "{ran}");
    last
}

/// The content of every file of a commit.
pub(super) fn contents(hub: &Hub, commit: &Commit) -> BTreeMap<String, Vec<u8>> {
    let content = |entry: &Entry| hub.content(entry).expect("stored content");
    commit.files.iter().map(|(path, entry)| (path.clone(), content(entry))).collect()
}

/// The files of the scene's variants as they should be on the Hub.
pub(super) fn local(scene: &Scene) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![scene.path("build")];
    while let Some(folder) = open.pop() {
        for entry in fs_err::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(scene.path("")).expect("inside").to_str().expect("UTF-8");
                files.insert(name.to_owned(), fs_err::read(&path).expect("a file"));
            }
        }
    }
    files
}

/// Every commit of a branch is honest: where there are metadata, their digest is that of the files beside them.
pub(super) fn assert_honest(hub: &Hub, branch: &str) {
    use sha2::{Digest, Sha256};
    for commit in hub.history(REPOSITORY, branch) {
        for (path, entry) in commit.files.iter().filter(|(path, _)| path.ends_with("/metadata.json")) {
            let folder = path.trim_end_matches("metadata.json");
            let metadata: Value =
                serde_json::from_slice(&hub.content(entry).expect("content")).expect("JSON");
            let digests = metadata["digest"]["files"].as_object().expect("a digest");
            let inside: BTreeMap<&str, &Entry> = commit
                .files
                .iter()
                .filter(|(other, _)| other.starts_with(folder) && *other != path)
                .map(|(path, entry)| (&path[folder.len()..], entry))
                .collect();
            assert_eq!(inside.len(), digests.len(), "{folder}: {:?}", inside.keys());
            for (name, entry) in inside {
                let actual = base64(&Sha256::digest(hub.content(entry).expect("content")));
                assert_eq!(digests[name], Value::from(actual), "{folder}{name} of {}", commit.summary);
            }
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
