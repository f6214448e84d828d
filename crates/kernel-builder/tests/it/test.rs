//! `test` in the real loader and the real pytest: only executed tests that used the built kernel are a success. The
//! kernels are Python only, because what is proved here does not depend on what is compiled.

use crate::scene::{Ran, Scene, ordinary_python, python};

const MANIFEST: &str = r#"[general]
name = "plain-scale"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu"]

[general.hub]
repo-id = "acme/plain-scale"

[torch-noarch]
"#;

const PACKAGE: &str = "\"\"\"Doubles.\"\"\"\n\nfrom .more import double\n\n__all__ = [\"double\"]\n";
const MORE: &str = "def double(x):\n    \"\"\"Twice `x`.\"\"\"\n    return 2 * x\n";

/// The kernel, with one file of tests, built.
fn built(tests: &str) -> Scene {
    let scene = Scene::new()
        .variable("KERNEL_BUILDER_PYTHON", &python())
        .file("plain/build.toml", MANIFEST)
        .file("plain/torch-ext/plain_scale/__init__.py", PACKAGE)
        .file("plain/torch-ext/plain_scale/more.py", MORE)
        .file("plain/tests/test_plain.py", tests);
    let ran = scene.run(&["build", "plain", "--python", &python()]);
    assert_eq!(ran.status, 0, "{ran}");
    scene
}

fn test(scene: &Scene, more: &[&str]) -> Ran {
    let python = python();
    let mut arguments = vec!["test", "plain", "--json", "--python", &python];
    arguments.extend(more);
    scene.run(&arguments)
}

/// The codes of the findings in the last line, or the code of the error.
fn codes(ran: &Ran) -> Vec<String> {
    let last = ran.json().pop().expect("a last line");
    let of = |value: &serde_json::Value| value["code"].as_str().expect("a code").to_owned();
    match last["event"].as_str() {
        Some("error") => vec![of(&last)],
        _ => last["findings"].as_array().expect("findings").iter().map(of).collect(),
    }
}

const LOADS: &str = "from kernels import get_kernel\nkernel = get_kernel('acme/plain-scale', version=1)\n";

#[test]
fn a_suite_runs_against_the_artifact_by_either_way_of_loading_it() {
    let scene = built(&format!(
        "{LOADS}import plain_scale, plain_scale.more\n\
         def test_values():\n    assert kernel.double(4) == 8\n\
         def test_plain_import_is_the_same_module():\n    assert plain_scale is kernel\n    \
         assert plain_scale.more.double is kernel.double\n"
    ));
    let ran = test(&scene, &[]);
    assert_eq!(ran.status, 0, "{ran}");
    let report = ran.json().pop().expect("a report");
    let variant = &report["variants"][0];
    assert_eq!(variant["counts"]["passed"], 2, "{ran}");
    assert!(variant["uses"].as_u64().expect("a count") >= 2, "{ran}");
    assert!(!scene.path("plain/build/torch-cpu/__pycache__").exists(), "a sealed variant is left as it is");
    let card = scene.run(&["card", "plain", "--output", "-"]);
    assert!(card.stdout.contains("`torch-cpu`: 2 tests passed"), "{card}");
}

#[test]
fn bad_news_has_its_own_status_and_code() {
    let scene = built("def test_nothing_of_the_kernel(): pass\n");
    let ran = test(&scene, &["--report", "junit,sarif"]);
    assert_eq!((ran.status, codes(&ran)), (10, vec!["test/artifact-unused".to_owned()]), "{ran}");
    let read = |name: &str| {
        fs_err::read_to_string(scene.path("plain/.kernel-builder/reports").join(name)).expect("a form")
    };
    assert!(
        read("test.xml").contains("<testcase name=\"test_nothing_of_the_kernel\""),
        "{}",
        read("test.xml")
    );
    assert!(read("test.sarif").contains("test/artifact-unused"), "{}", read("test.sarif"));
    for (tests, status, code) in [
        (format!("{LOADS}def test_a(): assert kernel.double(1) == 3\n"), 7, "test/failed"),
        (
            format!("{LOADS}import pytest\n@pytest.mark.skip(reason='no device')\ndef test_a(): pass\n"),
            10,
            "test/nothing-executed",
        ),
        (format!("{LOADS}import os\ndef test_a(): os._exit(0)\n"), 14, "test/child"),
    ] {
        let scene = scene_with(&scene, &tests);
        let ran = test(scene, &[]);
        assert_eq!((ran.status, codes(&ran)), (status, vec![code.to_owned()]), "{tests}\n{ran}");
    }
    let scene = scene_with(
        &scene,
        &format!(
            "{LOADS}import pytest\n@pytest.mark.skip(reason='no device')\n@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_a(n): pass\n"
        ),
    );
    let ran = scene.run(&["test", "plain", "--python", &python()]);
    assert!(ran.stdout.contains("skipped tests/test_plain.py::test_a[1] and 2 more: no device\n"), "{ran}");
    let ran = test(scene, &["--", "--no-such-option"]);
    assert_eq!((ran.status, codes(&ran)), (7, vec!["test/pytest".to_owned()]), "{ran}");
}

fn scene_with<'a>(scene: &'a Scene, tests: &str) -> &'a Scene {
    fs_err::write(scene.path("plain/tests/test_plain.py"), tests).expect("the tests");
    scene
}

#[test]
fn what_is_not_built_or_does_not_load_is_said_so() {
    let scene = built(LOADS);
    let ran = test(&scene, &["--variant", "torch-cuda"]);
    assert_eq!((ran.status, codes(&ran)), (4, vec!["test/no-artifact".to_owned()]), "{ran}");

    let more = scene.path("plain/torch-ext/plain_scale/more.py");
    let whole = fs_err::read_to_string(&more).expect("a module");
    fs_err::write(&more, format!("import nothing_of_the_kind\n{whole}")).expect("written");
    let built = scene.run(&["build", "plain", "--python", &python()]);
    assert_eq!(built.status, 0, "{built}");
    let ran = test(&scene, &[]);
    assert_eq!((ran.status, codes(&ran)), (7, vec!["test/load".to_owned()]), "{ran}");
    assert!(ran.stdout.contains("nothing_of_the_kind"), "the loader's reason is told: {ran}");

    fs_err::remove_dir_all(scene.path("plain/build")).expect("removed");
    let ran = test(&scene, &[]);
    assert_eq!((ran.status, codes(&ran)), (4, vec!["test/no-artifact".to_owned()]), "{ran}");
}

/// With the ordinary torch wheel the loader looks for a CUDA variant, also on a machine without a GPU: `test` makes it
/// take the CPU variant and says so, `variants --explain` and `doctor` tell users of it. On a machine whose torch has
/// its GPU this is no trap, but the same choice has to be made.
#[test]
fn the_trap_of_the_ordinary_torch_is_explained() {
    let python = ordinary_python();
    let scene = built(&format!("{LOADS}def test_values(): assert kernel.double(4) == 8\n"));
    let ran = scene.run(&["test", "plain", "--json", "--python", &python]);
    let report = ran.json().pop().expect("a report");
    assert_eq!(ran.status, 0, "{ran}");
    let choice = &report["variants"][0]["backend_choice"];
    assert_eq!((&choice["detected"], &choice["chosen"]), (&"cuda".into(), &"cpu".into()), "{ran}");

    let explained = scene.run(&["variants", "plain", "--explain", "--python", &python]);
    assert!(format!("{explained}").contains("backend=\"cpu\""), "{explained}");
    let doctor = scene.run(&["doctor", "--python", python.trim_end_matches("/bin/python")]);
    assert!(format!("{doctor}").contains("compiled for CUDA"), "{doctor}");
}
