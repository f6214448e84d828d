//! Signatures on their way to a repository.

use super::*;
use crate::upload::{REPOSITORY, contents, hub};

/// A signed project of a user who is logged in to a Hub.
fn publisher(services: &Sigstore, hub: &hub_testkit::Hub) -> Scene {
    signed(services).variable("HF_ENDPOINT", &hub.url()).variable("HF_TOKEN", "hf_secret_writer")
}

const UPLOAD: [&str; 4] = ["upload", "--require-signed", "--trust-config", "trust.json"];

#[test]
fn what_is_signed_and_uploaded_is_verified_from_the_repository() {
    let (services, hub) = (Sigstore::start().expect("services"), hub());
    let scene = publisher(&services, &hub);
    let ran = scene.run(&UPLOAD);
    assert_eq!(ran.status, 0, "{ran}");
    let again = scene.run(&["upload", "--json"]);
    assert_eq!(report(&again)["commits"], 0, "{again}");
    let files = |reference: &str| {
        let commit = hub.history(REPOSITORY, reference).into_iter().next().expect("a commit");
        contents(&hub, &commit)
    };
    let statements = files("v1").into_keys().filter(|path| path.starts_with("provenance/")).count();
    assert_eq!(statements, 1);
    // A reader has nothing but the policy and the Hub's address.
    let reader = job(&services).variable("HF_ENDPOINT", &hub.url());
    let ran = verify(&reader, &["acme/demo@v1"]);
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");

    // The branch goes on, and is then put back.
    let first = files("v1");
    later();
    let scene = scene.file("build/torch-cpu/__init__.py", "fixed = 1\n");
    assert_eq!(scene.run(&["hash", "."]).status, 0);
    assert_eq!(sign(&scene).status, 0);
    assert_eq!(scene.run(&UPLOAD).status, 0);
    assert_eq!(files("v1").len(), first.len() + 1, "the statement about the older set stays");
    assert_eq!(verify(&reader, &["acme/demo@v1"]).status, 0);
    for (path, content) in &first {
        hub.put(REPOSITORY, "v1", path, content).expect("put back");
    }
    let ran = verify(&reader, &["acme/demo@v1"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/older".to_owned()]), "{ran}");

    // The same files elsewhere.
    let listed = report(&reader.run(&["variants", "acme/demo@v1", "--json"]));
    let named = format!("acme/demo@{}", listed["published"]["commit"].as_str().expect("a commit"));
    assert_eq!(verify(&reader, &[&named]).status, 0, "who names a commit does not expect the newest");
    let other = job(&services).variable("HF_ENDPOINT", &hub.url()).variable("HF_TOKEN", "hf_secret_writer");
    for place in [["--repo-id", "acme/other"], ["--branch", "next"]] {
        assert_eq!(other.run(&[&["upload"], &place[..]].concat()).status, 0);
    }
    for (path, content) in &first {
        hub.put("kernels/acme/other", "v1", path, content).expect("copied");
        hub.put(REPOSITORY, "next", path, content).expect("copied");
    }
    for elsewhere in ["acme/other@v1", "acme/demo@next"] {
        let ran = verify(&reader, &[elsewhere]);
        assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/place".to_owned()]), "{ran}");
    }
}

#[test]
fn a_signature_that_does_not_fit_is_not_published() {
    let (services, hub) = (Sigstore::start().expect("services"), hub());
    let refused = |scene: &Scene, arguments: &[&str]| {
        let ran = scene.run(&[&["--json"], arguments].concat());
        assert_eq!(ran.status, 6, "{ran}");
        let last = report(&ran);
        let findings = last["findings"].as_array().expect("findings").iter();
        let codes = findings.filter(|finding| finding["severity"] == "error");
        codes
            .map(|finding| finding["code"].as_str().expect("a code").to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let scene = publisher(&services, &hub);
    hub.take_log();
    assert_eq!(refused(&scene, &["upload", "--branch", "next"]), "trust/place trust/place");
    fs_err::remove_dir_all(scene.path("build/provenance")).expect("gone");
    assert_eq!(refused(&scene, &["upload"]), "trust/set trust/set");
    let scene = publisher(&services, &hub);
    let folder = fs_err::read_dir(scene.path("build/provenance")).expect("a folder");
    let place = folder.last().expect("a statement").expect("an entry").path();
    let good = fs_err::read_to_string(&place).expect("a statement");
    let bundle: Value = serde_json::from_str(&good).expect("JSON");
    let with = |change: fn(&mut Value)| {
        let mut changed = bundle.clone();
        change(&mut changed["dsseEnvelope"]);
        changed.to_string()
    };
    let of_a_file = scene.path("build/torch-cpu/metadata.json.sigstore");
    let of_a_file = fs_err::read_to_string(of_a_file).expect("a signature");
    // `{}`, as the payload.
    let empty = with(|envelope| envelope["payload"] = "e30=".into());
    let of_other_type = with(|envelope| envelope["payloadType"] = "text/plain".into());
    for text in ["", "{}", &good[..500], &empty, &of_other_type, &of_a_file] {
        fs_err::write(&place, text).expect("written");
        for arguments in [&["upload"][..], &UPLOAD] {
            assert_eq!(refused(&scene, arguments), "trust/set trust/set", "{text}");
        }
    }
    // Only who asks for sound signatures sees this.
    let forged = with(|envelope| {
        let reversed = |text: &str| text.trim_end_matches('=').chars().rev().collect::<String>();
        let signature = envelope["signatures"][0]["sig"].as_str().map(reversed);
        envelope["signatures"][0]["sig"] = format!("{}=", signature.unwrap_or_default()).into();
    });
    fs_err::write(&place, forged).expect("written");
    assert_eq!(refused(&scene, &UPLOAD), "trust/set trust/set");
    // The sound statement about the same variants, signed for elsewhere.
    assert_eq!(scene.run(&["sign", "--trust-config", "trust.json", "--branch", "next"]).status, 0);
    let others = fs_err::read_dir(scene.path("build/provenance")).expect("a folder").last();
    let others = others.expect("a statement").expect("an entry").path();
    let other = fs_err::read(others).expect("a statement");
    let scene = publisher(&services, &hub);
    let folder = fs_err::read_dir(scene.path("build/provenance")).expect("a folder");
    fs_err::write(folder.last().expect("a statement").expect("an entry").path(), other).expect("written");
    for arguments in [&["upload"][..], &UPLOAD] {
        let codes = refused(&scene, arguments);
        assert!(codes.split(' ').all(|code| code == "trust/set"), "{codes}");
    }
    let scene = publisher(&services, &hub);
    let signature = |variant: &str| scene.path(&format!("build/{variant}/metadata.json.sigstore"));
    fs_err::copy(signature("torch-universal"), signature("torch-cpu")).expect("a copy");
    assert_eq!(refused(&scene, &["upload"]), "trust/other-content");
    fs_err::remove_file(signature("torch-cpu")).expect("gone");
    assert_eq!(refused(&scene, &UPLOAD), "trust/unsigned");
    let scene = publisher(&services, &hub);
    let others = Sigstore::start().expect("services").trust_config().to_string();
    let scene = scene.file("others.json", &others);
    let unknown = refused(&scene, &["upload", "--require-signed", "--trust-config", "others.json"]);
    assert!(unknown.starts_with("trust/certificate") || unknown.starts_with("trust/log"), "{unknown}");
    assert!(hub.take_log().is_empty(), "nothing is asked");
}
