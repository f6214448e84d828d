//! Projects with declared operations.

use serde_json::Value;

use crate::scene::{Ran, Scene, python};

pub(super) const MANIFEST: &str = r#"[general]
name = "declared"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu"]

[general.hub]
repo-id = "acme/declared"

[torch-noarch]
"#;

/// A project with this package, these declarations and references, built.
pub(super) fn built(package: &str, workloads: &str, reference: &str) -> Scene {
    let scene = Scene::new()
        .variable("KERNEL_BUILDER_PYTHON", &python())
        .file("plain/build.toml", MANIFEST)
        .file("plain/torch-ext/declared/__init__.py", package)
        .file("plain/benchmarks/workloads.toml", workloads)
        .file("plain/benchmarks/reference.py", reference);
    let ran = scene.run(&["build", "plain", "--python", &python()]);
    assert_eq!(ran.status, 0, "{ran}");
    scene
}

pub(super) fn test(scene: &Scene, more: &[&str]) -> Ran {
    let python = python();
    let mut arguments = vec!["test", "plain", "--json", "--python", &python];
    arguments.extend(more);
    scene.run(&arguments)
}

/// What became of each gate of each operation, as `operation C1 passed`.
pub(super) fn gates(ran: &Ran) -> Vec<(String, String, Value)> {
    let report = ran.json().pop().expect("a last line");
    assert_eq!(report["event"], "report", "{ran}");
    let mut gates = Vec::new();
    for operation in report["variants"][0]["operations"].as_array().expect("operations") {
        for gate in operation["gates"].as_array().expect("gates") {
            let name = gate["gate"].as_str().expect("a name").split(' ').next().expect("a number").to_owned();
            gates.push((operation["operation"].as_str().expect("a name").to_owned(), name, gate.clone()));
        }
    }
    gates
}

/// The gates of an operation that ended so, and the first failure's words.
pub(super) fn ended(ran: &Ran, operation: &str, outcome: &str) -> Vec<String> {
    let of = gates(ran).into_iter().filter(|(of, _, gate)| of == operation && gate["outcome"] == outcome);
    of.map(|(_, name, _)| name).collect()
}

/// As few processes as a verdict needs.
pub(super) fn bench(scene: &Scene, more: &[&str]) -> Ran {
    let python = python();
    let mut arguments = vec!["bench", "plain", "--json", "--python", &python, "--threads", "1"];
    arguments.extend(["--processes", "3", "--budget", "600"]);
    arguments.extend(more);
    scene.run(&arguments)
}
