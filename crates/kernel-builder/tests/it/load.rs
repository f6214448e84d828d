//! Built kernels in the real loader: the published `kernels` package, the real torch and TVM-FFI of the tests' Python
//! environment (`scripts/python-environment`).

use std::process::Command;

use crate::scene::{Scene, python};

fn scene() -> Scene {
    let cache = format!("{}/cache", env!("CARGO_TARGET_TMPDIR"));
    Scene::new().variable("KERNEL_BUILDER_CACHE_DIR", &cache).variable("KERNEL_BUILDER_PYTHON", &python())
}

/// Runs a Python program as a user would, with the loader, and answers what it prints.
#[expect(clippy::disallowed_methods, reason = "the tests start Python as a shell does")]
pub(crate) fn run_python(scene: &Scene, program: &str) -> String {
    let ran = Command::new(python())
        .args(["-c", program])
        .current_dir(scene.path(""))
        .env("HF_HUB_OFFLINE", "1")
        .output()
        .expect("Python starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// A kernel with nested packages, relative and lazy imports and a data file; `answer` tells its versions apart.
fn tvm_ffi_kernel(scene: Scene, at: &str, answer: u32) -> Scene {
    let package = format!("{at}/tvm-ffi-ext/many_parts");
    scene
        .file(
            &format!("{at}/build.toml"),
            r#"[general]
name = "many-parts"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu"]

[tvm-ffi]
src = ["binding.cpp"]
pyext = ["py", "json"]

[kernel.first]
backend = "cpu"
depends = []
src = ["one/part.cpp", "shared.cpp"]
cxx-flags = ["-DNAME=first"]

[kernel.second]
backend = "cpu"
depends = []
src = ["two/part.cpp", "shared.cpp"]
cxx-flags = ["-DNAME=second"]
"#,
        )
        .file(
            &format!("{at}/binding.cpp"),
            "#include <tvm/ffi/function.h>\nint first(); int second(); int one(); int two();\n\
             int all(int x) { return x + first() + second() + one() + two(); }\n\
             TVM_FFI_DLL_EXPORT_TYPED_FUNC(all, all);\n",
        )
        .file(&format!("{at}/shared.cpp"), "int NAME() { return 10; }\n")
        .file(&format!("{at}/one/part.cpp"), "int one() { return 100; }\n")
        .file(&format!("{at}/two/part.cpp"), &format!("int two() {{ return {answer}; }}\n"))
        .file(
            &format!("{package}/__init__.py"),
            "import json\nfrom pathlib import Path\nfrom ._ops import ops\nfrom .nested import deep\n\
             DATA = json.loads((Path(__file__).parent / 'nested' / 'data.json').read_text())\n\
             def all(x):\n    from .nested.lazy import offset\n    return ops.all(x) + offset\n",
        )
        .file(&format!("{package}/nested/__init__.py"), "from . import deep\n")
        .file(&format!("{package}/nested/deep.py"), "from .._ops import ops\n")
        .file(&format!("{package}/nested/lazy.py"), "from . import deep\noffset = 1000\n")
        .file(&format!("{package}/nested/data.json"), &format!("{{\"answer\": {answer}}}\n"))
}

#[test]
fn two_versions_of_a_kernel_of_many_parts_live_in_one_process() {
    let scene = tvm_ffi_kernel(tvm_ffi_kernel(scene(), "v1", 1), "v2", 2);
    for folder in ["v1", "v2"] {
        let ran = scene.run_in(folder, &["build", "--python", &python()]);
        assert_eq!(ran.status, 0, "{ran}");
    }
    let printed = run_python(
        &scene,
        "from pathlib import Path\nfrom kernels import get_local_kernel\n\
         a, b = (get_local_kernel(Path(v).absolute()) for v in ('v1', 'v2'))\n\
         print(a.all(0), b.all(0), a.DATA, b.DATA, a.__name__ != b.__name__, a.nested is not b.nested)",
    );
    assert_eq!(printed, "1121 1122 {'answer': 1} {'answer': 2} True True\n");
}

#[test]
fn a_torch_kernel_registers_its_operators_under_its_id() {
    let scene = scene()
        .file(
            "build.toml",
            "[general]\nname = \"plus-one\"\nversion = 1\nedition = 5\nlicense = \"Apache-2.0\"\n\
             backends = [\"cpu\"]\n\n[torch]\nsrc = [\"torch-ext/binding.cpp\"]\nstable-abi = \"2.11\"\n\n\
             [kernel.plus]\nbackend = \"cpu\"\ndepends = [\"torch\"]\nsrc = [\"plus.cpp\"]\n",
        )
        .file(
            "torch-ext/binding.cpp",
            "#include <torch/csrc/stable/library.h>\n#include <torch/csrc/stable/tensor.h>\n\
             #include \"registration.h\"\nvoid plus(torch::stable::Tensor x);\n\
             STABLE_TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) { ops.def(\"plus(Tensor(a!) x) -> ()\"); }\n\
             STABLE_TORCH_LIBRARY_IMPL_EXPAND(TORCH_EXTENSION_NAME, CPU, ops) { ops.impl(\"plus\", TORCH_BOX(&plus)); }\n\
             REGISTER_EXTENSION(TORCH_EXTENSION_NAME)\n",
        )
        .file(
            "plus.cpp",
            "#include <torch/csrc/stable/tensor.h>\nvoid plus(torch::stable::Tensor x) {\n\
             auto* data = reinterpret_cast<float*>(x.data_ptr());\n\
             for (int64_t at = 0; at < x.numel(); ++at) data[at] += 1;\n}\n",
        )
        .file("torch-ext/plus_one/__init__.py", "from ._ops import ops\n");
    let ran = scene.run(&["build", "--python", &python()]);
    assert_eq!(ran.status, 0, "{ran}");
    let printed = run_python(
        &scene,
        "import torch\nfrom pathlib import Path\nfrom kernels import get_local_kernel\n\
         kernel = get_local_kernel(Path('.').absolute())\nx = torch.zeros(3)\nkernel.ops.plus(x)\n\
         print(x.tolist(), kernel.ops.name == kernel.__name__)",
    );
    assert_eq!(printed, "[1.0, 1.0, 1.0] True\n");
}
