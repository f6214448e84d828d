//! `run --compare`: whole runs in pairs. How long a run takes here says nothing, so that no verdict on time is looked at but
//! those that hold on every machine; the procedure itself is tested in `kernel-bench`.

use serde_json::{Value, json};

use super::{METADATA, codes, implementations, report, run};
use crate::scene::Scene;

/// The frameworks that the loader asks for their versions, without their weight.
const TORCH: &str = "from types import SimpleNamespace as Names\n__version__ = '2.15.0'\n_C = Names()\n\
                     version = Names(cuda=None, hip=None, xpu=None)\n\
                     backends = Names(mps=Names(is_available=lambda: False))\n\
                     def compiled_with_cxx11_abi():\n    return True\n";
const PROGRAM: &str = "from kernels import get_kernel\nprint(get_kernel('acme/demo', version=1).scale(21))\n";
/// Slow, and with 300 MiB that the kernel does not need.
const BASELINE: &str = "import time\n\ndef scale(x):\n    kept = bytearray(300 << 20)\n    kept[::4096] = bytes([1]) * len(kept[::4096])\n    time.sleep(1)\n    return 2 * x\n";

fn scene(kernel: &str) -> Scene {
    let scene = Scene::new()
        .variable("HF_HUB_OFFLINE", "1")
        .file("kernel/build/torch-cpu/__init__.py", kernel)
        .file("kernel/build/torch-cpu/metadata.json", METADATA)
        .file("frameworks/torch/__init__.py", TORCH)
        .file("frameworks/tvm_ffi/__init__.py", "__version__ = '0.1.0'\n")
        .file("baseline.py", BASELINE)
        .file("program.py", PROGRAM);
    let (kernel, frameworks) = (scene.path("kernel"), scene.path("frameworks"));
    scene
        .variable("LOCAL_KERNELS", &format!("acme/demo={}", kernel.display()))
        .variable("PYTHONPATH", &frameworks.display().to_string())
}

const FAST: &str = "def scale(x):\n    return 2 * x\n";
const NAMED: [&str; 3] = ["--compare", "--baseline", "acme/demo=baseline.py"];

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn runs_are_paired_in_both_orders_and_time_and_memory_are_judged() {
    let scene = scene(FAST);
    let flags = [&NAMED[..], &["--pairs", "4", "--seed", "7"]].concat();
    let ran = run(&scene, &flags, &["program.py"]);
    let answer = report(&ran);
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
    assert_eq!(implementations(&answer), ["acme/demo: kernel", "acme/demo: baseline"], "{ran}");
    let compared = &answer["compared"];
    let pairs = compared["pairs"].as_array().expect("pairs");
    assert_eq!((pairs.len(), &compared["seed"]), (4, &json!("7")), "{ran}");
    assert_eq!(
        pairs.iter().filter(|pair| pair["kernel_first"] == true).count(),
        2,
        "each order as often: {ran}"
    );
    for pair in pairs {
        assert!(number(&pair["baseline_seconds"]) >= 1.0, "{ran}");
        let spared = number(&pair["baseline_bytes"]) - number(&pair["kernel_bytes"]);
        assert!((spared / f64::from(300 << 20) - 1.0).abs() < 0.1, "the kernel needs 300 MiB less: {ran}");
    }
    // Memory is nearly exact, and the difference large.
    assert_eq!(compared["memory"]["outcome"], "less", "{ran}");
    assert_eq!(compared["looks"].as_array().map(Vec::len), Some(1), "{ran}");
    assert!(["faster", "inconclusive"].contains(&compared["outcome"].as_str().expect("a word")), "{ran}");
    assert!(!ran.stderr.contains("42"), "what the runs write is not shown: {ran}");
    let progress = ran.json().iter().filter(|line| line["event"] == "progress").count();
    assert_eq!(progress, 4, "{ran}");
}

#[test]
fn a_budget_ends_it_and_what_is_undecided_can_be_a_failure() {
    let scene = scene(FAST);
    let python = crate::scene::python();
    // The first two runs take longer than that.
    let flags =
        ["run", "--compare", "--baseline", "acme/demo=baseline.py", "--budget", "2", "--timeout", "300"];
    let ran = scene.run(&[&flags[..], &["--fail-on", "inconclusive", "--", &python, "program.py"]].concat());
    assert_eq!(ran.status, 13, "{ran}");
    assert!(ran.stdout.contains("error[bench/inconclusive]"), "{ran}");
    assert!(ran.stdout.contains("INCONCLUSIVE, 0 pairs of runs"), "the answer is on standard output: {ran}");
}

#[test]
fn what_does_not_differ_fails_or_hangs_is_not_compared() {
    let told = |scene: &Scene, flags: &[&str], program: &[&str]| {
        let ran = run(scene, flags, program);
        assert_eq!(report(&ran)["compared"], Value::Null, "{ran}");
        (ran.status, codes(&ran))
    };
    let all = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
    let scene = scene(FAST);
    let nothing = told(&scene, &["--compare"], &["program.py"]);
    assert_eq!(nothing, (10, all(&["run/not-switched"; 2])), "the kernel ran both times");
    let none = told(&scene, &["--compare"], &["-c", "pass"]);
    assert_eq!(none, (10, all(&["run/not-switched"; 2])));
    assert_eq!(told(&scene, &["--compare"], &["-I", "-c", "pass"]), (10, all(&["run/no-python"])));
    // Without the kernel this program has nothing.
    let without = ["--compare", "--without", "acme/demo"];
    assert_eq!(told(&scene, &without, &["program.py"]), (14, all(&["run/failed"])));
    let hanging = [&NAMED[..], &["--timeout", "3"]].concat();
    assert_eq!(told(&scene, &hanging, &["-c", "import time; time.sleep(600)"]).0, 14);
}

#[test]
fn a_run_that_fails_in_the_middle_ends_the_comparison() {
    let kernel = "import pathlib\n\ndef scale(x):\n    count = pathlib.Path('count')\n    n = int(count.read_text()) if count.exists() else 0\n    \
                  count.write_text(str(n + 1))\n    if n == 2:\n        raise ValueError('worn out')\n    return 2 * x\n";
    let scene = scene(kernel);
    let flags = [&NAMED[..], &["--pairs", "3"]].concat();
    let ran = run(&scene, &flags, &["program.py"]);
    let compared = &report(&ran)["compared"];
    assert_eq!((ran.status, codes(&ran)), (14, vec!["run/failed".to_owned()]), "{ran}");
    assert_eq!((&compared["verdict"], &compared["speedup"]), (&json!("INVALID"), &Value::Null), "{ran}");
    assert_eq!(compared["pairs"].as_array().map(Vec::len), Some(1), "what ran before is kept: {ran}");
    assert!(ran.stdout.contains("ValueError: worn out"), "{ran}");
}
