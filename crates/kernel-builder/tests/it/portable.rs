//! Kernels that `build` makes of the programs of the sysroot's tests: whatever compiled them, they load and pass on this
//! system, the oldest and the newest in reach. And the sample for Torch's stable ABI passes in the oldest Torch it promises.
#![allow(
    clippy::disallowed_methods,
    reason = "the tests start compilers, Python and whole systems as a shell does"
)]

use std::process::Command;

use camino::Utf8PathBuf;

use crate::scene::{Scene, python, repository};
use crate::systems::{System, run};

const PREFIX: &str = "__tvm_ffi_";
const VARIANT: &str = concat!("build/tvm-ffi01-cpu-", "x86_64-linux");

/// Two projects, one for each program, and a stand-in of TVM-FFI in an environment made by `venv`.
fn projects(venv: impl FnOnce(&Scene)) -> Scene {
    let sources = repository().join("crates/kernel-core/tests/sysroot");
    let text = |name: &str| fs_err::read_to_string(sources.join(name)).expect("a source");
    let mut scene = Scene::new().file("load.c", &text("load.c")).file("empty.c", "");
    for (name, standard) in [("cxx17", "c++17"), ("cxx20", "c++20")] {
        let manifest = format!(
            "[general]\nname = \"{name}\"\nversion = 1\nedition = 5\nlicense = \"Apache-2.0\"\n\
             backends = [\"cpu\"]\n\n[tvm-ffi]\nsrc = [\"binding.cc\"]\n\n\
             [kernel.checks]\nbackend = \"cpu\"\ndepends = []\nsrc = [\"{name}.cc\", \"checks.h\"]\n\
             cxx-flags = [\"-std={standard}\", \"-Drun_checks={PREFIX}run_checks\", \"-Dthrow_across={PREFIX}throw_across\"]\n"
        );
        scene = scene
            .file(&format!("{name}/build.toml"), &manifest)
            .file(&format!("{name}/binding.cc"), "")
            .file(&format!("{name}/{name}.cc"), &text(&format!("{name}.cc")))
            .file(&format!("{name}/checks.h"), &text("checks.h"))
            .file(&format!("{name}/tvm-ffi-ext/{name}/__init__.py"), "from ._ops import ops\n");
    }
    venv(&scene);
    let mut folders = fs_err::read_dir(scene.path("env/lib")).expect("an environment");
    let folder = folders.next().expect("a folder").expect("an entry").file_name();
    let package = format!("env/lib/{}/site-packages/tvm_ffi", folder.to_str().expect("UTF-8"));
    scene
        .file(&format!("{package}/__init__.py"), "")
        .file(&format!("{package}/_version.py"), "__version__ = '0.1.15'\n")
        .file(&format!("{package}/include/stand_in.h"), "")
}

/// The working directory of a scene.
fn folder(scene: &Scene) -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(scene.path("")).expect("UTF-8")
}

/// The built library of a project, as seen from the working directory.
fn library(scene: &Scene, name: &str) -> String {
    let directory = scene.path(name).join(VARIANT);
    let entries =
        fs_err::read_dir(directory).expect("a variant").map(|entry| entry.expect("an entry").path());
    let path =
        entries.filter(|path| path.extension().is_some_and(|end| end == "so")).last().expect("a library");
    format!("./{}", path.strip_prefix(scene.path("")).expect("below").display())
}

/// Loads both kernels into one process here, on the oldest system and on the newest, and has their checks passed.
fn load_everywhere(scene: &Scene) {
    let (folder, oldest) = (folder(scene), System::get("oldest"));
    let soname = "-Wl,-soname,libtvm_ffi.so";
    run(Command::new("gcc")
        .args(["-shared", "-nostdlib", "empty.c", soname, "-o", "libtvm_ffi.so"])
        .current_dir(&folder));
    oldest.program(&folder, "load.c", &[&format!("-DPREFIX=\"{PREFIX}\"")], "load");
    let libraries = [library(scene, "cxx17"), library(scene, "cxx20")];
    let command = ["./load", "./libtvm_ffi.so", &libraries[0], &libraries[1]];
    let here = run(Command::new(command[0]).args(&command[1..]).current_dir(&folder));
    for output in [here, oldest.run(&folder, &command), System::get("newest").run(&folder, &command)] {
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed.matches(": PASS").count(), 2, "{printed}");
    }
}

#[test]
fn kernels_of_this_machines_compiler_load_everywhere() {
    let scene = projects(|scene| drop(scene.environment("env")));
    let environment = folder(&scene).join("env");
    let scene = scene.variable("VIRTUAL_ENV", environment.as_str());
    for name in ["cxx17", "cxx20"] {
        let ran = scene.run_in(name, &["build"]);
        assert_eq!(ran.status, 0, "{ran}");
    }
    load_everywhere(&scene);
}

/// Builds both kernels inside the system that has the newest compilers.
fn built_by(driver: &str) -> Scene {
    let compilers = System::get("compilers");
    let enter = |scene: &Scene, command: &[&str]| {
        let arguments = compilers.enter(folder(scene).as_str());
        run(Command::new(&arguments[0])
            .args(&arguments[1..])
            .args(command)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs([("HOME", "/scene/home"), ("VIRTUAL_ENV", "/scene/env"), ("CXX", driver)]))
    };
    let scene = projects(|scene| {
        drop(enter(scene, &["/usr/bin/python3", "-m", "venv", "--without-pip", "env"]));
    });
    fs_err::copy(env!("CARGO_BIN_EXE_kernel-builder"), scene.path("kernel-builder")).expect("a copy");
    for name in ["cxx17", "cxx20"] {
        drop(enter(&scene, &["./kernel-builder", "build", name, "--sandbox", "off"]));
    }
    scene
}

#[test]
#[ignore = "long: unpacks compilers of 600 MB"]
fn kernels_of_the_newest_gcc_load_everywhere() {
    load_everywhere(&built_by("/usr/bin/g++-16"));
}

#[test]
#[ignore = "long: unpacks compilers of 600 MB"]
fn kernels_of_the_newest_clang_load_everywhere() {
    load_everywhere(&built_by("/usr/bin/clang++-23"));
}

/// The interpreter of an environment like the tests' own, with another torch.
fn with_torch(version: &str) -> String {
    let directory = repository().join(format!(".environment-torch-{version}"));
    let mut script = Command::new(repository().join("scripts/python-environment"));
    run(script.args(["--torch", version]).arg(&directory));
    directory.join("bin/python").to_str().expect("a UTF-8 path").to_owned()
}

#[test]
#[ignore = "long: makes an environment with another torch, 0.7 GB"]
fn the_stable_sample_built_with_the_newest_torch_passes_in_the_oldest_it_promises() {
    let scene = Scene::new();
    let ran = scene.run(&["init", "sample", "--name", "acme/sample", "--framework", "torch-stable"]);
    assert_eq!(ran.status, 0, "{ran}");
    let manifest = fs_err::read_to_string(scene.path("sample/build.toml")).expect("a manifest");
    assert!(manifest.contains("stable-abi = \"2.11\""), "{manifest}");
    let (newest, oldest) = (python(), with_torch("2.11.0"));
    let ran = scene.run(&["build", "sample", "--python", &newest]);
    assert_eq!(ran.status, 0, "{ran}");
    for python in [newest, oldest] {
        let ran = scene.run(&["test", "sample", "--python", &python]);
        assert_eq!(ran.status, 0, "{ran}");
        assert!(ran.stdout.contains(" passed") || ran.stderr.contains(" passed"), "{ran}");
    }
}
