//! What `sign` writes and says, and what `verify` says of it.

use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::*;
use crate::scene::is_root;

#[test]
fn what_is_signed_is_verified() {
    let services = Sigstore::start().expect("services");
    let scene = job(&services);
    let ran = sign(&scene);
    insta::assert_snapshot!("signed", without_numbers(&ran));
    let ran = scene.run(&["verify", "--trust-config", "trust.json", "--policy", "policy.toml"]);
    insta::assert_snapshot!("verified", without_numbers(&ran));
    let ran = verify(&scene, &["--repo-id", "acme/demo", "--branch", "v1", "--offline"]);
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
    let states: Vec<_> = report(&ran)["variants"].as_array().expect("variants").clone();
    assert!(states.iter().all(|variant| variant["state"] == "verified" && variant["files"] == 3), "{ran}");
    // One variant alone is verified with the statement about all of them.
    let ran = verify(&scene, &["build/torch-cpu"]);
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
}

#[test]
fn without_a_policy_nothing_is_verified() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    let ran = scene.run(&["verify", "--trust-config", "trust.json"]);
    insta::assert_snapshot!(without_numbers(&ran));
    let ran = scene.run(&["verify", "--json", "--trust-config", "trust.json"]);
    assert_eq!(codes(&ran), ["trust/no-policy"]);
    assert!(!ran.stdout.contains("\"state\":\"verified\""), "{ran}");
}

#[test]
fn signing_again_is_a_new_set_only_where_something_changed() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    let files = |scene: &Scene| {
        let folder = fs_err::read_dir(scene.path("build/provenance")).expect("statements");
        folder.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>()
    };
    let first = files(&scene);
    assert_eq!(sign(&scene).status, 0);
    assert_eq!(files(&scene), first, "the same variants are the same set");
    let scene = scene.file("build/torch-cpu/__init__.py", "changed = 1\n");
    let ran = sign(&scene);
    assert!(ran.status == 6 && ran.stderr.contains("trust/unfit"), "{ran}");
    assert_eq!(scene.run(&["hash", "."]).status, 0);
    assert_eq!(sign(&scene).status, 0);
    let second = files(&scene);
    assert!(second.len() == 1 && second != first, "{first:?} {second:?}");
    assert_eq!(verify(&scene, &[]).status, 0);
}

#[test]
fn an_identity_comes_from_a_file_or_a_variable_or_there_is_none() {
    let services = Sigstore::start().expect("services");
    let none = |scene: Scene| {
        scene.variable("ACTIONS_ID_TOKEN_REQUEST_URL", "").variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "")
    };
    let scene = none(job(&services));
    let ran = sign(&scene);
    assert!(ran.status == 4 && ran.stderr.contains("error[trust/identity-token]"), "{ran}");
    let scene = scene.file("token", &Workflow::default().token());
    let ran = scene.run(&["sign", "--trust-config", "trust.json", "--identity-token", "token"]);
    assert_eq!(ran.status, 0, "{ran}");
    let scene = none(job(&services)).variable("SIGSTORE_ID_TOKEN", &Workflow::default().token());
    assert_eq!(sign(&scene).status, 0);
    // Its time is over by the machine's clock, whatever date the documents are to have.
    let expired = format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(r#"{"sub":"x","exp":100}"#));
    let expired = scene.variable("SIGSTORE_ID_TOKEN", &expired).variable("SOURCE_DATE_EPOCH", "50");
    let ran = sign(&expired);
    assert!(ran.status == 4 && ran.stderr.contains("expired"), "{ran}");
}

#[test]
fn nothing_is_changed_where_a_service_refuses() {
    let services = Sigstore::start().expect("services");
    let scene = job(&services);
    let before = crate::upload::local(&scene);
    services.plan(hub_testkit::sigstore::Mishap::TokenRefused);
    let ran = sign(&scene);
    assert!(ran.status == 8 && ran.stderr.contains("[token]"), "{ran}");
    services.plan(hub_testkit::sigstore::Mishap::ProofWrong);
    let ran = sign(&scene);
    assert!(ran.status == 8 && ran.stderr.contains("trust/not-signed"), "{ran}");
    assert!(!ran.to_string().contains(REQUEST_SECRET) && !ran.to_string().contains("eyJ"), "{ran}");
    assert_eq!(crate::upload::local(&scene), before);
}

/// The last variant is looked at before the first is touched.
#[test]
fn nothing_is_changed_where_a_signature_cannot_be_written() {
    let services = Sigstore::start().expect("services");
    let scene = job(&services);
    fs_err::create_dir(scene.path("build/torch-universal/metadata.json.sigstore")).expect("made");
    let before = crate::upload::local(&scene);
    let ran = sign(&scene);
    assert!(ran.status == 4 && ran.stderr.contains("metadata.json.sigstore"), "{ran}");
    assert_eq!(crate::upload::local(&scene), before);
}

/// Of two variants one can be signed: it counts for nothing alone, and the next run signs both.
#[test]
fn a_set_that_is_signed_in_part_is_told_and_taken_by_nobody() {
    let services = Sigstore::start().expect("services");
    let scene = job(&services);
    let allow = |directory: &Path, mode: u32| {
        fs_err::set_permissions(directory, std::fs::Permissions::from_mode(mode)).expect("rights");
    };
    for directory in scene.path("").ancestors().take(2) {
        allow(directory, 0o755);
    }
    for (directory, mode) in [("", 0o777), ("torch-cpu", 0o777), ("torch-universal", 0o555)] {
        allow(&scene.path("build").join(directory), mode);
    }
    let arguments = ["sign", "--trust-config", "trust.json"];
    let ran = if is_root() { scene.run_as_nobody(&arguments) } else { scene.run(&arguments) };
    assert!(ran.status == 4 && ran.stderr.contains("error[trust/half-signed]"), "{ran}");
    assert!(ran.stderr.contains("`torch-cpu` is signed, `torch-universal` is not"), "{ran}");
    let ran = verify(&scene, &[]);
    assert_eq!((ran.status, codes(&ran).join(" ")), (6, "trust/set trust/unsigned".to_owned()), "{ran}");
    let ran = scene.run(&["upload", "--json", "--offline", "--allow-unsandboxed", "--allow-host-toolchain"]);
    let last = ran.json().pop().expect("a line").to_string();
    assert!(last.contains("trust/set") && last.contains("and its set was signed"), "{ran}");
    allow(&scene.path("build/torch-universal"), 0o755);
    assert_eq!(sign(&scene).status, 0);
    assert_eq!(verify(&scene, &[]).status, 0);
}

#[test]
fn files_that_configure_trust_are_read_with_care() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services).file("wrong.json", "{}").file("wrong.toml", "repository-id = \"acme\"\n");
    let code = |arguments: &[&str]| {
        let ran = scene.run(arguments);
        (ran.status, ran.json().pop().expect("a line")["code"].clone())
    };
    let trust = |file| code(&["verify", "--json", "--trust-config", file]);
    assert_eq!(trust("wrong.json"), (2, "trust/authorities".into()));
    assert_eq!(trust("absent.json"), (15, "environment/unreadable".into()));
    let policy = code(&["verify", "--json", "--trust-config", "trust.json", "--policy", "wrong.toml"]);
    assert_eq!(policy, (2, "trust/policy".into()));
    assert_eq!(scene.run(&["verify", "--max-age", "soon"]).status, 2);
    // What names nobody is no policy, and an empty list says neither "any" nor "none".
    let scene = scene.file("empty.toml", "# to be written\n");
    let scene = scene.file("any.toml", &format!("{POLICY}publishes = []\n"));
    let code = |arguments: &[&str]| {
        let usual = ["verify", "--json", "--trust-config", "trust.json"];
        let ran = scene.run(&[&usual[..], arguments].concat());
        (ran.status, ran.json().pop().expect("a line")["code"].clone())
    };
    assert_eq!(code(&["--policy", "empty.toml"]), (10, "trust/no-policy".into()));
    assert_eq!(
        code(&["--policy", "policy.toml", "--dependency-policy", "empty.toml"]),
        (10, "trust/no-policy".into())
    );
    assert_eq!(code(&["--policy", "any.toml"]), (2, "trust/policy".into()));
    scene.tool("mkfifo", &["pipe"]);
    for option in ["--policy", "--trust-config"] {
        let ran = scene.run(&["verify", "--json", option, "pipe"]);
        let last = ran.json().pop().expect("a line");
        assert_eq!((ran.status, &last["code"]), (15, &"environment/unreadable".into()), "{option}: {ran}");
    }
    for wrong in [
        ["--branch", ""],
        ["--branch", "../../x"],
        ["--repo-id", ""],
        ["--repo-id", "acme"],
        ["--repo-id", "../x"],
    ] {
        assert_eq!(scene.run(&[&["verify"][..], &wrong].concat()).status, 2, "{wrong:?}");
    }
}

#[test]
fn what_cannot_be_read_is_not_called_refused() {
    let services = Sigstore::start().expect("services");
    for file in ["torch-cpu/metadata.json", "torch-cpu/metadata.json.sigstore", "provenance"] {
        let scene = signed(&services);
        let mut path = format!("build/{file}");
        if file == "provenance" {
            let mut folder = fs_err::read_dir(scene.path(&path)).expect("a folder");
            let name = folder.next().expect("a statement").expect("an entry").file_name();
            path = format!("{path}/{}", name.to_str().expect("UTF-8"));
        }
        fs_err::remove_file(scene.path(&path)).expect("removed");
        scene.tool("mkfifo", &[&path]);
        let ran = verify(&scene, &["--allow-mixed"]);
        assert_eq!((ran.status, codes(&ran)), (15, vec!["artifact/unreadable".to_owned()]), "{file}: {ran}");
        let ran = scene.run(&["upload", "--json", "--offline"]);
        let last = ran.json().pop().expect("a line").to_string();
        assert!(last.contains("artifact/unreadable") || last.contains("no regular file"), "{file}: {ran}");
    }
}

#[test]
fn a_memory_that_cannot_be_read_is_no_first_sight() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    assert_eq!(verify(&scene, &[]).status, 0);
    let folder = scene.path("../home/.local/state/kernel-builder/seen");
    let find = |end: &str| {
        let entries = fs_err::read_dir(&folder).expect("a folder").flatten();
        entries.map(|entry| entry.path()).find(|path| path.to_string_lossy().ends_with(end)).expect("a file")
    };
    let told = || {
        let ran = verify(&scene, &[]);
        (ran.status, ran.json().pop().expect("a line")["code"].clone())
    };
    let (memory, lock) = (find(".json"), find(".lock"));
    fs_err::remove_file(&lock).expect("removed");
    scene.tool("mkfifo", &[lock.to_str().expect("UTF-8")]);
    assert_eq!(told(), (15, "trust/memory".into()));
    fs_err::remove_file(&lock).expect("removed");
    fs_err::write(&memory, "{").expect("damaged");
    assert_eq!(told(), (15, "trust/memory".into()));
    fs_err::remove_file(&memory).expect("removed");
    fs_err::os::unix::fs::symlink("nowhere", &memory).expect("linked");
    assert_eq!(told(), (15, "trust/memory".into()));
    fs_err::remove_file(&memory).expect("removed");
    assert_eq!(verify(&scene, &[]).status, 0, "gone, it is a first sight");
}

#[test]
fn variants_of_several_commits_are_signed_together_only_on_demand() {
    let services = Sigstore::start().expect("services");
    let scene = job(&services);
    let path = "build/torch-cpu/metadata.json";
    let text = fs_err::read_to_string(scene.path(path)).expect("metadata");
    let scene = scene.file(path, &text.replace("\"0123456789", "\"ffffffffff"));
    let ran = sign(&scene);
    assert!(ran.status == 6 && ran.stderr.contains("several commits"), "{ran}");
    let ran = scene.run(&["sign", "--trust-config", "trust.json", "--allow-mixed"]);
    assert_eq!(ran.status, 0, "{ran}");
    let ran = verify(&scene, &[]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/commit".to_owned(), "trust/mixed".to_owned()]));
}
