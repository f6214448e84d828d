//! `sign` and `verify` against signing services on this machine, and what others make of the result.

mod attacks;
mod depends;
mod others;
mod publishing;
mod rebuild;
mod signing;

use std::path::Path;

use hub_testkit::sigstore::{REQUEST_SECRET, Sigstore, Workflow};
use serde_json::Value;

use crate::scene::{Ran, Scene};
use crate::upload::{manifest, sample, sealed, variant};

/// A policy that allows the testkit's usual workflow.
pub(super) const POLICY: &str = "repository-id = 101\nowner-id = 7\n\
    workflow = \"https://github.com/acme/kernels/.github/workflows/publish.yaml@refs/heads/main\"\n\
    ref = \"refs/heads/main\"\n";

/// A built project in a job that may ask for its identity.
pub(super) fn job(services: &Sigstore) -> Scene {
    let scene = Scene::new()
        .variable("ACTIONS_ID_TOKEN_REQUEST_URL", &services.request_url())
        .variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", REQUEST_SECRET)
        .variable("SOURCE_DATE_EPOCH", "1700000000")
        .file("trust.json", &services.trust_config().to_string())
        .file("policy.toml", POLICY);
    let scene = variant(manifest(scene, 1), "torch-cpu", 1, &sample("one"));
    sealed(variant(scene, "torch-universal", 1, &sample("two")))
}

/// The same, signed.
pub(super) fn signed(services: &Sigstore) -> Scene {
    let scene = job(services);
    let ran = sign(&scene);
    assert_eq!(ran.status, 0, "{ran}");
    scene
}

pub(super) fn sign(scene: &Scene) -> Ran {
    scene.run(&["sign", "--trust-config", "trust.json"])
}

/// Verifies with the policy and more options.
pub(super) fn verify(scene: &Scene, more: &[&str]) -> Ran {
    let usual = ["verify", "--json", "--trust-config", "trust.json", "--policy", "policy.toml"];
    scene.run(&[&usual[..], more].concat())
}

/// The report of a run.
pub(super) fn report(ran: &Ran) -> Value {
    ran.json().pop().expect("a report")
}

/// The codes of every finding, each once, in order.
pub(super) fn codes(ran: &Ran) -> Vec<String> {
    let report = report(ran);
    let variants = report["variants"].as_array().expect("variants").iter();
    let all = variants.chain([&report]).filter_map(|part| part["findings"].as_array()).flatten();
    let mut codes: Vec<String> =
        all.map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// Copies a tree.
pub(super) fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs_err::create_dir_all(to).expect("a folder");
        for entry in fs_err::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs_err::copy(from, to).expect("a copy");
    }
}

/// The testkit's usual workflow with a change.
pub(super) fn workflow(change: impl FnOnce(&mut Workflow)) -> Workflow {
    let mut workflow = Workflow::default();
    change(&mut workflow);
    workflow
}
