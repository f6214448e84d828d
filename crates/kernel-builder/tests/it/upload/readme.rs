//! The README of `main`: what is read of it is what the listing says, and what cannot be merged is left as it is.

use hub_testkit::{Fault, Kind};

use super::*;

const CARD: &str = "---\nlicense: mit\n---\n# demo\n";

/// A Hub with a published version and this README, and a project with a card to publish there.
fn with_readme(readme: &str) -> (Hub, Scene) {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    assert_eq!(scene.run(&["upload"]).status, 0);
    hub.put(REPOSITORY, "main", "README.md", readme.as_bytes()).expect("edited");
    (hub, scene.file("build/CARD.md", CARD))
}

fn readme(hub: &Hub) -> String {
    let content = contents(hub, &hub.history(REPOSITORY, "main")[0]).remove("README.md");
    String::from_utf8(content.expect("a README")).expect("UTF-8")
}

#[test]
fn a_readme_that_is_listed_and_read_otherwise_is_not_replaced() {
    let own = "---\nlicense: mit\n---\n# A long text\n\nprecious\n";
    for status in [404, 200, 206] {
        let (hub, scene) = with_readme(own);
        let kind = Kind::Refused(status, Vec::new());
        let path = "/README.md".to_owned();
        hub.faults().plan(Fault { method: "GET", path, times: 100, kind });
        let ran = scene.run(&["upload", "--json"]);
        let last = ran.json().pop().expect("an answer");
        assert_eq!((ran.status, &last["code"]), (8, &"hub/content".into()), "{status}: {ran}");
        assert_eq!(readme(&hub), own, "{status}");
    }
}

#[test]
fn marks_that_are_not_sure_to_be_ours_are_refused_with_their_lines() {
    let (hub, scene) = with_readme("# mine\n");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let whole = readme(&hub);
    let end = whole.lines().last().expect("a mark");
    for edited in [whole.replace(end, "my own paragraph"), format!("{whole}\nmine\n\n{whole}")] {
        hub.put(REPOSITORY, "main", "README.md", edited.as_bytes()).expect("edited");
        for arguments in [&["upload", "--json"][..], &["upload", "--dry-run", "--json"]] {
            let ran = scene.run(arguments);
            let last = ran.json().pop().expect("an answer");
            assert_eq!((ran.status, &last["code"]), (6, &"upload/readme".into()), "{ran}");
            assert!(last.to_string().contains("not one beginning before one end: line"), "{last}");
        }
        assert_eq!(readme(&hub), edited, "nothing was committed");
    }
}

#[test]
fn a_second_upload_adds_no_second_card_whatever_the_users_text_quotes() {
    let quoting = "--- \r\ngated: true\r\n---\r\nIt ends at `<!-- kernel-builder: end -->`.\r\n";
    let (hub, scene) = with_readme(quoting);
    assert_eq!(scene.run(&["upload"]).status, 0);
    let first = readme(&hub);
    assert!(first.starts_with("---\r\ngated: true\r\nlicense: mit\r\n"), "{first:?}");
    assert!(first.contains(quoting.rsplit("---\r\n").next().expect("the text")), "{first:?}");
    let again = report(&scene.run(&["upload", "--json"]));
    assert_eq!((&again["commits"], &again["card"]), (&0.into(), &"unchanged".into()), "{again}");
    assert_eq!(readme(&hub), first);
}
