//! `variants OWNER/NAME@vN` and the published loader agree, about every variant, about what is loaded, and about whom it
//! trusts.

use std::process::Command;

use super::*;
use crate::scene::python;

const ASK: &str = r"
import json, sys
from kernels import VariantAccepted, get_kernel, get_kernel_variants, has_kernel
decisions = [
    [decision.variant.variant_str, None if isinstance(decision, VariantAccepted) else decision.reason]
    for decision in get_kernel_variants('acme/demo', version=1)
]
answers = {'decisions': decisions, 'has': has_kernel('acme/demo', version=1)}
if answers['has']:
    answers['value'] = get_kernel('acme/demo', version=1).VALUE
for name, arguments in [('told', {'trust_remote_code': True}), ('untold', {})]:
    try:
        answers[name] = get_kernel('untrusted/demo', version=1, **arguments).VALUE
    except Exception as error:
        answers[name] = str(error)
print(json.dumps(answers))
";

/// What the loader says, of the Hub's two kernels.
#[expect(clippy::disallowed_methods, reason = "the loader is asked as a user would")]
fn ask(hub: &hub_testkit::Hub, scene: &Scene) -> Value {
    let ran = Command::new(python())
        .args(["-c", ASK])
        .env("HF_ENDPOINT", hub.url())
        .env("HF_HOME", scene.path("loader"))
        .env("HF_HUB_DISABLE_XET", "1")
        .env("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        .output()
        .expect("Python starts");
    let (said, told) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let last = said.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {said}{told}"))
}

fn explained(scene: &Scene, kernel: &str, more: &[&str]) -> (i32, Value) {
    let ran = scene.run(&[&["variants", kernel, "--json"], more].concat());
    (ran.status, report(&ran))
}

/// Every name with the reason against it, in one order: the loader's own is that of a set.
fn sorted(decisions: &Value, name: impl Fn(&Value) -> [Value; 2]) -> Vec<String> {
    let mut lines: Vec<String> =
        decisions.as_array().expect("decisions").iter().map(|one| format!("{:?}", name(one))).collect();
    lines.sort();
    lines
}

#[test]
fn the_loader_and_we_say_the_same() {
    let hub = hub();
    let publisher = project(&hub, "writer", "one");
    for repository in ["acme/demo", "untrusted/demo"] {
        assert_eq!(publisher.run(&["upload", "--repo-id", repository]).status, 0);
    }
    for name in [
        "torch-cuda",
        "torch-universal",
        "torch215-cxx11-cu132-x86_64-linux",
        "torch215-cxx11-cpu-aarch64-linux",
        "torch29-cxx11-cpu-x86_64-linux",
        "torch-stable-abi999-cpu-x86_64-linux",
        "tvm-ffi09-cpu-x86_64-linux",
        "torch26-metal-aarch64-darwin",
        "notes",
    ] {
        hub.put(REPOSITORY, "v1", &format!("build/{name}/__init__.py"), b"VALUE = 'wrong'\n").expect("added");
    }
    let scene = reader(&hub);
    let theirs = ask(&hub, &scene);
    let (status, ours) = explained(&scene, "acme/demo@v1", &["--python", &python()]);
    let decisions = &ours["explanation"]["decisions"];
    assert_eq!(
        sorted(decisions, |one| [one["variant"].clone(), one["reason"].clone()]),
        sorted(&theirs["decisions"], |one| [one[0].clone(), one[1].clone()]),
    );
    assert_eq!(decisions[0]["variant"], theirs["decisions"][0][0]);
    assert_eq!((status, &theirs["has"], &theirs["value"]), (0, &true.into(), &"one".into()));

    let (status, ours) = explained(&scene, "untrusted/demo@v1", &["--python", &python()]);
    assert!(status == 6 && theirs["untold"].as_str().is_some_and(|said| said.contains("trusted publisher")));
    assert!(ours["explanation"]["remarks"].to_string().contains("trust_remote_code=True"), "{ours}");
    let (status, _) = explained(&scene, "untrusted/demo@v1", &["--python", &python(), "--trust-remote-code"]);
    assert_eq!((status, &theirs["told"]), (0, &"one".into()));
}

#[test]
fn where_no_variant_fits_the_exit_status_says_so() {
    let hub = hub();
    assert_eq!(project(&hub, "writer", "one").run(&["upload"]).status, 0);
    let machine = "cpu = \"x86_64\"\nos = \"linux\"\npython = \"3.11\"\n[torch]\nversion = \"2.15.0\"\n";
    let scene =
        reader(&hub).file("cpu.toml", machine).file("cuda.toml", &format!("{machine}cuda = \"13.2\"\n"));
    let ran = scene.run(&["variants", "acme/demo@v1", "--env", "cpu.toml"]);
    assert_eq!(ran.status, 0, "{ran}");
    insta::assert_snapshot!(scene.run(&["variants", "acme/demo@v1", "--env", "cuda.toml"]));
    // The real loader, on a machine whose torch is for the CPU, does not find a variant for CUDA alone.
    let only = project(&hub, "writer", "two");
    fs_err::rename(only.path("build/torch-cpu"), only.path("build/torch-cuda")).expect("renamed");
    let ran = only.run(&["upload", "--repo-id", "acme/demo", "--json"]);
    assert_eq!(codes(&ran), ["upload/preflight"], "a variant under another name is refused: {ran}");
}

/// A description of a machine that takes `torch-cpu`.
const MACHINE: &str = "cpu = \"x86_64\"\nos = \"linux\"\npython = \"3.11\"\n[torch]\nversion = \"2.9.0\"\n";

#[test]
fn what_the_loader_would_fail_on_is_no_success() {
    let hub = hub();
    let publisher = project(&hub, "writer", "one");
    assert_eq!(publisher.run(&["upload"]).status, 0);
    let scene = reader(&hub).file("machine.toml", MACHINE);
    let explain = || {
        let (status, report) = explained(&scene, "acme/demo@v1", &["--env", "machine.toml"]);
        let all = report["findings"].as_array().cloned().unwrap_or_default();
        let text = |key: &str| all.iter().map(|one| one[key].as_str().expect("text").to_owned()).collect();
        let (codes, messages): (Vec<String>, Vec<String>) = (text("code"), text("message"));
        (status, codes, messages.join("; "))
    };
    assert_eq!(explain(), (0, Vec::new(), String::new()));
    let metadata = fs_err::read_to_string(publisher.path("build/torch-cpu/metadata.json")).expect("metadata");
    let put = |text: &str| {
        hub.put(REPOSITORY, "v1", "build/torch-cpu/metadata.json", text.as_bytes()).expect("changed");
    };
    let depending = |on: &str| {
        let mut metadata: Value = serde_json::from_str(&metadata).expect("JSON");
        metadata["kernel-depends"] = serde_json::json!([{ "repo-id": on, "version": 1 }]);
        put(&metadata.to_string());
    };
    let one = |code: &str| vec![code.to_owned()];
    put("{");
    let (status, codes, message) = explain();
    assert_eq!((status, codes), (6, one("published/unloadable")), "{message}");
    depending("nobody/nothing");
    let (status, codes, message) = explain();
    assert_eq!((status, codes), (6, one("published/unloadable")), "{message}");
    assert!(message.contains("`nobody/nothing@v1`, which cannot be had"), "{message}");
    depending("acme/demo");
    let (status, codes, message) = explain();
    assert_eq!((status, codes), (6, one("published/unloadable")), "{message}");
    assert!(message.contains("depends on it"), "{message}");
    assert_eq!(publisher.run(&["upload", "--repo-id", "untrusted/other"]).status, 0);
    depending("untrusted/other");
    let (status, codes, message) = explain();
    assert_eq!((status, codes), (6, one("published/untrusted")), "{message}");
    let told = ["--env", "machine.toml", "--trust-remote-code"];
    assert_eq!(explained(&scene, "acme/demo@v1", &told).0, 0);
    hub.put("kernels/untrusted/other", "v1", "build/torch-cpu/metadata.json", b"[]").expect("changed");
    assert_eq!(explained(&scene, "acme/demo@v1", &told).0, 6, "a dependency that cannot be loaded");
    let said = scene.run(&["variants", "acme/demo@v1", "--env", "machine.toml"]);
    assert!(said.stdout.contains("error[published/unloadable]"), "{said}");
}
