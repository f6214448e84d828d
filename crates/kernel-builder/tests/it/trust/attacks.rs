//! What somebody can do who can write to a repository, or serves one. Each is refused with a finding of its own.

use super::*;

/// The one finding of an attack.
fn refused(scene: &Scene, more: &[&str]) -> String {
    let ran = verify(scene, more);
    assert_eq!(ran.status, 6, "{ran}");
    codes(&ran).join(" ")
}

/// A scene that was signed by a run of another workflow.
fn signed_by(services: &Sigstore, change: impl FnOnce(&mut Workflow)) -> Scene {
    services.set_job(workflow(change));
    signed(services)
}

#[test]
fn a_signer_who_may_not() {
    let services = Sigstore::start().expect("services");
    let other = "acme/kernels/.github/workflows/test.yaml@refs/heads/main".to_owned();
    let by = |change: fn(&mut Workflow)| refused(&signed_by(&services, change), &[]);
    assert_eq!(by(|run| run.repository_id = "102".to_owned()), "trust/repository", "a fork");
    assert_eq!(by(|run| run.repository_owner_id = "8".to_owned()), "trust/repository", "another owner");
    assert_eq!(by(|run| run.event_name = "pull_request".to_owned()), "trust/trigger");
    assert_eq!(by(|run| run.event_name = "pull_request_target".to_owned()), "trust/trigger");
    assert_eq!(by(|run| run.runner_environment = "self-hosted".to_owned()), "trust/runner");
    assert_eq!(by(|run| run.built_ref = "refs/heads/experiment".to_owned()), "trust/ref");
    assert_eq!(by(|run| run.iss = "https://accounts.example".to_owned()), "trust/issuer");
    assert_eq!(by(|run| run.sha = "f".repeat(40)), "trust/commit", "another commit was built");
    let scene = signed_by(&services, |run| {
        run.job_workflow_ref.clone_from(&other);
        run.workflow_ref = other;
    });
    assert_eq!(refused(&scene, &[]), "trust/workflow");
}

#[test]
fn a_variant_in_the_place_of_another() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    let (from, to) = (scene.path("build/torch-cpu"), scene.path("build/torch-universal"));
    fs_err::remove_dir_all(&to).expect("gone");
    copy(&from, &to);
    assert_eq!(refused(&scene, &[]), "trust/set trust/slot");
    let scene = signed(&services);
    assert_eq!(refused(&scene, &["--repo-id", "acme/other"]), "trust/place");
    assert_eq!(refused(&scene, &["--branch", "v2"]), "trust/place");
}

/// Each is sound and where it was signed for, as far as a directory without a manifest tells.
#[test]
fn variants_of_two_repositories_in_one_directory() {
    let services = Sigstore::start().expect("services");
    let (scene, other) = (signed(&services), job(&services));
    let ran = other.run(&["sign", "--trust-config", "trust.json", "--repo-id", "acme/other"]);
    assert_eq!(ran.status, 0, "{ran}");
    copy(&scene.path("build"), &scene.path("both"));
    assert_eq!(verify(&scene, &["both"]).status, 0, "of one repository");
    for part in ["torch-universal", "provenance"] {
        copy(&other.path("build").join(part), &scene.path("both").join(part));
    }
    let ran = verify(&scene, &["both"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/place".to_owned()]), "{ran}");
    assert!(ran.stdout.contains("`v1` of `acme/other`: torch-universal"), "{ran}");
    // Who says which repository is meant is told which variant is not of it.
    let ran = verify(&scene, &["both", "--repo-id", "acme/demo"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/place".to_owned()]), "{ran}");
    assert!(ran.stdout.contains("`torch-universal` was signed for"), "{ran}");
}

#[test]
fn a_variant_of_another_commit_among_the_others() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    copy(&scene.path("build"), &scene.path("old"));
    services.set_job(workflow(|run| run.sha = "f".repeat(40)));
    later();
    let mut scene = scene;
    for variant in ["torch-cpu", "torch-universal"] {
        let path = format!("build/{variant}/metadata.json");
        let text = fs_err::read_to_string(scene.path(&path)).expect("metadata");
        let commit = Workflow::default().sha;
        scene = scene.file(&path, &text.replace(&commit, &"f".repeat(40)));
    }
    assert_eq!(sign(&scene).status, 0);
    fs_err::remove_dir_all(scene.path("build/torch-cpu")).expect("gone");
    copy(&scene.path("old/torch-cpu"), &scene.path("build/torch-cpu"));
    copy(&scene.path("old/provenance"), &scene.path("build/provenance"));
    assert_eq!(refused(&scene, &[]), "trust/mixed");
    assert_eq!(verify(&scene, &["--allow-mixed"]).status, 0);
}

#[test]
fn an_older_set_as_the_newest() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    copy(&scene.path("build"), &scene.path("old"));
    assert_eq!(verify(&scene, &[]).status, 0);
    later();
    let scene = scene.file("build/torch-cpu/__init__.py", "fixed = 1\n");
    assert_eq!(scene.run(&["hash", "."]).status, 0);
    assert_eq!(sign(&scene).status, 0);
    assert_eq!(verify(&scene, &[]).status, 0);
    fs_err::remove_dir_all(scene.path("build")).expect("gone");
    copy(&scene.path("old"), &scene.path("build"));
    assert_eq!(refused(&scene, &[]), "trust/older");
    assert_eq!(
        refused(&scene, &["build/torch-universal"]),
        "trust/older",
        "one variant alone is noticed too"
    );
    // It is refused again, and not remembered as the newest.
    assert_eq!(refused(&scene, &[]), "trust/older");
    assert_eq!(verify(&scene, &["--forget"]).status, 0);
    assert_eq!(verify(&scene, &[]).status, 0);
    later();
    assert_eq!(refused(&scene, &["--max-age", "0"]), "trust/age");
}

#[test]
fn a_bundle_of_something_else() {
    let services = Sigstore::start().expect("services");
    let replace = |from: &str, to: &str| {
        let scene = signed(&services);
        fs_err::copy(scene.path(from), scene.path(to)).expect("a copy");
        refused(&scene, &["build/torch-cpu"])
    };
    let bundle = "build/torch-cpu/metadata.json.sigstore";
    assert_eq!(replace("build/torch-universal/metadata.json.sigstore", bundle), "trust/other-content");
    assert_eq!(replace("policy.toml", bundle), "trust/bundle");
    let scene = signed(&services);
    let mut statements = fs_err::read_dir(scene.path("build/provenance")).expect("statements");
    let statement = statements.next().expect("one").expect("an entry").path();
    fs_err::copy(&statement, scene.path(bundle)).expect("a copy");
    assert_eq!(refused(&scene, &["build/torch-cpu"]), "trust/bundle");
    let scene = signed(&services);
    fs_err::remove_file(scene.path("build/torch-cpu/metadata.json.sigstore")).expect("gone");
    let ran = verify(&scene, &[]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["trust/unsigned".to_owned()]));
}

#[test]
fn a_statement_that_is_missing_or_of_another_set() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    let statement = || {
        let mut statements = fs_err::read_dir(scene.path("build/provenance")).expect("statements");
        statements.next().expect("one").expect("an entry").path()
    };
    let (path, text) = (statement(), fs_err::read(statement()).expect("a statement"));
    let other = signed(&services).file("build/torch-cpu/__init__.py", "other = 1\n");
    assert_eq!(other.run(&["hash", "."]).status, 0);
    assert_eq!(sign(&other).status, 0);
    let mut others = fs_err::read_dir(other.path("build/provenance")).expect("statements");
    fs_err::copy(others.next().expect("one").expect("an entry").path(), &path).expect("a copy");
    assert_eq!(refused(&scene, &[]), "trust/set");
    fs_err::remove_file(&path).expect("gone");
    assert_eq!(refused(&scene, &[]), "trust/set");
    // As in a repository: at the top.
    fs_err::create_dir(scene.path("provenance")).expect("a folder");
    fs_err::write(scene.path("provenance").join(path.file_name().expect("a name")), text).expect("written");
    assert_eq!(verify(&scene, &[]).status, 0);
}

#[test]
fn something_beside_a_valid_digest() {
    let services = Sigstore::start().expect("services");
    let with = |path: &str| {
        let scene = signed(&services).file(&format!("build/torch-cpu/{path}"), "import os\n");
        refused(&scene, &[])
    };
    for path in [
        "__pycache__/__init__.cpython-311.pyc",
        "__init__.pyc",
        "data/metadata.json.sigstore",
        "__pycache__/x/y.py",
        "more.so",
    ] {
        assert_eq!(with(path), "trust/stray", "{path}");
    }
    assert_eq!(with("__init__.py"), "artifact/digest");
    let scene = signed(&services);
    let link = |target: &str, name: &str| {
        let path = scene.path(name);
        if path.exists() {
            fs_err::rename(&path, scene.path("aside")).expect("moved");
        }
        fs_err::os::unix::fs::symlink(scene.path(target), path).expect("a link");
    };
    link("aside", "build/torch-cpu/empty.py");
    assert_eq!(refused(&scene, &[]), "trust/link", "a link to a file of the same content");
    let scene = signed(&services);
    let link = |target: &str, name: &str| {
        fs_err::rename(scene.path(name), scene.path(target)).expect("moved");
        fs_err::os::unix::fs::symlink(scene.path(target), scene.path(name)).expect("a link");
    };
    link("aside", "build/torch-universal");
    assert_eq!(refused(&scene, &[]), "trust/link", "a whole variant");
    let scene = signed(&services);
    fs_err::remove_file(scene.path("build/torch-cpu/empty.py")).expect("gone");
    assert_eq!(refused(&scene, &[]), "artifact/digest", "a file that is gone");
}

#[test]
fn a_signature_for_no_place() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    // As other tools sign: the metadata as they were built.
    for variant in ["torch-cpu", "torch-universal"] {
        let path = scene.path(&format!("build/{variant}/metadata.json"));
        let text = fs_err::read_to_string(&path).expect("metadata");
        let mut metadata: Value = serde_json::from_str(&text).expect("JSON");
        metadata.as_object_mut().expect("an object").remove("x-kernel-builder-publication");
        let text = metadata.to_string();
        fs_err::write(&path, &text).expect("written");
        let bundle = others::sign_as_others(&services, text.as_bytes());
        fs_err::write(path.with_extension("json.sigstore"), bundle).expect("written");
    }
    assert_eq!(refused(&scene, &[]), "trust/no-place");
    assert_eq!(verify(&scene, &["--allow-unplaced"]).status, 0);
}

#[test]
fn evidence_that_was_changed() {
    let services = Sigstore::start().expect("services");
    let changed = |pointer: &str, change: fn(&Value) -> Value| {
        let scene = signed(&services);
        let path = scene.path("build/torch-cpu/metadata.json.sigstore");
        let mut bundle: Value =
            serde_json::from_slice(&fs_err::read(&path).expect("a bundle")).expect("JSON");
        let place = bundle.pointer_mut(pointer).expect("a place in it");
        *place = change(place);
        fs_err::write(path, bundle.to_string()).expect("written");
        refused(&scene, &[])
    };
    let later = |time: &Value| {
        let time: u64 = time.as_str().expect("a time").parse().expect("a number");
        (time - 1).to_string().into()
    };
    assert_eq!(changed("/verificationMaterial/tlogEntries/0/integratedTime", later), "trust/log");
    let other = |_: &Value| {
        let other = Sigstore::start().expect("services");
        let bundle = others::sign_as_others(&other, b"other");
        let bundle: Value = serde_json::from_str(&bundle).expect("JSON");
        bundle["verificationMaterial"]["certificate"]["rawBytes"].clone()
    };
    assert_eq!(changed("/verificationMaterial/certificate/rawBytes", other), "trust/certificate");
    let flipped = |_: &Value| {
        let other = Sigstore::start().expect("services");
        let bundle = others::sign_as_others(&other, b"other");
        let bundle: Value = serde_json::from_str(&bundle).expect("JSON");
        bundle["messageSignature"]["signature"].clone()
    };
    assert_eq!(changed("/messageSignature/signature", flipped), "trust/signature");
}
