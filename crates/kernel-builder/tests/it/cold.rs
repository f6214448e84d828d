//! What a first build fetches: an empty cache, a Python without torch, and an index on this machine that has NVIDIA's real
//! compiler and a torch with all of its real headers among as many bytes again of something else.

use serde_json::{Value, json};

use crate::scene::{Ran, Scene, cuda_wheels, python};
use crate::toolchain::Index;

const MANIFEST: &str = r#"[general]
name = "plus-one"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu", "cuda"]

[torch]
src = ["binding.cpp"]

[kernel.here]
backend = "cpu"
depends = ["torch"]
src = ["here.cpp"]

[kernel.there]
backend = "cuda"
depends = ["torch"]
src = ["there.cu"]
cuda-capabilities = ["8.0"]
"#;

const BINDING: &str = "#include <torch/library.h>\n#include <ATen/core/Tensor.h>\n#include \"registration.h\"\n\
    void plus(float* x, int64_t n);\nvoid plus_one(at::Tensor x) { plus(x.mutable_data_ptr<float>(), x.numel()); }\n\
    TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) { ops.def(\"plus(Tensor(a!) x) -> ()\", &plus_one); }\n\
    REGISTER_EXTENSION(TORCH_EXTENSION_NAME)\n";
const HERE: &str =
    "#include <cstdint>\nvoid plus(float* x, int64_t n) { for (int64_t i = 0; i < n; ++i) x[i] += 1; }\n";
const THERE: &str = "#include <cstdint>\n\
    __global__ void add(float* x, int64_t n) { int64_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }\n\
    void plus(float* x, int64_t n) { add<<<(n + 255) / 256, 256>>>(x, n); }\n";

/// Torch as its wheel is, less what no build reads, and the packages of CUDA 13.2.
fn wheels() -> Value {
    let bin = std::path::Path::new(&python()).parent().expect("a directory").to_owned();
    let mut folders = fs_err::read_dir(bin.with_file_name("lib")).expect("lib");
    let site = folders.next().expect("a folder").expect("an entry").path().join("site-packages");
    let requires = [
        ("nvcc", "nvidia-cuda-nvcc"),
        ("nvcc", "nvidia-nvvm"),
        ("nvcc", "nvidia-cuda-crt"),
        ("cudart", "nvidia-cuda-runtime"),
        ("cccl", "nvidia-cuda-cccl"),
        ("cublas", "nvidia-cublas"),
        ("cusparse", "nvidia-cusparse"),
        ("cusolver", "nvidia-cusolver"),
    ];
    let requires = requires.map(|(extra, package)| format!("{package}==13.2.*; extra == '{extra}'"));
    let mut wheels = json!({
        "torch-2.15.0-py3-none-any.whl":
            {"files": {}, "folder": site, "only": ["torch/include/**/*", "torch/version.py"], "padding": 64 << 20},
        "cuda_toolkit-13.2.2-py3-none-any.whl": {"files": {}, "requires": requires,
            "extras": ["nvcc", "cudart", "cccl", "cublas", "cusparse", "cusolver"]},
    });
    // Hundreds of megabytes each, of which headers alone are needed: about as many as these have.
    for library in ["cublas", "cusparse", "cusolver"] {
        let header = format!("nvidia/cu13/include/{library}.h");
        wheels[format!("nvidia_{library}-13.2.1-py3-none-any.whl")] =
            json!({"files": {header: 400 << 10}, "padding": 24 << 20});
    }
    wheels
}

fn built(scene: &Scene, variant: &str) -> Ran {
    let ran = scene.run(&["build", "--json", "--python", "env", "--variant", variant]);
    assert_eq!(ran.status, 0, "{ran}");
    ran
}

#[test]
#[ignore = "long: compiles against all of torch, and packs and moves hundreds of megabytes"]
fn a_first_build_fetches_little() {
    let scene = Scene::new();
    scene.environment("env");
    let uv = std::path::Path::new(&python()).with_file_name("uv");
    fs_err::os::unix::fs::symlink(uv, scene.path("env/bin/uv")).expect("a link");
    let index = Index::describe(
        &scene,
        "../index",
        &json!({"wheels": wheels(), "ranges": true, "real": cuda_wheels()}),
    );
    let cache = scene.path("../cache").to_str().expect("UTF-8").to_owned();
    let scene = scene
        .variable("KERNEL_BUILDER_CACHE_DIR", &cache)
        .variable("UV_DEFAULT_INDEX", &index.address)
        .variable("UV_NO_CACHE", "1")
        .file("build.toml", MANIFEST)
        .file("binding.cpp", BINDING)
        .file("here.cpp", HERE)
        .file("there.cu", THERE)
        .file("torch-ext/plus_one/__init__.py", "from ._ops import ops\n");
    built(&scene, concat!("torch215-cxx11-cpu-", "x86_64-linux"));
    let first = index.sent_in_all();
    println!("a torch that is not installed, for the CPU: {} MB", first / 1_000_000);
    assert!(first < 20_000_000, "{first} bytes were fetched for the CPU");
    fs_err::remove_dir_all(&cache).expect("removed");
    built(&scene, concat!("torch215-cxx11-cu132-", "x86_64-linux"));
    let second = index.sent_in_all() - first;
    println!("the same and CUDA's compiler, with an empty cache: {} MB", second / 1_000_000);
    assert!(second < 200_000_000, "{second} bytes were fetched for CUDA 13");
}
