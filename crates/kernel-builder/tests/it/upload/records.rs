//! What is kept of tests and benchmarks, and what lies beside the variants: what is there and cannot be read is told of,
//! and never taken for nothing.

use super::*;

const TESTS: &str = ".kernel-builder/tests/torch-cpu.json";
const BENCH: &str = ".kernel-builder/bench/torch-cpu.json";

fn last(ran: &Ran) -> Value {
    ran.json().pop().expect("a last line")
}

/// A failed test of the built variant.
fn with_failed_test(scene: Scene) -> Scene {
    super::rules::with_results(scene, 1)
}

/// What may lie in a record's place that is none.
fn spoil(scene: Scene, path: &str, how: &str) -> Scene {
    let place = scene.path(path);
    fs_err::create_dir_all(place.parent().expect("a folder")).expect("folders");
    if place.exists() {
        fs_err::remove_file(&place).expect("removed");
    }
    match how {
        "cut off" => return scene.file(path, "{\"variant\": \"torch"),
        "of another form" => return scene.file(path, "[]"),
        "a pipe" => scene.tool("mkfifo", &[path]),
        "a folder" => fs_err::create_dir(place).expect("made"),
        _ => fs_err::os::unix::fs::symlink("nowhere", place).expect("linked"),
    }
    scene
}

const HOW: [&str; 5] = ["cut off", "of another form", "a pipe", "a folder", "a link to nothing"];

#[test]
fn a_record_that_cannot_be_read_is_not_taken_for_none() {
    let hub = hub();
    for (path, code) in [(TESTS, "test/record"), (BENCH, "bench/record")] {
        for how in HOW {
            let scene = spoil(project(&hub, "writer", "one"), path, how);
            let scene = scene.file("torch-ext/demo/__init__.py", "__all__ = []\n");
            hub.take_log();
            let ran = scene.run(&["upload", "--json"]);
            assert_eq!((ran.status, &last(&ran)["code"]), (15, &code.into()), "{how}: {ran}");
            assert_eq!(last(&ran)["findings"][0]["code"], code, "{how}: {ran}");
            assert!(ran.stdout.contains(path), "{how}: {ran}");
            assert!(hub.take_log().is_empty(), "nothing is asked");

            let ran = scene.run(&["status", "--json"]);
            let built = &last(&ran)["variants"][0];
            assert_eq!((ran.status, &built["findings"][0]["code"]), (15, &code.into()), "{how}: {ran}");
            let ran = scene.run(&["status"]);
            assert!(code != "test/record" || ran.stdout.contains("tests unreadable"), "{how}: {ran}");

            let ran = scene.run(&["card", "--json"]);
            assert_eq!((ran.status, &last(&ran)["findings"][0]["code"]), (15, &code.into()), "{how}: {ran}");
            let card = fs_err::read_to_string(scene.path("build/CARD.md")).expect("a card");
            assert!(card.contains("cannot be read"), "{how}: {card}");
        }
    }
    // Whoever answers for failed tests answers for those that may have failed.
    let ran = spoil(project(&hub, "writer", "one"), TESTS, "cut off");
    let ran = ran.run(&["upload", "--allow-failed-tests", "--dry-run", "--json"]);
    assert_eq!((ran.status, &last(&ran)["findings"][0]["severity"]), (0, &"warning".into()), "{ran}");
}

#[test]
fn a_failed_test_is_not_forgotten_on_the_way() {
    let hub = hub();
    let scene = with_failed_test(project(&hub, "writer", "one"));
    // The variants alone, or one, are of the project that they lie in.
    for directory in ["build", "build/torch-cpu"] {
        let ran = scene.run(&["upload", directory, "--repo-id", "acme/demo", "--json"]);
        assert!(ran.status == 6 && ran.stdout.contains("upload/tests"), "{directory}: {ran}");
    }
    // Nor is it in a set, which is no project.
    for (number, directory) in [".", "build", "build/torch-cpu"].into_iter().enumerate() {
        let set = format!("../set{number}");
        assert_eq!(scene.run(&["collect", directory, "--out", &set]).status, 0);
        let ran = scene.run(&["upload", &set, "--repo-id", "acme/demo", "--json"]);
        assert!(ran.status == 6 && ran.stdout.contains("upload/tests"), "{directory}: {ran}");
    }
    // What a job hands on in its place ends the joining.
    for how in ["a pipe", "a folder"] {
        let scene = spoil(project(&hub, "writer", "one"), TESTS, how);
        let ran = scene.run(&["collect", ".", "--out", "../set", "--json"]);
        assert_eq!((ran.status, &last(&ran)["code"]), (15, &"environment/unreadable".into()), "{how}: {ran}");
        assert!(!scene.path("../set").exists(), "{how}");
    }
}

#[test]
fn what_is_no_regular_file_is_not_left_out_silently() {
    let hub = hub();
    let pipe = |path: &str| {
        let scene = project(&hub, "writer", "one");
        let place = scene.path(path);
        fs_err::create_dir_all(place.parent().expect("a folder")).expect("folders");
        if place.exists() {
            fs_err::remove_file(place).expect("removed");
        }
        scene.tool("mkfifo", &[path]);
        scene
    };
    for (path, code) in [
        ("build.toml", "manifest/unreadable"),
        ("build/CARD.md", "environment/unreadable"),
        ("benchmarks/benchmark_a.py", "environment/unreadable"),
        ("benchmarks", "environment/unreadable"),
        ("build/torch-cpu/metadata.json", "artifact/unreadable"),
    ] {
        let scene = pipe(path);
        hub.take_log();
        let ran = scene.run(&["upload", "--repo-id", "acme/demo", "--json"]);
        assert_eq!((ran.status, &last(&ran)["code"]), (15, &code.into()), "{path}: {ran}");
        assert!(ran.stdout.contains(path.rsplit('/').next().expect("a name")), "{path}: {ran}");
        assert!(hub.take_log().is_empty(), "{path}: nothing is asked");
    }
    for command in ["sign", "verify", "audit"] {
        let scene = pipe("build.toml");
        let bill: &[&str] = if command == "audit" { &["--sbom", "bill.json"] } else { &[] };
        let ran = scene.run(&[&[command, "--json"], bill].concat());
        assert_eq!(
            (ran.status, &last(&ran)["code"]),
            (15, &"manifest/unreadable".into()),
            "{command}: {ran}"
        );
    }
}

/// A pipe is waited for, a device has no end, and a large file is no token.
#[test]
fn the_file_of_a_token_is_read_with_care() {
    let hub = hub();
    for how in ["a pipe", "a device", "a folder", "large"] {
        let scene = project(&hub, "writer", "one").variable("HF_TOKEN", "");
        let place = scene.path("token");
        match how {
            "a pipe" => scene.tool("mkfifo", &["token"]),
            "a device" => fs_err::os::unix::fs::symlink("/dev/zero", &place).expect("linked"),
            "a folder" => fs_err::create_dir(&place).expect("made"),
            _ => fs_err::write(&place, "hf_secret".repeat(400_000)).expect("written"),
        }
        let scene = scene.variable("HF_TOKEN_PATH", place.to_str().expect("UTF-8"));
        hub.take_log();
        let ran = scene.run(&["upload", "--json"]);
        let last = last(&ran);
        assert_eq!((ran.status, &last["code"]), (15, &"environment/unreadable".into()), "{how}: {ran}");
        assert!(
            last.to_string().contains("here/token") && !ran.to_string().contains("hf_secret"),
            "{how}: {ran}"
        );
        assert!(hub.take_log().is_empty(), "{how}: nothing is asked");
    }
}
