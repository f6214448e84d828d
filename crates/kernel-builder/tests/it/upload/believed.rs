//! What a Hub says is looked at, not believed; and what was published is said to be, whatever goes wrong afterwards.

use std::process::Stdio;
use std::time::Duration;

use hub_testkit::wire::{Reply, Request, Server};
use hub_testkit::{Fault, Kind};

use super::ended::wait_until;
use super::*;

/// A Hub with an empty branch, that answers every commit so and makes none.
fn answering(commit: &'static str) -> Server {
    let server = Server::start(move |request: &mut Request<'_>| {
        let path = request.path.clone();
        let body = request.read_body().expect("a body");
        if path.ends_with("/refs") {
            let oid = "0".repeat(40);
            let text = format!(
                r#"{{"branches": [{{"name": "v1", "ref": "refs/heads/v1", "targetCommit": "{oid}"}}]}}"#
            );
            return Reply::json(200, text);
        }
        if path.contains("/preupload/") {
            let asked: Value = serde_json::from_slice(&body).expect("JSON");
            let files = asked["files"].as_array().expect("files").iter();
            let files: Vec<Value> = files
                .map(|file| serde_json::json!({ "path": file["path"], "uploadMode": "regular" }))
                .collect();
            return Reply::json(200, serde_json::json!({ "files": files }).to_string());
        }
        if path.contains("/commit/") {
            return Reply::json(200, commit);
        }
        let listing = path.contains("/tree/");
        Reply::json(200, if listing { "[]" } else { r#"{"private": false}"# })
    });
    server.expect("a server")
}

#[test]
fn a_commit_that_was_not_made_is_not_believed() {
    for (commit, code) in [
        (r#"{"success": false, "commitOid": "1111111111111111111111111111111111111111"}"#, "hub/answer"),
        (r#"{"success": true, "commitOid": "main"}"#, "hub/answer"),
        (r#"{"success": true, "commitOid": "../../x"}"#, "hub/answer"),
        (r#"{"success": true, "commitOid": ""}"#, "hub/answer"),
        (r#"{"success": true, "commitOid": "1111111111111111111111111111111111111111"}"#, "hub/not-kept"),
    ] {
        let server = answering(commit);
        let scene = project(&hub(), "writer", "one").variable("HF_ENDPOINT", &server.url());
        let ran = scene.run(&["upload", "--json"]);
        let last = ran.json().pop().expect("an answer");
        assert_eq!((ran.status, &last["code"]), (8, &code.into()), "{commit}: {ran}");
    }
}

/// A fault for every request of a kind.
fn always(method: &'static str, path: &str, status: u16) -> Fault {
    Fault { method, path: path.to_owned(), times: 100, kind: Kind::Refused(status, Vec::new()) }
}

#[test]
fn a_preparation_that_stays_is_a_warning() {
    for status in [401, 403, 409, 422, 501] {
        let hub = hub();
        let scene = project(&hub, "writer", "one");
        hub.faults().plan(always("DELETE", "/branch/", status));
        let ran = scene.run(&["upload", "--json"]);
        let report = report(&ran);
        assert_eq!((ran.status, &report["state"]), (0, &"uploaded".into()), "{status}: {ran}");
        let findings = report["findings"].to_string();
        assert!(findings.contains("hub/left-over") && findings.contains(&status.to_string()), "{findings}");
        assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), local(&scene));
        // The next one tries again.
        let again = super::report(&scene.run(&["upload", "--json"]));
        assert!(again["findings"].to_string().contains("hub/left-over"), "{again}");
    }
}

#[test]
fn a_card_that_is_refused_does_not_hide_what_was_published() {
    for status in [403, 422] {
        let hub = hub();
        let scene = project(&hub, "writer", "one").file("build/CARD.md", "---\ntags: []\n---\n# Card\n");
        hub.faults().plan(always("POST", "/commit/main", status));
        let ran = scene.run(&["upload", "--json"]);
        let last = ran.json().pop().expect("an answer");
        assert_eq!((ran.status, &last["code"]), (8, &"hub/card".into()), "{ran}");
        let said = last.to_string();
        assert!(
            said.contains("`v1` of `acme/demo` is published") && said.contains(&status.to_string()),
            "{said}"
        );
        assert!(!hub.history(REPOSITORY, "v1").is_empty());
        assert_eq!(hub.refs(REPOSITORY), ["main", "v1"], "nothing is left of the preparation");
    }
}

#[test]
fn a_branch_that_was_not_made_is_not_believed() {
    let hub = hub();
    let scene = project(&hub, "writer", "one").file("build/CARD.md", "---\ntags: []\n---\n# Card\n");
    let kind = Kind::Refused(200, Vec::new());
    hub.faults().plan(Fault { method: "POST", path: "/branch/v1".to_owned(), times: 1, kind });
    let ran = scene.run(&["upload", "--json"]);
    let last = ran.json().pop().expect("an answer");
    assert_eq!((ran.status, &last["code"]), (8, &"hub/not-kept".into()), "{ran}");
    let left = hub.refs(REPOSITORY);
    assert!(left.len() == 2 && left.iter().any(|name| name.starts_with("upload-v1-")), "{left:?}");
    assert_eq!(hub.history(REPOSITORY, "main").len(), 1, "no card speaks of what is not there");
    assert_eq!(scene.run(&["upload"]).status, 0);
    assert_eq!(hub.refs(REPOSITORY), ["main", "v1"]);
    assert_honest(&hub, "v1");
}

/// Two uploads of other content to a version that is new for both: one is published, and the other says that it is not.
#[test]
fn a_new_version_is_not_replaced_by_who_comes_second() {
    let hub = hub();
    let (first, second) = (project(&hub, "writer", "one"), project(&hub, "writer", "two"));
    // The second has made its plan when the first is published.
    let kind = Kind::Late(Duration::from_secs(8));
    hub.faults().plan(Fault { method: "POST", path: "/preupload/".to_owned(), times: 1, kind });
    let mut command = second.command(&["upload", "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("the plan", || hub.take_log().iter().any(|line| line.contains("/preupload/")));
    assert_eq!(first.run(&["upload"]).status, 0);
    let output = child.wait_with_output().expect("it ended");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.code() == Some(8) && said.contains("hub/contended"), "{said}");
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), local(&first));
}
