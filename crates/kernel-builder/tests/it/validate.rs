//! `validate` on one planted fault of each kind: it stops at the right step, with the right code, the finding and what to
//! run next; on a good kernel it says what the benchmark says. How fast anything is on the machine of the tests is not
//! asked: what must fit together is verdict, code and status.

use serde_json::Value;

use crate::bench::{HEAD, HONEST, MANIFEST, class};
use crate::build;
use crate::scene::{Ran, Scene, python};

const PACKAGE: &str = "torch-ext/plain_half/__init__.py";

const TESTS: &str = "import torch\nfrom kernels import get_kernel\nkernel = get_kernel('acme/plain-half', version=1)\n\
    def test_it():\n    x = torch.ones(3)\n    assert torch.equal(kernel.tanh(x), torch.tanh(x))\n";

/// A kernel of Python only with tests and a benchmark.
fn plain(package: &str) -> Scene {
    Scene::new()
        .variable("KERNEL_BUILDER_PYTHON", &python())
        .file("build.toml", MANIFEST)
        .file(PACKAGE, package)
        .file("tests/test_plain.py", TESTS)
        .file("benchmarks/benchmark.py", &(HEAD.to_owned() + &class("A", "tanh")))
}

fn validate(scene: &Scene, more: &[&str]) -> (Ran, Value) {
    let quick = ["validate", "--json", "--threads", "1", "--processes", "3", "--budget", "60"];
    let ran = scene.run(&[&quick[..], more].concat());
    let report = ran.json().pop().expect("a last line");
    assert_eq!(report["event"], "report", "{ran}");
    assert_eq!(report["exit"], ran.status, "{ran}");
    (ran, report)
}

/// Step, code and status of what stopped it.
fn stop(report: &Value) -> (&str, &str, i64) {
    let text = |name: &str| report[name].as_str().unwrap_or_default();
    (text("stopped_at"), text("code"), report["exit"].as_i64().expect("a status"))
}

/// The command to run next, without the interpreter of the tests.
fn next(report: &Value) -> String {
    let words = report["next"].as_array().expect("words").iter().filter_map(Value::as_str);
    words.collect::<Vec<_>>().join(" ").replace(&format!(" --python {}", python()), "")
}

#[test]
fn a_wrong_manifest_stops_at_check() {
    let scene = plain(HONEST).file("build.toml", &MANIFEST.replace("license", "licence"));
    let (ran, report) = validate(&scene, &[]);
    assert_eq!(stop(&report).0, "check", "{ran}");
    assert_eq!(stop(&report).2, 3, "{ran}");
    let first = &report["findings"][0];
    assert_eq!(first["finding"]["code"], report["code"], "{ran}");
    assert_eq!(first["finding"]["span"]["path"], "build.toml", "{ran}");
    assert!(first["untrusted"].as_array().expect("fields").contains(&"span".into()), "{ran}");
    assert_eq!(
        (next(&report).as_str(), &report["verdict"]),
        ("kernel-builder check --json", &"FAILED".into())
    );
    let outcomes: Vec<&Value> =
        report["steps"].as_array().expect("steps").iter().map(|step| &step["outcome"]).collect();
    assert_eq!(outcomes, ["failed", "not-run", "not-run", "not-run", "not-run", "not-run"]);
    let ran = scene.run(&["validate", "--report", "junit,sarif"]);
    let form = |name: &str| {
        fs_err::read_to_string(scene.path(&format!(".kernel-builder/reports/{name}"))).expect(name)
    };
    let sarif: Value = serde_json::from_str(&form("validate.sarif")).expect("JSON");
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "build.toml", "{sarif:#}");
    let junit = form("validate.xml");
    assert!(
        junit.contains("tests=\"6\" ") && junit.contains("failures=\"1\"") && junit.contains("licence"),
        "{junit}"
    );
    assert!(ran.stdout.contains("report [SCENE]/here/.kernel-builder/reports/validate.xml\n"), "{ran}");
    assert!(
        ran.stdout.contains("FAILED, stopped at check\n")
            && ran.stdout.contains("next: kernel-builder check"),
        "{ran}"
    );
    assert!(!scene.path("build").exists(), "nothing is built");
}

#[test]
fn a_source_that_does_not_compile_stops_at_build_with_the_whole_log_kept() {
    let scene = build::project().file("a/k.cpp", "int broken() { return missing; }\n");
    let (ran, report) = validate(&scene, &[]);
    assert_eq!(stop(&report), ("build", "build/compile", 5), "{ran}");
    let finding = &report["findings"].as_array().expect("findings").iter().find(|one| one["step"] == "build");
    let finding = &finding.expect("a finding of the build")["finding"];
    assert_eq!((&finding["span"]["path"], &finding["span"]["line"]), (&"a/k.cpp".into(), &1.into()), "{ran}");
    assert_eq!(next(&report), format!("kernel-builder build --json --variant {}", build::VARIANT));
    let events: Vec<String> = ran.json().iter().map(|event| event["event"].to_string()).collect();
    assert!(
        events.iter().all(|event| ["\"start\"", "\"stage\"", "\"report\""].contains(&event.as_str())),
        "{ran}"
    );
    let log = fs_err::read_to_string(scene.path(".kernel-builder/validate.jsonl")).expect("the log");
    assert!(log.contains("\"event\":\"log\"") && log.contains("\"event\":\"diagnostic\""), "{log}");
    for line in log.lines() {
        serde_json::from_str::<Value>(line).expect("JSON");
    }
}

#[test]
fn a_library_that_breaks_the_abi_stops_at_artifact() {
    let private = "extern \"C\" __attribute__((weak)) int _PyLong_Sign(void*);\n\
        extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_in_a() { return _PyLong_Sign ? 1 : 2; }\n";
    let scene = build::project().file("a/k.cpp", private);
    let (ran, report) = validate(&scene, &[]);
    assert_eq!(stop(&report), ("artifact", "build/check", 6), "{ran}");
    let first = &report["findings"][0];
    assert!(first["finding"]["code"].as_str().expect("a code").starts_with("abi/"), "{ran}");
    assert!(first["finding"]["message"].as_str().expect("words").contains("_PyLong_Sign"), "{ran}");
    assert_eq!(report["steps"][1]["outcome"], "passed", "it did compile: {ran}");
    assert!(next(&report).starts_with("kernel-builder build --json"), "{ran}");
}

#[test]
fn wrong_values_stop_at_the_tests_and_else_at_the_benchmark() {
    let scene = plain("import torch\n\ndef tanh(x):\n    return torch.tanh(x) + 0.5\n");
    let (ran, report) = validate(&scene, &[]);
    assert_eq!(stop(&report), ("test", "test/failed", 7), "{ran}");
    assert_eq!(
        next(&report),
        "kernel-builder test --json --variant torch-cpu -- tests/test_plain.py::test_it",
        "{ran}"
    );

    // The suite sees three ones; the benchmark looks at more.
    let scene = plain(
        "import torch\n\ndef tanh(x):\n    return torch.tanh(x) if x.numel() == 3 else torch.tanh(x) + 0.01\n",
    );
    let (ran, report) = validate(&scene, &[]);
    assert_eq!(stop(&report), ("bench", "bench/incorrect", 7), "{ran}");
    assert_eq!(report["verdict"], "INVALID", "{ran}");
    assert_eq!(next(&report), "kernel-builder bench --json --variant torch-cpu --workload A.it", "{ran}");
}

/// Verdict, code and status fit together, whatever the machine let be measured.
fn fits(ran: &Ran, report: &Value) {
    let verdict = report["verdict"].as_str().expect("a verdict");
    let expected = match verdict {
        "IMPROVED" => ("", "", 0),
        "REGRESSED" => ("bench", "bench/slower", 9),
        "UNCHANGED" => ("bench", "bench/not-faster", 9),
        "INCONCLUSIVE" => ("bench", "bench/inconclusive", 13),
        _ => panic!("{ran}"),
    };
    assert_eq!(stop(report), expected, "{ran}");
    let command = next(report);
    match verdict {
        "IMPROVED" => assert_eq!(command, "kernel-builder upload --dry-run"),
        "INCONCLUSIVE" => assert!(command.contains("--budget 240"), "{ran}"),
        _ => assert!(command.contains("--report html"), "{ran}"),
    }
}

#[test]
fn a_right_kernel_gets_the_verdict_of_its_benchmark() {
    let slow =
        "import torch\n\ndef tanh(x):\n    for _ in range(40):\n        y = torch.tanh(x)\n    return y\n";
    let scene = plain(slow);
    let (ran, report) = validate(&scene, &[]);
    fits(&ran, &report);
    assert_ne!(report["verdict"], "IMPROVED", "{ran}");
    assert_eq!(report["variants"][0]["workloads"][0]["verified"], true, "{ran}");

    let (ran, report) = validate(&scene, &["--fail-on", "nothing"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(report["steps"][5]["outcome"], "passed", "the card is written: {ran}");
    assert!(scene.path("build/CARD.md").exists());

    let script = HEAD.to_owned()
        + &class("A", "tanh")
            .replace("return torch.tanh(self.x)", "return [torch.tanh(self.x) for _ in range(40)][0]");
    let scene = plain(HONEST).file("benchmarks/benchmark.py", &script);
    let (ran, report) = validate(&scene, &[]);
    fits(&ran, &report);
}

#[test]
fn what_is_no_project_is_an_error_like_everywhere() {
    let ran = Scene::new().run(&["validate", "--json"]);
    assert_eq!(
        (ran.status, ran.json().pop().expect("a line")["code"].clone()),
        (3, "manifest/not-found".into())
    );
}

/// Every target that was asked for needs a verdict about what is built, of this machine or of another.
#[test]
fn a_target_without_a_verdict_is_no_success() {
    let scene = plain(HONEST);
    let loose = |on: &[&str]| validate(&scene, &[&["--fail-on", "nothing"][..], on].concat());
    let (ran, report) = loose(&["--on", "cpu", "--on", "cuda"]);
    assert_eq!(stop(&report), ("bench", "bench/target", 10), "{ran}");
    assert!(ran.stdout.contains("--on cuda=FILE"), "{ran}");

    let document = ".kernel-builder/bench/torch-cpu.json";
    let (ran, report) = loose(&["--on", &format!("cpu={document}")]);
    assert_eq!((ran.status, report["variants"].as_array().expect("variants").len()), (0, 2), "{ran}");

    let measured = fs_err::read_to_string(scene.path(document)).expect("the document");
    let mut another: Value = serde_json::from_str(&measured).expect("JSON");
    for file in another["subject"]["files"].as_array_mut().expect("files") {
        file["sha256"] = "0".repeat(64).into();
    }
    let scene = scene.file("elsewhere.json", &another.to_string());
    let on = |targets: &[&str]| {
        let quick = ["validate", "--json", "--threads", "1", "--processes", "3", "--budget", "60"];
        let asked = targets.iter().flat_map(|target| ["--on", target]);
        scene.run(&quick.into_iter().chain(["--fail-on", "nothing"]).chain(asked).collect::<Vec<_>>())
    };
    let ran = on(&["cpu=elsewhere.json", &format!("cuda={document}")]);
    assert!(ran.status == 10 && ran.stdout.contains("it measured another build of `torch-cpu`"), "{ran}");
    assert!(ran.stdout.contains("which is for another backend"), "{ran}");
    let ran = on(&["cpu=nothing.json"]);
    assert!(ran.status == 15 && !ran.stdout.contains("\"stage\""), "nothing is begun: {ran}");
    assert_eq!(on(&["gpu"]).status, 2);
}
