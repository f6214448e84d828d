//! `run --verified`: the real loader in the user's own program, with a check before each import.

use serde_json::{Value, json};

use super::codes;
use crate::scene::{Ran, Scene, python};
use crate::upload::{hub, project};

const PROGRAM: &str =
    "import sys\nfrom kernels import get_kernel\nprint(get_kernel('acme/demo', version=1).VALUE)\n";

/// A published kernel, pinned, and a program that loads it.
fn pinned(hub: &hub_testkit::Hub) -> Scene {
    assert_eq!(project(hub, "writer", "one").run(&["upload"]).status, 0);
    let scene = Scene::new()
        .variable("HF_ENDPOINT", &hub.url())
        .variable("HF_HUB_DISABLE_XET", "1")
        .variable("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        .file("program.py", PROGRAM);
    assert_eq!(scene.run(&["pin", "acme/demo@v1"]).status, 0);
    scene
}

fn run(scene: &Scene, arguments: &[&str]) -> Ran {
    let python = python();
    scene.run(&[&["run", "--verified", "--json", "--", &python], arguments].concat())
}

/// A program that changes the loader's copy of the kernel, each time in another way, and loads it.
const CHANGES: &str = r#"
import os, pathlib
from huggingface_hub import snapshot_download
from kernels import get_kernel

root = pathlib.Path(snapshot_download("acme/demo", revision="v1", repo_type="kernel")) / "build/torch-cpu"
metadata = (root / "metadata.json").read_text()
changes = [
    ("__init__.py", "print('evil')\n"),
    ("more.py", "print('evil')\n"),
    ("more.pyc", "evil"),
    ("metadata.json", metadata + " "),
]
for name, content in changes:
    place = root / name
    original = place.read_bytes() if place.exists() else None
    place.unlink(missing_ok=True)
    place.write_text(content)
    try:
        get_kernel("acme/demo", version=1)
        print("loaded with", name)
    except ImportError as error:
        print("refused:", name)
    place.unlink(missing_ok=True)
    if original is not None:
        place.write_bytes(original)
(root / "__pycache__").mkdir()
(root / "__pycache__" / "__init__.cpython-311.pyc").write_text("evil")
print(get_kernel("acme/demo", version=1).VALUE)
"#;

#[test]
fn what_is_pinned_runs_and_what_is_changed_does_not() {
    let hub = hub();
    let scene = pinned(&hub);
    let python = python();
    // The program's own output is untouched.
    let ran = scene.run(&["run", "--verified", "--", &python, "program.py"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "one\n"), "{ran}");

    let scene = scene.file("changes.py", CHANGES);
    let ran = run(&scene, &["changes.py"]);
    let report = ran.json().pop().expect("a report");
    assert_eq!(report["verified"][0]["kernel"], "acme/demo@v1", "{ran}");
    assert_eq!((ran.status, codes(&ran)), (6, vec!["run/refused".to_owned(); 4]), "{ran}");
    assert!(!ran.stderr.contains("loaded with") && !ran.stderr.lines().any(|line| line == "evil"), "{ran}");
    assert!(ran.stderr.lines().any(|line| line == "one"), "byte code beside a kernel is not read: {ran}");
}

/// The genuine content of a pinned kernel, and of another version, in the place of the one that is asked for.
#[test]
fn a_pinned_kernel_is_no_other_pinned_kernel() {
    let hub = hub();
    let scene = pinned(&hub);
    let pins = fs_err::read_to_string(scene.path("kernel-pins.json")).expect("pins");
    let asked = |name: &str, version: &str| {
        let pins = pins.replace("acme/demo", name).replace("\"v1\"", &format!("\"{version}\""));
        fs_err::write(scene.path("kernel-pins.json"), pins).expect("written");
        fs_err::write(scene.path("program.py"), PROGRAM).expect("written");
        run(&scene, &["program.py"])
    };
    for (name, version, told) in [
        ("acme/other", "v1", "it is `acme/other@v1`, and `acme/demo@v1` was asked for"),
        ("acme/demo", "v2", "it is `acme/demo@v2`, and `acme/demo@v1` was asked for"),
    ] {
        let ran = asked(name, version);
        assert_eq!((ran.status, codes(&ran)[0].as_str()), (6, "run/refused"), "{ran}");
        assert!(ran.stdout.contains(told), "{ran}");
    }
    assert_eq!(asked("acme/demo", "v1").status, 0);
}

/// A second branch of the Hub, at the commit of the first.
const SECOND: &str = r#"
import json, sys, urllib.request
address = sys.argv[1] + "/api/kernels/acme/demo/branch/v2"
headers = {"Authorization": "Bearer hf_secret_writer", "Content-Type": "application/json"}
body = json.dumps({"startingPoint": "v1"}).encode()
urllib.request.urlopen(urllib.request.Request(address, body, headers, method="POST"))
"#;

/// A program that asks for a version in each way, alone or after the other was loaded.
const WAYS: &str = r#"
import sys
from pathlib import Path
from kernels import *

COMMIT, lock = sys.argv[1], Path("kernels.lock")
ways = [
    lambda: get_kernel("acme/demo", version=2),
    lambda: get_kernel("acme/demo", revision="v2"),
    lambda: get_kernel("acme/demo", revision="refs/heads/v2"),
    lambda: get_kernel("acme/demo", revision=COMMIT),
    lambda: LayerRepository("acme/demo", layer_name="Norm", version=2).load(),
    lambda: LayerRepository("acme/demo", layer_name="Norm", revision="v2").load(),
    lambda: FuncRepository("acme/demo", func_name="norm", version=2).load(),
    lambda: get_locked_kernel("acme/demo", lockfile=lock),
    lambda: load_kernel("acme/demo", lockfile=lock),
    lambda: LockedFuncRepository("acme/demo", func_name="norm", lockfile=lock).load(),
]
if sys.argv[2] == "loaded":
    get_kernel("acme/demo", version=1)
ways[int(sys.argv[3])]()
"#;

#[test]
fn a_version_is_held_however_it_is_asked_for_and_also_after_the_other_was_loaded() {
    let hub = hub();
    let scene = pinned(&hub).file("ways.py", WAYS);
    scene.tool(&python(), &["-c", SECOND, &hub.url()]);
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs_err::read_to_string(scene.path(name)).expect("text")).expect("JSON")
    };
    // Another version is pinned, with other content than the Hub now gives for it.
    let (mut pins, mut lock) = (read("kernel-pins.json"), read("kernels.lock"));
    let mut second = pins["kernels"][0].clone();
    second["revision"] = "v2".into();
    second["variants"] = json!({ "torch-cpu": "0".repeat(64) });
    let commit = second["commit"].as_str().expect("a commit").to_owned();
    pins["kernels"].as_array_mut().expect("kernels").push(second);
    lock[0]["dependency"]["version"] = 2.into();
    let scene = scene.file("kernel-pins.json", &pins.to_string()).file("kernels.lock", &lock.to_string());
    let each = (0..10).map(|way| ("alone", way)).chain([("loaded", 0), ("loaded", 1), ("loaded", 7)]);
    for (before, way) in each {
        let ran = run(&scene, &["ways.py", &commit, before, &way.to_string()]);
        assert_eq!((ran.status, codes(&ran)[0].as_str()), (6, "run/refused"), "{before} {way}: {ran}");
        assert!(ran.stdout.contains("v2` was asked for"), "{before} {way}: {ran}");
    }
}

/// A program that puts what has no end, or nobody's end, in the place of a file of the loader's copy.
const ENDLESS: &str = r#"
import os, pathlib
from huggingface_hub import snapshot_download
from kernels import get_kernel

root = pathlib.Path(snapshot_download("acme/demo", revision="v1", repo_type="kernel")) / "build/torch-cpu"
def huge(place):
    place.touch()
    os.truncate(place, 1 << 42)
for name in ["__init__.py", "data/table.bin", "metadata.json"]:
    for what in [os.mkfifo, huge, lambda place: place.symlink_to("/dev/zero")]:
        place = root / name
        target = os.readlink(place)
        place.unlink()
        what(place)
        try:
            get_kernel("acme/demo", version=1)
            print("loaded with", name)
        except ImportError as error:
            print("refused:", error)
        place.unlink()
        place.symlink_to(target)
print(get_kernel("acme/demo", version=1).VALUE)
"#;

#[test]
fn a_pipe_or_a_file_without_end_is_refused_at_once() {
    let hub = hub();
    let scene = pinned(&hub).file("endless.py", ENDLESS);
    let python = python();
    let ran = scene.run(&["run", "--verified", "--timeout", "60", "--json", "--", &python, "endless.py"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["run/refused".to_owned(); 9]), "{ran}");
    let count = |text: &str| ran.stderr.lines().filter(|line| line.contains(text)).count();
    assert_eq!((count("is no regular file"), count("is larger than")), (6, 3), "{ran}");
    assert!(ran.stderr.lines().any(|line| line == "one"), "what was put back is loaded: {ran}");
}

/// A program beside whose kernel lies byte code that does something else, and that wants such byte code.
const POISONED: &str = r#"
import importlib.util, pathlib, py_compile, sys
from huggingface_hub import snapshot_download
from kernels import get_kernel

root = pathlib.Path(snapshot_download("acme/demo", revision="v1", repo_type="kernel")) / "build/torch-cpu"
sys.pycache_prefix = None
cached = importlib.util.cache_from_source(str(root / "__init__.py"))
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
py_compile.compile("evil.py", cfile=cached, doraise=True, invalidation_mode=mode)
print(get_kernel("acme/demo", version=1).VALUE)
"#;

#[test]
fn byte_code_beside_verified_sources_never_runs() {
    let hub = hub();
    let scene = pinned(&hub).file("poisoned.py", POISONED).file("evil.py", "VALUE = 'evil'\n");
    let python = python();
    let plain = scene.run(&["run", "--use", "auto", "--", &python, "poisoned.py"]);
    assert_eq!((plain.status, plain.stdout.as_str()), (0, "evil\n"), "without pins Python takes it: {plain}");
    let ran = scene.run(&["run", "--verified", "--", &python, "poisoned.py"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "one\n"), "{ran}");
}

#[test]
fn a_run_that_verified_nothing_says_so() {
    let hub = hub();
    let scene = pinned(&hub);
    let told = |arguments: &[&str]| {
        let ran = run(&scene, arguments);
        (ran.status, codes(&ran))
    };
    let only = |code: &str| vec![code.to_owned()];
    assert_eq!(told(&["-c", "print(1)"]), (10, only("run/nothing-verified")));
    assert_eq!(told(&["-I", "program.py"]), (10, only("run/nothing-verified")), "without the hook");
    assert_eq!(told(&["-c", "raise SystemExit(3)"]), (14, only("run/failed")));
    let scene = scene.file("kernel-pins.json", "{}");
    let ran = run(&scene, &["program.py"]);
    assert_eq!((ran.status, codes(&ran)), (15, only("run/pins")), "{ran}");
    fs_err::remove_file(scene.path("kernel-pins.json")).expect("removed");
    scene.tool("mkfifo", &["kernel-pins.json"]);
    let ran = run(&scene, &["program.py"]);
    assert_eq!((ran.status, codes(&ran)), (15, only("run/pins")), "a pipe is not waited for: {ran}");
    let ran = scene.run(&["run", "--", "true"]);
    assert_eq!(ran.status, 2, "{ran}");
}
