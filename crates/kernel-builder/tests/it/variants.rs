//! `variants`: the list, and what the loader decides on described machines.

use crate::scene::Scene;

const MANIFEST: &str = r#"
[general]
name = "relu"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu", "cuda", "xpu"]

[torch]
src = []

[kernel.relu_cpu]
backend = "cpu"
depends = ["torch"]
src = ["relu_cpu/relu.cpp"]

[kernel.relu_cuda]
backend = "cuda"
depends = ["torch"]
src = ["relu_cuda/relu.cu"]
"#;

const ORDINARY: &str = r#"
cpu = "x86_64"
os = "linux"
python = "3.11.7"
tvm-ffi = "0.1.15.post2"

[torch]
version = "2.15.0+cu132"
cuda = "13.2"
"#;

fn scene() -> Scene {
    Scene::new().file("build.toml", MANIFEST).file("machine.toml", ORDINARY)
}

#[test]
fn the_list_has_one_name_on_each_line() {
    let scene = scene();
    insta::assert_snapshot!(scene.run(&["variants"]));
    assert_eq!(scene.run(&["list-variants", "."]).stdout, scene.run(&["variants"]).stdout);
    let all = scene.run(&["variants", "--all"]);
    assert!(all.stdout.contains("torch215-cxx11-cu132-x86_64-linux\n"), "{all}");
}

#[test]
fn compiled_names_are_listed_for_backends_without_components() {
    let ran = scene().run(&["list-variants", "--arch"]);
    assert!(ran.stdout.contains("torch213-cxx11-xpu20260-x86_64-linux\n"), "{ran}");
    assert!(!ran.stdout.contains("torch-xpu\n"), "{ran}");
}

#[test]
fn the_ordinary_torch_on_a_machine_without_a_gpu_is_explained() {
    insta::assert_snapshot!(scene().run(&["variants", "--env", "machine.toml"]));
}

#[test]
fn a_built_variant_is_marked_and_json_carries_everything() {
    let scene = scene().file("build/torch215-cxx11-cpu-x86_64-linux/metadata.json", "{}");
    let json = scene.run(&["variants", "--env", "machine.toml", "--json"]).json();
    let explanation = &json.last().expect("a report")["explanation"];
    assert_eq!(explanation["backend"], "cu132");
    assert_eq!(explanation["with_cpu_backend"], "torch215-cxx11-cpu-x86_64-linux");
    let decisions = explanation["decisions"].as_array().expect("a list");
    assert_eq!(decisions[0]["variant"], "torch215-cxx11-cu132-x86_64-linux");
    let built: Vec<_> = decisions.iter().filter(|decision| decision["built"] == true).collect();
    assert_eq!(built.len(), 1);
    assert_eq!(built[0]["reason"], "backend (cpu) does not match selected backend (cu132)");
    assert_eq!(built[0]["check"], "backend");
}

#[test]
fn a_free_threaded_python_passes_compiled_variants_over() {
    let machine = format!("free-threaded = true\n{ORDINARY}");
    let ran = scene().file("machine.toml", &machine).run(&["variants", "--env", "machine.toml"]);
    assert!(ran.stdout.contains("torch212-cxx11-cpu-x86_64-linux  passed over\n"), "{ran}");
    assert!(ran.stdout.contains("this Python is free-threaded and older than 3.15"), "{ran}");
}

#[test]
fn a_faulty_description_or_matrix_is_an_error() {
    let scene = scene().file("bad.json", "{\"cpu\": 1}").file("matrix.toml", "schema = 9");
    insta::assert_snapshot!(scene.run(&["variants", "--env", "bad.json"]));
    let missing = scene.run(&["variants", "--env", "missing.json"]);
    assert_eq!(missing.status, 15, "{missing}");
    assert!(missing.stderr.contains("here/missing.json` cannot be read"), "{missing}");
    let scene = scene.variable("KERNEL_BUILDER_MATRIX", "matrix.toml");
    insta::assert_snapshot!(scene.run(&["variants"]));
}

#[test]
fn a_users_matrix_adds_variants() {
    let row = "schema = 1\n[[torch]]\nversion = \"2.16\"\nbackend = \"cpu\"\nsystems = [\"x86_64-linux\"]\nbundled = true\n";
    let scene = scene().file("../home/.config/kernel-builder/matrix.toml", row);
    let ran = scene.run(&["variants"]);
    assert!(ran.stdout.contains("torch216-cxx11-cpu-x86_64-linux\n"), "{ran}");
}

#[test]
fn the_variants_are_a_build_matrix_too() {
    let scene = scene()
        .file("torch-ext/relu/__init__.py", "")
        .file("relu_cpu/relu.cpp", "")
        .file("relu_cuda/relu.cu", "");
    let ran = scene.run(&["plan", "--matrix", "github"]);
    assert_eq!(ran.status, 0, "{ran}");
    let matrix: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one line of JSON");
    let jobs = matrix["include"].as_array().expect("jobs");
    let all = scene.run(&["variants"]).stdout;
    let names: Vec<&str> = jobs.iter().filter_map(|job| job["variant"].as_str()).collect();
    for variant in all.lines() {
        let left_out = ran.stderr.contains(&format!("`{variant}` is left out of the matrix"));
        assert!(names.contains(&variant) != left_out, "{variant}: {ran}");
    }
    for job in jobs {
        let variant = job["variant"].as_str().expect("a name");
        let arm = job["runner"] == "ubuntu-24.04-arm";
        assert_eq!(arm, variant.contains("aarch64"), "{job}");
        let key = job["cache-key"].as_str().expect("a key");
        assert!(key.contains(variant) && key.contains("_cpu_") || !variant.contains("-cpu-"), "{job}");
    }
    assert!(!names.is_empty(), "{ran}");
}
