//! `verify --rebuild`: whether what was signed is what its sources give.

use super::*;
use crate::build::{VARIANT, build, kernel, scene};

/// A built and signed library, and the commit it is of.
fn signed_library(services: &Sigstore) -> Scene {
    let scene = kernel(scene(), "p/")
        .file("trust.json", &services.trust_config().to_string())
        .file("policy.toml", POLICY)
        .file("p/.gitignore", "build/\n.kernel-builder/\n")
        .variable("KERNEL_BUILDER_OFFLINE", "0")
        .variable("SOURCE_DATE_EPOCH", "1700000000")
        .variable("ACTIONS_ID_TOKEN_REQUEST_URL", &services.request_url())
        .variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", REQUEST_SECRET);
    scene.tool("git", &["init", "--quiet", "p"]);
    scene.tool("git", &["-C", "p", "add", "--all"]);
    let commit = ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "A"];
    scene.tool("git", &[&["-C", "p"], &commit[..]].concat());
    build(&scene, "p", &[]);
    let text = fs_err::read(scene.path(&format!("p/build/{VARIANT}/metadata.json"))).expect("metadata");
    let metadata: Value = serde_json::from_slice(&text).expect("JSON");
    let commit = metadata["provenance"]["kernel"]["commit"].as_str().expect("a commit").to_owned();
    services.set_job(workflow(|run| run.sha = commit));
    scene
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
    let ran = verify(&scene, &["p/build", "--rebuild", "p"]);
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
    let scene = scene.variable("SOURCE_DATE_EPOCH", "1700000100");
    sign_it(&scene);
    assert_eq!(verify(&scene, &["p/build"]).status, 0, "the signature alone does not show it");
    let ran = verify(&scene, &["p/build", "--rebuild", "p"]);
    let result = report(&ran)["variants"][0].clone();
    assert_eq!((ran.status, &result["rebuilt"]), (6, &"different".into()), "{ran}");
    assert_eq!(codes(&ran), ["trust/rebuild"]);
    assert!(result["findings"][0]["message"].as_str().expect("a message").contains(".dynstr"), "{ran}");

    // Sources of another state explain it.
    let scene = scene.file(
        "p/a/k.cpp",
        "extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_in_a() { return 8; }\n",
    );
    let ran = verify(&scene, &["p/build", "--rebuild", "p"]);
    assert!(ran.status == 6 && ran.stdout.contains("other sources: signed was what"), "{ran}");
}
