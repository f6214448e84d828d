//! `test` and `bench` of a published kernel: whose code runs, and when none does.

use super::*;
use crate::scene::python;

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
