//! What an upload changes, what it leaves alone, and that it does so once.

use super::*;

#[test]
fn a_first_upload_makes_everything_and_a_second_nothing() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let planned = scene.run(&["upload", "--dry-run"]);
    insta::assert_snapshot!("planned", shown(&hub, &planned));
    assert!(hub.refs(REPOSITORY).is_empty(), "a dry run makes no repository");
    assert!(hub.take_log().iter().all(|line| line.starts_with("GET ")), "a dry run only looks");

    let ran = scene.run(&["upload", "--output-json", "answers/upload.json"]);
    insta::assert_snapshot!("first", shown(&hub, &ran));
    let answer = fs_err::read_to_string(scene.path("answers/upload.json")).expect("an answer");
    insta::assert_snapshot!("answer", answer.replace(&hub.url(), "[HUB]"));
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), local(&scene));
    assert_eq!(hub.refs(REPOSITORY), ["main", "v1"], "the branch of the preparation is gone");
    assert_eq!(hub.history(REPOSITORY, "v1").len(), 2, "one commit on top of the first of the repository");

    hub.take_log();
    let ran = scene.run(&["upload", "--json"]);
    let report = report(&ran);
    assert_eq!(
        (&report["state"], &report["commits"], &report["bytes"]),
        (&"no-changes".into(), &0.into(), &0.into())
    );
    let log = hub.take_log();
    assert!(log.iter().all(|line| !line.contains("/commit/") && !line.starts_with("PUT ")), "{log:#?}");
    assert!(!ran.to_string().contains("secret"), "{ran}");
}

/// The output without the address of the Hub.
pub(super) fn shown(hub: &Hub, ran: &Ran) -> String {
    let text = ran.to_string().replace(&hub.url(), "[HUB]");
    assert!(!text.contains("secret"), "{text}");
    text
}

#[test]
fn only_what_the_upload_owns_is_replaced() {
    let hub = hub();
    let scene = project(&hub, "writer", "one").file("build/CARD.md", "---\nlicense: mit\n---\n# demo\n");
    let scene = scene.file("benchmarks/benchmark_old.py", "").file("benchmarks/notes.txt", "");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let others = variant(manifest(super::scene(&hub, "writer"), 1), "torch-universal", 1, &sample("two"));
    let others = sealed(others.file("build/torch-universal/__init__.py", "B = 1\n"));
    assert_eq!(others.run(&["upload"]).status, 0);

    let mut files = sample("three");
    files.remove("data/table.bin");
    let scene = sealed(variant(scene, "torch-cpu", 1, &files));
    fs_err::rename(scene.path("benchmarks/benchmark_old.py"), scene.path("benchmarks/benchmark_new.py"))
        .expect("renamed");
    let ran = scene.run(&["upload"]);
    insta::assert_snapshot!("changed", shown(&hub, &ran));
    let mut expected = local(&scene);
    expected.remove("build/CARD.md");
    expected.extend(local(&others));
    expected.insert("benchmarks/benchmark_new.py".to_owned(), Vec::new());
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), expected);
    assert_honest(&hub, "v1");

    // A new version begins without the files of the one before.
    let scene = sealed(variant(manifest(scene, 2), "torch-cpu", 2, &sample("four")));
    fs_err::remove_dir_all(scene.path("benchmarks")).expect("removed");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let mut expected = local(&scene);
    expected.remove("build/CARD.md");
    let mut found = contents(&hub, &hub.history(REPOSITORY, "v2")[0]);
    assert!(found.remove("README.md").is_some());
    assert_eq!(found, expected);
}

#[test]
fn the_users_text_in_the_card_stays() {
    let hub = hub();
    let scene = project(&hub, "writer", "one").file("build/CARD.md", "---\nlicense: mit\n---\n# demo\n");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let card = || {
        let main = &hub.history(REPOSITORY, "main")[0];
        String::from_utf8(contents(&hub, main)["README.md"].clone()).expect("UTF-8")
    };
    let first = card();
    hub.put(REPOSITORY, "main", "README.md", format!("{first}\nMy own words.\n").as_bytes()).expect("edited");
    let scene = scene.file("build/CARD.md", "---\nlicense: mit\n---\n# demo, newer\n");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let second = card();
    assert!(second.contains("# demo, newer") && second.ends_with("My own words.\n"), "{second}");
    assert_eq!(hub.history(REPOSITORY, "main").len(), 4);
}

#[test]
fn a_listing_that_fails_ends_the_upload() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let kind = hub_testkit::Kind::Refused(500, Vec::new());
    hub.faults().plan(hub_testkit::Fault { method: "GET", path: "/tree/".to_owned(), times: 100, kind });
    let scene = sealed(variant(scene, "torch-cpu", 1, &sample("two")));
    let ran = scene.run(&["upload", "--json"]);
    assert_eq!(
        (ran.status, &ran.json().pop().expect("a line")["code"]),
        (8, &"hub/server-fault".into()),
        "{ran}"
    );
    assert_eq!(hub.history(REPOSITORY, "v1").len(), 2);
}

#[test]
fn those_who_may_not_write_propose() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let ran = super::scene(&hub, "outsider");
    let outsider = sealed(variant(manifest(ran, 1), "torch-cpu", 1, &sample("two")));
    let ran = outsider.run(&["upload", "--create-pr", "--json"]);
    assert_eq!(ran.json().pop().expect("a line")["code"], "hub/repository", "{ran}");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let ran = outsider.run(&["upload", "--create-pr"]);
    insta::assert_snapshot!("proposed", shown(&hub, &ran));
    assert_eq!(hub.refs(REPOSITORY), ["main", "v1", "refs/pr/1"]);
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "refs/pr/1")[0]), local(&outsider));
    // A second time it finds its own proposal.
    let again = outsider.run(&["upload", "--create-pr", "--json"]);
    assert_eq!(report(&again)["commits"], 0, "{again}");
    assert_eq!(hub.refs(REPOSITORY).len(), 3);
    let outsider = sealed(variant(manifest(outsider, 2), "torch-cpu", 2, &sample("two")));
    let ran = outsider.run(&["upload", "--create-pr", "--json"]);
    assert_eq!(ran.json().pop().expect("a line")["code"], "upload/no-branch", "{ran}");
}

#[test]
fn a_version_that_breaks_callers_is_remarked() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let mut files = sample("two");
    files.insert("__init__.py".to_owned(), b"__all__ = []\n".to_vec());
    let scene = sealed(variant(scene, "torch-cpu", 1, &files));
    let planned = report(&scene.run(&["upload", "--dry-run", "--json"]));
    let finding = &planned["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["causes"][0]),
        (&"upload/version-due".into(), &"`VALUE` is gone".into())
    );
}

#[test]
fn a_published_version_that_cannot_be_compared_is_told() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let told = |scene: &Scene| {
        let planned = report(&scene.run(&["upload", "--dry-run", "--json"]));
        let findings = planned["findings"].as_array().cloned().unwrap_or_default();
        findings
            .iter()
            .map(|finding| format!("{} {}", finding["code"], finding["causes"]))
            .collect::<String>()
    };
    assert_eq!(told(&scene), "");
    let mut files = sample("two");
    files.insert("__init__.py".to_owned(), b"def a(): ...\n".to_vec());
    let scene = sealed(variant(scene, "torch-cpu", 1, &files));
    assert!(told(&scene).contains("upload/version-unknown") && told(&scene).contains("__all__"));
    for (path, content, reason) in [
        ("large.py", vec![b'#'; (1 << 20) + 1], "is larger than 1 MiB"),
        ("__init__.py", b"def a(:\n".to_vec(), "is no Python"),
    ] {
        hub.put(REPOSITORY, "v1", &format!("build/torch-cpu/{path}"), &content).expect("put");
        let told = told(&scene);
        assert!(told.contains("upload/version-unknown") && told.contains(reason), "{path}: {told}");
        hub.put(REPOSITORY, "v1", &format!("build/torch-cpu/{path}"), b"").expect("put");
    }
    for number in 0..200 {
        hub.put(REPOSITORY, "v1", &format!("build/torch-cpu/more/{number}.py"), b"").expect("put");
    }
    assert!(told(&scene).contains("files of Python, more than 200"));
}

#[test]
fn variants_that_are_promised_and_missing_are_named() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let text = fs_err::read_to_string(scene.path("build.toml")).expect("a manifest");
    let scene = scene.file("build.toml", &text.replace("[\"cpu\"]", "[\"cpu\", \"cuda\"]"));
    let planned = report(&scene.run(&["upload", "--dry-run", "--json"]));
    let finding = &planned["findings"][0];
    let named = (&finding["code"], &finding["causes"][0]);
    assert_eq!(named, (&"upload/missing".into(), &"cuda: torch-cuda".into()));
    // What is published already is not missing.
    hub.put(REPOSITORY, "v1", "build/torch-cuda/__init__.py", b"").expect("nowhere");
    let other = super::scene(&hub, "writer");
    let other = sealed(variant(manifest(other, 1), "torch-cpu", 1, &sample("one")));
    assert_eq!(other.run(&["upload"]).status, 0);
    hub.put(REPOSITORY, "v1", "build/torch-cuda/__init__.py", b"").expect("another job");
    let planned = report(&scene.run(&["upload", "--dry-run", "--json"]));
    assert_eq!(planned.get("findings"), None, "{planned}");
}

/// The kept results of a test and a benchmark of the built variant.
pub(super) fn with_results(scene: Scene, failed: usize) -> Scene {
    use sha2::{Digest, Sha256};
    let metadata = fs_err::read(scene.path("build/torch-cpu/metadata.json")).expect("metadata");
    let sha256: String = Sha256::digest(metadata).iter().map(|byte| format!("{byte:02x}")).collect();
    let home = scene.path("../home").canonicalize().expect("a home").display().to_string();
    let tests = serde_json::json!({
        "variant": "torch-cpu", "id": "_demo_cpu_abcdefghijklm", "metadata_sha256": sha256, "uses": 1, "versions": {},
        "counts": { "passed": 2, "failed": failed, "errors": 0, "skipped": 0 },
        "tests": [{ "id": "tests/test_a.py::test", "outcome": "passed", "seconds": 0.1, "message": home }],
    });
    scene.file(".kernel-builder/tests/torch-cpu.json", &tests.to_string())
}

#[test]
fn results_of_this_very_variant_go_along() {
    let hub = hub();
    let scene = with_results(project(&hub, "writer", "one"), 0);
    let ran = scene.run(&["upload", "--json"]);
    assert_eq!(report(&ran)["variants"][0]["results"], serde_json::json!(["tests"]), "{ran}");
    let published = contents(&hub, &hub.history(REPOSITORY, "v1")[0]);
    let text = String::from_utf8(published["results/torch-cpu/tests.json"].clone()).expect("UTF-8");
    let tests: Value = serde_json::from_slice(text.as_bytes()).expect("JSON");
    assert_eq!((&tests["counts"]["passed"], tests["tests"][0].get("message")), (&2.into(), None), "{text}");
    assert_eq!(report(&scene.run(&["upload", "--json"]))["commits"], 0);
    // Another build was not tested: the result of the one before goes.
    let scene = sealed(variant(scene, "torch-cpu", 1, &sample("two")));
    assert_eq!(scene.run(&["upload"]).status, 0);
    assert_eq!(contents(&hub, &hub.history(REPOSITORY, "v1")[0]), local(&scene));
}

#[test]
fn variants_whose_tests_failed_are_refused() {
    let hub = hub();
    let scene = with_results(project(&hub, "writer", "one"), 1);
    let ran = scene.run(&["upload"]);
    insta::assert_snapshot!("failed_tests", shown(&hub, &ran));
    let ran = scene.run(&["upload", "--allow-failed-tests", "--json"]);
    assert_eq!(report(&ran)["findings"][0]["code"], "upload/tests", "{ran}");
}

#[test]
fn a_version_is_compared_with_any_published_variant() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    assert_eq!(scene.run(&["upload"]).status, 0);
    let mut files = sample("two");
    files.insert("__init__.py".to_owned(), b"__all__ = []\n".to_vec());
    let other = sealed(variant(manifest(super::scene(&hub, "writer"), 1), "torch-universal", 1, &files));
    let planned = report(&other.run(&["upload", "--dry-run", "--json"]));
    assert_eq!(planned["findings"][0]["code"], "upload/version-due", "{planned}");
}

#[test]
fn a_hub_below_a_path_and_a_private_repository() {
    let hub =
        Hub::builder().prefix("/hub").user("writer", "hf_secret_writer", Role::Write).start().expect("a hub");
    let scene = project(&hub, "writer", "one");
    let ran = scene.run(&["upload", "--repo-id", "writer/own", "--private", "--branch", "main"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(contents(&hub, &hub.history("kernels/writer/own", "main")[0]), local(&scene));
    let ran = scene.run(&["upload", "--repo-id", "writer/old", "--repo-type", "model"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(contents(&hub, &hub.history("models/writer/old", "v1")[0]), local(&scene));
    let outside = super::scene(&hub, "writer").variable("HF_TOKEN", "");
    let outside = sealed(variant(manifest(outside, 1), "torch-cpu", 1, &sample("one")));
    let ran = outside.run(&["upload", "--repo-id", "writer/own", "--create-pr", "--json"]);
    assert_eq!(ran.json().pop().expect("a line")["code"], "hub/login", "{ran}");
}
