//! Uploads of a new version that did not end leave a branch behind: it is told of, and goes.

use hub_testkit::{Fault, Kind};

use super::rules::shown;
use super::*;

/// An upload of a new version that fails at its commit.
fn broken_off(hub: &Hub, scene: &Scene) {
    let kind = Kind::Refused(403, Vec::new());
    hub.faults().plan(Fault { method: "POST", path: "/commit/".to_owned(), times: 1, kind });
    let ran = scene.run(&["upload", "--json"]);
    assert_eq!(ran.status, 8, "{ran}");
}

/// What a report says of such branches, without their last part.
fn told(ran: &Ran) -> Vec<String> {
    let report = report(ran);
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let of = findings.iter().filter(|finding| finding["code"] == "upload/unfinished");
    let causes = of.flat_map(|finding| finding["causes"].as_array().cloned().unwrap_or_default());
    let text = |cause: Value| {
        let cause = cause.as_str().expect("text").to_owned();
        let (name, rest) = cause.split_once("`:").expect("a name");
        format!("{}…{rest}", &name[..name.len() - 12])
    };
    causes.map(text).collect()
}

#[test]
fn branches_of_uploads_that_did_not_end_are_told_of_and_go() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    broken_off(&hub, &scene);
    let scene = sealed(variant(scene, "torch-cpu", 1, &sample("two")));
    broken_off(&hub, &scene);
    let other = sealed(variant(manifest(super::scene(&hub, "writer"), 2), "torch-cpu", 2, &sample("two")));
    broken_off(&hub, &other);
    assert_eq!(hub.refs(REPOSITORY).len(), 4, "{:?}", hub.refs(REPOSITORY));

    let text = shown(&hub, &scene.run(&["upload", "--dry-run"]));
    assert!(text.contains("upload/unfinished") && text.contains("this upload goes on with it"), "{text}");
    let mut planned = told(&scene.run(&["upload", "--dry-run", "--json"]));
    planned.sort();
    let expected = [
        "`upload-v1-… this upload goes on with it, and removes it",
        "`upload-v1-… this upload removes it",
        "`upload-v2-… an upload to `v2` removes it",
    ];
    assert_eq!(planned, expected);
    assert_eq!(told(&scene.run(&["upload", "--json"])).len(), 3);
    let left = hub.refs(REPOSITORY);
    assert!(left.len() == 3 && left.iter().any(|name| name.starts_with("upload-v2-")), "{left:?}");
    // Whoever only proposes removes nothing.
    let ran = project(&hub, "outsider", "three").run(&["upload", "--create-pr", "--json"]);
    assert_eq!(told(&ran), ["`upload-v2-… an upload to `v2` removes it"], "{ran}");
    assert_eq!(other.run(&["upload"]).status, 0);
    assert_eq!(hub.refs(REPOSITORY), ["main", "v1", "v2", "refs/pr/1"]);
    assert_eq!(told(&other.run(&["upload", "--json"])), [""; 0]);
}

/// The preparation of one upload goes when another has made the version: the first goes on with the version itself.
#[test]
fn an_upload_whose_preparation_was_removed_goes_on_with_the_version() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    broken_off(&hub, &scene);
    let other = variant(manifest(super::scene(&hub, "writer"), 1), "torch-universal", 1, &sample("two"));
    let other = sealed(other);
    // While this one sends, the other ends, and removes what it finds.
    let kind = Kind::Late(std::time::Duration::from_secs(3));
    hub.faults().plan(Fault { method: "POST", path: "/preupload/".to_owned(), times: 1, kind });
    hub.take_log();
    std::thread::scope(|threads| {
        let slow = threads.spawn(|| scene.run(&["upload", "--json"]));
        let mut seen = Vec::new();
        super::ended::wait_until("the slow one", || {
            seen.extend(hub.take_log());
            seen.iter().any(|line| line.contains("/preupload/"))
        });
        assert_eq!(other.run(&["upload"]).status, 0);
        let ran = slow.join().expect("it ended");
        assert_eq!(report(&ran)["state"], "uploaded", "{ran}");
    });
    let mut expected = local(&scene);
    expected.extend(local(&other));
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), expected);
    assert_eq!(hub.refs(REPOSITORY), ["main", "v1"]);
    assert_honest(&hub, "v1");
}
