//! Uploads that are refused: by us before anything is asked, or by the Hub, each with its own message.

use super::rules::shown;
use super::*;
use hub_testkit::wire::{Reply, Request, Server};

/// A Hub that knows the user and answers one thing to the wish for a repository.
fn answering(reply: Reply) -> Server {
    let server = Server::start(move |request: &mut Request<'_>| match request.path.as_str() {
        "/api/whoami-v2" => Reply::json(200, r#"{"name": "writer", "orgs": []}"#),
        "/api/repos/create" => reply.clone(),
        _ => Reply::json(404, r#"{"error": "not here"}"#),
    });
    server.expect("a server")
}

/// How long is waited is a matter of chance.
fn without_waits(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("    wait "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// What a build of ours always has.
const OPERATORS: &str = "ID = '_demo_cpu_abcdefghijklm'\n";

#[test]
fn each_refusal_of_the_hub_has_its_own_message() {
    let error = |status, text: &str| {
        Reply::json(status, format!(r#"{{"error": "{text}"}}"#)).header("x-request-id", "Root=1-abc")
    };
    let mut told = Vec::new();
    for (name, reply) in [
        ("401", error(401, "Invalid credentials: hf_secret_writer")),
        ("403", error(403, "You don't have the rights to create a kernel")),
        ("404", error(404, "No such organization: acme")),
        ("429", error(429, "Slow down").header("retry-after", "86400")),
        ("500", error(500, "Internal Error - We're working hard to fix this")),
    ] {
        let server = answering(reply);
        let hub = hub();
        let scene = project(&hub, "writer", "one").variable("HF_ENDPOINT", &server.url());
        let ran = scene.run(&["upload"]);
        let text = without_waits(&ran.to_string().replace(&server.url(), "[HUB]"));
        assert!(!text.contains("secret") && ran.status == 8, "{text}");
        told.push(format!("--- {name}\n{text}"));
    }
    let gone = answering(Reply::empty(200)).url();
    let hub = hub();
    let scene = project(&hub, "writer", "one").variable("HF_ENDPOINT", &gone);
    let ran = scene.run(&["upload"]);
    told.push(format!("--- nobody there\n{}", without_waits(&ran.to_string().replace(&gone, "[HUB]"))));
    let scene = scene.variable("HF_ENDPOINT", &hub.url()).variable("HF_TOKEN", "");
    told.push(format!("--- no token\n{}", shown(&hub, &scene.run(&["upload"]))));
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_busy_hub_is_waited_for() {
    let hub = hub();
    let kind = hub_testkit::Kind::Refused(429, vec![("retry-after".to_owned(), "1".to_owned())]);
    hub.faults().plan(hub_testkit::Fault { method: "", path: "/repos/create".to_owned(), times: 2, kind });
    let ran = project(&hub, "writer", "one").run(&["upload"]);
    assert!(ran.status == 0 && ran.stderr.contains("wait"), "{ran}");
}

#[test]
fn a_stored_token_is_not_sent_to_another_hub() {
    let hub = hub();
    let scene = project(&hub, "writer", "one").variable("HF_TOKEN", "");
    let store = scene.path("../home/.cache/huggingface");
    fs_err::create_dir_all(&store).expect("folders");
    fs_err::write(store.join("token"), "hf_secret_writer").expect("a token");
    let ran = scene.run(&["upload"]);
    insta::assert_snapshot!(shown(&hub, &ran));
}

#[test]
fn unfit_variants_are_refused_before_anything_is_asked() {
    let hub = hub();
    let refused = |scene: &Scene, arguments: &[&str]| {
        let ran = scene.run(arguments);
        assert!(hub.take_log().is_empty(), "nothing is asked");
        shown(&hub, &ran)
    };
    let edit = |scene: Scene, variant: &str, from: &str, to: &str| {
        let path = format!("build/{variant}/metadata.json");
        let text = fs_err::read_to_string(scene.path(&path)).expect("metadata");
        assert!(text.contains(from), "{text}");
        scene.file(&path, &text.replace(from, to))
    };
    let scene = project(&hub, "writer", "one");
    let scene = sealed(variant(scene, "torch-universal", 1, &sample("two")));
    let scene = edit(scene, "torch-cpu", "\"dirty\": false", "\"dirty\": true");
    let scene = edit(scene, "torch-universal", COMMIT, &COMMIT.replace('0', "f"));
    insta::assert_snapshot!("mixed", refused(&scene, &["upload"]));
    let ran = scene.run(&["upload", "--allow-dirty", "--allow-mixed", "--dry-run"]);
    assert_eq!(ran.status, 0, "{ran}");
    hub.take_log();

    let record = "\"x-kernel-builder\": {\"variant\": \"torch-cpu\", \"profile\": \"dev\", \"engine\": \"local\", \
        \"sandbox\": \"off\", \"rebuildable\": false, \"id-rule\": 1, \
        \"toolchain\": {\"compiler\": \"gcc 12.2.0\", \"identity\": \"00\"}}, \"provenance\"";
    let scene = project(&hub, "writer", "one").file("build/torch-cpu/_ops.py", OPERATORS);
    let scene = edit(sealed(scene), "torch-cpu", "\"provenance\"", record);
    insta::assert_snapshot!("unfit", refused(&scene, &["upload"]));
    let scene = sealed(variant(manifest(super::scene(&hub, "writer"), 2), "torch-cpu", 1, &sample("one")));
    insta::assert_snapshot!("versions", refused(&scene, &["upload"]));
    let scene = variant(manifest(super::scene(&hub, "writer"), 1), "torch-cpu", 1, &sample("one"));
    insta::assert_snapshot!("no_digest", refused(&scene, &["upload"]));
    let scene = project(&hub, "writer", "one").file("build/torch-cpu/__init__.py", "changed = 1\n");
    insta::assert_snapshot!("edited", refused(&scene, &["upload"]));
}

#[test]
fn a_proposal_that_is_refused_is_not_told_to_propose() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let outsider = project(&hub, "outsider", "two");
    let refuse = |method, path: &str| {
        let kind = hub_testkit::Kind::Refused(403, Vec::new());
        hub.faults().plan(hub_testkit::Fault { method, path: path.to_owned(), times: 1, kind });
    };
    refuse("POST", "/preupload/");
    let known = shown(&hub, &outsider.run(&["upload", "--create-pr"]));
    refuse("POST", "/commit/");
    refuse("GET", "/whoami-v2");
    let unknown = shown(&hub, &outsider.run(&["upload", "--create-pr"]));
    insta::assert_snapshot!([known, unknown].join("\n"));
}

#[test]
fn an_endpoint_and_a_token_must_be_what_they_are_taken_for() {
    let hub = hub();
    let told = |variable: &str, value: &str| {
        let scene = project(&hub, "writer", "one").variable(variable, value);
        let ran = scene.run(&["upload", "--json"]);
        assert!(!ran.to_string().contains("hf_sec"), "{ran}");
        ran.json().pop().expect("a line")["code"].as_str().expect("a code").to_owned()
    };
    for behind in ["?a=hf_sec", "#hf_sec", "?"] {
        assert_eq!(told("HF_ENDPOINT", &format!("{}{behind}", hub.url())), "hub/address");
    }
    // Who gives a blank one does not want to be a stranger: a job that may not see a secret gets that.
    for token in ["hf_sec ret", "hf_secä", "hf_sec\nret", " ", "\n"] {
        for variable in ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"] {
            let scene = project(&hub, "writer", "one").variable("HF_TOKEN", "").variable(variable, token);
            let ran = scene.run(&["upload", "--json"]);
            assert_eq!(ran.json().pop().expect("a line")["code"], "hub/token", "{variable}={token:?}: {ran}");
            assert!(!ran.to_string().contains("hf_sec"), "{ran}");
        }
    }
    assert!(hub.take_log().is_empty(), "nothing is asked");
}

#[test]
fn a_token_that_is_no_text_is_not_passed_over() {
    use std::os::unix::ffi::OsStrExt;
    let scene = project(&hub(), "writer", "one");
    let mut command = scene.command(&["upload", "--json"]);
    let output =
        command.env("HF_TOKEN", std::ffi::OsStr::from_bytes(b"hf_\xff\xfe")).output().expect("it starts");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(said.contains("hub/token"), "{said}");
}

#[test]
fn answers_of_another_form_are_told_without_words_of_the_program() {
    for answer in ["[]", "{}", "7", "<html>"] {
        let server = Server::start(move |_: &mut Request<'_>| Reply::json(200, answer)).expect("a server");
        let scene = project(&hub(), "writer", "one").variable("HF_ENDPOINT", &server.url());
        let text = scene.run(&["upload", "--json"]).to_string();
        assert!(text.contains("hub/answer") && text.contains("JSON"), "{text}");
        for word in ["struct", "sequence", "invalid type", "missing field", "expected value"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn missing_and_broken_metadata_are_named() {
    let hub = hub();
    let scene = sealed(variant(project(&hub, "writer", "one"), "torch-universal", 1, &sample("two")));
    fs_err::remove_file(scene.path("build/torch-cpu/metadata.json")).expect("removed");
    let scene = scene.file("build/torch-universal/metadata.json", "{}");
    insta::assert_snapshot!(shown(&hub, &scene.run(&["upload"])));
}

#[test]
fn a_target_must_be_known() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let code = |arguments: &[&str]| {
        let ran = scene.run(arguments);
        (ran.status, ran.json().pop().expect("a line")["code"].clone())
    };
    assert_eq!(code(&["upload", "--json", "--repo-id", "../x"]), (2, "upload/target".into()));
    assert_eq!(code(&["upload", "--json", "--branch", "a..b"]), (2, "upload/target".into()));
    assert_eq!(code(&["upload", "--json", "build/torch-cpu"]), (2, "upload/target".into()));
    assert_eq!(code(&["upload", "--json", "--offline"]), (8, "hub/offline".into()));
}

#[test]
fn variants_of_several_locks_are_refused() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let mut scene = sealed(variant(scene, "torch-universal", 1, &sample("two")));
    for (name, lock) in [("torch-cpu", Some("aa")), ("torch-universal", None)] {
        let path = format!("build/{name}/metadata.json");
        let text = fs_err::read_to_string(scene.path(&path)).expect("metadata");
        let mut metadata: Value = serde_json::from_str(&text).expect("JSON");
        let mut toolchain = serde_json::json!({ "compiler": "gcc 12.2.0", "identity": "00" });
        if let Some(lock) = lock {
            toolchain["lock"] = lock.into();
        }
        metadata["x-kernel-builder"] = serde_json::json!({
            "variant": name, "profile": "release", "engine": "local", "sandbox": "bubblewrap", "rebuildable": true,
            "id-rule": 1, "toolchain": toolchain,
        });
        scene = scene.file(&path, &metadata.to_string());
        scene = scene.file(&format!("build/{name}/_ops.py"), OPERATORS);
    }
    let scene = sealed(scene);
    hub.take_log();
    for arguments in [&["upload", "--json"][..], &["collect", ".", "--json"]] {
        let ran = scene.run(arguments);
        assert!(
            ran.status == 6 && ran.stdout.contains("several locks") && ran.stdout.contains("aa, none"),
            "{ran}"
        );
        assert!(hub.take_log().is_empty(), "nothing is asked");
    }
    assert_eq!(scene.run(&["upload", "--allow-mixed"]).status, 0);
}
