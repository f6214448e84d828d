//! `shell` and `manual`: the environment of a variant as a program sees it, and pages that `man` can show.

use crate::build::{VARIANT, build, project};
use crate::scene::{Scene, python};

const PRINT: &str = "echo \"$KERNEL_BUILDER_VARIANT\"; command -v python3; \"$CXX\" --version >&2; echo \"LOCAL=$LOCAL_KERNELS\"";

#[test]
fn a_program_has_the_environment_of_the_variant() {
    let scene = project();
    let manifest = crate::build::MANIFEST
        .replace("backends = [\"cpu\"]", "backends = [\"cpu\"]\n\n[general.hub]\nrepo-id = \"acme/demo-op\"");
    let scene = scene.file("build.toml", &manifest);
    let ran = scene.run(&["shell", "--", "sh", "-c", PRINT]);
    assert_eq!(ran.status, 0, "{ran}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines, [VARIANT, "[SCENE]/here/env/bin/python3", "LOCAL="], "{ran}");
    assert!(ran.stderr.contains("it is not built"), "{ran}");

    build(&scene, "", &[]);
    let listing = "test -f \"${LOCAL_KERNELS#acme/demo-op=}/build/$KERNEL_BUILDER_VARIANT/metadata.json\" && echo found";
    let ran = scene.run(&["shell", "--json", "--", "sh", "-c", listing]);
    let report = ran.json().pop().expect("a report");
    assert_eq!(
        (ran.status, &report["built"], &report["end"]),
        (0, &true.into(), &"ended with status 0".into()),
        "{ran}"
    );
    assert!(ran.stderr.contains("found"), "the program's output makes room for JSON: {ran}");

    let ran = scene.run(&["shell", "--", "false"]);
    assert!(ran.status == 14 && ran.stdout.contains("error[run/failed]"), "{ran}");
    let ran = scene.run(&["shell", "--", "no-such-program"]);
    assert!(ran.status == 4 && ran.stderr.contains("no-such-program"), "{ran}");
    // Without a program: the user's shell. How it is left is nobody's failure.
    let scene = scene.variable("SHELL", "/bin/false");
    assert_eq!(scene.run(&["shell"]).status, 0);
}

/// The real loader finds what was built.
#[test]
fn the_loader_takes_the_build_of_the_shell() {
    let scene = Scene::new();
    let arguments = ["init", "op", "--name", "acme/op", "--framework", "tvm-ffi"];
    assert_eq!(scene.run(&arguments).status, 0);
    let python = python();
    let ran = scene.run_in("op", &["build", "--python", &python]);
    assert_eq!(ran.status, 0, "{ran}");
    let program = "import os; from kernels import get_kernel; \
        print(os.path.realpath(get_kernel('acme/op', version=1).__file__))";
    let ran = scene.run_in("op", &["shell", "--python", &python, "--", "python", "-c", program]);
    assert!(ran.status == 0 && ran.stdout.starts_with("[SCENE]/here/op/build/tvm-ffi"), "{ran}");
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let scene = Scene::new();
    let ran = scene.run(&["manual", "pages"]);
    assert_eq!(ran.status, 0, "{ran}");
    let page = |name: &str| fs_err::read_to_string(scene.path(&format!("pages/{name}.1"))).expect("a page");
    for name in ["kernel-builder", "kernel-builder-build", "kernel-builder-toolchain-lock"] {
        assert!(page(name).contains(".TH"), "{name}");
    }
    assert!(page("kernel-builder-init").contains("\\-\\-backends"), "{}", page("kernel-builder-init"));
    let ran = scene.file("pages/file", "").run(&["manual", "pages/file"]);
    assert_eq!(ran.status, 4, "{ran}");
}
