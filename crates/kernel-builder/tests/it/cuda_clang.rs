//! CUDA 12 without its compiler: clang with NVIDIA's real wheels from an index on this machine, judged by NVIDIA's own
//! `cuobjdump`, by real torch with the real runtime of CUDA 12, and by the real loader.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::cuda::{embedded, kernel, last, said};
use crate::scene::{Ran, Scene, cuda_wheels, ordinary_python, python};
use crate::toolchain::Index;

const MATRIX: &str = "schema = 1\n[[torch]]\nversion = \"2.12\"\nbackend = \"cuda\"\ntoolkits = [\"12.6\", \"12.8\"]\n\
    systems = [\"x86_64-linux\"]\n";

const MANIFEST: &str = r#"[general]
name = "plus-one"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cuda"]

[torch]
src = ["torch-ext/binding.cpp"]
stable-abi = "2.11"

[kernel.plus]
backend = "cuda"
depends = ["torch"]
src = ["plus.cu", "step.cuh"]
cuda-capabilities = ["8.0+PTX", "9.0"]
cuda-flags = ["-O3", "--extended-lambda", "--threads", "4", "-Xcompiler=-fno-math-errno,-Wno-psabi", "-prec-div=false"]

[kernel.newest]
backend = "cuda"
depends = []
src = ["newest.cu", "step.cuh"]
cuda-capabilities = ["8.9", "9.0a", "10.0"]
"#;

/// The package that names the others, and libraries of which headers alone are needed, smaller than they are.
fn others(toolkit: &str) -> Value {
    let mut wheels = serde_json::Map::new();
    let libraries = ["cublas", "cusparse", "cusolver"];
    let extras = ["nvcc", "cudart", "cccl"].into_iter().chain(libraries);
    let packages = ["nvidia-cuda-nvcc-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-cccl-cu12"];
    let packages = packages.map(str::to_owned).into_iter();
    let packages = packages.chain(libraries.iter().map(|library| format!("nvidia-{library}-cu12")));
    let requires: Vec<String> = extras
        .clone()
        .zip(packages)
        .map(|(extra, package)| format!("{package}=={toolkit}.*; extra == '{extra}'"))
        .collect();
    let extras: Vec<&str> = extras.collect();
    wheels.insert(
        format!("cuda_toolkit-{toolkit}.1-py3-none-any.whl"),
        json!({"files": {}, "requires": requires, "extras": extras}),
    );
    for library in libraries {
        let header = format!("nvidia/{library}/include/{library}.h");
        let files = json!({header: "#pragma once\n", format!("nvidia/{library}/lib/large.so"): "no header"});
        wheels
            .insert(format!("nvidia_{library}_cu12-{toolkit}.1-py3-none-any.whl"), json!({ "files": files }));
    }
    wheels.into()
}

/// A kernel on a machine without CUDA, and an index that has its wheels.
fn scene(toolkit: &str) -> (Scene, Index) {
    let scene = kernel(Scene::new(), "").file("build.toml", MANIFEST).file("matrix.toml", MATRIX);
    let real = cuda_wheels();
    let description = json!({"wheels": others(toolkit), "ranges": true, "real": real});
    let index = Index::describe(&scene, "../index", &description);
    let path = |name: &str| scene.path(name).to_str().expect("UTF-8").to_owned();
    let (matrix, cache) = (path("matrix.toml"), path("../cache"));
    let scene = scene
        .variable("KERNEL_BUILDER_MATRIX", &matrix)
        .variable("KERNEL_BUILDER_CACHE_DIR", &cache)
        .variable("UV_DEFAULT_INDEX", &index.address)
        .variable("UV_NO_CACHE", "1");
    (scene, index)
}

fn variant(toolkit: &str) -> String {
    format!("torch-stable-abi211-cu{}-x86_64-linux", toolkit.replace('.', ""))
}

fn run(scene: &Scene, verb: &str, toolkit: &str, more: &[&str]) -> Ran {
    let (python, variant) = (python(), variant(toolkit));
    scene.run(&[&[verb, "--json", "--python", &python, "--variant", &variant], more].concat())
}

fn codes(ran: &Ran) -> Vec<String> {
    let report = last(ran);
    let findings = report["findings"].as_array().unwrap_or_else(|| panic!("{ran}")).iter();
    findings.map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect()
}

/// The file of a package of NVIDIA's.
fn wheel(toolkit: &str, package: &str) -> String {
    let start = format!("{package}-{toolkit}.");
    let entries = fs_err::read_dir(cuda_wheels()).expect("wheels");
    let mut names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    names.find(|name| name.starts_with(&start)).expect("the wheel")
}

/// A wheel's members, unpacked as installers do.
fn unpack(toolkit: &str, package: &str, into: &Path) {
    let wheel = cuda_wheels().join(wheel(toolkit, package));
    let program =
        format!("import zipfile; zipfile.ZipFile('{}').extractall('{}')", wheel.display(), into.display());
    said(python_command(&python()).args(["-c", &program]));
}

#[expect(clippy::disallowed_methods, reason = "the judges are run as a shell runs them")]
fn python_command(interpreter: &str) -> Command {
    Command::new(interpreter)
}

#[test]
fn clang_compiles_cuda_12_6_from_wheels() {
    compiled_and_loaded("12.6");
}

#[test]
#[ignore = "long: the same once more with another version of CUDA, half a minute"]
fn clang_compiles_cuda_12_8_from_wheels() {
    compiled_and_loaded("12.8");
}

fn compiled_and_loaded(toolkit: &str) {
    let (scene, index) = scene(toolkit);
    let ran = run(&scene, "build", toolkit, &["--dev", "--sandbox", "require", "--check-reproducible"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(codes(&ran), ["build/architecture-left-out", "build/flag-left-out"], "{ran}");
    let report = last(&ran);
    let id = report["variants"][0]["id"].as_str().expect("an id");
    let folder = format!("build/{}", variant(toolkit));
    let library = scene.path(&format!("{folder}/{id}.abi3.so"));
    assert_eq!(embedded(&library), ["sm_80", "sm_80 ptx", "sm_89", "sm_90", "sm_90a"]);
    let metadata = fs_err::read(scene.path(&format!("{folder}/metadata.json"))).expect("metadata");
    let metadata: Value = serde_json::from_slice(&metadata).expect("JSON");
    assert_eq!(metadata["backend"]["archs"], json!(["8.0+PTX", "8.9", "9.0", "9.0a"]));
    let compiler = index.sent(&wheel(toolkit, "nvidia_cuda_nvcc_cu12"));
    assert!((1 << 20..48 << 20).contains(&compiler), "{compiler} bytes of the compiler were sent");

    unpack(toolkit, "nvidia_cuda_runtime_cu12", &scene.path("../runtime"));
    let runtime = scene.path("../runtime/nvidia/cuda_runtime/lib");
    let program = format!(
        "import torch\ntorch.ops.load_library('{}')\n\
         print([line for line in torch._C._dispatch_dump('{id}::plus').splitlines() if line.startswith('CUDA:')])",
        library.display()
    );
    let load = |with: bool| {
        let mut command = python_command(&python());
        command.args(["-c", &program]).current_dir(scene.path(""));
        if with {
            command.env("LD_LIBRARY_PATH", &runtime);
        }
        command
    };
    let printed = said(&mut load(true));
    assert!(printed.contains("CUDA: registered at torch-ext/binding.cpp"), "{printed}");
    let without = load(false).output().expect("Python starts");
    let error = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(!without.status.success() && error.contains("libcudart.so.12: cannot open"), "{error}");

    // A torch of CUDA 13 does not even try: the loader finds no variant for it.
    let program = "import torch\nfrom pathlib import Path\nfrom kernels import get_local_kernel\n\
         assert torch.version.cuda.startswith('13.')\ntry:\n    get_local_kernel(Path('.').absolute())\n\
         except FileNotFoundError as error:\n    print(error)";
    let mut command = python_command(&ordinary_python());
    command.args(["-c", program]).current_dir(scene.path("")).env("HF_HUB_OFFLINE", "1");
    assert!(said(&mut command).contains("Cannot find a build variant for this system"));
}

#[test]
fn what_keeps_clang_from_compiling_cuda_12_is_told() {
    let (scene, _index) = scene("12.6");
    let release = run(&scene, "build", "12.6", &[]);
    assert_eq!(
        (release.status, &last(&release)["code"]),
        (4, &json!("environment/cuda-toolkit")),
        "{release}"
    );
    assert!(release.stdout.contains("for `--dev`"), "{release}");
    let none = scene.variable("CUDACXX", "no-such-clang");
    let ran = run(&none, "build", "12.6", &["--dev"]);
    assert_eq!((ran.status, &last(&ran)["code"]), (4, &json!("environment/cuda-toolkit")), "{ran}");
    assert!(ran.stdout.contains("apt install clang"), "{ran}");
    // A plan needs no clang: what it would do is said all the same.
    let planned = run(&none, "plan", "12.6", &["--dev"]);
    let plan = last(&planned)["plans"][0].clone();
    assert_eq!(plan["library"]["toolchain"]["cuda"], "clang", "{planned}");
    let flags = plan["library"]["compile"].to_string();
    for flag in ["--cuda-gpu-arch=sm_90a", "-fclang-abi-compat=17", "--no-cuda-include-ptx=all"] {
        assert!(flags.contains(flag), "{flag}: {flags}");
    }
    assert!(!flags.contains("-gencode") && !flags.contains("-Xcompiler"), "{flags}");
}
