//! Publishing where others interfere: with the branch, with the files, with the store.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use camino::Utf8PathBuf;
use hub_testkit::wire::{Reply, Request, Server};
use hub_testkit::{Fault, Hub as TestHub, Kind, Limits, Role};
use kernel_hub::confined::Confined;
use kernel_hub::http::{Client, Patience, Settings};
use kernel_hub::hub::{Endpoint, Hub, HubError, Login, Repository, RepositoryKind};
use kernel_hub::publish::{Content, Done, Publication, Target, Wanted, publish, wanted_file};
use miette::Diagnostic;

const REPOSITORY: &str = "kernels/writer/demo";

struct Bench {
    there: TestHub,
    hub: Hub,
    repository: Repository,
}

fn bench(limits: Limits) -> Bench {
    let there =
        TestHub::builder().user("writer", "hf_writer", Role::Write).limits(limits).start().expect("a hub");
    let first = Duration::from_millis(1);
    let patience = Patience { attempts: 4, first, longest: first, ..Patience::default() };
    let client = Client::new(Settings { patience, ..Settings::default() });
    let endpoint = Endpoint::parse(Some(&there.url())).expect("an endpoint");
    let get = |name: &str| (name == "HF_TOKEN").then(|| "hf_writer".to_owned());
    let login = Login::find(&get, &endpoint).expect("a login");
    let hub = Hub::new(client, endpoint, login);
    let (owner, name) = ("writer".to_owned(), "demo".to_owned());
    let repository = Repository { kind: RepositoryKind::Kernel, owner, name };
    hub.create(&repository, false, "writer").expect("a repository");
    Bench { there, hub, repository }
}

fn wanted(contents: Vec<Content>) -> Wanted {
    let files = contents.into_iter().map(|content| (content.path.clone(), content)).collect();
    Wanted { files, owns: Box::new(|_| false), vouches: |path| path.ends_with("/seal") }
}

fn text(path: &str, text: &str) -> Content {
    Content::of_bytes(path, text.as_bytes().to_vec())
}

impl Bench {
    fn publish(&self, target: Target, wanted: &Wanted, base: Option<String>) -> Result<Done, HubError> {
        let publication = Publication {
            hub: &self.hub,
            repository: &self.repository,
            target,
            wanted,
            base,
            summary: "Test",
        };
        publish(&publication, &|_| {})
    }

    fn to_main(&self, wanted: &Wanted) -> Result<Done, HubError> {
        self.publish(Target::Branch("main".to_owned()), wanted, None)
    }

    fn fault(&self, method: &'static str, path: &str, times: u32, kind: Kind) {
        self.there.faults().plan(Fault { method, path: path.to_owned(), times, kind });
    }

    fn commits(&self) -> usize {
        self.there.history(REPOSITORY, "main").len()
    }
}

fn code(result: Result<Done, HubError>) -> String {
    result.expect_err("an error").code().map(|code| code.to_string()).unwrap_or_default()
}

#[test]
fn a_lost_answer_makes_no_second_commit_and_no_second_pull_request() {
    let bench = bench(Limits::default());
    let wanted = wanted(vec![text("a", "1")]);
    bench.fault("POST", "/commit/", 1, Kind::DoneThenDropped);
    assert_eq!(bench.to_main(&wanted).expect("published").commits, 1, "the commit was found");
    assert_eq!(bench.commits(), 2);
    bench.fault("POST", "/commit/", 1, Kind::DoneThen(500));
    let wanted = self::wanted(vec![text("b", "2")]);
    let done = bench.publish(Target::PullRequest("main".to_owned()), &wanted, None).expect("proposed");
    assert_eq!(done.pull, Some(1));
    assert_eq!(bench.there.refs(REPOSITORY), ["main", "refs/pr/1"]);
}

#[test]
fn a_branch_that_always_moves_ends_the_attempt() {
    let bench = bench(Limits::default());
    bench.fault("POST", "/commit/", 100, Kind::Refused(412, Vec::new()));
    assert_eq!(code(bench.to_main(&wanted(vec![text("a", "1")]))), "hub/contended");
}

#[test]
fn a_precondition_of_something_else_is_no_branch_that_moves() {
    let bench = bench(Limits::default());
    bench.fault("POST", "/preupload/", 1, Kind::Refused(412, Vec::new()));
    assert_eq!(code(bench.to_main(&wanted(vec![text("a", "1")]))), "hub/refused");
}

#[test]
fn what_was_decided_from_one_commit_is_not_put_on_another() {
    let bench = bench(Limits::default());
    let wanted = wanted(vec![text("README.md", "merged")]);
    let main = || Target::Branch("main".to_owned());
    assert_eq!(code(bench.publish(main(), &wanted, Some("0".repeat(40)))), "hub/contended");
    let head = bench.hub.refs(&bench.repository, false).expect("refs").branches["main"].clone();
    assert_eq!(bench.publish(main(), &wanted, Some(head)).expect("published").commits, 1);
}

#[test]
fn a_file_that_changes_meanwhile_is_not_published() {
    let bench = bench(Limits { large: 1000, ..Limits::default() });
    let folder = tempfile::tempdir().expect("a folder");
    let path = Utf8PathBuf::try_from(folder.path().join("file")).expect("UTF-8");
    let file = Confined::new(path.parent().expect("a folder"), "file");
    fs_err::write(&path, "before").expect("written");
    let small = wanted(vec![wanted_file("small", &file, &AtomicBool::default()).expect("read")]);
    fs_err::write(&path, "after!").expect("written");
    assert_eq!(code(bench.to_main(&small)), "hub/changed");
    fs_err::write(&path, "x".repeat(5000)).expect("written");
    let large = wanted(vec![wanted_file("large", &file, &AtomicBool::default()).expect("read")]);
    fs_err::write(&path, "y".repeat(5000)).expect("written");
    assert_eq!(code(bench.to_main(&large)), "hub/changed");
    assert_eq!(bench.there.received(), 0, "nothing of it left");
    assert_eq!(bench.commits(), 1);
}

/// Parts on their way now, and most at once; and who is told of another.
type Counts = Arc<(Mutex<[usize; 2]>, Condvar)>;

/// A store of one large file in four parts: it answers a part when another one is on its way too, or none comes in time.
fn store(names_parts: usize) -> (Server, Counts) {
    let counts = Arc::new((Mutex::new([0, 0]), Condvar::new()));
    let shared = Arc::clone(&counts);
    let server = Server::start(move |request: &mut Request<'_>| {
        let host = format!("http://{}", request.header("host").unwrap_or_default());
        let body = request.read_body().expect("a body");
        if request.path.ends_with("/batch") {
            let asked: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
            let oid = &asked["objects"][0]["oid"];
            let mut header = serde_json::json!({ "chunk_size": "1000" });
            for part in 1..=names_parts {
                header[format!("{part:05}")] = format!("{host}/part/{part}").into();
            }
            let upload = serde_json::json!({ "href": format!("{host}/complete"), "header": header });
            let object = serde_json::json!({ "oid": oid, "size": 3500, "actions": { "upload": upload } });
            return Reply::json(200, serde_json::json!({ "objects": [object] }).to_string());
        }
        if request.path == "/complete" {
            let parts: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
            let numbers: Vec<&serde_json::Value> =
                parts["parts"].as_array().expect("parts").iter().map(|part| &part["partNumber"]).collect();
            return Reply::empty(if numbers == [1, 2, 3, 4] { 200 } else { 400 });
        }
        let (lock, arrived) = &*shared;
        let mut counts = lock.lock().expect("counts");
        counts[0] += 1;
        counts[1] = counts[1].max(counts[0]);
        arrived.notify_all();
        let alone = |counts: &mut [usize; 2]| counts[1] < 2;
        let (mut counts, _) =
            arrived.wait_timeout_while(counts, Duration::from_secs(20), alone).expect("counts");
        counts[0] -= 1;
        Reply::empty(200).header("etag", "\"tag\"")
    });
    (server.expect("a server"), counts)
}

#[test]
fn parts_of_a_file_go_side_by_side() {
    let send = |named: usize| {
        let (server, counts) = store(named);
        let endpoint = Endpoint::parse(Some(&server.url())).expect("an endpoint");
        let hub = Hub::new(Client::new(Settings::default()), endpoint, Login::default());
        let (owner, name) = ("writer".to_owned(), "demo".to_owned());
        let repository = Repository { kind: RepositoryKind::Kernel, owner, name };
        let content = text("large", &"x".repeat(3500));
        let sent = Mutex::new(0);
        let stored =
            hub.store(&repository, None, &[&content], &|bytes| *sent.lock().expect("bytes") += bytes);
        let most = counts.0.lock().expect("counts")[1];
        (stored.map_err(|error| error.to_string()), sent.into_inner().expect("bytes"), most)
    };
    let (stored, sent, most) = send(4);
    assert_eq!((stored, sent), (Ok(()), 3500));
    assert!(most >= 2, "{most} at once");
    let (stored, _, _) = send(3);
    assert!(stored.as_ref().is_err_and(|error| error.contains("too few parts")), "{stored:?}");
}

#[test]
fn commits_shrink_until_the_server_takes_them() {
    let bench = bench(Limits { commit: 1500, ..Limits::default() });
    let mut contents: Vec<Content> =
        (0..20).map(|number| text(&format!("f/{number}"), &format!("{number}").repeat(100))).collect();
    contents.push(text("f/seal", "all"));
    let done = bench.to_main(&wanted(contents)).expect("published");
    assert!(done.commits > 3, "{done:?}");
    let history = bench.there.history(REPOSITORY, "main");
    for commit in &history[1..] {
        assert!(!commit.files.contains_key("f/seal"), "the seal comes last");
    }
    assert_eq!(history[0].files.len(), 21);
    let too_large = wanted(vec![text("g", &"x".repeat(3000))]);
    assert_eq!(code(bench.to_main(&too_large)), "hub/refused");
}

#[test]
fn a_branch_that_is_gone_is_told_from_a_repository_that_is_missing() {
    let bench = bench(Limits::default());
    let commit = |repository: &Repository| {
        let parent = "0".repeat(40);
        bench
            .hub
            .commit(repository, "gone", false, ("Test", parent.as_str()), &[])
            .expect_err("nothing is there")
    };
    let error = commit(&bench.repository);
    assert!(matches!(error, HubError::Gone { .. }), "{error:?}");
    let error = commit(&Repository { name: "other".to_owned(), ..bench.repository.clone() });
    assert!(matches!(error, HubError::NoRepository { .. }), "{error:?}");
}
