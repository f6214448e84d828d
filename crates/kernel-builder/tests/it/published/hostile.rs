//! Hubs that lie about a published kernel: nothing of it is kept, nothing is written outside the cache, and no token goes
//! where it was not meant for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use hub_testkit::wire::{Content, Delivery, Reply, Request, Server};
use serde_json::json;

use super::*;

/// The id that git gives to `one\n`, and the SHA-256 of it.
const ONE: &[u8] = b"one\n";
const ONE_OID: &str = "5626abf0f72e58d7a153368ba57db4c673c0e171";
const ONE_SHA256: &str = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";

const COMMIT: &str = "89abcdef0123456789abcdef0123456789abcdef";

/// A Hub with one branch, a listing and an answer to every file.
fn lying(
    commit: &'static str,
    listing: impl Fn() -> Reply + Send + Sync + 'static,
    file: impl Fn() -> Reply + Send + Sync + 'static,
) -> Server {
    let server = Server::start(move |request: &mut Request<'_>| match request.path.as_str() {
        "/api/kernels/acme/demo/refs" => Reply::json(
            200,
            json!({ "branches": [{ "name": "v1", "ref": "refs/heads/v1", "targetCommit": commit }] })
                .to_string(),
        ),
        path if path.contains("/tree/") => listing(),
        path if path.contains("/resolve/") => file(),
        _ => Reply::json(404, r#"{"error": "not here"}"#),
    });
    server.expect("a server")
}

fn files(entries: &[(&str, &str, u64, Option<&str>)]) -> String {
    let entry = |(path, oid, size, sha256): &(&str, &str, u64, Option<&str>)| {
        let mut entry = json!({ "type": "file", "path": path, "oid": oid, "size": size });
        if let Some(sha256) = sha256 {
            entry["lfs"] = json!({ "oid": sha256, "size": size, "pointerSize": 134 });
        }
        entry
    };
    serde_json::Value::Array(entries.iter().map(entry).collect()).to_string()
}

/// Everything below a directory that is no directory, with its size.
fn below(root: &std::path::Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs_err::read_dir(&directory).into_iter().flatten().flatten() {
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                open.push(entry.path());
            } else {
                found.insert(entry.path().display().to_string(), entry.metadata().expect("a state").len());
            }
        }
    }
    found
}

/// The code of the refusal, after which nothing is left anywhere.
fn refused(server: &Server) -> String {
    let scene = Scene::new().variable("HF_ENDPOINT", &server.url()).variable("HF_TOKEN", "hf_secret");
    let ran = scene.run(&["hash", "acme/demo@v1", "--json"]);
    assert!(ran.status != 0 && ran.status != 1 && !ran.to_string().contains("secret"), "{ran}");
    assert_eq!(below(&scene.path("..")), BTreeMap::new(), "{ran}");
    ran.json().pop().expect("a line")["code"].as_str().expect("a code").to_owned()
}

fn one() -> Reply {
    Reply::bytes(200, ONE)
}

#[test]
fn listings_that_lie_are_refused() {
    let code = |entries: &[(&str, &str, u64, Option<&str>)]| {
        let text = files(entries);
        refused(&lying(COMMIT, move || Reply::json(200, text.clone()), one))
    };
    for path in
        ["../../outside", "/etc/passwd", "build/../../x", "build/torch-cpu/.git/config", "build/a\\..\\b"]
    {
        assert_eq!(code(&[(path, ONE_OID, 4, None)]), "hub/answer", "{path}");
    }
    let path = "build/torch-cpu/__init__.py";
    for wrong in ["", "00", "zz", &"f".repeat(41), "ä".repeat(20).as_str()] {
        assert_eq!(code(&[(path, wrong, 4, None)]), "hub/answer", "{wrong}");
    }
    assert_eq!(code(&[(path, ONE_OID, 4, Some("../../x"))]), "hub/answer");
    assert_eq!(code(&[(path, ONE_OID, u64::MAX, None)]), "hub/answer", "more than any disk has");
    for wrong in [(path, ONE_OID, 3, None), (path, ONE_OID, 5, None), (path, ONE_OID, 3, Some(ONE_SHA256))] {
        assert_eq!(code(&[wrong]), "hub/content", "{wrong:?}");
    }
    assert_eq!(code(&[(path, &"0".repeat(40), 4, None)]), "hub/content");
    assert_eq!(code(&[(path, ONE_OID, 4, Some(&"0".repeat(64)))]), "hub/content");
    let both = [("build/torch-cpu/a", ONE_OID, 4, None), ("build/torch-cpu/a/b", ONE_OID, 4, None)];
    assert_eq!(code(&both), "hub/answer", "a file that is a folder");
    let long = format!("build/torch-cpu/{}", "a".repeat(300));
    assert_eq!(code(&[(&long, ONE_OID, 4, None)]), "hub/answer");
    let twice = [("build/torch-cpu/a", ONE_OID, 4, None), ("build/torch-cpu/a", ONE_OID, 4, None)];
    assert_eq!(code(&twice), "hub/answer", "a file twice");
}

/// A command that reads single files holds each against the listing, its size too.
#[test]
fn a_size_that_lies_is_found_by_who_reads_one_file() {
    for (size, expected) in [(4, "pin/unfit"), (3, "hub/content"), (5, "hub/content"), (0, "hub/content")] {
        let text = files(&[("build/torch-cpu/metadata.json", ONE_OID, size, None)]);
        let server = lying(COMMIT, move || Reply::json(200, text.clone()), one);
        let scene = Scene::new().variable("HF_ENDPOINT", &server.url());
        let ran = scene.run(&["pin", "acme/demo@v1", "--json"]);
        assert_eq!(codes(&ran), [expected], "{size}: {ran}");
    }
}

#[test]
fn many_branches_are_not_all_listed() {
    let server = Server::start(|_: &mut Request<'_>| {
        let branch = |at: usize| json!({ "name": format!("v{at}"), "ref": format!("refs/heads/v{at}"), "targetCommit": COMMIT });
        Reply::json(200, json!({ "branches": (1..20_000).map(branch).collect::<Vec<_>>() }).to_string())
    });
    let server = server.expect("a server");
    let ran = Scene::new().variable("HF_ENDPOINT", &server.url()).run(&["variants", "acme/demo@main"]);
    let text = ran.to_string();
    assert!(text.contains("`v19999`, `v19998`") && text.contains(" more") && text.len() < 1000, "{text}");
}

#[test]
fn a_pipe_of_certificates_is_not_waited_for() {
    for (name, make) in [("pipe", true), ("nowhere", false)] {
        let scene = Scene::new().variable("HF_ENDPOINT", "https://127.0.0.1:1");
        if make {
            scene.tool("mkfifo", &[name]);
        }
        let place = scene.path(name).to_str().expect("UTF-8").to_owned();
        let ran = scene.variable("SSL_CERT_FILE", &place).run(&["variants", "acme/demo@v1", "--json"]);
        assert_eq!((ran.status, codes(&ran)), (15, vec!["environment/unreadable".to_owned()]), "{ran}");
        assert!(ran.stdout.contains("SSL_CERT_FILE"), "{ran}");
    }
}

#[test]
fn a_commit_that_is_a_path_is_refused() {
    for commit in ["../../../../outside", "", "HEAD", "89abcdef0123456789abcdef0123456789abcde/"] {
        let server = lying(commit, || Reply::json(200, "[]"), one);
        assert_eq!(refused(&server), "hub/answer", "{commit}");
    }
}

#[test]
fn answers_that_lie_are_refused() {
    let listing = || Reply::json(200, files(&[("build/torch-cpu/__init__.py", ONE_OID, 4, None)]));
    let large = || Reply::json(200, files(&[("build/torch-cpu/a.so", ONE_OID, 4, Some(ONE_SHA256))]));
    let endless = || Reply { content: Content::Endless(1 << 40), ..Reply::empty(200) };
    assert_eq!(refused(&lying(COMMIT, listing, endless)), "hub/content");
    assert_eq!(refused(&lying(COMMIT, large, endless)), "hub/content");
    assert_eq!(refused(&lying(COMMIT, endless, one)), "hub/answer", "endless JSON");
    assert_eq!(refused(&lying(COMMIT, listing, || Reply::bytes(200, "two\n"))), "hub/content");
    assert_eq!(refused(&lying(COMMIT, listing, || Reply::json(404, "{}"))), "hub/refused");
    let elsewhere = || Reply::empty(302).header("location", "http://example.org/");
    assert_eq!(refused(&lying(COMMIT, listing, elsewhere)), "hub/insecure");
    let circle = || Reply::empty(302).header("location", "/kernels/acme/demo/resolve/again");
    assert_eq!(refused(&lying(COMMIT, listing, circle)), "hub/answer");
    let cut = || Reply { delivery: Delivery::Cut(2), ..one() };
    let server = lying(COMMIT, listing, cut);
    assert_eq!(refused(&server), "hub/unreachable", "an answer that breaks off each time");
}

#[test]
fn files_from_another_host_are_fetched_without_the_token_and_compared() {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&taken);
    let store = Server::start(move |request: &mut Request<'_>| {
        log.lock().expect("a log").push(request.header("authorization").map(str::to_owned));
        if request.path == "/honest" { one() } else { Reply::bytes(200, "two\n") }
    });
    let store = store.expect("a server");
    for (path, expected) in [("honest", "abi/not-an-object"), ("other", "hub/content")] {
        let target = format!("http://localhost:{}/{path}", store.port());
        let listing = || Reply::json(200, files(&[("build/torch-cpu/a.so", ONE_OID, 4, Some(ONE_SHA256))]));
        let server = lying(COMMIT, listing, move || Reply::empty(302).header("location", &target));
        let scene = Scene::new().variable("HF_ENDPOINT", &server.url()).variable("HF_TOKEN", "hf_secret");
        let ran = scene.run(&["inspect", "acme/demo@v1", "--json"]);
        // What is honest was fetched, and is no library.
        assert_eq!(codes(&ran), [expected], "{ran}");
    }
    let taken = taken.lock().expect("a log").clone();
    assert!(!taken.is_empty() && taken.iter().all(Option::is_none), "{taken:?}");
}

#[test]
fn a_file_that_may_not_be_read_is_told_of_as_such() {
    for (status, expected) in [(401, "hub/token"), (403, "hub/permission")] {
        let listing = || Reply::json(200, files(&[("build/torch-cpu/a.py", ONE_OID, 4, None)]));
        let server = lying(COMMIT, listing, move || Reply::json(status, r#"{"error": "no"}"#));
        assert_eq!(refused(&server), expected);
    }
}
