//! Whose pull request is gone on with: an open one of the user's own, and nobody else's.

use super::*;

/// A project of a user, whose content nobody published.
fn proposing(hub: &Hub, user: &str) -> Scene {
    let scene = scene(hub, user);
    sealed(variant(manifest(scene, 1), "torch-cpu", 1, &sample("two")))
}

fn propose(scene: &Scene) -> Value {
    report(&scene.run(&["upload", "--create-pr", "--json"]))
}

fn number(report: &Value) -> &str {
    let url = report["pull_requests"][0]["url"].as_str().expect("an address");
    url.rsplit('/').next().expect("a number")
}

#[test]
fn a_strangers_pull_request_is_not_gone_on_with() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    // Somebody proposes the same, or a part of it.
    assert_eq!(number(&propose(&proposing(&hub, "reader"))), "1");
    let (outsider, before) = (proposing(&hub, "outsider"), hub.history(REPOSITORY, "refs/pr/1").len());
    for commits in [1, 0] {
        let report = propose(&outsider);
        assert_eq!((number(&report), &report["commits"]), ("2", &commits.into()), "{report}");
    }
    assert_eq!(hub.refs(REPOSITORY), ["main", "v1", "refs/pr/1", "refs/pr/2"]);
    assert_eq!(hub.history(REPOSITORY, "refs/pr/1").len(), before, "it is as it was");
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "refs/pr/2")[0]), local(&outsider));
}

#[test]
fn a_closed_pull_request_is_no_proposal() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let outsider = proposing(&hub, "outsider");
    assert_eq!(number(&propose(&outsider)), "1");
    hub.close_pull(REPOSITORY, 1);
    let report = propose(&outsider);
    assert_eq!((number(&report), &report["commits"]), ("2", &1.into()), "{report}");
}
