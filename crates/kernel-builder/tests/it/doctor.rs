//! `doctor` on machines that are made up: programs are scripts on `PATH`, Python is the system's in environments that
//! hold only what the test puts there.

use crate::scene::Scene;

/// A scene whose `PATH` has exactly these programs, each saying its text.
#[cfg(unix)]
fn machine(programs: &[(&str, &str)]) -> Scene {
    use std::os::unix::fs::PermissionsExt;
    let mut scene = Scene::new();
    for (name, said) in programs {
        let path = format!("bin/{name}");
        scene = scene.file(&path, &format!("#!/bin/sh\n{said}\n"));
        fs_err::set_permissions(scene.path(&path), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    fs_err::create_dir_all(scene.path("bin")).expect("a directory");
    let path = scene.path("bin").to_str().expect("a UTF-8 path").to_owned();
    scene.variable("PATH", &path)
}

#[cfg(unix)]
#[test]
fn a_bare_machine_is_told_what_to_install() {
    let scene = machine(&[]);
    insta::with_settings!({ filters => vec![(r"(nvcc|hipcc|icpx) .*", "$1 [as installed]")] }, {
        insta::assert_snapshot!(scene.run(&["doctor"]));
    });
}

#[cfg(unix)]
#[test]
fn a_tool_that_does_not_work_is_told_from_one_that_is_missing() {
    let scene = machine(&[
        ("ninja", "echo 1.11.1"),
        (
            "bwrap",
            "if [ \"$1\" = --version ]; then echo bubblewrap 0.8.0; exit; fi; echo 'No permissions to create new namespace' >&2; exit 1",
        ),
        ("git", "echo broken >&2; exit 3"),
    ]);
    let lines = scene.run(&["doctor", "--json"]).json();
    let tools = lines[1]["tools"].as_array().expect("tools");
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect(name);
    assert_eq!(tool("ninja")["version"], "1.11.1");
    assert!(tool("bwrap")["problem"].as_str().expect("a problem").contains("No permissions"));
    assert!(tool("git")["problem"].as_str().expect("a problem").contains("broken"));
}

/// The ordinary torch of the package index on a machine without an NVIDIA device.
#[cfg(target_os = "linux")]
#[test]
fn the_trap_of_the_ordinary_torch_is_explained() {
    if ["/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"]
        .iter()
        .any(|device| std::path::Path::new(device).exists())
    {
        eprintln!("skipped: this machine has an NVIDIA device, where the trap is none");
        return;
    }
    let scene = Scene::new();
    let python = scene.environment("venv");
    let packages = format!("venv/lib/{python}/site-packages");
    let scene = scene
        .file(&format!("{packages}/torch/__init__.py"), "raise Exception('torch must not be imported')")
        .file(
            &format!("{packages}/torch/version.py"),
            "__version__ = '2.15.0+cu132'\ncuda: str = '13.2'\nhip = None\nxpu = None\n",
        );
    let ran = scene.run(&["doctor", "--python", "venv"]);
    let from = ran.stdout.find("warning[").unwrap_or_else(|| panic!("{ran}"));
    insta::assert_snapshot!(&ran.stdout[from..]);
    let fixed = scene.file(
        &format!("{packages}/torch/version.py"),
        "__version__ = '2.15.0+cpu'\ncuda: str = None\nhip = None\nxpu = None\n",
    );
    let ran = fixed.run(&["doctor", "--python", "venv"]);
    assert!(ran.stdout.contains("2.15.0+cpu") && !ran.stdout.contains("warning["), "{ran}");
}

#[test]
fn a_named_python_that_does_not_exist_is_an_error() {
    insta::assert_snapshot!(Scene::new().run(&["doctor", "--python", "nowhere"]));
}
