//! What is told before anything is sent: who will see it, and how near it comes to the bounds of the Hub.

use std::time::Duration;

use hub_testkit::{Fault, Kind};

use super::*;

/// The status, the code and the requests of an upload that is refused.
fn refused(hub: &Hub, scene: &Scene, arguments: &[&str]) -> (i32, Value, Vec<String>) {
    hub.take_log();
    let ran = scene.run(&[&["upload", "--json"], arguments].concat());
    let last = ran.json().pop().expect("an answer");
    (ran.status, last["code"].clone(), hub.take_log())
}

#[test]
fn nothing_private_is_sent_where_everybody_can_see_it() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let scene = project(&hub, "writer", "two");
    for arguments in [&["--private"][..], &["--private", "--dry-run"]] {
        let (status, code, log) = refused(&hub, &scene, arguments);
        assert_eq!((status, code), (6, "upload/visibility".into()));
        assert!(log.iter().all(|line| line.starts_with("GET ")), "{log:#?}");
    }
}

#[test]
fn nothing_private_is_sent_where_it_is_not_known_who_can_see_it() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    assert_eq!(scene.run(&["upload", "--private"]).status, 0);
    assert_eq!(scene.run(&["upload", "--private"]).status, 0, "it is as private as was asked");
    let fault = |path: &str, kind| {
        hub.faults().plan(Fault { method: "GET", path: path.to_owned(), times: 1, kind });
    };
    fault("acme/demo/refs", Kind::Late(Duration::ZERO));
    fault("acme/demo", Kind::Refused(404, Vec::new()));
    let (status, code, _) = refused(&hub, &scene, &["--private"]);
    assert_eq!((status, code), (6, "upload/visibility".into()));
}

#[test]
fn that_few_will_see_it_is_said() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    assert!(report(&scene.run(&["upload", "--private", "--json"]))["findings"].is_null());
    let report = report(&scene.run(&["upload", "--json"]));
    assert_eq!(
        (&report["findings"][0]["code"], &report["findings"][0]["severity"]),
        (&"upload/visibility".into(), &"note".into()),
        "{report:#}"
    );
}

#[test]
fn more_than_the_hub_takes_is_told_and_not_refused() {
    let hub = hub();
    let mut files = sample("one");
    files.extend((0..=10_000).map(|number| (format!("data/many/{number}.txt"), Vec::new())));
    let scene = sealed(variant(manifest(scene(&hub, "writer"), 1), "torch-cpu", 1, &files));
    let report = report(&scene.run(&["upload", "--dry-run", "--json"]));
    assert_eq!(
        report["limits"],
        serde_json::json!([
            { "limit": "files-per-commit", "most": 1000, "planned": 1000 },
            { "limit": "bytes-per-file", "most": 50_000_000_000_u64, "planned": report["limits"][1]["planned"],
              "path": "build/torch-cpu/metadata.json" },
            { "limit": "entries-per-folder", "most": 10_000, "planned": 10_001, "path": "build/torch-cpu/data/many" },
        ])
    );
    assert_eq!(report["commits"], 11, "{report:#}");
    assert_eq!(report["findings"][0]["code"], "upload/limit", "{report:#}");
}
