//! `bench` with the real torch and loader: the peer's classes run unchanged, what is wrong or cheats is named for each
//! workload, what misbehaves ends only itself. How fast anything is on the machine of the tests is not asked.

use serde_json::Value;

use crate::scene::{Ran, Scene, python};

pub(crate) const MANIFEST: &str = r#"[general]
name = "plain-half"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cpu"]

[general.hub]
repo-id = "acme/plain-half"

[torch-noarch]
"#;

/// A kernel of Python only, with its scripts, built.
fn built(package: &str, scripts: &[(&str, &str)]) -> Scene {
    let mut scene = Scene::new()
        .variable("KERNEL_BUILDER_PYTHON", &python())
        .file("plain/build.toml", MANIFEST)
        .file("plain/torch-ext/plain_half/__init__.py", package);
    for (name, text) in scripts {
        scene = scene.file(&format!("plain/benchmarks/{name}"), text);
    }
    let ran = scene.run(&["build", "plain", "--python", &python()]);
    assert_eq!(ran.status, 0, "{ran}");
    scene
}

/// As few processes as a verdict needs.
fn bench(scene: &Scene, more: &[&str]) -> Ran {
    let python = python();
    let mut arguments = vec!["bench", "plain", "--json", "--python", &python, "--threads", "1"];
    arguments.extend(["--processes", "3", "--budget", "600"]);
    arguments.extend(more);
    scene.run(&arguments)
}

fn report(ran: &Ran) -> Value {
    let report = ran.json().pop().expect("a last line");
    assert_eq!(report["event"], "report", "{ran}");
    report
}

/// The outcome of a workload and why.
fn outcome(report: &Value, name: &str) -> (String, String) {
    let workloads = report["variants"][0]["workloads"].as_array().expect("workloads");
    let found = workloads.iter().find(|workload| workload["workload"] == name);
    let found = found.unwrap_or_else(|| panic!("no `{name}` in {report}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&found["outcome"]), text(&found["reasons"][0]))
}

/// Codes of the findings, in order and each once.
fn codes(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().expect("findings");
    let mut codes: Vec<String> =
        findings.iter().map(|finding| finding["code"].as_str().expect("a code").to_owned()).collect();
    codes.sort();
    codes.dedup();
    codes
}

pub(crate) const HEAD: &str = "import torch\nfrom kernels.benchmark import Benchmark\n\n\n";

/// A class with one workload, whose method calls `self.kernel.<function>`.
pub(crate) fn class(name: &str, function: &str) -> String {
    format!(
        "class {name}(Benchmark):\n    seed = 1\n\n    def setup(self):\n        \
         self.x = torch.randn(64, 257, device=self.device)\n\n    \
         def benchmark_it(self):\n        self.out = self.kernel.{function}(self.x)\n\n    \
         def verify_it(self):\n        return torch.tanh(self.x)\n\n\n"
    )
}

pub(crate) const HONEST: &str = "import torch\n\ndef tanh(x):\n    return torch.tanh(x)\n";

#[test]
fn an_honest_kernel_is_verified_measured_and_written_down() {
    let scene = built(HONEST, &[("benchmark.py", &(HEAD.to_owned() + &class("A", "tanh")))]);
    let forms = ["--report", "html,md,junit,jsonl", "--compat-json", "compat.json"];
    let ran = bench(&scene, &[&["--output", "result.json"], &forms[..]].concat());
    assert_eq!(ran.status, 0, "{ran}");
    let report = report(&ran);
    let workload = &report["variants"][0]["workloads"][0];
    assert_eq!((&workload["workload"], &workload["verified"]), (&"A.it".into(), &true.into()), "{ran}");
    assert!(workload["kernel_us"].as_f64().expect("a time") > 0.0, "{ran}");
    let document: Value =
        serde_json::from_str(&fs_err::read_to_string(scene.path("result.json")).expect("a document"))
            .expect("JSON");
    assert_eq!(
        (&document["schema"], &document["warnings"]),
        (&"bench-result/1".into(), &serde_json::json!([]))
    );
    let workload = &document["workloads"][0];
    assert_eq!(workload["measurement"]["processes"].as_array().map(Vec::len), Some(3), "{document}");
    assert_eq!(
        (&workload["implementation"]["proved"], &workload["dtype"]),
        (&true.into(), &"float32".into())
    );
    assert_eq!(workload["implementation"]["ran"][0], "__init__.py");
    let failed = |of: &Value| of.as_array().expect("a list").iter().any(|check| check["outcome"] == "failed");
    assert!(!failed(&workload["checks"]) && !failed(&workload["correctness"]["gates"]), "{document}");
    assert_eq!(document["machine"]["environment"]["memory limit"], "set", "{document}");
    for (form, words) in
        [("html", "<svg"), ("md", "A.it"), ("xml", "<testsuites"), ("jsonl", "\"type\":\"end\"")]
    {
        let text = fs_err::read_to_string(scene.path(&format!("result.{form}"))).expect("a form");
        assert!(text.contains(words), "{form}: {text}");
    }
    let text = fs_err::read_to_string(scene.path("compat.json")).expect("the other form");
    let payload: Value = serde_json::from_str(&text).expect("JSON");
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&payload),
        ["results", "machineInfo", "kernelCommitSha", "benchmarkScriptPath", "benchmarkScriptSha"]
    );
    assert_eq!(keys(&payload["results"][0]), ["workload", "timingResults", "verified"]);
    assert_eq!(
        keys(&payload["results"][0]["timingResults"]),
        ["mean_ms", "std_ms", "min_ms", "max_ms", "q1_ms", "q3_ms", "iqr_ms", "outliers", "iterations"]
    );
    assert_eq!(keys(&payload["machineInfo"]), ["gpu", "backend", "pytorchVersion", "os", "cpu"]);
    let again = scene.run(&["bench", "plain", "--python", &python(), "--threads", "1", "--budget", "1"]);
    assert!(again.stdout.contains("A.it") && again.stdout.contains("INCONCLUSIVE"), "{again}");
    assert!(
        again.stdout.contains("next: kernel-builder bench plain") && again.stdout.contains("--budget 4"),
        "{again}"
    );

    let ran = bench(&scene, &["--workload", "B.*"]);
    let last = ran.json().pop().expect("a last line");
    assert_eq!((ran.status, &last["code"]), (10, &"bench/no-workloads".into()), "{ran}");
    assert!(last["help"].as_str().expect("a help").starts_with("there are `A.it`; "), "{ran}");
    let ran = bench(&scene, &["--alpha", "0.9"]);
    assert_eq!(ran.status, 2, "{ran}");
}

#[test]
fn runs_are_compared_and_judged_by_others_scripts() {
    let script = HEAD.to_owned() + &class("A", "tanh");
    let scene = built(HONEST, &[("benchmark.py", &script)]);
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ] {
        scene.tool("git", &[&["-C", "plain"], arguments].concat());
    }
    let ran = bench(&scene, &["--output", "before.json"]);
    assert_eq!(ran.status, 0, "{ran}");
    let against = ["--against", "before.json", "--judge-from", "HEAD", "--output", "now.json"];
    let ran = bench(&scene, &against);
    assert_eq!(ran.status, 0, "{ran}");
    assert_eq!(report(&ran)["variants"][0]["changes"][0]["workload"], "A.it", "{ran}");

    runs_are_put_side_by_side(&scene);

    let easier = script.replace("return torch.tanh(self.x)", "return self.kernel.tanh(self.x)");
    fs_err::write(scene.path("plain/benchmarks/benchmark.py"), easier).expect("written");
    let ran = bench(&scene, &["--judge-from", "HEAD"]);
    assert_eq!((ran.status, codes(&report(&ran))), (11, vec!["bench/referee".to_owned()]), "{ran}");
    let ran = bench(&scene, &["--against", "before.json"]);
    assert_eq!((ran.status, codes(&report(&ran))), (12, vec!["bench/incomparable".to_owned()]), "{ran}");

    for (arguments, status, code) in [
        (["--against", "plain/build.toml"], 15, "bench/saved"),
        (["--judge-from", "no-such-commit"], 10, "bench/no-workloads"),
    ] {
        let ran = bench(&scene, &arguments);
        let last = ran.json().pop().expect("a last line");
        assert_eq!((ran.status, &last["code"]), (status, &code.into()), "{ran}");
    }
}

/// `bench compare` and `bench merge` on the documents of two runs, and on such of machines that there are not.
fn runs_are_put_side_by_side(scene: &Scene) {
    let kept = |arguments: &[&str]| scene.run(&[&["--json", "bench"], arguments].concat());
    let ran = kept(&["compare", "before.json", "now.json"]);
    assert_eq!((ran.status, codes(&report(&ran))), (0, vec![]), "{ran}");
    assert_eq!(report(&ran)["changes"][0]["workload"], "A.it", "{ran}");
    let ran = kept(&["compare", "now.json", "plain/build.toml"]);
    assert_eq!(
        (ran.status, &ran.json().pop().expect("a last line")["code"]),
        (15, &"bench/saved".into()),
        "{ran}"
    );

    let document = |name: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let text = fs_err::read_to_string(scene.path("before.json")).expect("the first run's document");
        let mut document = serde_json::from_str(&text).expect("JSON");
        change(&mut document);
        fs_err::write(scene.path(name), document.to_string()).expect("written");
    };
    document("other.json", &|document| {
        document["run"]["id"] = "another".into();
        document["machine"]["comparability"]["processor"] = "another".into();
        document["workloads"][0]["verdict"]["outcome"] = "slower".into();
        document["workloads"][0]["verdict"]["effect"]["p_slower"] = 1e-9.into();
    });
    let ran = kept(&["compare", "before.json", "other.json"]);
    assert_eq!((ran.status, codes(&report(&ran))), (12, vec!["bench/incomparable".to_owned()]), "{ran}");
    let ran = kept(&["merge", "before.json", "other.json", "before.json", "--fail-on", "slower"]);
    let merged = report(&ran);
    assert_eq!((ran.status, codes(&merged)), (9, vec!["bench/slower".to_owned()]), "{ran}");
    assert_eq!(merged["machines"].as_array().map(Vec::len), Some(2), "{ran}");
    let workload = &merged["workloads"][0];
    let counts = ["measured_on", "slower_on"].map(|name| workload[name].as_u64());
    assert_eq!(counts, [Some(2), Some(1)], "{ran}");
    assert_eq!(merged["duplicates"].as_array().map(Vec::len), Some(1), "{ran}");
    let ran = scene.run(&["bench", "merge", "before.json", "other.json"]);
    assert!(ran.stdout.contains("slower on 1 of 2 kinds of machines"), "{ran}");

    document("edited.json", &|document| document["machine"]["name"] = "another".into());
    let ran = kept(&["merge", "before.json", "edited.json"]);
    assert_eq!(
        (ran.status, &ran.json().pop().expect("a last line")["code"]),
        (12, &"bench/incomparable".into()),
        "{ran}"
    );
    assert_eq!(kept(&["merge"]).status, 2);
}

/// What fools a comparison with a fixed tolerance, a timer, or both.
const CHEATS: &str = r"
import threading
import torch

_calls = 0
_known = {}


def half(x):
    return torch.tanh(x.half()).float()


def nothing(x):
    return torch.empty_like(x)


def cached(x):
    key = (x.data_ptr(), x.shape)
    if key not in _known:
        _known[key] = torch.tanh(x)
    return _known[key]


def skips(x):
    global _calls
    _calls += 1
    return torch.tanh(x) if _calls < 60 else torch.empty_like(x)


def overwrites(x):
    x.zero_()
    return torch.zeros_like(x)


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})


def lazy(x):
    return torch.tanh(x).as_subclass(Lazy)


def thread(x):
    out = torch.empty_like(x)
    threading.Thread(target=lambda: (threading.Event().wait(0.2), torch.tanh(x, out=out))).start()
    return out


def remembers(x):
    generator = torch.Generator().manual_seed(1)
    return torch.tanh(torch.randn(64, 257, generator=generator)) if x.shape == (64, 257) else torch.tanh(x)


def tanh(x):
    return torch.tanh(x)
";

#[test]
fn cheats_are_named_and_honest_neighbours_are_not() {
    let names = ["half", "nothing", "cached", "skips", "overwrites", "lazy", "thread", "remembers"];
    let classes: String = names.iter().map(|name| class(&format!("C{name}"), name)).collect();
    let script = format!("{HEAD}{classes}{}", class("Honest", "tanh"));
    let scene = built(CHEATS, &[("benchmark.py", &script)]);
    let ran = bench(&scene, &[]);
    let report = report(&ran);
    assert_eq!(ran.status, 7, "{ran}");
    for (name, expected, words) in [
        ("half", "incorrect", "would accept it"),
        ("nothing", "incorrect", ""),
        ("cached", "incorrect", ""),
        ("skips", "suspect", "not when timed"),
        ("overwrites", "incorrect", ""),
        ("lazy", "suspect", "Lazy"),
        ("thread", "suspect", "thread"),
        ("remembers", "incorrect", ""),
    ] {
        let (got, why) = outcome(&report, &format!("C{name}.it"));
        assert!(got == expected && why.contains(words), "{name}: {got}: {why}\n{ran}");
    }
    let (got, why) = outcome(&report, "Honest.it");
    assert!(!["incorrect", "suspect", "crashed", "in error"].contains(&got.as_str()), "{got}: {why}");
    assert_eq!(report["variants"][0]["verdict"], "INVALID");
    assert_eq!(codes(&report), ["bench/incorrect", "bench/suspect"]);
}

#[test]
fn changing_what_the_measurement_rests_on_is_seen() {
    let head = "import os, time, torch\n\ndef tanh(x):\n    return torch.tanh(x)\n\n\n";
    for (cheat, words) in [
        (
            "_real = time.perf_counter_ns\ntime.perf_counter_ns = lambda: _real() // 10\n",
            "time.perf_counter_ns",
        ),
        ("torch.set_num_threads(3)\n", "torch.get_num_threads"),
        ("_tanh = torch.tanh\ntorch.tanh = lambda x: (_tanh(x), _tanh(x))[0]\n", "torch.tanh"),
        (
            "for _number in range(3, 200):\n    try:\n        os.write(_number, b'{\"id\": 99, \"times\": [[1000, 1]]}\\n')\n    \
             except OSError:\n        pass\n",
            "its channel",
        ),
    ] {
        let scene =
            built(&format!("{head}{cheat}"), &[("benchmark.py", &(HEAD.to_owned() + &class("A", "tanh")))]);
        let ran = bench(&scene, &[]);
        let report = report(&ran);
        let (got, why) = outcome(&report, "A.it");
        assert!(got == "suspect" && why.contains(words), "{cheat}\n{got}: {why}\n{ran}");
        assert_eq!((ran.status, codes(&report)), (11, vec!["bench/suspect".to_owned()]), "{ran}");
    }
}

const MISBEHAVES: &str = r"
import os, signal, time
import torch


def tanh(x):
    return torch.tanh(x)


def raises(x):
    raise ValueError('no such luck')


def hangs(x):
    time.sleep(3600)


def leaves(x):
    os._exit(0)


def crashes(x):
    os.kill(os.getpid(), signal.SIGSEGV)


def eats(x):
    # Asked for and not touched: a machine needs no time to give it.
    return [torch.empty(1 << 30) for _ in range(1000)][0]


def forks(x):
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(3)
";

#[test]
fn what_misbehaves_ends_only_itself() {
    let names = ["raises", "hangs", "leaves", "crashes", "eats", "forks"];
    let classes: String = names.iter().map(|name| class(&format!("C{name}"), name)).collect();
    let script = format!("{HEAD}{classes}{}", class("Honest", "tanh"));
    let scene = built(MISBEHAVES, &[("benchmark.py", &script)]);
    let ran = bench(&scene, &["--timeout", "40"]);
    let report = report(&ran);
    assert_eq!(ran.status, 7, "{ran}");
    for (name, expected, words) in [
        ("raises", "in error", "ValueError: no such luck"),
        ("hangs", "crashed", "no answer within 40 seconds"),
        ("leaves", "crashed", "ended with status 0"),
        ("crashes", "crashed", "signal 11"),
        ("eats", "in error", "memory"),
        ("forks", "crashed", "ended with status 3"),
    ] {
        let (got, why) = outcome(&report, &format!("C{name}.it"));
        assert!(got == expected && why.contains(words), "{name}: {got}: {why}\n{ran}");
    }
    let (got, why) = outcome(&report, "Honest.it");
    assert!(!["incorrect", "suspect", "crashed", "in error"].contains(&got.as_str()), "{got}: {why}");
    assert_eq!(codes(&report), ["bench/child", "bench/failed"]);
}

/// What real scripts do: allocate the output themselves, use the kernel in their setup, insist on a device, keep helpers
/// beside the workloads, compare by their own rule, or are no such script at all.
const CONSTRUCTS: &str = r"
class Preallocated(Benchmark):
    seed = 3

    def _setup_shape(self, rows):
        self.x = torch.randn(rows, 65, device=self.device)
        self.out = torch.empty_like(self.x)

    def setup_small(self):
        self._setup_shape(4)

    def benchmark_small(self):
        self.kernel.tanh_into(self.out, self.x)

    def verify_small(self):
        return torch.tanh(self.x)


class Packs(Benchmark):
    def setup(self):
        self.packed = self.kernel.pack(torch.randn(32, 33))

    def benchmark_it(self):
        self.out = self.kernel.tanh(self.packed)

    def verify_it(self):
        return torch.tanh(self.packed)


class Elsewhere(Benchmark):
    def setup(self):
        self.x = torch.randn(8, device='cuda')

    def benchmark_it(self):
        self.out = self.kernel.tanh(self.x)

    def verify_it(self):
        return torch.tanh(self.x)


class Unchecked(Benchmark):
    def benchmark_it(self):
        self.out = self.kernel.tanh(torch.ones(8))


class Local(SiluAndMulBenchmark):
    def benchmark_large(self):
        raise NotImplementedError
";

const OWN_RULE: &str = r"
def _close(one, other, **_tolerances):
    return (one - other).abs().max() < 0.1


torch.allclose = _close
";

const CONSTRUCTED: &str = r"
import torch


def tanh(x):
    return torch.tanh(x)


def tanh_into(out, x):
    torch.tanh(x, out=out)


def pack(x):
    return x.contiguous()


def rough(x):
    return torch.tanh(x) + 0.05
";

#[test]
fn constructs_of_real_scripts_run_unchanged() {
    let first = format!("from kernels.benchmarks import SiluAndMulBenchmark\n{HEAD}{CONSTRUCTS}");
    let second = format!("{HEAD}{OWN_RULE}\n\n{}", class("Rough", "rough"));
    let third = "import argparse\n\nif __name__ == '__main__':\n    argparse.ArgumentParser().parse_args()\n";
    let scripts = [
        ("benchmark.py", first.as_str()),
        ("benchmark_own.py", second.as_str()),
        ("benchmark_program.py", third),
    ];
    let scene = built(CONSTRUCTED, &scripts);
    let only = [
        "--workload",
        "Pre*",
        "--workload",
        "Packs*",
        "--workload",
        "Else*",
        "--workload",
        "Un*",
        "--workload",
        "R*",
    ];
    let ran = bench(&scene, &only);
    let report = report(&ran);
    assert_eq!(ran.status, 0, "{ran}");
    let verification = |name: &str| {
        let workloads = report["variants"][0]["workloads"].as_array().expect("workloads");
        let found = workloads.iter().find(|one| one["workload"] == name).expect("the workload");
        (found["verified"] == true, found["verification"].as_str().unwrap_or_default().to_owned())
    };
    let (verified, how) = verification("Preallocated.small");
    assert!(verified && how.contains("in another process"), "{how}\n{ran}");
    let (verified, how) = verification("Packs.it");
    assert!(verified && how.contains("in the kernel's own process"), "{how}\n{ran}");
    let (verified, how) = verification("Rough.it");
    assert!(!verified && how.contains("benchmark_own.py:6"), "{how}\n{ran}");
    assert_eq!(outcome(&report, "Elsewhere.it").0, "unsupported");
    assert_eq!(codes(&report), ["bench/not-verified", "bench/script", "bench/unsupported"]);

    let ran = bench(&scene, &["--workload", "Rough.it", "--fail-on", "not-faster"]);
    // A loaded machine can slow the baseline in one process only, and that is a suspicion of its own.
    let slowed = ran.status == 11 && ran.stdout.contains("the baseline takes");
    assert!(ran.status == 10 || slowed, "what only the script's own rule accepts proves nothing: {ran}");
}

#[test]
fn news_fails_only_where_it_was_asked_for() {
    let slow = "import torch\n\ndef tanh(x):\n    for _ in range(20):\n        out = torch.tanh(x)\n    return out\n";
    let scene = built(slow, &[("benchmark.py", &(HEAD.to_owned() + &class("A", "tanh")))]);
    let ran = bench(&scene, &[]);
    assert_eq!(ran.status, 0, "{ran}");
    let ran = bench(&scene, &["--fail-on", "not-faster"]);
    assert_eq!((ran.status, codes(&report(&ran))), (9, vec!["bench/not-faster".to_owned()]), "{ran}");
    let ran = bench(&scene, &["--fail-on", "slower", "--fail-on", "inconclusive"]);
    let code = match report(&ran)["variants"][0]["verdict"].as_str() {
        Some("REGRESSED") => (9, "bench/slower"),
        Some("INCONCLUSIVE") => (13, "bench/inconclusive"),
        other => panic!("{other:?} of a kernel that does everything twenty times: {ran}"),
    };
    assert_eq!((ran.status, codes(&report(&ran))), (code.0, vec![code.1.to_owned()]), "{ran}");
}

/// A kernel of two numbers is nothing but a call; over a large tensor there is a roof.
#[test]
fn what_limits_a_kernel_follows_from_the_measured_roof() {
    let script = HEAD.to_owned() + &class("Large", "tanh") + &class("Small", "tanh").replace("64, 257", "2");
    let scene = built(HONEST, &[("benchmark.py", &script.replace("64, 257", "1024, 2048"))]);
    let ran = bench(&scene, &["--output", "result.json"]);
    let workloads = &report(&ran)["variants"][0]["workloads"];
    assert_eq!(workloads[1]["bottleneck"]["kind"], "call", "{ran}");
    let kind = workloads[0]["bottleneck"]["kind"].as_str().expect("a kind");
    assert!(["memory", "kernel"].contains(&kind), "{ran}");
    let text = fs_err::read_to_string(scene.path("result.json")).expect("the document");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let large = &document["workloads"][0];
    assert_eq!(
        (&large["roof"]["measured"], &large["roofline"]["bound"], &large["measurement"]["work"]["bytes"]),
        (&true.into(), &"memory".into(), &16_777_216.0.into()),
        "{text}"
    );
    assert!(large["roofline"]["share"]["candidate"].as_f64().expect("a share") > 0.0, "{text}");
}

#[test]
fn a_project_without_scripts_is_told_so() {
    let scene = built(HONEST, &[]);
    let ran = bench(&scene, &[]);
    let last = ran.json().pop().expect("a last line");
    assert_eq!((ran.status, &last["code"]), (10, &"bench/no-workloads".into()), "{ran}");
}
