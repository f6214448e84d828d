//! Publishing where others interfere: with the branch, with the files, with the store.

use std::time::Duration;

use camino::Utf8PathBuf;
use hub_testkit::{Fault, Hub as TestHub, Kind, Limits, Role};
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
    assert_eq!(bench.to_main(&wanted).expect("published").commits, 0, "the commit was found");
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
    fs_err::write(&path, "before").expect("written");
    let small = wanted(vec![wanted_file("small", &path).expect("read")]);
    fs_err::write(&path, "after!").expect("written");
    assert_eq!(code(bench.to_main(&small)), "hub/changed");
    fs_err::write(&path, "x".repeat(5000)).expect("written");
    let large = wanted(vec![wanted_file("large", &path).expect("read")]);
    fs_err::write(&path, "y".repeat(5000)).expect("written");
    assert_eq!(code(bench.to_main(&large)), "hub/refused", "the store compares the content with its name");
    assert_eq!(bench.commits(), 1);
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
