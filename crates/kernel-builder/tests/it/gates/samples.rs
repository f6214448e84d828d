//! What `init` writes declares its operation, and passes every gate there is for it.

use super::scene::gates;
use crate::scene::{Scene, python};

/// The framework, a short test of its own suite, and the gates that are not executed on this machine's CPU.
const SAMPLES: &[(&str, &str, &[&str])] = &[
    ("torch", "test_layer", &["C6", "C12"]),
    ("torch-noarch", "test_layer", &["C6", "C12"]),
    ("tvm-ffi", "test_other_objects_are_refused", &["C6", "C11", "C12"]),
];

#[test]
#[ignore = "long: compiles three samples and holds each to all gates"]
fn samples_pass_every_gate_at_the_level_before_a_release() {
    for (framework, own, not_executed) in SAMPLES {
        let scene = Scene::new().variable("KERNEL_BUILDER_PYTHON", &python());
        let begun = ["init", "op", "--name", "acme/op", "--framework", framework, "--backends", "cpu"];
        assert_eq!(scene.run(&begun).status, 0, "{framework}");
        let built = scene.run(&["build", "op"]);
        assert_eq!(built.status, 0, "{built}");
        let ran = scene.run(&["test", "op", "--json", "--level", "full", "--", "-q", "-k", own]);
        assert_eq!(ran.status, 0, "{ran}");
        let of = |outcome: &str| -> Vec<String> {
            let all = gates(&ran).into_iter().filter(|(_, _, gate)| gate["outcome"] == outcome);
            all.map(|(_, name, _)| name).collect()
        };
        assert_eq!(
            (of("not-executed"), of("passed").len()),
            (owned(not_executed), 14 - not_executed.len()),
            "{ran}"
        );
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
