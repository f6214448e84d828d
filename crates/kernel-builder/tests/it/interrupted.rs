//! Builds that do not come to their end: interrupted, killed, out of memory, or behind another one.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::build::{VARIANT, build, library, project};
use crate::scene::Scene;

/// A source that keeps a compiler busy: about as many tenths of a second as it has steps.
fn slow(steps: u32) -> String {
    format!(
        "constexpr int spin(int n) {{ int s = 0; for (int i = 0; i < 200000; ++i) s ^= i + n; return s; }}\n\
         template <int N> struct Slow {{ static constexpr int value = spin(N) + Slow<N - 1>::value; }};\n\
         template <> struct Slow<0> {{ static constexpr int value = 0; }};\n\
         extern \"C\" int __tvm_ffi_in_a() {{ return Slow<{steps}>::value; }}\n"
    )
}

fn start(scene: &Scene, arguments: &[&str]) -> Child {
    let mut command = scene.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary starts")
}

/// The compilers below a process, as their directories in `/proc`.
fn compilers(of: &Child) -> Vec<PathBuf> {
    let entries =
        fs_err::read_dir("/proc").expect("processes").filter_map(Result::ok).map(|entry| entry.path());
    let processes: Vec<(String, String, PathBuf)> = entries
        .filter_map(|path| {
            let stat = fs_err::read_to_string(path.join("stat")).ok()?;
            let parent = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(1)?.to_owned();
            Some((path.file_name()?.to_str()?.to_owned(), parent, path))
        })
        .collect();
    let mut open = vec![of.id().to_string()];
    let mut found = Vec::new();
    while let Some(parent) = open.pop() {
        for (pid, _, path) in processes.iter().filter(|process| process.1 == parent) {
            open.push(pid.clone());
            let name = fs_err::read_to_string(path.join("comm")).unwrap_or_default();
            found.extend((name.trim() == "cc1plus").then(|| path.clone()));
        }
    }
    found
}

/// The compilers below a process, as soon as there are some.
fn wait_for_compilers(of: &Child) -> Vec<PathBuf> {
    let mut found = Vec::new();
    wait_until("a compiler", || {
        found = compilers(of);
        !found.is_empty()
    });
    found
}

fn has_ended(process: &Path) -> bool {
    fs_err::read_to_string(process.join("stat")).map_or(true, |stat| stat.contains(") Z "))
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not come about within a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it runs");
}

fn text(mut stream: impl Read) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("UTF-8");
    text
}

#[test]
fn an_interruption_ends_the_compilers_and_keeps_the_earlier_result() {
    let scene = project();
    build(&scene, "", &[]);
    let before = library(&scene, "");
    let scene = scene.file("a/k.cpp", &slow(800));
    for sandbox in ["off", "auto"] {
        let mut child = start(&scene, &["build", "--sandbox", sandbox]);
        let running = wait_for_compilers(&child);
        let asked = Instant::now();
        signal(&child, Signal::INT);
        let status = child.wait().expect("it ends");
        // The promise is two seconds; a machine under load gets some more before it counts as hanging.
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
        let said = text(child.stderr.take().expect("piped"));
        assert_eq!(status.code(), Some(130), "{said}");
        assert!(said.contains("error[internal/interrupted]"), "{said}");
        for process in running {
            // Those in the sandbox are ended by the system, with their namespace, and that may take a moment more.
            wait_until(&format!("the end of {} with sandbox {sandbox}", process.display()), || {
                has_ended(&process)
            });
        }
        assert_eq!(library(&scene, ""), before);
    }
    let scene = scene.file("a/k.cpp", &slow(1));
    assert_eq!(build(&scene, "", &[])["work"], "built");
}

#[test]
fn after_a_kill_the_next_build_works() {
    let scene = project();
    build(&scene, "", &[]);
    for (sandbox, result) in [("off", 2), ("auto", 3)] {
        let before = library(&scene, "");
        let write = |text: String| fs_err::write(scene.path("a/k.cpp"), text).expect("written");
        write(slow(20));
        let mut child = start(&scene, &["build", "--sandbox", sandbox]);
        let left = wait_for_compilers(&child);
        signal(&child, Signal::KILL);
        child.wait().expect("it ends");
        assert_eq!(library(&scene, ""), before);
        // What still runs of it could write over the next build's objects, so that one begins only afterwards.
        write(format!("extern \"C\" int __tvm_ffi_in_a() {{ return {result}; }}\n"));
        build(&scene, "", &["--sandbox", sandbox]);
        for process in left {
            assert!(has_ended(&process), "{} still runs with sandbox {sandbox}", process.display());
        }
        assert_ne!(library(&scene, ""), before);
    }
}

#[test]
fn the_second_of_two_builds_waits_and_names_the_first() {
    let scene = project().file("a/k.cpp", &slow(12));
    let mut first = start(&scene, &["build"]);
    wait_for_compilers(&first);
    let mut second = start(&scene, &["build"]);
    let (first_status, status) = (first.wait().expect("it ends"), second.wait().expect("it ends"));
    let said = text(second.stderr.take().expect("piped"));
    assert_eq!((first_status.code(), status.code()), (Some(0), Some(0)), "{said}");
    assert!(said.contains(&format!("waiting for process {}", first.id())), "{said}");
    assert!(scene.path(&format!("build/{VARIANT}/metadata.json")).is_file());
}

#[test]
fn a_compiler_that_was_killed_for_memory_is_told_from_one_that_found_a_fault() {
    // The driver answers what is asked of it as the real one does; compiling, it kills itself as the system would.
    let wrapper = "#!/bin/sh\ncase \" $* \" in *a/k.cpp*) kill -9 $$;; esac\nexec c++ \"$@\"\n";
    let scene = project().file("compiler/c++", wrapper);
    scene.tool("chmod", &["+x", "compiler/c++"]);
    let compiler = scene.path("compiler/c++").to_str().expect("UTF-8").to_owned();
    let scene = scene.variable("CXX", &compiler);
    let ran = scene.run(&["build", "--jobs", "1", "--sandbox", "off"]);
    assert_eq!(ran.status, 5, "{ran}");
    assert!(ran.stderr.contains("error[build/out-of-memory]"), "{ran}");
    assert!(ran.stderr.contains("`a/k.cpp` (component `kernel.p`)"), "{ran}");
}
