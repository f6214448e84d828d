//! `run --share` and `KERNEL_BUILDER_EXPLAIN`: how much of a program is its kernels, and which ran for what.

use serde_json::{Value, json};

use super::{codes, report, run, scene};
use crate::scene::{Scene, python};

/// A result of `bench` that passed float32 at small sizes and found the kernel twice as fast.
fn benched(scene: Scene) -> Scene {
    let effect = json!({"ratio": 2.0, "low": 1.9, "high": 2.1, "level": 0.95, "processes": 6, "log_ratio": 0.69, "error": 0.01,
        "freedom": 5.0, "p_faster": 0.0, "p_slower": 1.0, "p_equivalent": 1.0});
    let gate = json!({"name": "C1 values", "outcome": "passed"});
    let workload = json!({"dtype": "float32", "verdict": {"workload": "A.b", "outcome": "faster"},
        "correctness": {"gates": [gate]},
        "measurement": {"workload": "A.b", "weight": 1.0, "size": "small", "fault": null, "processes": []}});
    let document = json!({"schema": "bench-result/1",
        "run": {"id": "1", "tool_version": "0", "started": "", "seconds": 1.0, "command": ""},
        "subject": {"name": "demo", "variant": "torch-cpu"}, "baseline": {"kind": "reference"},
        "machine": {"name": "m", "backend": "cpu", "comparability": {}},
        "settings": {"alpha": 0.05, "looks": [6], "margin": 0.01, "equivalence": 0.02, "regression": 0.03,
            "memory_margin": 0.01, "allow_more_memory": false, "require_sizes": true},
        "looks": [], "workloads": [workload],
        "suite": {"verdict": "IMPROVED", "reasons": [], "speedup": effect, "non_regression": {"holds": true, "open": []}}});
    scene.file("kernel/.kernel-builder/bench/torch-cpu.json", &document.to_string())
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Holds a share against what the program measured by hand around the same calls in the same run.
fn agrees(scene: &Scene, report: &Value, implementation: &str) {
    let hand = fs_err::read_to_string(scene.path("hand.json")).expect("the program's own measurement");
    let hand: Value = serde_json::from_str(&hand).expect("JSON");
    let share = &report["share"];
    let operations = share["operations"].as_array().expect("operations");
    let mut by_hand = 0.0;
    for (name, calls_and_seconds) in hand["operations"].as_object().expect("operations") {
        let row = operations
            .iter()
            .find(|row| row["operation"] == **name)
            .unwrap_or_else(|| panic!("{name}: {report}"));
        let (calls, seconds) = (&calls_and_seconds[0], number(&calls_and_seconds[1]));
        let expected = if name == "layer Norm" { implementation } else { "kernel" };
        assert_eq!((&row["calls"], &row["implementation"]), (calls, &json!(expected)), "{report}");
        // The hand measures around what is timed, so that it can only see more.
        let own = number(&row["seconds"]);
        assert!(own <= seconds && own >= 0.7 * seconds, "{name}: {own} of {seconds} by hand");
        by_hand += seconds;
    }
    let (own, whole) = (number(&share["seconds"]), number(&report["seconds"]));
    assert!(own <= by_hand && own >= 0.7 * by_hand, "{own} of {by_hand} by hand");
    assert!(whole >= number(&hand["seconds"]), "starting up counts: {report}");
    // Amdahl's law, by hand.
    assert!((number(&share["share"]) - own / whole).abs() < 1e-9, "{report}");
    assert!((number(&share["largest_gain"]) - whole / (whole - own)).abs() < 1e-9, "{report}");
    assert!(number(&share["share_between_calls"]) > number(&share["share"]), "{report}");
}

#[test]
fn share_and_gain_of_a_model_agree_with_a_measurement_by_hand() {
    let scene = benched(scene());
    let ran = run(&scene, &["--share"], &["model.py"]);
    let with_kernel = report(&ran);
    assert_eq!((ran.status, codes(&ran)), (0, vec![]), "{ran}");
    agrees(&scene, &with_kernel, "kernel");
    // What the operations take now would take twice as long without the kernel.
    let share = &with_kernel["share"];
    let gain = 1.0 + number(&share["share"]);
    assert!((number(&share["gain"]["program"]["ratio"]) - gain).abs() < 1e-9, "{ran}");
    assert_eq!((&share["gain"]["is_had"], &share["speedup"]["ratio"]), (&json!(true), &json!(2.0)), "{ran}");

    // Each norm of the program sleeps twice as long as the kernel's: 15 calls of at least 40 ms.
    let ran = run(&scene, &["--share", "--use", "baseline"], &["model.py"]);
    let with_baseline = report(&ran);
    agrees(&scene, &with_baseline, "baseline");
    assert!(number(&with_baseline["share"]["operations"][0]["seconds"]) >= 15.0 * 0.04, "{ran}");
    // Of two implementations in one run nobody can say what the kernel gained.
    assert_eq!(with_baseline["share"]["gain"], Value::Null, "{ran}");

    let python = python();
    let ran = scene.run(&["run", "--share", "--", &python, "model.py"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "done\n"), "standard output is the program's: {ran}");
    for part in [
        "layer Norm",
        "% of",
        "at most",
        "speed-up of the kernel by `bench`: 2.00x",
        "the program has of it: 1.",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {ran}");
    }
}

#[test]
fn workers_and_threads_are_timed_and_only_the_outer_operation_counts() {
    let program = r#"
import multiprocessing, threading
import torch
from kernels import get_kernel
kernel = get_kernel("acme/demo", version=1)

def work(_):
    kernel.twice(torch.ones(8))

if __name__ == "__main__":
    threads = [threading.Thread(target=work, args=(0,)) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.map(work, range(9))
        pool.close()
        pool.join()
    torch.compile(lambda x: kernel.layers.Norm()(x) + x, backend="eager")(torch.ones(8, requires_grad=True))
    kernel.scale(torch.ones(8, requires_grad=True))
"#;
    let scene = scene().file("program.py", program);
    let ran = run(&scene, &["--share"], &["program.py"]);
    let answer = report(&ran);
    let operations = answer["share"]["operations"].as_array().expect("operations").clone();
    // Of the worker, which was in them the longest: nine calls of two times 20 ms.
    assert_eq!(operations.len(), 1, "{ran}");
    assert_eq!(
        (&operations[0]["operation"], &operations[0]["calls"]),
        (&json!("acme/demo: twice"), &json!(9)),
        "{ran}"
    );
    assert!(number(&operations[0]["seconds"]) >= 9.0 * 0.04, "{ran}");
    assert_eq!(answer["share"]["processes"], 2, "{ran}");
    assert_eq!((ran.status, codes(&ran)), (0, vec!["run/not-measured".to_owned(); 2]), "{ran}");
}

#[test]
fn each_kind_of_call_is_explained_once_without_values() {
    let program = r#"
import torch
from kernels import get_kernel
kernel = get_kernel("acme/demo", version=1)
for _ in range(3):
    kernel.scale(torch.full((8, 16), 4711.0))
kernel.scale(torch.ones(7, 13, dtype=torch.float64))
kernel.scale(torch.ones(16, 8).t())
kernel.scale(torch.ones(8, 3, 4, 8).contiguous(memory_format=torch.channels_last))
kernel.scale(torch.ones(1024, 1024))
"#;
    let scene = benched(scene()).file("program.py", program).variable("KERNEL_BUILDER_EXPLAIN", "1");
    let ran = run(&scene, &["--use", "auto"], &["program.py"]);
    let answer = report(&ran);
    let word = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
    let row = |row: &Value| ["shape", "dtype", "layout", "tested"].map(|name| word(row, name)).join(" ");
    let told: Vec<String> = answer["explained"].as_array().expect("calls").iter().map(row).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    small float32 contiguous inside
    awkward float64 contiguous outside
    small float32 strided outside
    small float32 channels-last outside
    large float32 contiguous outside
    ");
    let lines: Vec<Value> = ran.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(lines.iter().map(row).collect::<Vec<_>>(), told, "{ran}");
    let first = &answer["explained"][0];
    let about = ["operation", "implementation", "variant"].map(|name| word(first, name));
    assert_eq!(about, ["acme/demo: scale", "kernel", "torch-cpu"], "{ran}");
    assert!(!ran.to_string().contains("4711"), "{ran}");
}
