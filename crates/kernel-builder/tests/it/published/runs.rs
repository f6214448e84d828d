//! `test` and `bench` of a published kernel: whose code runs, and when none does.

use super::*;
use crate::scene::python;
use hub_testkit::sigstore::{REQUEST_SECRET, Sigstore, Workflow};

const MANIFEST: &str = r#"[general]
name = "plain-half"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu"]

[general.hub]
repo-id = "acme/plain-half"

[torch-noarch]
"#;

const PACKAGE: &str =
    "import torch\n\n__all__ = [\"half\"]\n\n\ndef half(x):\n    \"\"\"Half.\"\"\"\n    return x / 2\n";

const TESTS: &str = "from kernels import get_kernel\nkernel = get_kernel('acme/plain-half', version=1)\n\n\n\
    def test_half():\n    assert kernel.half(4) == 2\n";

const SCRIPT: &str = "import torch\nfrom kernels.benchmark import Benchmark\n\n\n\
    class Half(Benchmark):\n    seed = 1\n\n    def setup(self):\n        self.x = torch.randn(64, 257, device=self.device)\n\n    \
    def benchmark_it(self):\n        self.out = self.kernel.half(self.x)\n\n    \
    def verify_it(self):\n        return self.x / 2\n";

/// The kernel, built and published in two organizations.
fn published(hub: &hub_testkit::Hub) -> Scene {
    let scene = scene(hub, "writer")
        .file("plain/build.toml", MANIFEST)
        .file("plain/torch-ext/plain_half/__init__.py", PACKAGE)
        .file("plain/benchmarks/benchmark_half.py", SCRIPT)
        .file("plain/tests/test_half.py", TESTS);
    let ran = scene.run(&["build", "plain", "--python", &python()]);
    assert_eq!(ran.status, 0, "{ran}");
    for repository in ["acme/plain-half", "untrusted/plain-half"] {
        let ran = scene.run(&["upload", "plain", "--allow-dirty", "--repo-id", repository]);
        assert_eq!(ran.status, 0, "{ran}");
    }
    scene
}

#[test]
fn a_published_kernel_is_tested_by_a_projects_own_tests() {
    let hub = hub();
    published(&hub);
    let scene = reader(&hub).file("plain/tests/test_half.py", TESTS).file("empty/readme.txt", "");
    let python = python();
    let test = |kernel: &str, more: &[&str]| {
        scene.run(&[&["test", kernel, "--json", "--python", &python], more].concat())
    };
    let ran = test("acme/plain-half@v1", &["--tests", "plain"]);
    let tested = report(&ran);
    assert_eq!((ran.status, &tested["variants"][0]["counts"]["passed"]), (0, &1.into()), "{ran}");
    assert!(
        !scene.path("plain/.kernel-builder").exists(),
        "the result is not that of a build of this project"
    );
    let ran = test("acme/plain-half@v1", &["--tests", "empty"]);
    assert_eq!(ran.status, 10, "without tests nothing is verified: {ran}");
    let ran = test("acme/plain-half@v1", &["--variant", "torch-metal"]);
    assert_eq!(codes(&ran), ["published/variant"], "{ran}");

    let ran = test("untrusted/plain-half@v1", &["--tests", "plain"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["published/untrusted".to_owned()]), "{ran}");
    let other = TESTS.replace("acme/", "untrusted/");
    let scene = scene.file("plain/tests/test_half.py", &other);
    let test = |more: &[&str]| {
        let arguments =
            ["test", "untrusted/plain-half@v1", "--json", "--python", &python, "--tests", "plain"];
        scene.run(&[&arguments, more].concat())
    };
    let ran = test(&["--trust-remote-code"]);
    assert_eq!(ran.status, 0, "{ran}");

    // What the digest does not vouch for never runs.
    let stray = "build/torch-cpu/__pycache__/__init__.cpython-311.pyc";
    hub.put("kernels/untrusted/plain-half", "v1", stray, b"evil").expect("added");
    let ran = test(&["--trust-remote-code"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["published/unsound".to_owned()]), "{ran}");
}

#[test]
fn a_published_kernel_comes_with_its_benchmarks() {
    let hub = hub();
    published(&hub);
    let scene = reader(&hub);
    let python = python();
    let bench = |kernel: &str| {
        let fast = ["--threads", "1", "--processes", "3", "--budget", "600"];
        scene.run(&[&["bench", kernel, "--json", "--python", &python], &fast[..]].concat())
    };
    let ran = bench("acme/plain-half@v1");
    let measured = report(&ran);
    assert_eq!(measured["variants"][0]["workloads"][0]["workload"], "Half.it", "{ran}");
    let document = ".kernel-builder/bench/published/acme/plain-half/v1/torch-cpu.json";
    assert!(scene.path(document).is_file(), "{ran}");
    let ran = bench("untrusted/plain-half@v1");
    assert_eq!((ran.status, codes(&ran)), (6, vec!["published/untrusted".to_owned()]), "{ran}");
}

/// A job's step of a workflow, as a shell gets it.
#[expect(clippy::disallowed_methods, reason = "a workflow is for a shell")]
fn step(scene: &Scene, hub: &hub_testkit::Hub, script: &str, variables: &[(&str, &str)]) {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_kernel-builder")).parent().expect("its directory");
    let outer = std::env::var_os("PATH").unwrap_or_default();
    let places = std::iter::once(program.to_owned()).chain(std::env::split_paths(&outer));
    let output = std::process::Command::new("bash")
        .args(["-e", "-c", script])
        .current_dir(scene.path(""))
        .env_clear()
        .env("PATH", std::env::join_paths(places).expect("a search path"))
        .env("HOME", scene.path("../home"))
        .env("HF_ENDPOINT", hub.url())
        .env("KERNEL_BUILDER_PYTHON", python())
        .envs(variables.iter().copied())
        .output()
        .expect("bash starts");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("secret"), "{script}\n{said}");
}

/// The workflow as JSON.
#[expect(clippy::disallowed_methods, reason = "Python reads YAML")]
fn workflow() -> Value {
    let path = crate::scene::repository().join("templates/ci/publish.yml");
    let read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1])), default=str))";
    let output =
        std::process::Command::new(python()).args(["-c", read]).arg(path).output().expect("Python starts");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_workflow_publishes_without_letting_the_project_near_the_token() {
    let workflow = workflow();
    let (build, publish) = (&workflow["jobs"]["build"], &workflow["jobs"]["publish"]);
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    assert_eq!(build["permissions"], serde_json::json!({ "contents": "read" }));
    assert!(!build.to_string().contains("secrets.") && !build.to_string().contains("id-token"), "{build}");
    assert!(!publish.to_string().contains("checkout") && publish["if"].to_string().contains("pull_request"));
    let script = |job: &Value, name: &str| {
        let steps = job["steps"].as_array().expect("steps");
        let found =
            steps.iter().find(|step| step["name"] == name).unwrap_or_else(|| panic!("no step {name}"));
        found["run"].as_str().expect("a script").to_owned()
    };
    assert_eq!(publish["permissions"], serde_json::json!({ "id-token": "write" }));
    assert!(publish.to_string().contains("HF_OIDC_RESOURCE") && !build.to_string().contains("HF_OIDC"));
    let (hub, services) = (hub(), Sigstore::start().expect("signing services"));
    let scene = Scene::new()
        .file("plain/build.toml", MANIFEST)
        .file("plain/torch-ext/plain_half/__init__.py", PACKAGE)
        .file("plain/tests/test_half.py", TESTS)
        .file(".gitignore", "build/\n.kernel-builder/\n");
    scene.tool("git", &["init", "--quiet"]);
    scene.tool("git", &["add", "--all"]);
    scene.tool(
        "git",
        &["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "A"],
    );
    let head = fs_err::read_to_string(scene.path(".git/HEAD")).expect("a head");
    let branch = head.trim().trim_start_matches("ref: ").to_owned();
    let commit = fs_err::read_to_string(scene.path(&format!(".git/{branch}"))).expect("a commit");
    step(&scene, &hub, &script(build, "Build and test"), &[("DIRECTORY", "plain")]);
    // The other job sees what was handed on, and nothing of the project.
    let other = Scene::new()
        .file("jobs/readme", "")
        .file("../trust.json", &services.trust_config().to_string())
        .file("../policy.toml", crate::trust::POLICY);
    fs_err::remove_file(other.path("jobs/readme")).expect("removed");
    fs_err::rename(scene.path("variants"), other.path("jobs/variants-one")).expect("handed on");
    let variables = [
        ("HF_TOKEN", "hf_secret_writer"),
        ("REPOSITORY", "acme/plain-half"),
        ("BRANCH", ""),
        ("COMMIT", commit.trim()),
        ("KERNEL_BUILDER_TRUST_CONFIG", "../trust.json"),
        ("ACTIONS_ID_TOKEN_REQUEST_URL", &services.request_url()),
        ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", REQUEST_SECRET),
    ];
    services.set_job(Workflow { sha: commit.trim().to_owned(), ..Workflow::default() });
    step(&other, &hub, &script(publish, "Publish"), &variables);
    let published = &hub.history("kernels/acme/plain-half", "v1")[0].files;
    for path in ["build/torch-cpu/metadata.json", "results/torch-cpu/tests.json"] {
        assert!(published.contains_key(path), "{:?}", published.keys());
    }
    let reader =
        other.variable("HF_ENDPOINT", &hub.url()).variable("KERNEL_BUILDER_TRUST_CONFIG", "../trust.json");
    let ran = reader.run(&["verify", "acme/plain-half@v1", "--policy", "../policy.toml"]);
    assert!(ran.status == 0 && ran.stdout.contains("torch-cpu: verified"), "{ran}");
}
