//! `sign` and `verify` against signing services on this machine, and what others make of the result.

mod attacks;
mod clock;
mod depends;
mod others;
mod places;
mod publishing;
mod rebuild;
mod signing;
mod waiting;

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

/// Waits for a later second: a set is numbered by the second in which it is signed, and of two sets of one the first stays.
pub(super) fn later() {
    std::thread::sleep(std::time::Duration::from_millis(1_100));
}

/// What was said, without the numbers of sets.
pub(super) fn without_numbers(ran: &Ran) -> String {
    let text = ran.to_string();
    let mut parts = text.split(", number ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + ", number [TIME]" + part.trim_start_matches(char::is_numeric))
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
