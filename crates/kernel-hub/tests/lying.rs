//! Hubs that do other than they say, or say it late: what they show is what counts, and nothing goes on without end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hub_testkit::wire::{Reply, Request, Server};
use kernel_hub::http::{Client, Patience, Settings};
use kernel_hub::hub::{Endpoint, Hub, HubError, Login, Repository, RepositoryKind};
use kernel_hub::publish::{Content, Done, Publication, Target, Wanted, publish};
use miette::Diagnostic;
use serde_json::{Value, json};

const MAIN: &str = "0000000000000000000000000000000000000000";
const PULL: &str = "1111111111111111111111111111111111111111";

fn hub(url: &str) -> (Hub, Repository) {
    let first = Duration::from_millis(1);
    let patience = Patience { attempts: 4, first, longest: first, ..Patience::default() };
    let client = Client::new(Settings { patience, ..Settings::default() });
    let endpoint = Endpoint::parse(Some(url)).expect("an endpoint");
    let (owner, name) = ("writer".to_owned(), "demo".to_owned());
    let repository = Repository { kind: RepositoryKind::Kernel, owner, name };
    (Hub::new(client, endpoint, Login::default()), repository)
}

fn publish_to(server: &Server, target: Target, contents: Vec<Content>) -> Result<Done, HubError> {
    let (hub, repository) = hub(&server.url());
    let files = contents.into_iter().map(|content| (content.path.clone(), content)).collect();
    let wanted = Wanted { files, owns: Box::new(|_| false), vouches: |_| false };
    let publication =
        Publication { hub: &hub, repository: &repository, target, wanted: &wanted, base: None, summary: "T" };
    publish(&publication, &|_| {})
}

fn code<T>(result: Result<T, HubError>) -> String {
    let error = result.err().expect("an error");
    error.code().map(|code| code.to_string()).unwrap_or_default()
}

/// All files go into commits themselves.
fn regular(body: &[u8]) -> Reply {
    let asked: Value = serde_json::from_slice(body).expect("JSON");
    let files = asked["files"].as_array().expect("files").iter();
    let files: Vec<Value> =
        files.map(|file| json!({ "path": file["path"], "uploadMode": "regular" })).collect();
    Reply::json(200, json!({ "files": files }).to_string())
}

fn refs(pulls: &[&str]) -> Reply {
    let pull = |(at, commit): (usize, &&str)| {
        let name = format!("refs/pr/{}", at + 1);
        json!({ "name": name, "ref": name, "targetCommit": commit })
    };
    let pulls: Vec<Value> = pulls.iter().enumerate().map(pull).collect();
    let branch = json!({ "name": "main", "ref": "refs/heads/main", "targetCommit": MAIN });
    Reply::json(200, json!({ "branches": [branch], "pullRequests": pulls }).to_string())
}

/// A Hub that says of every other commit that it was made, and makes none.
#[test]
fn commits_that_are_not_kept_do_not_begin_patience_anew() {
    let commits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&commits);
    let server = Server::start(move |request: &mut Request<'_>| {
        let body = request.read_body().expect("a body");
        match request.path.as_str() {
            path if path.ends_with("/refs") => refs(&[]),
            path if path.contains("/preupload/") => regular(&body),
            path if path.contains("/commit/") => {
                if counted.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
                    Reply::json(200, json!({ "success": true, "commitOid": PULL }).to_string())
                } else {
                    Reply::empty(503)
                }
            }
            _ => Reply::json(200, "[]"),
        }
    })
    .expect("a server");
    // Two commits are needed.
    let content = |path: &str| Content::of_bytes(path, vec![b'x'; 5 << 20]);
    let ended = publish_to(&server, Target::Branch("main".to_owned()), vec![content("a"), content("b")]);
    assert_eq!(code(ended), "hub/server-fault");
    assert_eq!(commits.load(Ordering::SeqCst), 8, "two in each of four attempts");
}

/// A pull request that appears late after its answer was lost: it is found right before another would be opened.
#[test]
fn a_pull_request_that_comes_late_is_found() {
    let opened = Arc::new(AtomicUsize::new(0));
    let (counted, looks) = (Arc::clone(&opened), AtomicUsize::new(0));
    let content = Content::of_bytes("a", b"1".to_vec());
    let entry = json!([{ "type": "file", "path": "a", "oid": content.oid, "size": 1 }]).to_string();
    let server = Server::start(move |request: &mut Request<'_>| {
        let body = request.read_body().expect("a body");
        match request.path.as_str() {
            path if path.contains("/refs") => {
                let is_lost = counted.load(Ordering::SeqCst) > 0 && request.query.contains("include_prs");
                // It is not seen at once, only when it is looked for again.
                let shows = is_lost && looks.fetch_add(1, Ordering::SeqCst) > 0;
                refs(if shows { &[PULL] } else { &[] })
            }
            path if path.contains("/preupload/") => regular(&body),
            path if path.contains("/commit/") => {
                counted.fetch_add(1, Ordering::SeqCst);
                Reply::empty(504)
            }
            path if path.contains(PULL) => Reply::json(200, entry.clone()),
            path if path.ends_with("/whoami-v2") => Reply::json(200, r#"{"name": "me"}"#),
            path if path.ends_with("/discussions/1") => {
                Reply::json(200, r#"{"status": "open", "author": {"name": "me"}}"#)
            }
            _ => Reply::json(200, "[]"),
        }
    })
    .expect("a server");
    let done = publish_to(&server, Target::PullRequest("main".to_owned()), vec![content]).expect("proposed");
    assert_eq!((done.pull, done.head.as_str(), opened.load(Ordering::SeqCst)), (Some(1), PULL, 1));
}

/// Where a store wants the content of a file, in the words of the Hub: how often it was sent, and what came of it.
fn stored(upload: Value, times: usize) -> (Result<(), String>, usize) {
    let puts = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&puts);
    let server = Server::start(move |request: &mut Request<'_>| {
        let host = format!("http://{}", request.header("host").unwrap_or_default());
        let body = request.read_body().expect("a body");
        if request.path.ends_with("/batch") {
            let asked: Value = serde_json::from_slice(&body).expect("JSON");
            let mut upload = upload.clone();
            if upload["href"].is_null() {
                upload["href"] = format!("{host}/store").into();
            }
            let object =
                json!({ "oid": asked["objects"][0]["oid"], "size": 9, "actions": { "upload": upload } });
            return Reply::json(200, json!({ "objects": vec![object; times] }).to_string());
        }
        *counted.lock().expect("a count") += 1;
        Reply::empty(200)
    })
    .expect("a server");
    let (hub, repository) = hub(&server.url());
    let content = Content::of_bytes("large", vec![b'x'; 9]);
    let stored = hub.store(&repository, None, &[&content], &|_| {}).map_err(|error| error.to_string());
    let puts = *puts.lock().expect("a count");
    (stored, puts)
}

#[test]
fn what_is_named_often_is_sent_once() {
    assert_eq!(stored(json!({}), 1000), (Ok(()), 1));
}

#[test]
fn a_file_that_the_answer_leaves_out_is_not_taken_for_stored() {
    let (stored, puts) = stored(json!({}), 0);
    assert!(stored.is_err_and(|error| error.contains("`large`") && error.contains("whether it has it")));
    assert_eq!(puts, 0);
}

#[test]
fn an_address_that_cannot_be_asked_is_the_fault_of_the_hub() {
    for href in ["nowhere", "ftp://127.0.0.1/", "http://127.0.0.1:99999/", ""] {
        let (stored, puts) = stored(json!({ "href": href }), 1);
        let said = stored.expect_err("an error");
        assert!(
            said.contains("the answer of `http://127.0.0.1") && said.contains("wants content sent to"),
            "{said}"
        );
        assert_eq!(puts, 0, "{href}");
    }
}

#[test]
fn sizes_of_parts_that_are_none_are_refused() {
    for size in
        [json!("-1"), json!(-1), json!("1e3"), json!(0), json!("0"), json!(""), json!(null), json!([])]
    {
        let (stored, puts) = stored(json!({ "header": { "chunk_size": size } }), 1);
        assert!(stored.is_err_and(|error| error.contains("parts of a size that is none")), "{size}");
        assert_eq!(puts, 0, "{size}");
    }
}
