//! The Hub of the tests, proven by clients that nobody here wrote: the published `huggingface_hub` and `kernels`, the
//! JavaScript client `@huggingface/hub`, and `git-lfs`.

use std::path::{Path, PathBuf};
use std::process::Command;

use hub_testkit::sigstore::Workflow;
use hub_testkit::{Fault, Hub, HubBuilder, Kind, Limits, Role};

fn hub() -> Hub {
    builder().start().expect("a hub")
}

fn builder() -> HubBuilder {
    let limits = Limits { page: 7, multipart: 2 << 20, part: 512 << 10, ..Limits::default() };
    Hub::builder()
        .organization("acme", true, &[("writer", Role::Write), ("reader", Role::Read)])
        .organization("untrusted", false, &[("writer", Role::Write)])
        .user("writer", "hf_writer", Role::Write)
        .user("reader", "hf_reader", Role::Write)
        .user("outsider", "hf_outsider", Role::Write)
        .user("writer", "hf_readonly", Role::Read)
        .limits(limits)
}

/// The interpreter of the tests' Python environment.
#[expect(clippy::disallowed_methods, reason = "the place of the environment is the tests' own setting")]
fn python() -> PathBuf {
    let chosen = std::env::var("KERNEL_BUILDER_PYTHON").ok().filter(|chosen| !chosen.is_empty());
    let path = chosen.map_or_else(|| repository().join(".environment/bin/python"), PathBuf::from);
    assert!(path.exists(), "make the tests' environment with `scripts/python-environment`");
    path
}

/// Runs one function of `clients.py` against the Hub.
fn run(hub: &Hub, function: &str) {
    run_with(hub, function, &[]);
}

#[expect(clippy::disallowed_methods, reason = "the clients are run as a user would")]
fn run_with(hub: &Hub, function: &str, variables: &[(&str, &str)]) {
    let home = tempfile::tempdir().expect("a home");
    let ran = Command::new(python())
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients.py"))
        .arg(function)
        .env("HF_ENDPOINT", hub.url())
        .env("HF_HOME", home.path())
        .env("HF_HUB_DISABLE_XET", "1")
        .env("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        .envs(variables.iter().copied())
        .output()
        .expect("Python starts");
    assert!(ran.status.success(), "{}\n{:#?}", String::from_utf8_lossy(&ran.stderr), hub.take_log());
}

fn commits(log: &[String]) -> usize {
    log.iter().filter(|line| line.contains("/commit/")).count()
}

#[test]
fn huggingface_hub_uploads_changes_and_downloads() {
    let hub = hub();
    run(&hub, "uploads");
    let log = hub.take_log();
    assert!(log.iter().any(|line| line.starts_with("PUT /large/part/")), "a file went up in parts");
    assert!(log.iter().any(|line| line.starts_with("PUT /large/whole/")), "a file went up whole");
    // The same folder a second time needs no commit.
    assert_eq!((commits(&log), hub.history("kernels/acme/demo", "v1").len()), (2, 3));
    let files = &hub.history("kernels/acme/demo", "v1")[0].files;
    assert!(!files.contains_key("build/torch-cpu/old.py"), "{files:?}");
}

#[test]
fn huggingface_hub_meets_the_rules() {
    let hub = hub();
    run(&hub, "rules");
    assert_eq!(hub.refs("kernels/acme/demo"), ["main", "refs/pr/1"]);
}

#[test]
fn huggingface_hub_meets_faults() {
    let hub = hub();
    for kind in [Kind::Dropped, Kind::Refused(503, Vec::new()), Kind::DoneThenDropped] {
        hub.faults().plan(Fault { method: "PUT", path: "/large/".to_owned(), times: 1, kind });
    }
    let kind = Kind::DoneThenDropped;
    hub.faults().plan(Fault { method: "POST", path: "/commit/".to_owned(), times: 1, kind });
    run(&hub, "faults");
    // What was committed without an answer is not committed again.
    assert_eq!(hub.history("kernels/acme/demo", "main").len(), 2);
}

#[test]
fn huggingface_hub_publishes_by_the_identity_of_a_job() {
    let hub = builder().publisher("kernels/acme/demo", Workflow::default()).start().expect("a hub");
    let identity = Workflow { aud: hub.url(), ..Workflow::default() }.token();
    let variables = [("HF_OIDC_RESOURCE", "kernels/acme/demo"), ("HF_OIDC_ID_TOKEN", identity.as_str())];
    run_with(&hub, "exchanges", &variables);
    assert_eq!(hub.history("kernels/acme/demo", "main").len(), 2);
}

#[test]
fn the_loader_loads_from_it() {
    let hub = hub();
    run(&hub, "loads");
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository")
}

#[test]
#[ignore = "long: needs Node and the packages of `scripts/node-environment`"]
#[expect(clippy::disallowed_methods, reason = "the client is run as a user would")]
fn the_javascript_client_uploads_changes_and_downloads() {
    let hub = hub();
    let ran = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients.mjs"))
        .env("HF_ENDPOINT", hub.url())
        .env("NODE_ENVIRONMENT", repository().join(".environment-node"))
        .output()
        .expect("Node starts");
    let log = hub.take_log();
    assert!(ran.status.success(), "{}\n{log:#?}", String::from_utf8_lossy(&ran.stderr));
    assert!(log.iter().any(|line| line.starts_with("PUT /large/part/")), "a file went up in parts");
    assert!(log.iter().any(|line| line.starts_with("PUT /large/whole/")), "a file went up whole");
    assert_eq!(hub.refs("kernels/acme/demo"), ["main", "refs/pr/1"]);
    eprintln!("@huggingface/hub: {} requests, {}", log.len(), String::from_utf8_lossy(&ran.stdout).trim());
}

#[test]
#[ignore = "long: needs git-lfs"]
#[expect(clippy::disallowed_methods, reason = "the client is run as a user would")]
fn git_lfs_uploads_what_is_missing_and_downloads() {
    let hub = hub();
    run(&hub, "creates");
    let folder = tempfile::tempdir().expect("a folder");
    let git = |place: &str, arguments: &[&str], input: &[u8]| {
        use std::io::Write;
        let path = folder.path().join(place);
        fs_err::create_dir_all(&path).expect("a folder");
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(path)
            .env("HOME", folder.path())
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("git starts");
        child.stdin.take().expect("input").write_all(input).expect("written");
        let ran = child.wait_with_output().expect("it ends");
        assert!(
            ran.status.success(),
            "git {arguments:?}: {}\n{:#?}",
            String::from_utf8_lossy(&ran.stderr),
            hub.take_log()
        );
        ran.stdout
    };
    let address = hub.url().replace("http://", "http://writer:hf_writer@");
    let setup = |place: &str| {
        git(place, &["init", "--quiet"], b"");
        git(place, &["config", "lfs.url", &format!("{address}/kernels/acme/demo.git/info/lfs")], b"");
        git(place, &["config", "lfs.locksverify", "false"], b"");
        git(place, &["remote", "add", "origin", &format!("{address}/kernels/acme/demo")], b"");
    };
    setup("one");
    let content: Vec<u8> = (0..5_000_000_u32).flat_map(u32::to_le_bytes).take(5_000_000).collect();
    let pointer = git("one", &["lfs", "clean", "--", "large.so"], &content);
    let text = String::from_utf8(pointer.clone()).expect("a pointer");
    let oid = text.split("sha256:").nth(1).and_then(|rest| rest.lines().next()).expect("a name").to_owned();
    git("one", &["lfs", "push", "--object-id", "origin", &oid], b"");
    let sent = |hub: &Hub| hub.take_log().iter().filter(|line| line.starts_with("PUT ")).count();
    assert_eq!(sent(&hub), 1);
    git("one", &["lfs", "push", "--object-id", "origin", &oid], b"");
    assert_eq!(sent(&hub), 0, "what is there is not sent again");
    setup("other");
    assert_eq!(git("other", &["lfs", "smudge", "--", "large.so"], &pointer), content);
    eprintln!("git-lfs: {} bytes up once and down", content.len());
}
