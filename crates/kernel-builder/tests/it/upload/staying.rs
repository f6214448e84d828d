//! Variants that stay on a branch: with those of an upload they are one version, and are judged as one.

use super::rules::shown;
use super::*;

const LATER: &str = "fedcba9876543210fedcba9876543210fedcba98";

/// Two published variants of one commit; then one of them alone, built from a later one.
fn later(hub: &Hub) -> Scene {
    let scene = variant(project(hub, "writer", "one"), "torch-universal", 1, &sample("two"));
    let card = "---\nlicense: mit\n---\n# demo\n\nFor `torch-cpu` and `torch-universal`.\n";
    let scene = sealed(scene).file("build/CARD.md", card);
    assert_eq!(scene.run(&["upload"]).status, 0);
    let scene = project(hub, "writer", "three");
    let path = "build/torch-cpu/metadata.json";
    let text = fs_err::read_to_string(scene.path(path)).expect("metadata");
    sealed(scene.file(path, &text.replace(COMMIT, LATER)))
}

fn variants(hub: &Hub) -> Vec<String> {
    let files = contents(hub, &hub.history(REPOSITORY, "v1")[0]).into_keys();
    let mut names: Vec<String> =
        files.filter_map(|path| Some(path.strip_prefix("build/")?.split_once('/')?.0.to_owned())).collect();
    names.dedup();
    names
}

#[test]
fn a_variant_of_another_commit_than_those_that_stay_is_refused() {
    let hub = hub();
    let scene = later(&hub);
    let before = hub.history(REPOSITORY, "v1").len();
    let ran = scene.run(&["upload", "--dry-run"]);
    assert_eq!(ran.status, 6, "{ran}");
    insta::assert_snapshot!("another_commit", shown(&hub, &ran));
    let ran = scene.run(&["upload", "--json"]);
    let last = ran.json().pop().expect("a line");
    assert_eq!((ran.status, &last["code"]), (6, &"upload/preflight".into()), "{ran}");
    assert_eq!(
        (&last["findings"][0]["code"], hub.history(REPOSITORY, "v1").len()),
        (&"upload/mixed".into(), before)
    );

    let ran = scene.run(&["upload", "--allow-mixed", "--json"]);
    let last = report(&ran);
    assert_eq!((ran.status, &last["findings"][0]["severity"]), (0, &"warning".into()), "{ran}");
    assert_eq!((&last["kept"], variants(&hub).len()), (&serde_json::json!(["torch-universal"]), 2), "{ran}");
    // What stays is of another version: no flag lets that pass.
    let scene = sealed(variant(manifest(scene, 2), "torch-cpu", 2, &sample("four")));
    let ran = scene.run(&["upload", "--branch", "v1", "--allow-mixed", "--json"]);
    assert_eq!(ran.status, 6, "{ran}");
}

#[test]
fn what_is_not_in_an_upload_goes_where_that_is_asked_for() {
    let hub = hub();
    let scene = later(&hub);
    let planned = report(&scene.run(&["upload", "--prune", "--dry-run", "--json"]));
    assert!(planned.get("kept").is_none_or(|kept| kept.as_array().is_some_and(Vec::is_empty)), "{planned}");
    assert!(planned["removed"].to_string().contains("build/torch-universal/metadata.json"), "{planned}");
    assert_eq!(variants(&hub).len(), 2, "a dry run only looks");
    assert_eq!(scene.run(&["upload", "--prune"]).status, 0);
    assert_eq!(variants(&hub), ["torch-cpu"]);
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), local(&scene));
    assert_eq!(report(&scene.run(&["upload", "--prune", "--json"]))["commits"], 0);
}

#[test]
fn the_card_names_what_stays() {
    let hub = hub();
    let scene = later(&hub).file("build/CARD.md", "---\nlicense: mit\n---\n# demo\n\nFor `torch-cpu`.\n");
    assert_eq!(scene.run(&["upload", "--allow-mixed"]).status, 0);
    let card = || {
        let main = &hub.history(REPOSITORY, "main")[0];
        String::from_utf8(contents(&hub, main)["README.md"].clone()).expect("UTF-8")
    };
    assert!(card().contains("For `torch-cpu`.\n\n## More variants\n"), "{}", card());
    assert!(card().contains("not described above: `torch-universal`.\n"), "{}", card());
    let again = report(&scene.run(&["upload", "--allow-mixed", "--json"]));
    assert_eq!((&again["commits"], &again["card"]), (&0.into(), &"unchanged".into()), "{again}");
    assert_eq!(scene.run(&["upload", "--prune"]).status, 0);
    assert!(!card().contains("torch-universal"), "{}", card());
}

/// Of what nobody can load there is nothing to hold an upload against; what cannot be read is said.
#[test]
fn metadata_of_a_variant_that_stays_may_be_unusable() {
    let hub = hub();
    let scene = later(&hub);
    hub.put(REPOSITORY, "v1", "build/torch-universal/metadata.json", b"{}").expect("changed");
    let planned = report(&scene.run(&["upload", "--dry-run", "--json"]));
    let finding = &planned["findings"][0];
    let said = (&finding["code"], &finding["severity"], &finding["subject"]["variant"]);
    assert_eq!(
        said,
        (&"artifact/metadata".into(), &"warning".into(), &"torch-universal".into()),
        "{planned}"
    );
}
