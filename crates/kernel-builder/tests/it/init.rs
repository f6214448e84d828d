//! `init`: what it makes, what it refuses, and that it touches nothing else.

use std::path::Path;

use crate::scene::{Ran, Scene};

/// Every file below a directory, relative to it, sorted.
fn files(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs_err::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(root).expect("below").to_str().expect("UTF-8").to_owned());
            }
        }
    }
    found.sort();
    found
}

fn codes(ran: &Ran) -> Vec<String> {
    let json = ran.json();
    let last = json.last().expect("a last line");
    let findings = last["findings"].as_array().expect("findings");
    findings.iter().map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect()
}

#[expect(clippy::disallowed_methods, reason = "the tests make repositories as users do")]
fn git(scene: &Scene, arguments: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(scene.path(""))
        .output()
        .expect("git starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_project_is_made() {
    let scene = Scene::new();
    insta::assert_snapshot!(scene.run(&["init", "relu", "--name", "acme/relu"]));
    insta::assert_snapshot!("the_files_of_a_project", files(&scene.path("relu")).join("\n"));
    let text = |path| fs_err::read_to_string(scene.path(path)).expect("a file");
    insta::assert_snapshot!("the_manifest_of_a_project", text("relu/build.toml"));
    assert!(text("relu/tests/test_silu_and_mul.py").contains("get_kernel(\"acme/relu\", version=1)"));
}

#[test]
fn without_an_owner_there_is_a_note() {
    insta::assert_snapshot!(Scene::new().run(&["init", "nested/gated-act", "--backends", "cpu,cuda"]));
}

#[test]
fn the_name_alone_names_the_directory() {
    let scene = Scene::new();
    let ran = scene.run(&["init", "--name", "acme/relu", "--framework", "tvm-ffi", "--json"]);
    assert_eq!(ran.status, 0, "{ran}");
    let report = ran.json().pop().expect("a report");
    assert_eq!(report["directory"], "relu");
    assert_eq!(report["repo_id"], "acme/relu");
    assert_eq!(report["framework"], "tvm-ffi");
    assert!(scene.path("relu/tvm-ffi-ext/relu/__init__.py").exists());
}

#[test]
fn a_path_after_the_backends_is_a_path() {
    let scene = Scene::new();
    let ran = scene.run(&["init", "--backends", "all", "relu"]);
    assert_eq!(ran.status, 0, "{ran}");
    for path in ["src/cuda/silu_and_mul.cu", "src/metal/silu_and_mul.mm", "src/xpu/silu_and_mul.cpp"] {
        assert!(scene.path("relu").join(path).exists(), "{path}");
    }
}

#[test]
fn any_path_will_do() {
    for path in ["with space/a-b", "ü#?%/relu", "./x/../relu"] {
        let scene = Scene::new();
        let ran = scene.run(&["init", path]);
        assert_eq!(ran.status, 0, "{ran}");
        assert!(scene.path(path.rsplit_once("../").map_or(path, |(_, end)| end)).join("build.toml").exists());
    }
    let scene = Scene::new();
    let absolute = scene.path("deep/er/relu");
    let ran = scene.run(&["init", absolute.to_str().expect("UTF-8")]);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(absolute.join("build.toml").exists());
    let dashed = scene.run(&["init", "--name", "acme/relu", "--", "-dash"]);
    assert_eq!(dashed.status, 0, "{dashed}");
    assert!(dashed.stdout.contains("cd ./-dash"), "{dashed}");
}

#[test]
fn bad_names_are_refused_before_anything_is_written() {
    let names = [
        ("My-Kernel", "my-kernel"),
        ("my.kernel", "my-kernel"),
        ("my_kernel", "my-kernel"),
        ("1relu", "relu"),
    ];
    let more = [("relu-", "relu"), ("a", "a-kernel"), ("ä", "my-kernel"), ("sp ace", "sp-ace")];
    let taken = [("lambda", "lambda-kernel"), ("tvm-ffi", "tvm-ffi-kernel"), ("torch", "torch-kernel")];
    for (name, proposal) in names.into_iter().chain(more).chain(taken) {
        let scene = Scene::new();
        for arguments in [vec!["init", "--name", &format!("acme/{name}")], vec!["init", name]] {
            let ran = scene.run(&arguments);
            assert_eq!(ran.status, 2, "{ran}");
            assert!(ran.stderr.contains("init/name") && ran.stderr.contains(proposal), "{ran}");
        }
        assert!(files(&scene.path("")).is_empty(), "{name}");
    }
}

#[test]
fn odd_names_within_the_rule_are_accepted_with_a_note() {
    for name in ["re--lu", &"a".repeat(120)] {
        let scene = Scene::new();
        let ran = scene.run(&["init", "--name", &format!("acme/{name}")]);
        assert_eq!(ran.status, 0, "{ran}");
        assert!(ran.stdout.contains("note[init/hub-name]"), "{ran}");
    }
}

#[test]
fn everything_wrong_is_said_at_once() {
    let scene = Scene::new();
    let arguments =
        ["init", "--name", "my team/My_Kernel", "--framework", "tvm-ffi", "--backends", "cpu,metal,cdua"];
    insta::assert_snapshot!(scene.run(&arguments));
    let mut arguments = arguments.to_vec();
    arguments.push("--json");
    assert_eq!(codes(&scene.run(&arguments)), ["init/owner", "init/name", "init/backend", "init/backend"]);
    assert!(files(&scene.path("")).is_empty());
}

#[test]
fn existing_files_are_listed_and_kept() {
    let scene =
        Scene::new().file("relu/build.toml", "mine").file("relu/src", "a file").file("relu/keep", "k");
    let before = files(&scene.path(""));
    insta::assert_snapshot!(scene.run(&["init", "relu", "--name", "acme/relu"]));
    assert_eq!(files(&scene.path("")), before);
    assert_eq!(scene.run(&["init", "relu", "--overwrite"]).status, 2, "`src` cannot become a directory");
    fs_err::remove_file(scene.path("relu/src")).expect("removable");
    assert_eq!(scene.run(&["init", "relu", "--overwrite", "--name", "acme/relu"]).status, 0);
    let text = |path| fs_err::read_to_string(scene.path(path)).expect("a file");
    assert!(text("relu/build.toml").contains("acme/relu"));
    assert_eq!(text("relu/keep"), "k");
    assert!(!files(&scene.path("")).iter().any(|path| path.contains(".kernel-builder-init")));
}

/// What is not said again is as the project that is written over has it.
#[test]
fn writing_over_keeps_the_choices() {
    let scene = Scene::new();
    let choices = ["--framework", "torch-stable", "--backends", "cpu,cuda", "--license", "MIT"];
    assert_eq!(scene.run(&[&["init", "relu", "--name", "acme/relu"][..], &choices].concat()).status, 0);
    let text = |path: &str| fs_err::read_to_string(scene.path(path)).expect("a file");
    let before = text("relu/build.toml");
    assert!(
        before.contains("stable-abi") && before.contains("acme/relu") && before.contains("\"MIT\""),
        "{before}"
    );
    for (folder, arguments) in
        [("", &["init", "relu", "--overwrite"][..]), ("relu", &["init", "--overwrite"])]
    {
        fs_err::remove_file(scene.path("relu/README.md")).expect("removable");
        let ran = scene.run_in(folder, arguments);
        assert!(ran.status == 0 && !ran.stdout.contains("no owner"), "{ran}");
        assert_eq!(text("relu/build.toml"), before);
        assert!(text("relu/README.md").contains("acme/relu"));
    }
    let ran = scene.run(&["init", "relu", "--overwrite", "--framework", "tvm-ffi", "--json"]);
    let report = ran.json().pop().expect("a report");
    assert_eq!((&report["repo_id"], &report["framework"]), (&"acme/relu".into(), &"tvm-ffi".into()), "{ran}");
    let scene = scene.file("relu/build.toml", "no TOML");
    let ran = scene.run(&["init", "relu", "--overwrite", "--json"]);
    let notes = ran.json().pop().expect("a report")["notes"].clone();
    assert_eq!((ran.status, &notes[0]["code"]), (0, &"init/placeholder-owner".into()), "{ran}");
    assert_eq!(notes[1]["code"], "init/not-kept", "{ran}");
}

#[test]
fn a_link_is_replaced_and_not_written_through() {
    let scene = Scene::new().file("outside", "mine").file("relu/keep", "k");
    std::os::unix::fs::symlink(scene.path("outside"), scene.path("relu/build.toml")).expect("a link");
    assert_eq!(scene.run(&["init", "relu"]).status, 2);
    assert_eq!(scene.run(&["init", "relu", "--overwrite"]).status, 0);
    assert_eq!(fs_err::read_to_string(scene.path("outside")).expect("a file"), "mine");
}

#[test]
fn a_repository_around_is_left_alone() {
    let scene = Scene::new().file("tracked", "1").file(".env", "SECRET");
    git(&scene, &["init", "-q"]);
    git(&scene, &["add", "tracked"]);
    git(&scene, &["commit", "-qm", "one"]);
    fs_err::write(scene.path("tracked"), "2").expect("writable");
    let index = fs_err::read(scene.path(".git/index")).expect("an index");
    let ran = scene.run(&["init", "kernels/op-a", "--name", "acme/op-a"]);
    insta::assert_snapshot!(ran);
    assert!(!scene.path("kernels/op-a/.git").exists());
    assert_eq!(fs_err::read(scene.path(".git/index")).expect("an index"), index);
    let root = scene.run(&["init", ".", "--name", "acme/op-b"]);
    assert_eq!(root.status, 0, "{root}");
    assert_eq!(fs_err::read(scene.path(".git/index")).expect("an index"), index);
    assert_eq!(git(&scene, &["diff", "--cached", "--name-only"]), "");
    assert_eq!(fs_err::read_to_string(scene.path(".env")).expect("a file"), "SECRET");
}
