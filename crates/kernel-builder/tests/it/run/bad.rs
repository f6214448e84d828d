//! Programs that cannot be looked into, or end in other ways than they should.

use std::time::{Duration, Instant};

use super::{codes, report, run, scene};
use crate::scene::Scene;

fn only(code: &str) -> Vec<String> {
    vec![code.to_owned()]
}

#[test]
fn a_program_that_is_no_python_or_uses_no_kernel_says_so() {
    let scene = Scene::new();
    for flags in [&["--share"][..], &["--use", "baseline"], &["--use", "auto", "--share"]] {
        let ran = scene.run(&[&["run", "--json"], flags, &["--", "true"]].concat());
        assert_eq!((ran.status, codes(&ran)), (10, only("run/no-python")), "{ran}");
        let ran = run(&scene, flags, &["-I", "-c", "pass"]);
        assert_eq!((ran.status, codes(&ran)), (10, only("run/no-python")), "{ran}");
    }
    let ran = run(&scene, &["--share"], &["-c", "pass"]);
    assert_eq!((ran.status, codes(&ran)), (10, only("run/never-called")), "{ran}");
    assert_eq!(report(&ran)["share"]["share"], 0.0, "{ran}");
    assert_eq!(report(&ran)["share"]["largest_gain"], 1.0, "{ran}");
    let ran = run(&scene, &["--use", "baseline"], &["-c", "pass"]);
    assert_eq!((ran.status, codes(&ran)), (0, only("run/not-switched")), "{ran}");
}

#[test]
fn a_program_that_is_missing_fails_dies_or_hangs_is_named() {
    let scene = Scene::new();
    let ran = scene.run(&["run", "--share", "--json", "--", "no-such-program"]);
    assert_eq!((ran.status, codes(&ran)), (4, only("environment/tool-missing")), "{ran}");
    let ran = run(&scene, &["--share"], &["-c", "raise SystemExit(3)"]);
    assert_eq!((ran.status, codes(&ran)), (14, only("run/failed")), "{ran}");
    let ran = run(&scene, &["--use", "auto"], &["-c", "import os; os.kill(os.getpid(), 9)"]);
    assert_eq!((ran.status, codes(&ran)), (14, only("run/failed")), "{ran}");
    assert_eq!(report(&ran)["end"], "was ended by signal 9", "{ran}");

    // What it started ends with it, also where both ignore that they are asked to.
    let hanging = "import os, signal, subprocess, sys, time\nsignal.signal(15, signal.SIG_IGN)\n\
                   child = subprocess.Popen(['sleep', '600'])\nopen('child', 'w').write(str(child.pid))\ntime.sleep(600)\n";
    let scene = scene.file("hanging.py", hanging);
    let begin = Instant::now();
    let ran = run(&scene, &["--share", "--timeout", "5"], &["hanging.py"]);
    assert_eq!((ran.status, codes(&ran)), (14, only("run/timeout")), "{ran}");
    assert!(begin.elapsed() < Duration::from_mins(5), "{ran}");
    let child = fs_err::read_to_string(scene.path("child")).expect("it had started");
    let state = fs_err::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[test]
fn what_a_program_knew_before_it_was_ended_is_told() {
    let program = "import torch, time\nfrom kernels import get_kernel\nkernel = get_kernel('acme/demo', version=1)\n\
                   kernel.scale(torch.ones(8))\nimport os\nos._exit(3)\n";
    let scene = scene().file("program.py", program);
    let ran = run(&scene, &["--share"], &["program.py"]);
    assert_eq!((ran.status, codes(&ran)), (14, only("run/failed")), "{ran}");
    assert_eq!(report(&ran)["share"]["operations"][0]["calls"], 1, "{ran}");
}

#[test]
fn a_record_that_others_wrote_to_proves_nothing() {
    let forged =
        "import kernel_builder_run as own\nopen(own.CONFIGURATION['events'], 'a').write('share: none\\n')\n";
    let scene = Scene::new().file("forged.py", forged);
    let ran = run(&scene, &["--share"], &["forged.py"]);
    assert_eq!((ran.status, codes(&ran)), (6, only("run/record")), "{ran}");
}

#[test]
fn wrong_lines_are_refused() {
    let scene = Scene::new().file("notes.txt", "no document");
    let refused = |flags: &[&str]| {
        let ran = scene.run(&[&["run", "--json"], flags, &["--", "true"]].concat());
        (ran.status, codes(&ran))
    };
    assert_eq!(
        refused(&["--use", "baseline", "--baseline", "acme/demo=missing.py"]),
        (15, only("run/baseline"))
    );
    assert_eq!(refused(&["--use", "baseline", "--baseline", "acme/demo"]), (2, only("usage/arguments")));
    assert_eq!(refused(&["--share", "--bench", "notes.txt"]), (15, only("bench/saved")));
    assert_eq!(refused(&["--share", "--timeout", "9223372036854775807"]), (2, only("usage/arguments")));
    assert_eq!(refused(&["--compare", "--share"]), (2, only("usage/arguments")));
    assert_eq!(refused(&["--share", "--pairs", "6"]), (2, only("usage/arguments")));
    assert_eq!(refused(&["--compare", "--alpha", "2"]), (2, only("usage/arguments")));
    assert_eq!(refused(&[]), (2, only("usage/arguments")));
}

/// Python divides what it looks through by colons.
#[test]
fn where_python_would_not_find_the_hook_nothing_runs() {
    let scene = Scene::new().file("a:b/other", "");
    let temporary = scene.path("a:b").to_str().expect("UTF-8").to_owned();
    let scene = scene.variable("TMPDIR", &temporary);
    let ran = scene.run(&["run", "--use", "auto", "--json", "--", "touch", "ran"]);
    let last = ran.json().pop().expect("a line");
    assert_eq!(last["code"], "environment/file", "{ran}");
    assert!(last.to_string().contains("TMPDIR") && !scene.path("ran").exists(), "{ran}");
}

/// A program that waits to be ended.
const WAITING: &str = "import pathlib, time\npathlib.Path('begun').touch()\n\
                       while not pathlib.Path('end').exists(): time.sleep(0.05)\n";

#[test]
fn what_a_killed_run_left_goes_with_the_next_one_after_its_program() {
    let scene = Scene::new().file("waiting.py", WAITING).file("temporary/other", "");
    let temporary = scene.path("temporary").to_str().expect("UTF-8").to_owned();
    let scene = scene.variable("TMPDIR", &temporary);
    let left = || fs_err::read_dir(&temporary).expect("a folder").count() - 1;
    let next = || scene.run(&["run", "--use", "auto", "--", "true"]);
    let until = |is: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !is() {
            assert!(begin.elapsed() < Duration::from_mins(1), "it takes too long");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let python = crate::scene::python();
    let mut run = scene.command(&["run", "--use", "auto", "--", &python, "waiting.py"]);
    let mut run = run.spawn().expect("it starts");
    until(&|| scene.path("begun").exists());
    run.kill().expect("killed");
    run.wait().expect("ended");
    next();
    assert_eq!(left(), 1, "its program still needs the hook");
    let scene = scene.file("end", "");
    let next = || scene.run(&["run", "--use", "auto", "--", "true"]);
    until(&|| {
        next();
        left() == 0
    });
}
