//! What goes wrong is told by its own cause, and what was done is told as done.

use hub_testkit::{Fault, Kind};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha512};

use super::rules::shown;
use super::*;

fn fault(hub: &Hub, method: &'static str, path: &str, kind: Kind) {
    hub.faults().plan(Fault { method, path: path.to_owned(), times: 1, kind });
}

/// The status and the code of a run that failed, and all its text.
fn failed(ran: &Ran) -> (i32, String, String) {
    let last = ran.json().pop().expect("an answer");
    assert_eq!(last["event"], "error", "{ran}");
    (ran.status, last["code"].as_str().expect("a code").to_owned(), last.to_string())
}

#[test]
fn variants_of_another_version_than_their_branch_are_refused() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    for arguments in [&["upload", "--branch", "v2"][..], &["sign", "--branch", "v2"]] {
        let (status, _, text) = failed(&scene.run(&[arguments, &["--json"]].concat()));
        assert!(status == 6 && text.contains("upload/versions") && text.contains("version 2"), "{text}");
    }
    let manifest = fs_err::read_to_string(scene.path("build.toml")).expect("a manifest");
    let scene = scene.file("build.toml", &manifest.replace("repo-id", "branch = \"v2\"\nrepo-id"));
    let (status, _, text) = failed(&scene.run(&["upload", "--json"]));
    assert!(status == 6 && text.contains("upload/versions"), "{text}");
    assert!(hub.take_log().is_empty(), "nothing is asked");
    // A branch that is no version may hold any.
    assert_eq!(scene.run(&["upload", "--branch", "version-2"]).status, 0);
    assert_eq!(scene.run(&["upload", "--branch", "v1"]).status, 0);
}

#[test]
fn a_readme_that_cannot_be_merged_is_told_before_anything_is_sent() {
    for (content, word) in [(vec![b'a'; 30 << 20], "larger than 4 MiB"), (b"caf\xe9\n".to_vec(), "not UTF-8")]
    {
        let hub = hub();
        assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
        hub.put(REPOSITORY, "main", "README.md", &content).expect("edited");
        let scene = project(&hub, "writer", "two").file("build/CARD.md", "---\nlicense: mit\n---\n# demo\n");
        for arguments in [&["upload", "--json"][..], &["upload", "--dry-run", "--json"]] {
            let (status, code, text) = failed(&scene.run(arguments));
            assert!((status, code.as_str()) == (6, "upload/readme") && text.contains(word), "{text}");
        }
        assert_eq!(hub.history(REPOSITORY, "v1").len(), 2, "nothing was sent");
        fs_err::remove_file(scene.path("build/CARD.md")).expect("removed");
        assert_eq!(scene.run(&["upload"]).status, 0);
    }
}

#[test]
fn a_branch_that_cannot_be_made_is_told_in_the_words_of_the_hub() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    fault(&hub, "POST", "/branch/v1", Kind::Refused(409, Vec::new()));
    let (status, code, text) = failed(&scene.run(&["upload", "--json"]));
    assert!((status, code.as_str()) == (8, "hub/refused"), "{text}");
    assert!(
        text.contains("`v1` of `acme/demo` could not be made") && text.contains("a planned fault"),
        "{text}"
    );
    assert_eq!(scene.run(&["upload"]).status, 0);
}

#[test]
fn a_precondition_that_fails_before_the_commit_is_no_busy_branch() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    fault(&hub, "POST", "/preupload/", Kind::Refused(412, Vec::new()));
    let (status, code, text) = failed(&scene.run(&["upload", "--json"]));
    assert!((status, code.as_str()) == (8, "hub/refused") && text.contains("answered 412"), "{text}");
}

#[test]
fn a_commit_whose_answer_was_lost_is_counted() {
    let hub = hub();
    let scene = project(&hub, "writer", "one").file("build/CARD.md", "---\nlicense: mit\n---\n# demo\n");
    assert_eq!(scene.run(&["upload"]).status, 0);
    for lost in [Kind::DoneThenDropped, Kind::DoneThen(500), Kind::Cut] {
        for branch in ["v1", "main"] {
            let value = format!("{lost:?} {branch}");
            let scene =
                sealed(variant(manifest(super::scene(&hub, "writer"), 1), "torch-cpu", 1, &sample(&value)));
            let scene = scene.file("build/CARD.md", &format!("---\nlicense: mit\n---\n# {value}\n"));
            fault(&hub, "POST", &format!("/commit/{branch}"), lost.clone());
            let answer = report(&scene.run(&["upload", "--json"]));
            let told = (&answer["state"], &answer["commits"], &answer["card"]);
            assert_eq!(told, (&"uploaded".into(), &2.into(), &"written".into()), "{value}: {answer}");
        }
    }
}

#[test]
fn a_card_that_is_only_proposed_is_not_called_written() {
    let hub = hub();
    let card = "---\nlicense: mit\n---\n# demo\n";
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let outsider = project(&hub, "outsider", "two").file("build/CARD.md", card);
    let planned = shown(&hub, &outsider.run(&["upload", "--create-pr", "--dry-run"]));
    assert!(planned.contains("would be proposed") && !planned.contains("written"), "{planned}");
    for _again in 0..2 {
        let ran = outsider.run(&["upload", "--create-pr"]);
        let text = shown(&hub, &ran);
        assert!(ran.status == 0 && text.contains("is proposed") && !text.contains("written"), "{text}");
    }
    assert_eq!(report(&outsider.run(&["upload", "--create-pr", "--json"]))["card"], "proposed");
    assert_eq!(hub.refs(REPOSITORY), ["main", "v1", "refs/pr/1", "refs/pr/2"]);
}

#[test]
fn what_the_store_refuses_is_told_in_its_own_words() {
    let hub = hub();
    let xml = "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>Request has expired &amp; is void\
               </Message><RequestId>4442587FB7D0A2F9</RequestId></Error>";
    fault(&hub, "PUT", "/large/", Kind::Worded(403, xml));
    let (status, code, text) = failed(&project(&hub, "writer", "one").run(&["upload", "--json"]));
    assert_eq!((status, code.as_str()), (8, "hub/refused"), "{text}");
    for words in ["the store", "data/table.bin", "expired & is void", "AccessDenied", "4442587FB7D0A2F9"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_commit_that_is_sent_on_to_another_address_is_told_so() {
    let hub = hub();
    let location = "https://elsewhere.test/api/commit?signature=x".to_owned();
    fault(&hub, "POST", "/commit/", Kind::Refused(307, vec![("location".to_owned(), location)]));
    let (status, code, text) = failed(&project(&hub, "writer", "one").run(&["upload", "--json"]));
    assert_eq!((status, code.as_str()), (8, "hub/answer"), "{text}");
    assert!(text.contains("sends on to `https://elsewhere.test/api/commit`"), "{text}");
    assert!(!text.contains("signature"), "{text}");
}

#[test]
fn a_commit_that_is_not_found_does_not_mean_that_the_repository_is_missing() {
    let hub = hub();
    fault(&hub, "POST", "/commit/upload-v1-", Kind::Refused(404, Vec::new()));
    let (status, code, text) = failed(&project(&hub, "writer", "one").run(&["upload", "--json"]));
    assert_eq!((status, code.as_str()), (8, "hub/refused"), "{text}");
    assert!(text.contains("answered 404") && text.contains("upload-v1-"), "{text}");
    assert!(!text.contains("does not exist"), "{text}");
}

#[test]
fn a_digest_that_no_hub_answers_for_is_not_published_and_a_false_one_is_told() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let path = "build/torch-cpu/metadata.json";
    let metadata = fs_err::read_to_string(scene.path(path)).expect("metadata");
    let mut metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let files = sample("one").into_iter();
    let digests = files.map(|(name, content)| (name, STANDARD.encode(Sha512::digest(content)).into()));
    metadata["digest"] =
        serde_json::json!({ "algorithm": "sha512", "files": Value::Object(digests.collect()) });
    let scene = scene.file(path, &metadata.to_string());
    hub.take_log();
    let (status, _, text) = failed(&scene.run(&["upload", "--json"]));
    assert!(status == 6 && text.contains("is not by SHA-256") && !text.contains("artifact/digest"), "{text}");
    let scene = scene.file("build/torch-cpu/__init__.py", "evil = 1\n");
    let (status, _, text) = failed(&scene.run(&["upload", "--json"]));
    assert!(status == 6 && text.contains("`__init__.py` is not what was sealed"), "{text}");
    assert!(hub.take_log().is_empty(), "nothing is asked");
}
