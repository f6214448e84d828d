//! Workflows for continuous integration, those of a new project and those to copy, judged by actionlint and, for the
//! scripts in them, by ShellCheck (`scripts/check-tools`).

use std::process::Command;

use crate::scene::{Scene, repository};

/// What is wrong with the workflows below `.github` of the folder.
#[expect(clippy::disallowed_methods, reason = "the linter is run as a shell runs it")]
fn faults(scene: &Scene, folder: &str) -> String {
    let tools = repository().join(".environment-check/bin");
    assert!(tools.join("actionlint").exists(), "unpack the linters with `scripts/check-tools`");
    fs_err::create_dir_all(scene.path(folder).join(".git")).expect("what marks a project");
    let mut linter = Command::new(tools.join("actionlint"));
    let shellcheck = tools.join("shellcheck");
    linter
        .arg("-shellcheck")
        .arg(shellcheck)
        .args(["-pyflakes", "", "-no-color"])
        .current_dir(scene.path(folder));
    let output = linter.output().expect("actionlint runs");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    said
}

#[test]
fn workflows_of_new_projects_are_sound() {
    let scene = Scene::new();
    for framework in ["torch", "torch-stable", "tvm-ffi", "torch-noarch"] {
        let backends = if framework == "torch-noarch" { "cuda" } else { "cpu,cuda" };
        let name = format!("acme/op-{framework}");
        let ran = scene.run(&[
            "init",
            framework,
            "--name",
            &name,
            "--framework",
            framework,
            "--backends",
            backends,
        ]);
        assert_eq!(ran.status, 0, "{ran}");
        assert!(scene.path(framework).join(".github/workflows/kernel.yml").is_file());
        assert_eq!(faults(&scene, framework), "", "{framework}");
    }
}

#[test]
fn workflows_to_copy_are_sound_and_call_the_action_as_it_is() {
    let scene = Scene::new();
    let copy = |from: &str, to: &str| {
        let target = scene.path(to);
        fs_err::create_dir_all(target.parent().expect("a folder")).expect("made");
        fs_err::copy(repository().join("templates").join(from), target).expect("copied");
    };
    copy("ci/publish.yml", "a/.github/workflows/publish.yml");
    copy("github/kernel.yml", "a/.github/workflows/kernel.yml");
    copy("github/kernel-builder/action.yml", "a/.github/actions/kernel-builder/action.yml");
    assert_eq!(faults(&scene, "a"), "");

    let wrong = "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: ./.github/actions/kernel-builder\n      \
                 - run: echo $X \"${{ matrix.none }}\"\n";
    let scene = scene.file("a/.github/workflows/wrong.yml", wrong);
    let said = faults(&scene, "a");
    for fault in ["missing input \"release\"", "\"none\" is not defined", "SC2086"] {
        assert!(said.contains(fault), "{fault}: {said}");
    }
}
