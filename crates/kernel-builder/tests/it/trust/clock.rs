//! By which clock something is trusted, and until when: the machine's, and never one that documents are dated by.

use super::others::signed_by_others;
use super::*;

#[test]
fn the_date_of_documents_decides_nothing() {
    let services = Sigstore::start().expect("services");
    let scene = job(&services).variable("SOURCE_DATE_EPOCH", "1");
    let ran = scene.run(&["sign", "--json", "--trust-config", "trust.json"]);
    let serial = report(&ran)["serial"].as_u64().expect("a number");
    assert!(serial > 1_700_000_000, "sets are numbered by the machine's clock: {ran}");
    later();
    let ran = verify(&scene, &["--max-age", "0"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/age".to_owned()]), "{ran}");
    assert_eq!(verify(&scene, &["--max-age", "1d"]).status, 0);
    let late = scene.variable("SOURCE_DATE_EPOCH", "9000000000");
    assert_eq!(verify(&late, &["--max-age", "1d"]).status, 0);
}

#[test]
fn what_is_signed_for_no_place_grows_old_too() {
    let services = Sigstore::start().expect("services");
    let scene = signed_by_others(&services, job(&services));
    later();
    let told = |scene: &Scene, more: &[&str]| {
        let ran = verify(scene, &[&["--allow-unplaced"], more].concat());
        (ran.status, codes(&ran).join(" "))
    };
    assert_eq!(told(&scene, &["--max-age", "1d"]), (0, String::new()));
    assert_eq!(told(&scene, &["--max-age", "0"]), (6, "trust/age".to_owned()));
    // What a policy's signer publishes holds for where it lies, and where that is nowhere it cannot hold.
    let scene = scene.file("policy.toml", &format!("{POLICY}publishes = [\"acme/*\"]\n"));
    assert_eq!(told(&scene, &[]), (0, String::new()), "a project has a repository");
    assert_eq!(told(&scene, &["build"]), (6, "trust/place".to_owned()));
    let scene = scene.file("policy.toml", &format!("{POLICY}publishes = [\"others/*\"]\n"));
    assert_eq!(told(&scene, &[]), (6, "trust/place".to_owned()));
    for place in [["--repo-id", "acme/demo"], ["--branch", "v1"]] {
        let ran = verify(&scene, &[&["--allow-unplaced"], &place[..]].concat());
        assert_eq!(ran.status, 2, "nothing of it can be held against a place: {ran}");
    }
}
