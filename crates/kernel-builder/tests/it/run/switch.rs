//! `run --use`: one switch between the kernels and what they replace.

use super::{codes, implementations, report, run, scene};

/// The program's own variant of each function, and a word when it is called.
const BASELINE: &str = "def scale(x, by=2.0):\n    print('baseline')\n    return x * by\n";
const PROGRAM: &str = r#"
import os
import torch
from kernels import get_kernel, has_kernel
print("has" if has_kernel("acme/demo", version=1) else "has not")
try:
    kernel = get_kernel("acme/demo", version=1)
except FileNotFoundError as error:
    print("own:", error)
else:
    print(kernel.scale(torch.ones(8))[0].item(), kernel.twice(torch.ones(8))[0].item())
print(os.environ["KERNEL_BUILDER_USE"], os.environ.get("DISABLE_KERNEL_MAPPING"), os.environ.get("HF_TOKEN"))
"#;

#[test]
fn layers_and_kernels_go_back_to_what_they_replace() {
    let scene = scene().file("baseline.py", BASELINE).file("program.py", PROGRAM);
    let named = ["--use", "baseline", "--baseline", "acme/demo=baseline.py"];
    let ran = run(&scene, &named, &["model.py"]);
    let answer = report(&ran);
    assert_eq!(implementations(&answer), ["acme/demo: baseline", "layer Norm: baseline"], "{ran}");
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
    let lines = || ran.stderr.lines().filter(|line| *line == "baseline").count();
    assert_eq!(lines(), 5, "the file's own function ran each time: {ran}");

    // What the file lacks stays the kernel's, and is told.
    let ran = run(&scene, &named, &["program.py"]);
    let answer = report(&ran);
    let got = ["acme/demo: kernel", "acme/demo: baseline", "acme/demo: not-switched"];
    assert_eq!(implementations(&answer), got, "{ran}");
    assert_eq!(answer["implementations"][2]["reason"], "its baseline has no `twice`", "{ran}");
    assert_eq!((ran.status, codes(&ran)), (0, vec!["run/not-switched".to_owned()]), "{ran}");
    assert!(ran.stderr.contains("has\nbaseline\n2.0 4.0\nbaseline 1 None\n"), "{ran}");
}

#[test]
fn a_program_with_its_own_fallback_is_told_that_there_is_no_kernel() {
    let scene = scene().file("program.py", PROGRAM);
    let ran = run(&scene, &["--use", "baseline", "--without", "acme/demo"], &["program.py"]);
    assert_eq!(implementations(&report(&ran)), ["acme/demo: absent"], "{ran}");
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
    assert!(ran.stderr.contains("has not\nown: Cannot find a build variant"), "{ran}");
}

#[test]
fn what_cannot_be_switched_is_told() {
    let past = "import sys\nsys.path.insert(0, 'kernel/build')\nimport importlib\nimportlib.import_module('torch-cpu')\n";
    let scene = scene().file("program.py", PROGRAM).file("past.py", past);
    // A credential that the user has reaches the program as it would from a shell; nothing else is added.
    let scene = scene.variable("HF_TOKEN", "hf_secret");
    let ran = run(&scene, &["--use", "baseline"], &["program.py"]);
    assert_eq!((ran.status, codes(&ran)), (0, vec!["run/not-switched".to_owned()]), "{ran}");
    assert!(
        ran.stderr.contains("2.0 4.0\nbaseline 1 hf_secret\n") && !ran.stdout.contains("hf_secret"),
        "{ran}"
    );
    let ran = run(&scene, &["--use", "baseline"], &["past.py"]);
    let answer = report(&ran);
    assert_eq!(implementations(&answer), ["torch-cpu: not-switched"], "{ran}");
    assert_eq!(answer["implementations"][0]["reason"], "it was imported past the loader", "{ran}");

    let unused = ["--use", "auto", "--without", "acme/demo"];
    assert_eq!(codes(&run(&scene, &unused, &["-c", "pass"])), ["run/not-switched"; 2]);

    // The kernel was asked for, and a layer is mapped to none.
    let ran = run(&scene, &["--use", "kernel"], &["model.py"]);
    let all = ["acme/demo: kernel", "kernel: kernel", "layer Norm: kernel"];
    assert_eq!((ran.status, implementations(&report(&ran))), (0, all.map(str::to_owned).to_vec()), "{ran}");
    let scene = scene.file("model.py", &super::MODEL.replace("{\"cpu\":", "{\"cuda\":"));
    let ran = run(&scene, &["--use", "kernel"], &["model.py"]);
    assert_eq!((ran.status, codes(&ran)), (6, vec!["run/fallback".to_owned()]), "{ran}");
    assert!(ran.stdout.contains("no kernel is mapped to it for `cpu`"), "{ran}");
}
