//! CUDA without a GPU: NVIDIA's real compiler from its wheels (`scripts/cuda-toolkit`), judged by its own `cuobjdump` and
//! by real torch.

use std::process::Command;

use serde_json::Value;

use crate::provenance::same_but_stamped;
use crate::scene::{Ran, Scene, cuda, python};

const VARIANT: &str = concat!("torch-stable-abi211-cu132-", "x86_64-linux");
pub(crate) const PLAIN: &str = concat!("tvm-ffi01-cu132-", "x86_64-linux");

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
cuda-capabilities = ["7.5", "8.0+PTX"]
cuda-flags = ["--use_fast_math", "-DSTEP=1", "-Xcompiler=-fno-math-errno,-Wno-psabi"]

[kernel.newest]
backend = "cuda"
depends = []
src = ["newest.cu", "step.cuh"]
cuda-capabilities = ["9.0a", "10.1"]
"#;

/// Kernels of internal linkage: nvcc hashes the path of their source into their names.
const PLUS: &str = "#include \"step.cuh\"\n\
    namespace { __global__ void add(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += step(); } }\n\
    void launch(float* x, int n) { add<<<(n + 255) / 256, 256>>>(x, n); }\n";
const NEWEST: &str = "#include <cuda_fp16.h>\n#include \"step.cuh\"\n\
    namespace { __global__ void add(__half* x) { x[threadIdx.x] = x[threadIdx.x] + __half(step()); } }\n\
    void launch_newest(void* x) { add<<<1, 32>>>(static_cast<__half*>(x)); }\n";
const BINDING: &str = "#include <torch/csrc/stable/library.h>\n#include <torch/csrc/stable/tensor.h>\n\
    #include <cuda_runtime.h>\n#include \"registration.h\"\n\
    #ifndef CUDA_KERNEL\n#error \"the backend is not told\"\n#endif\n\
    void launch(float* x, int n);\nvoid launch_newest(void* x);\n\
    void plus(torch::stable::Tensor x) {\n  auto* data = reinterpret_cast<float*>(x.data_ptr());\n\
      if (x.numel() < 0) launch_newest(data);\n  launch(data, static_cast<int>(x.numel()));\n}\n\
    STABLE_TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) { ops.def(\"plus(Tensor(a!) x) -> ()\"); }\n\
    STABLE_TORCH_LIBRARY_IMPL_EXPAND(TORCH_EXTENSION_NAME, CUDA, ops) { ops.impl(\"plus\", TORCH_BOX(&plus)); }\n\
    REGISTER_EXTENSION(TORCH_EXTENSION_NAME)\n";

pub(crate) fn scene() -> Scene {
    let cache = format!("{}/cache", env!("CARGO_TARGET_TMPDIR"));
    Scene::new().variable("KERNEL_BUILDER_CACHE_DIR", &cache).variable("KERNEL_BUILDER_OFFLINE", "true")
}

pub(crate) fn kernel(scene: Scene, at: &str) -> Scene {
    scene
        .file(&format!("{at}build.toml"), MANIFEST)
        .file(&format!("{at}plus.cu"), PLUS)
        .file(&format!("{at}newest.cu"), NEWEST)
        .file(&format!("{at}step.cuh"), "#pragma once\nnamespace { __device__ float step() { return 1; } }\n")
        .file(&format!("{at}torch-ext/binding.cpp"), BINDING)
        .file(&format!("{at}torch-ext/plus_one/__init__.py"), "from ._ops import ops\n__all__ = [\"ops\"]\n")
}

/// A kernel of CUDA alone, for plans and refusals.
fn plain(manifest_end: &str) -> Scene {
    let manifest = format!(
        "[general]\nname = \"plus-one\"\nversion = 1\nedition = 5\nlicense = \"Apache-2.0\"\nbackends = [\"cuda\"]\n\n\
         [tvm-ffi]\nsrc = []\n\n[kernel.plus]\nbackend = \"cuda\"\ndepends = []\n{manifest_end}"
    );
    let scene = scene().file("build.toml", &manifest).file("plus.cu", "");
    scene.file("tvm-ffi-ext/plus_one/__init__.py", "")
}

fn run(scene: &Scene, verb: &str, variant: &str, more: &[&str]) -> Ran {
    let python = python();
    let arguments = [&[verb, "--json", "--python", &python, "--variant", variant], more].concat();
    scene.run(&arguments)
}

pub(crate) fn last(ran: &Ran) -> Value {
    ran.json().pop().expect("an answer")
}

fn library(scene: &Scene, folder: &str, id: &Value) -> std::path::PathBuf {
    scene.path(&format!("{folder}build/{VARIANT}/{}.abi3.so", id.as_str().expect("an id")))
}

pub(crate) fn said(command: &mut Command) -> String {
    let ran = command.output().expect("it starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// Architectures of machine code and of PTX, as NVIDIA's own tool sees them.
#[expect(clippy::disallowed_methods, reason = "the judges are run as a shell runs them")]
pub(crate) fn embedded(library: &std::path::Path) -> Vec<String> {
    let mut tool = Command::new(format!("{}/bin/cuobjdump", cuda()));
    let text = said(tool.args(["--list-elf", "--list-ptx"]).arg(library));
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|line| line.split('.').find(|part| part.starts_with("sm_")).map(|sm| (line, sm)))
        .map(|(line, sm)| if line.starts_with("PTX file") { format!("{sm} ptx") } else { sm.to_owned() })
        .collect();
    names.sort();
    names
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the judges are run as a shell runs them")]
fn a_kernel_is_compiled_for_exactly_what_it_promises_and_is_the_same_everywhere() {
    let scene = kernel(kernel(scene().variable("CUDA_HOME", &cuda()), ""), "with space/");
    let first = run(&scene, "build", VARIANT, &["--sandbox", "require", "--check-reproducible"]);
    assert_eq!(first.status, 0, "{first}");
    let report = last(&first);
    let codes: Vec<&Value> =
        report["findings"].as_array().expect("findings").iter().map(|f| &f["code"]).collect();
    assert_eq!(codes, ["build/architecture-left-out"], "{first}");
    let id = &report["variants"][0]["id"];
    let built = library(&scene, "", id);
    assert_eq!(embedded(&built), ["sm_75", "sm_80", "sm_80 ptx", "sm_90a"]);
    let metadata = fs_err::read(scene.path(&format!("build/{VARIANT}/metadata.json"))).expect("metadata");
    let metadata: Value = serde_json::from_slice(&metadata).expect("JSON");
    assert_eq!(metadata["backend"]["archs"], serde_json::json!(["7.5", "8.0+PTX", "9.0a"]));

    let program = format!(
        "import torch\ntorch.ops.load_library({:?})\n\
         print([line for line in torch._C._dispatch_dump({id} + '::plus').splitlines() if line.startswith('CUDA:')])",
        built.to_str().expect("UTF-8")
    );
    let printed = said(Command::new(python()).args(["-c", &program]).current_dir(scene.path("")));
    assert!(printed.contains("CUDA: registered at torch-ext/binding.cpp"), "{printed}");

    let python = python();
    let arguments = ["build", "--json", "--python", &python, "--variant", VARIANT, "--sandbox", "off"];
    let second = scene.run_in("with space", &arguments);
    assert_eq!(second.status, 0, "{second}");
    let bytes = |folder| same_but_stamped(fs_err::read(library(&scene, folder, id)).expect("a library"));
    assert!(bytes("") == bytes("with space/"), "place and sandbox change the bytes");
}

/// In Nix's sandbox the toolkit's programs run with Nix's own loader, and make the same code.
#[test]
fn nix_compiles_cuda_for_exactly_what_is_promised() {
    let scene = kernel(crate::nix::with_nix(scene()).variable("CUDA_HOME", &cuda()), "");
    let ran = run(&scene, "build", VARIANT, &[]);
    assert_eq!(ran.status, 0, "{ran}");
    let report = last(&ran);
    let id = &report["variants"][0]["id"];
    assert_eq!(embedded(&library(&scene, "", id)), ["sm_75", "sm_80", "sm_80 ptx", "sm_90a"]);
    let by_nix = same_but_stamped(fs_err::read(library(&scene, "", id)).expect("a library"));
    let store = b"/nix/store/";
    assert!(!by_nix.windows(store.len()).any(|window| window == store), "a path of the store is in it");

    let scene = scene.variable("KERNEL_BUILDER_ENGINE", "local").variable("CXX", &crate::nix::compiler());
    let python = python();
    let arguments = ["build", "--json", "--python", &python, "--variant", VARIANT];
    let ran = crate::nix::run_with_store(&scene, &arguments);
    assert_eq!(ran.status, 0, "{ran}");
    let locally = same_but_stamped(fs_err::read(library(&scene, "", id)).expect("a library"));
    assert!(locally == by_nix, "the engines differ");
}

#[test]
fn what_a_toolkit_does_not_build_is_told_with_its_reason() {
    let scene = plain("src = [\"plus.cu\"]\ncuda-capabilities = [\"9.0\", \"10.1\", \"12.0\"]\n");
    let plan = |variant: &str| last(&run(&scene, "plan", variant, &[]))["plans"][0].clone();
    let newest = plan(PLAIN);
    assert_eq!(newest["archs"], serde_json::json!(["12.0", "9.0"]), "{newest}");
    let causes = newest["findings"].to_string();
    assert!(causes.contains("this toolkit calls 10.1 by its new name 11.0"), "{causes}");
    assert!(causes.contains("this machine cannot build it") && causes.contains("CUDA_HOME"), "{causes}");
    let flags = newest["library"]["compile"][0]["flags"].to_string();
    for flag in [
        "-gencode=arch=compute_90,code=sm_90\"",
        "-gencode=arch=compute_120,code=sm_120\"",
        "\"-DCUDA_KERNEL\"",
        "\"-DUSE_CUDA=1\"",
        "\"-Xcompiler=-fno-gnu-unique\"",
        "\"-Xcompiler=-fPIC\"",
        "\"-objtemp\"",
    ] {
        assert!(flags.contains(flag), "{flag}: {flags}");
    }
    let older = plan(concat!("tvm-ffi01-cu126-", "x86_64-linux"));
    assert_eq!(older["archs"], serde_json::json!(["9.0"]), "{older}");
    let none = plain("src = [\"plus.cu\"]\ncuda-capabilities = [\"12.0a\"]\n");
    let ran = run(&none, "plan", concat!("tvm-ffi01-cu126-", "x86_64-linux"), &[]);
    assert_eq!(ran.status, 3, "{ran}");
    assert!(
        ran.stdout.contains("build/no-architecture") && ran.stdout.contains("list 9.0, the nearest"),
        "{ran}"
    );
}

/// nvcc writes what it is given into command lines for a shell.
#[test]
fn nothing_of_a_project_reaches_the_shell_behind_nvcc() {
    for end in [
        "src = [\"plus.cu\"]\ncuda-flags = [\"-DX=$(touch pwned)\"]\n",
        "src = [\"plus.cu\"]\ncuda-flags = [\"-Xptxas=-v;touch pwned\"]\n",
        "src = [\"plus.cu\"]\ncuda-flags = [\"-gencode=arch=compute_90,code=sm_90\"]\n",
        "src = [\"plus.cu\"]\ninclude = [\"$(touch pwned)\"]\n",
        "src = [\"plus.cu\", \"x$(touch pwned).cu\"]\n",
    ] {
        let scene = plain(end).file("x$(touch pwned).cu", "").file("$(touch pwned)/h.h", "");
        let ran = run(&scene, "plan", PLAIN, &[]);
        assert_eq!(ran.status, 3, "{end}: {ran}");
        assert!(ran.stdout.contains("build/flag") || ran.stdout.contains("build/unwritable"), "{end}: {ran}");
    }
}

#[test]
fn a_toolkit_that_does_not_fit_is_named() {
    let scene = plain("src = [\"plus.cu\"]\n").variable("CUDA_HOME", &cuda());
    let ran = run(&scene, "build", concat!("tvm-ffi01-cu130-", "x86_64-linux"), &[]);
    assert_eq!((ran.status, &last(&ran)["code"]), (4, &"environment/cuda-toolkit".into()), "{ran}");
    assert!(ran.stdout.contains("`CUDA_HOME` is CUDA 13.2"), "{ran}");
    let matrix = "schema = 1\n[cuda-host-compilers]\n\"13.2\" = { gcc = 4, clang = 4 }\n";
    let path = scene.path("matrix.toml").to_str().expect("UTF-8").to_owned();
    let scene = scene.file("matrix.toml", matrix).variable("KERNEL_BUILDER_MATRIX", &path);
    let ran = run(&scene, "build", PLAIN, &[]);
    assert_eq!((ran.status, &last(&ran)["code"]), (4, &"environment/host-compiler".into()), "{ran}");
}

/// Headers that a component depends on come from a source tree that the user names.
#[test]
fn cutlass_comes_from_a_source_tree_of_its_version() {
    let end = "src = [\"plus.cu\"]\n".to_owned();
    let scene = plain(&end).variable("CUDA_HOME", &cuda());
    let manifest = fs_err::read_to_string(scene.path("build.toml")).expect("a manifest");
    let manifest = manifest.replace("depends = []", "depends = [\"cutlass_4_0\"]");
    let version = "#define CUTLASS_MAJOR 3\n#define CUTLASS_MINOR 5\n";
    let scene = scene.file("build.toml", &manifest).file("cutlass/include/cutlass/version.h", version);
    let refused = |scene: &Scene, seen: &str| {
        let ran = run(scene, "build", PLAIN, &[]);
        assert_eq!((ran.status, &last(&ran)["code"]), (4, &"environment/dependency".into()), "{ran}");
        assert!(ran.stdout.contains(seen), "{ran}");
    };
    refused(&scene, "`CUTLASS_SRC_DIR` is not set");
    let scene = scene.variable("CUTLASS_SRC_DIR", "cutlass");
    refused(&scene, "`CUTLASS_SRC_DIR` is CUTLASS 3.5");
    let scene = scene.file("cutlass/include/cutlass/version.h", &version.replace('3', "4").replace('5', "0"));
    let plan = last(&run(&scene, "plan", PLAIN, &[]))["plans"][0].clone();
    let flags = plan["library"]["compile"][0]["flags"].to_string();
    assert!(flags.contains("tc/cutlass_4_0/include"), "{flags}");
    assert!(!plan["findings"].to_string().contains("cannot build it"), "{plan}");
}
