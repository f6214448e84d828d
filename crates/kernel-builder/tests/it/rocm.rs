//! ROCm without a GPU: a distribution's HIP and clang, and torch's real hipify. The matrix is told of the distribution's version.

use serde_json::{Value, json};

use crate::provenance::same_but_stamped;
use crate::scene::{Ran, Scene, python};

/// HIP's version as this machine has it, such as `5.2`.
fn version() -> String {
    let header = fs_err::read_to_string("/usr/include/hip/hip_version.h");
    let header = header.expect("HIP is installed: `scripts/install-requirements hipcc`");
    let number = |name: &str| {
        let found = header.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name));
        found.expect("a version").trim().to_owned()
    };
    format!("{}.{}", number("HIP_VERSION_MAJOR "), number("HIP_VERSION_MINOR "))
}

/// The variant that this machine can build.
pub(crate) fn variant() -> String {
    format!("tvm-ffi01-rocm{}-{}", version().replace('.', ""), "x86_64-linux")
}

const NEWER: &str = concat!("tvm-ffi01-rocm99-", "x86_64-linux");

const MATRIX: &str = r#"schema = 1

[[tvm-ffi]]
version = "0.1"
backend = "rocm"
toolkits = ["VERSION", "9.9"]
systems = ["x86_64-linux"]
"#;

const MANIFEST: &str = r#"[general]
name = "plus-one"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["rocm"]

[tvm-ffi]
src = ["binding.cpp"]

[kernel.plus]
backend = "rocm"
depends = []
src = ["plus.hip"]
rocm-archs = ["gfx90a", "gfx1030", "gfx803"]
hip-flags = ["-DSTEP=1", "-ffast-math"]

[kernel.twice]
backend = "rocm"
depends = []
src = ["cuda/twice.cu", "cuda/factor.cuh"]
include = ["."]
rocm-archs = ["gfx90a", "gfx1030"]
"#;

const PLUS: &str = "#include <hip/hip_runtime.h>\n\
    namespace { __global__ void add(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += STEP; } }\n\
    void plus(float* x, int n) { add<<<(n + 255) / 256, 256>>>(x, n); }\n";
const TWICE: &str = "#include <cuda_runtime.h>\n#include \"cuda/factor.cuh\"\n\
    namespace { __global__ void scale(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= factor(); } }\n\
    int twice(float* x, int n, cudaStream_t stream) { scale<<<(n + 255) / 256, 256, 0, stream>>>(x, n); return cudaGetLastError(); }\n";
const FACTOR: &str = "#pragma once\n#include <cuda_runtime.h>\nnamespace { __device__ float factor() { return 2; } }\n\
    inline cudaError_t wait() { return cudaDeviceSynchronize(); }\n";
const BINDING: &str = "#include <hip/hip_runtime.h>\n#include <tvm/ffi/tvm_ffi.h>\n\
    #if !defined(ROCM_KERNEL) || !USE_ROCM\n#error \"the backend is not told\"\n#endif\n\
    void plus(float* x, int n);\nint twice(float* x, int n, hipStream_t stream);\n\
    int64_t run(int64_t n) { if (n > 0) { plus(nullptr, n); return twice(nullptr, n, nullptr); } return 7; }\n\
    TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);\n";

pub(crate) fn scene() -> Scene {
    let cache = format!("{}/cache", env!("CARGO_TARGET_TMPDIR"));
    let scene = Scene::new().file("matrix.toml", &MATRIX.replace("VERSION", &version()));
    let matrix = scene.path("matrix.toml").to_str().expect("UTF-8").to_owned();
    scene
        .variable("KERNEL_BUILDER_CACHE_DIR", &cache)
        .variable("KERNEL_BUILDER_OFFLINE", "true")
        .variable("KERNEL_BUILDER_MATRIX", &matrix)
}

fn kernel(scene: Scene, at: &str) -> Scene {
    scene
        .file(&format!("{at}build.toml"), MANIFEST)
        .file(&format!("{at}plus.hip"), PLUS)
        .file(&format!("{at}cuda/twice.cu"), TWICE)
        .file(&format!("{at}cuda/factor.cuh"), FACTOR)
        .file(&format!("{at}binding.cpp"), BINDING)
        .file(&format!("{at}tvm-ffi-ext/plus_one/__init__.py"), "__all__ = []\n")
}

fn run(scene: &Scene, folder: &str, verb: &str, variant: &str, more: &[&str]) -> Ran {
    let python = python();
    let arguments = [&[verb, "--json", "--python", &python, "--variant", variant], more].concat();
    scene.run_in(folder, &arguments)
}

fn last(ran: &Ran) -> Value {
    ran.json().pop().expect("an answer")
}

fn library(scene: &Scene, folder: &str, id: &Value) -> std::path::PathBuf {
    scene.path(&format!("{folder}build/{}/{}.so", variant(), id.as_str().expect("an id")))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the loader is run as a shell runs it")]
fn hip_and_translated_cuda_become_code_objects_of_exactly_what_is_promised() {
    let scene = kernel(kernel(scene(), ""), "with space/");
    let first = run(&scene, "", "build", &variant(), &["--sandbox", "require", "--check-reproducible"]);
    assert_eq!(first.status, 0, "{first}");
    let report = last(&first);
    assert_eq!(report["findings"][0]["code"], "build/architecture-left-out", "{first}");
    let id = &report["variants"][0]["id"];
    let built = library(&scene, "", id);
    let inspected = last(&scene.run(&["inspect", "--json", built.to_str().expect("UTF-8")]));
    let gpu = inspected["libraries"][0]["gpu"].as_array().expect("code of GPUs").clone();
    let seen: Vec<(&str, &str, u64)> = gpu
        .iter()
        .map(|one| (one["kind"].as_str(), one["architecture"].as_str(), one["images"].as_u64()))
        .map(|(kind, architecture, images)| {
            (kind.expect("a kind"), architecture.expect("one"), images.expect("some"))
        })
        .collect();
    assert_eq!(seen, [("hip", "gfx1030", 2), ("hip", "gfx90a", 2)], "{inspected}");
    let metadata = fs_err::read(scene.path(&format!("build/{}/metadata.json", variant()))).expect("metadata");
    let metadata: Value = serde_json::from_slice(&metadata).expect("JSON");
    assert_eq!(metadata["backend"], json!({"type": "rocm", "archs": ["gfx1030", "gfx90a"]}));
    // Nothing is translated over the user's files.
    let sources =
        fs_err::read_dir(scene.path("cuda")).expect("a folder").map(|entry| entry.expect("one").file_name());
    let mut sources: Vec<_> = sources.collect();
    sources.sort();
    assert_eq!(sources, ["factor.cuh", "twice.cu"]);
    assert_eq!(fs_err::read_to_string(scene.path("cuda/twice.cu")).expect("a source"), TWICE);

    // It loads where HIP's library is, without a GPU.
    let program =
        format!("import tvm_ffi\nprint(tvm_ffi.load_module({:?}).run(0))", built.to_str().expect("UTF-8"));
    let loaded = std::process::Command::new(python()).args(["-c", &program]).output().expect("Python starts");
    assert_eq!(String::from_utf8_lossy(&loaded.stdout), "7\n", "{}", String::from_utf8_lossy(&loaded.stderr));

    let second = run(&scene, "with space", "build", &variant(), &["--sandbox", "off"]);
    assert_eq!(second.status, 0, "{second}");
    let bytes = |folder| same_but_stamped(fs_err::read(library(&scene, folder, id)).expect("a library"));
    assert!(bytes("") == bytes("with space/"), "place and sandbox change the bytes");
    assert_eq!(last(&run(&scene, "", "build", &variant(), &[]))["variants"][0]["work"], "up-to-date");

    // A header that only the translated source reads: the other HIP source is not compiled again.
    let scene = scene.file("cuda/factor.cuh", &FACTOR.replace("return 2", "return 3"));
    let again = last(&run(&scene, "", "build", &variant(), &["--sandbox", "require"]));
    let steps = again["variants"][0]["steps"].to_string();
    assert!(steps.contains("translate CUDA to HIP") && steps.contains("compile cuda/twice.cu"), "{steps}");
    assert!(!steps.contains("compile plus.hip") && !steps.contains("compile binding.cpp"), "{steps}");
}

/// Every flag that the formats (section 4.3) and torch's stable ABI ask for stands in the plan; so do the edges.
#[test]
fn the_plan_says_every_flag_of_hip() {
    let scene = kernel(scene(), "");
    let ran = run(&scene, "", "plan", NEWER, &[]);
    let plan = last(&ran)["plans"][0].clone();
    assert_eq!(plan["archs"], json!(["gfx1030", "gfx90a"]), "{ran}");
    let findings = plan["findings"].to_string();
    assert!(findings.contains("gfx803") && findings.contains("environment/rocm"), "{findings}");
    let steps = plan["library"]["compile"].as_array().expect("steps");
    let of = |source: &str| steps.iter().find(|step| step["source"] == source).expect("a step");
    let flags = |source: &str| of(source)["flags"].as_array().expect("flags").clone();
    for source in ["plus.hip", "cuda/twice.cu"] {
        assert_eq!(of(source)["language"], "hip");
        for flag in
            ["--offload-arch=gfx90a", "--offload-arch=gfx1030", "-DROCM_KERNEL", "-DUSE_ROCM=1", "-fPIC"]
        {
            assert!(flags(source).contains(&json!(flag)), "{flag} is missing for {source}");
        }
        assert!(!flags(source).contains(&json!("--offload-arch=gfx803")), "{source}");
        assert!(!flags(source).contains(&json!("-fno-gnu-unique")), "clang has no such flag");
    }
    assert!(
        flags("plus.hip").contains(&json!("-DSTEP=1")) && flags("plus.hip").contains(&json!("-ffast-math"))
    );
    assert!(!flags("cuda/twice.cu").contains(&json!("-DSTEP=1")), "flags of another component");
    assert!(
        !flags("binding.cpp").contains(&json!("-DSTEP=1"))
            && flags("binding.cpp").contains(&json!("-DROCM_KERNEL"))
    );
    assert_eq!(of("cuda/twice.cu")["translated"], "hipified/hip/twice.hip");
    assert_eq!(plan["library"]["hipify"]["sources"], json!(["cuda/twice.cu"]));
    let outputs = plan["library"]["hipify"]["outputs"].as_array().expect("outputs");
    for made in ["hipified/hip/twice.hip", "hipified/hip/factor.cuh", "hipified/cuda/factor.cuh"] {
        assert!(outputs.contains(&json!(made)), "{made} is missing: {outputs:?}");
    }
    assert!(
        !outputs.iter().any(|path| path.to_string().contains("__init__")),
        "what ships is not translated"
    );
}

#[test]
fn what_is_missing_for_rocm_is_named() {
    let scene = kernel(scene(), "");
    let ran = run(&scene, "", "build", NEWER, &[]);
    assert_eq!((ran.status, &last(&ran)["code"]), (4, &json!("environment/rocm")), "{ran}");
    assert!(
        ran.stdout.contains(&format!("`/usr` is ROCm {}", version())) && ran.stdout.contains("ROCM_PATH"),
        "{ran}"
    );
    let scene = scene.variable("ROCM_PATH", "nowhere");
    let ran = run(&scene, "", "build", NEWER, &[]);
    assert!(ran.stdout.contains("`ROCM_PATH`") && ran.stdout.contains("hip_version.h"), "{ran}");
    // An environment without torch has no hipify.
    let scene = kernel(self::scene(), "");
    let folder = scene.environment("env");
    let package = format!("env/lib/{folder}/site-packages/tvm_ffi");
    let environment = scene.path("env").to_str().expect("UTF-8").to_owned();
    let scene = scene
        .file(&format!("{package}/__init__.py"), "")
        .file(&format!("{package}/_version.py"), "__version__ = '0.1.15'\n")
        .variable("VIRTUAL_ENV", &environment);
    let ran = scene.run(&["build", "--json", "--variant", &variant()]);
    assert_eq!((ran.status, &last(&ran)["code"]), (4, &json!("environment/hipify")), "{ran}");
}

/// Flags for HIP go through the same gate as those for C++, and nothing of a project reaches a shell.
#[test]
fn no_flag_and_no_name_of_a_project_does_more_than_compile() {
    for end in ["-Xclang=-load", "-fplugin=x.so", "-DX=1;touch pwned", "--rocm-path=/tmp", "-x", "@file"] {
        let scene = kernel(scene(), "");
        let manifest = MANIFEST.replace("\"-ffast-math\"", &format!("{end:?}"));
        let ran = run(&scene.file("build.toml", &manifest), "", "plan", &variant(), &[]);
        if end.contains("touch") {
            assert_eq!(ran.status, 0, "a macro may be anything: {ran}");
            continue;
        }
        assert_eq!((ran.status, &last(&ran)["code"]), (3, &json!("build/plan")), "{end}: {ran}");
    }
    let name = "cuda/x$(touch pwned).cu";
    let manifest = MANIFEST
        .replace("\"cuda/twice.cu\"", &format!("\"cuda/twice.cu\", {name:?}"))
        .replace("\"-ffast-math\"", "\"-DX=$(touch pwned);touch pwned\"");
    let scene = kernel(scene(), "").file(name, "").file("build.toml", &manifest);
    let ran = run(&scene, "", "build", &variant(), &["--sandbox", "off"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(!scene.path("pwned").exists());
}
