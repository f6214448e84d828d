//! `verify --rebuild`: whether what was signed is what its sources give.

use hub_testkit::Encrypted;

use super::*;
use crate::build::{VARIANT, build, kernel, scene};

/// A built and signed library, and the commit it is of.
fn signed_library(services: &Sigstore) -> Scene {
    let scene = kernel(scene(), "p/")
        .file("trust.json", &services.trust_config().to_string())
        .file("policy.toml", POLICY)
        .file("p/.gitignore", "build/\n.kernel-builder/\n")
        .variable("KERNEL_BUILDER_OFFLINE", "0")
        .variable("ACTIONS_ID_TOKEN_REQUEST_URL", &services.request_url())
        .variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", REQUEST_SECRET);
    scene.tool("git", &["init", "--quiet", "--initial-branch=main", "p"]);
    commit(&scene, "p");
    build(&scene, "p", &[]);
    run_of(&scene, "p", services, |_| {});
    scene
}

/// Commits what is in the project.
fn commit(scene: &Scene, folder: &str) {
    scene.tool("git", &["-C", folder, "add", "--all"]);
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "A"];
    scene.tool(
        "git",
        &[&["-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.org"], &commit[..]].concat(),
    );
}

/// Lets the job be a run for the commit that was built.
fn run_of(scene: &Scene, folder: &str, services: &Sigstore, change: impl FnOnce(&mut Workflow)) {
    let text =
        fs_err::read(scene.path(&format!("{folder}/build/{VARIANT}/metadata.json"))).expect("metadata");
    let metadata: Value = serde_json::from_slice(&text).expect("JSON");
    let commit = metadata["provenance"]["kernel"]["commit"].as_str().expect("a commit").to_owned();
    services.set_job(workflow(|run| {
        run.sha = commit;
        change(run);
    }));
}

fn sign_it(scene: &Scene) {
    let ran = scene.run(&["sign", "p", "--repo-id", "acme/demo", "--trust-config", "trust.json"]);
    assert_eq!(ran.status, 0, "{ran}");
}

#[test]
fn what_the_sources_give_is_identical_and_what_they_do_not_is_named() {
    let services = Sigstore::start().expect("services");
    let scene = signed_library(&services);
    sign_it(&scene);
    let ran = verify(&scene, &["p/build", "--rebuild", "--sources", "p"]);
    let result = report(&ran)["variants"][0].clone();
    assert_eq!((ran.status, &result["rebuilt"]), (0, &"identical".into()), "{ran}");

    // A publisher whose library holds something else than its sources say.
    let folder = scene.path(&format!("p/build/{VARIANT}"));
    let mut names =
        fs_err::read_dir(&folder).expect("a variant").map(|entry| entry.expect("an entry").path());
    let library = names.find(|path| path.extension().is_some_and(|end| end == "so")).expect("a library");
    let mut bytes = fs_err::read(&library).expect("a library");
    let name = b"__tvm_ffi_in_a";
    let at = bytes.windows(name.len()).position(|window| window == name).expect("its function");
    bytes[at + name.len() - 1] = b'b';
    fs_err::write(&library, bytes).expect("written");
    assert_eq!(scene.run(&["hash", "p"]).status, 0);
    // Later: of two sets of one second the first stays.
    later();
    sign_it(&scene);
    assert_eq!(verify(&scene, &["p/build"]).status, 0, "the signature alone does not show it");
    let ran = verify(&scene, &["p/build", "--rebuild", "--sources", "p"]);
    let result = report(&ran)["variants"][0].clone();
    assert_eq!((ran.status, &result["rebuilt"]), (6, &"different".into()), "{ran}");
    assert_eq!(codes(&ran), ["trust/rebuild"]);
    assert!(result["findings"][0]["message"].as_str().expect("a message").contains(".dynstr"), "{ran}");

    // Sources of another state explain it.
    let scene = scene.file(
        "p/a/k.cpp",
        "extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_in_a() { return 8; }\n",
    );
    let ran = verify(&scene, &["p/build", "--rebuild", "--sources", "p"]);
    assert!(ran.status == 6 && ran.stdout.contains("other sources: signed was what"), "{ran}");
}

/// A server of the repository, over https, with a certificate of its own; what is pushed to `main` is in it.
fn host(scene: Scene) -> (Encrypted, Scene) {
    let server = Encrypted::start().expect("a server");
    let policy = POLICY.replace("https://github.com", &server.url());
    let scene = scene
        .variable("SSL_CERT_FILE", server.certificate().to_str().expect("UTF-8"))
        .file("policy.toml", &policy);
    let repository = server.files().join("acme/kernels");
    scene.tool("git", &["init", "--quiet", "--bare", repository.to_str().expect("UTF-8")]);
    (server, scene)
}

/// Pushes the project's commit to a ref of the server, as files that any server can serve.
fn push(scene: &Scene, folder: &str, server: &Encrypted, to: &str) {
    let repository = server.files().join("acme/kernels");
    let repository = repository.to_str().expect("UTF-8");
    scene.tool("git", &["-C", folder, "push", "--quiet", "--force", repository, &format!("HEAD:{to}")]);
    scene.tool("git", &["-C", repository, "update-server-info"]);
}

fn rebuilt(scene: &Scene) -> (i32, Value, Vec<String>, String) {
    let ran = verify(scene, &["p/build", "--rebuild"]);
    let result = report(&ran)["variants"][0]["rebuilt"].clone();
    (ran.status, result, codes(&ran), ran.to_string())
}

#[test]
fn sources_are_fetched_and_give_the_same_bytes_or_are_named() {
    let services = Sigstore::start().expect("services");
    let (server, scene) = host(signed_library(&services));
    push(&scene, "p", &server, "refs/heads/main");
    // The branch goes on: what was signed is in its history.
    commit(&scene, "p");
    push(&scene, "p", &server, "refs/heads/main");
    let at_host = |run: &mut Workflow| run.server = server.url();
    run_of(&scene, "p", &services, at_host);
    sign_it(&scene);
    let (status, result, codes, said) = rebuilt(&scene);
    assert_eq!((status, result, codes), (0, "identical".into(), vec![]), "{said}");
    let ran = scene.run(&[
        "verify",
        "p/build",
        "--rebuild",
        "--trust-config",
        "trust.json",
        "--policy",
        "policy.toml",
    ]);
    assert!(ran.stdout.contains("built again: the same bytes"), "{ran}");

    // A publisher who compiled with one flag more than the commit has, and says otherwise.
    let manifest = fs_err::read_to_string(scene.path("p/build.toml")).expect("a manifest");
    let scene = scene.file("p/build.toml", &manifest.replace("\"-DW=one\"", "\"-DW=one\", \"-O0\""));
    build(&scene, "p", &[]);
    let path = format!("p/build/{VARIANT}/metadata.json");
    let text = fs_err::read_to_string(scene.path(&path)).expect("metadata");
    let clean = text.replace("\"dirty\": true", "\"dirty\": false");
    assert_ne!(clean, text);
    later();
    let scene = scene.file(&path, &clean);
    assert_eq!(scene.run(&["hash", "p"]).status, 0);
    run_of(&scene, "p", &services, at_host);
    sign_it(&scene);
    assert_eq!(verify(&scene, &["p/build"]).status, 0, "the signature alone does not show it");
    let (status, result, codes, said) = rebuilt(&scene);
    assert_eq!((status, result, codes), (6, "different".into(), vec!["trust/rebuild".to_owned()]), "{said}");
    for part in [
        "_demo_op_cpu_",
        ".so` came out differently in ",
        "`.text`",
        "other inputs: signed was",
        "other flags",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_commit_that_is_only_in_a_fork_is_refused() {
    let services = Sigstore::start().expect("services");
    let (server, scene) = host(signed_library(&services));
    push(&scene, "p", &server, "refs/heads/main");
    // Somebody's fork: the host serves its commits under the same address.
    let scene = scene.file(
        "p/a/k.cpp",
        "extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_in_a() { return 9; }\n",
    );
    commit(&scene, "p");
    build(&scene, "p", &[]);
    push(&scene, "p", &server, "refs/pull/1/head");
    run_of(&scene, "p", &services, |run| run.server = server.url());
    sign_it(&scene);
    assert_eq!(verify(&scene, &["p/build"]).status, 0, "the signature alone does not show it");
    let (status, result, codes, said) = rebuilt(&scene);
    assert_eq!((status, result, codes), (6, Value::Null, vec!["trust/history".to_owned()]), "{said}");
}

#[test]
fn sources_are_only_fetched_from_where_they_should_be() {
    let services = Sigstore::start().expect("services");
    let (server, scene) = host(signed_library(&services));
    let refused = |scene: Scene, address: &str, why: &str| {
        run_of(&scene, "p", &services, |run| run.server = address.to_owned());
        let scene = scene.file("policy.toml", &POLICY.replace("https://github.com", address));
        sign_it(&scene);
        let (status, result, codes, said) = rebuilt(&scene);
        assert_eq!((status, result, codes), (6, Value::Null, vec!["trust/sources".to_owned()]), "{said}");
        assert!(said.contains(why), "{why}: {said}");
        scene
    };
    // Nothing was pushed yet.
    let scene = refused(scene, &server.url(), "git could not fetch");
    push(&scene, "p", &server, "refs/heads/main");
    let scene = refused(scene, &format!("{}/elsewhere", server.url()), "git could not fetch");
    let scene = refused(scene, "http://localhost:1", "no https:// address");
    let scene = refused(scene, "file:///tmp", "no https:// address");
    let scene = refused(scene.variable("SSL_CERT_FILE", "/etc/hostname"), &server.url(), "certificate");
    let scene = scene.variable("SSL_CERT_FILE", server.certificate().to_str().expect("UTF-8"));
    run_of(&scene, "p", &services, |run| run.server = server.url());
    let scene = scene.file("policy.toml", &POLICY.replace("https://github.com", &server.url()));
    sign_it(&scene);
    assert_eq!(rebuilt(&scene).0, 0, "from where they should be");
    let ran = verify(&scene, &["p/build", "--rebuild", "--offline"]);
    assert_eq!((ran.status, &report(&ran)["code"]), (8, &"hub/offline".into()), "{ran}");
    let ran = scene.run(&["verify", "p/build", "--rebuild", "--json", "--trust-config", "trust.json"]);
    assert_eq!((ran.status, &report(&ran)["code"]), (2, &"trust/policy".into()), "{ran}");
}

#[test]
fn the_recorded_lock_is_built_by_and_another_is_said() {
    let services = Sigstore::start().expect("services");
    let (scene, _index) = crate::lock::locked();
    let scene = scene
        .file("trust.json", &services.trust_config().to_string())
        .file(".gitignore", "build/\n.kernel-builder/\nenv/\nindex/\ncache/\ntrust.json\npolicy.toml\n")
        .variable("ACTIONS_ID_TOKEN_REQUEST_URL", &services.request_url())
        .variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", REQUEST_SECRET);
    scene.tool("git", &["init", "--quiet", "--initial-branch=main"]);
    commit(&scene, ".");
    build(&scene, "", &[]);
    let (server, scene) = host(scene);
    push(&scene, ".", &server, "refs/heads/main");
    let sign = |scene: &Scene| {
        run_of(scene, ".", &services, |run| run.server = server.url());
        let ran = scene.run(&["sign", ".", "--repo-id", "acme/demo", "--trust-config", "trust.json"]);
        assert_eq!(ran.status, 0, "{ran}");
    };
    sign(&scene);
    let metadata = || {
        let text = fs_err::read_to_string(scene.path(&format!("build/{VARIANT}/metadata.json")));
        serde_json::from_str::<Value>(&text.expect("metadata")).expect("JSON")
    };
    let lock = metadata()["x-kernel-builder"]["toolchain"]["lock"].as_str().expect("a lock").to_owned();
    assert_eq!(metadata()["x-kernel-builder-publication"]["lock"], Value::from(lock.as_str()));
    let mut statements = fs_err::read_dir(scene.path("build/provenance")).expect("statements");
    let statement = fs_err::read(statements.next().expect("one").expect("an entry").path());
    let bundle: Value = serde_json::from_slice(&statement.expect("a statement")).expect("JSON");
    let payload = bundle["dsseEnvelope"]["payload"].as_str().expect("a payload");
    let payload =
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, payload).expect("base64");
    assert!(String::from_utf8(payload).expect("UTF-8").contains(&lock), "the statement names the lock");
    let rebuilt = |scene: &Scene| {
        let ran = verify(scene, &["build", "--rebuild"]);
        let result = report(&ran)["variants"][0]["rebuilt"].clone();
        (ran.status, result, ran.to_string())
    };
    let (status, result, said) = rebuilt(&scene);
    assert_eq!((status, result), (0, "identical".into()), "{said}");
    // The same bytes, and a lock that nobody has.
    let path = format!("build/{VARIANT}/metadata.json");
    let text = fs_err::read_to_string(scene.path(&path)).expect("metadata").replace(&lock, &"0".repeat(64));
    later();
    let scene = scene.file(&path, &text);
    sign(&scene);
    let (status, result, said) = rebuilt(&scene);
    assert_eq!((status, result), (0, "identical-by-other-toolchain".into()), "{said}");
}
