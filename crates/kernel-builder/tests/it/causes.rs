//! What a project or a machine can lack or have too much of: each has its own code, and none is mistaken for another.

use crate::build::{VARIANT, project};
use crate::scene::{Ran, Scene};

/// The manifest of `project`, with something written instead of something else.
fn with(old: &str, new: &str) -> Scene {
    let scene = project();
    let text = fs_err::read_to_string(scene.path("build.toml")).expect("a manifest");
    assert!(text.contains(old), "{old}");
    scene.file("build.toml", &text.replace(old, new))
}

/// Runs with programs of the machine by these names and no others.
#[expect(clippy::disallowed_methods, reason = "the programs are where the tests' own environment has them")]
fn with_programs(scene: &Scene, names: &[&str], arguments: &[&str]) -> Ran {
    let folder = scene.path("programs");
    fs_err::create_dir_all(&folder).expect("made");
    for name in names {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|place| place.join(name))
            .find(|path| path.is_file())
            .unwrap_or_else(|| panic!("`{name}` is needed"));
        fs_err::os::unix::fs::symlink(found, folder.join(name)).expect("linked");
    }
    let output = scene.command(arguments).env("PATH", &folder).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("an end");
    Ran { status, stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The run failed, and says so with this code and a help.
fn assert_code(ran: &Ran, code: &str) {
    assert_ne!(ran.status, 0, "{code}: {ran}");
    let last = ran.json().pop().expect("an error");
    assert!(last.to_string().contains(&format!("\"code\":\"{code}\"")), "{code}: {ran}");
    assert!(!last.to_string().contains("\"help\":\"\""), "{code}: {ran}");
}

const BUILD: &[&str] = &["build", "--json"];

#[test]
fn a_variant_that_is_not_there_is_named() {
    let scene = project();
    assert_code(&scene.run(&["build", "--json", "--variant", "torch99-cpu-x86_64-linux"]), "variant/unknown");
    assert_code(&scene.run(&["test", "--json", "--variant", VARIANT]), "test/no-artifact");
    let scene = with("[\"cpu\"]", "[\"metal\"]");
    assert_code(&scene.run(BUILD), "variant/none-here");
}

#[test]
fn what_the_machine_lacks_is_named() {
    const COMPILER: &[&str] = &["c++", "g++", "cc", "gcc", "as", "ld"];
    assert_code(&with_programs(&project(), &[COMPILER, &["bwrap"]].concat(), BUILD), "environment/ninja");
    let required = &["build", "--json", "--sandbox", "require"];
    assert_code(
        &with_programs(&project(), &[COMPILER, &["ninja"]].concat(), required),
        "environment/sandbox",
    );
    assert_code(&project().variable("CXX", "/bin/true").run(BUILD), "environment/compiler");
    let scene = project();
    let packages =
        fs_err::read_dir(scene.path("env/lib")).expect("lib").next().expect("one").expect("read").path();
    let package = packages.join("site-packages/tvm_ffi");
    fs_err::remove_file(package.join("_version.py")).expect("removed");
    assert_code(&scene.run(BUILD), "environment/python-package-broken");
    fs_err::remove_dir_all(package).expect("removed");
    let named = scene.run(&["build", "--json", "--variant", VARIANT]);
    assert_code(&named, "environment/framework-part");
}

#[test]
fn what_cannot_become_a_library_is_named() {
    let flag = with("\"-DW=one\"", "\"-DW=one\", \"-fplugin=x.so\"").run(BUILD);
    assert_code(&flag, "build/flag");
    assert_code(&flag, "build/plan");
    let scene = project();
    let defined = fs_err::read_to_string(scene.path("a/k.cpp")).expect("a source");
    assert_code(&scene.file("b/k.cpp", &defined).run(BUILD), "build/link");
    let occupied = project().file(&format!("build/{VARIANT}/notes.txt"), "");
    assert_code(&occupied.run(BUILD), "artifact/foreign");
    assert!(occupied.path(&format!("build/{VARIANT}/notes.txt")).is_file());
}

#[test]
fn odd_files_of_the_package_are_named() {
    let scene = project();
    scene.tool("mkfifo", &["tvm-ffi-ext/demo_op/pipe.py"]);
    assert_code(&scene.run(BUILD), "inputs/unusable");
    let scene = project();
    scene.tool("sh", &["-c", "touch \"$(printf 'tvm-ffi-ext/demo_op/\\377.py')\""]);
    assert_code(&scene.run(BUILD), "environment/file-name");
}

#[test]
fn sources_that_no_step_compiles_are_named() {
    let other = with("\"a/k.cpp\"", "\"a/k.cu\"").file("a/k.cu", "");
    assert_code(&other.run(BUILD), "build/source");
    let unknown = with("\"a/k.cpp\"", "\"a/k.cpp\", \"a/k.txt\"").file("a/k.txt", "");
    let ran = unknown.run(BUILD);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(ran.stdout.contains("\"code\":\"build/source\",\"severity\":\"note\""), "{ran}");
}

/// A program that the machine has under the name of one of ours.
fn impostor(scene: &Scene, name: &str, text: &str) -> String {
    let path = scene.path(&format!("impostors/{name}"));
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs_err::write(&path, text).expect("written");
    scene.tool("chmod", &["755", path.to_str().expect("UTF-8")]);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn programs_that_are_not_what_they_are_called_are_named() {
    let scene = project();
    let fails = impostor(&scene, "fails", "#!/bin/sh\necho 'out of order' >&2\nexit 3\n");
    let data = impostor(&scene, "data", "neither a script nor a program\n");
    for (python, code) in [
        (fails.as_str(), "environment/tool-failed"),
        (data.as_str(), "environment/tool-unusable"),
        ("/nonexistent/python", "environment/python"),
    ] {
        assert_code(&scene.run(&["build", "--json", "--python", python]), code);
    }
    let ninja =
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 1.11.1 && exit\necho 'ninja: error: no' >&2\nexit 1\n";
    impostor(&scene, "ninja", ninja);
    let path = format!("{}:/usr/bin:/bin", scene.path("impostors").display());
    let output = scene
        .command(&["build", "--json", "--sandbox", "off"])
        .env("PATH", path)
        .output()
        .expect("it starts");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(said.contains("\"code\":\"build/engine\"") && said.contains("error: no"), "{said}");
}

#[test]
fn what_a_test_needs_and_lacks_is_named() {
    let scene = project();
    assert_eq!(scene.run(BUILD).status, 0);
    let ran = scene.run(&["test", "--json", "--variant", VARIANT]);
    assert_code(&ran, "environment/python-package");
}

#[test]
fn what_python_does_wrongly_is_found() {
    let scene = Scene::new()
        .file(
            "build.toml",
            "[general]\nname = \"demo-op\"\nversion = 1\nlicense = \"Apache-2.0\"\nbackends = [\"cpu\"]\nedition = 5\n\n\
             [torch]\nsrc = [\"binding.cpp\"]\ninclude = [\"nowhere\"]\n",
        )
        .file("binding.cpp", "")
        .file("torch-ext/demo_op/_ops.py", "")
        .file(
            "torch-ext/demo_op/__init__.py",
            "import torch\nimport demo_op.layers\n\n@torch.library.custom_op(\"demo::f\", mutates_args=())\n\
             def f(x: torch.Tensor) -> torch.Tensor:\n    return x\n",
        );
    let ran = scene.run(&["check", "--json"]);
    for code in ["python/self-import", "python/unprefixed-operator", "inputs/include", "inputs/reserved"] {
        assert_code(&ran, code);
    }
}

/// A checkout can hold links and pipes: none of them may lead a build elsewhere or make it wait.
#[test]
fn links_and_pipes_of_a_checkout_are_refused() {
    for folder in ["build", ".kernel-builder"] {
        let scene = project().file("../elsewhere/keep", "");
        fs_err::os::unix::fs::symlink("../elsewhere", scene.path(folder)).expect("linked");
        assert_code(&scene.run(BUILD), "artifact/link");
        let kept = fs_err::read_dir(scene.path("../elsewhere")).expect("there").count();
        assert_eq!(kept, 1, "{folder}: nothing is written through the link");
    }
    let scene = Scene::new();
    scene.tool("mkfifo", &["build.toml"]);
    assert_code(&scene.run(&["check", "--json"]), "manifest/unreadable");
    let scene = project().file("../elsewhere/secret", "---\n---\nsecret\n");
    scene.tool("mkfifo", &["pipe"]);
    fs_err::os::unix::fs::symlink("pipe", scene.path("link")).expect("linked");
    for (arguments, code) in [
        (&["card", "--output", "pipe"][..], "environment/file"),
        (&["card", "--output", "link"], "environment/file"),
        (&["variants", "--env", "pipe"], "environment/unreadable"),
    ] {
        let ran = scene.run(&[arguments, &["--json"]].concat());
        assert_code(&ran, code);
        assert!(
            ran.stdout.contains("pipe` is not a regular file") || ran.stdout.contains("link` is not"),
            "{ran}"
        );
        let kept = fs_err::symlink_metadata(scene.path("pipe")).expect("there");
        assert!(!kept.is_file(), "{arguments:?} replaced a pipe");
    }
    fs_err::os::unix::fs::symlink("../elsewhere/secret", scene.path("CARD.md")).expect("linked");
    let outside = scene.run(&["card", "--output", "-", "--json"]);
    assert_code(&outside, "environment/file");
    assert!(outside.stdout.contains("leads out of the project"), "{outside}");
    let refused = with("\"-DW=one\"", "\"-DW=one\", \"-fplugin=x.so\"").run(&["check", "--json"]);
    assert!(refused.stdout.contains("build/flag"), "what build refuses, check tells of: {refused}");
}

/// What a build job hands on may hold a pipe in the place of a file that everything reads first.
#[test]
fn a_pipe_in_the_place_of_metadata_holds_nothing_up() {
    let scene = project().file("build/torch-cpu/__init__.py", "");
    scene.tool("mkfifo", &["build/torch-cpu/metadata.json"]);
    for arguments in [
        &["audit", "build"][..],
        &["hash", "build/torch-cpu"],
        &["collect", "build", "--out", "set"],
        &["sign", ".", "--repo-id", "acme/demo"],
        &["upload", ".", "--repo-id", "acme/demo"],
    ] {
        let ran = scene.run(arguments);
        // An audit judges the layout too.
        assert_eq!(ran.status, if arguments[0] == "audit" { 6 } else { 15 }, "{arguments:?}: {ran}");
        assert!(ran.to_string().contains("is not a regular file"), "{arguments:?}: {ran}");
    }
}

/// Compilers and their helpers are other people's programs.
#[test]
fn no_child_sees_a_credential() {
    let script = "#!/bin/sh\nenv >>\"$0.environment\"\nexec /usr/bin/c++ \"$@\"\n";
    let scene = project().file("bin/c++", script);
    scene.tool("chmod", &["+x", "bin/c++"]);
    let path = format!("{}:/usr/bin:/bin", scene.path("bin").to_str().expect("UTF-8"));
    let cache = scene.path("cache").to_str().expect("UTF-8").to_owned();
    let mut scene = scene.variable("PATH", &path).variable("KERNEL_BUILDER_CACHE_DIR", &cache);
    for name in ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "SIGSTORE_ID_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"]
    {
        scene = scene.variable(name, "hf_secret");
    }
    for arguments in [&["doctor"][..], &["build", "--sandbox", "off"]] {
        scene.run(arguments);
    }
    let seen = fs_err::read_to_string(scene.path("bin/c++.environment")).expect("the compiler was asked");
    assert!(seen.contains("PATH=") && !seen.contains("hf_secret"), "{seen}");
}
