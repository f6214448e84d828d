//! Commands that are ended while they read a file that is too large to be read soon.

use std::io::Read;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::*;
use crate::scene::Scene;

/// Fifty gigabytes that take no room.
const HUGE: u64 = 50 << 30;

fn huge(hub: &Hub) -> Scene {
    let scene = project(hub, "writer", "one");
    let file = fs_err::File::create(scene.path("build/torch-cpu/data/table.bin")).expect("made");
    file.set_len(HUGE).expect("a sparse file");
    scene
}

/// Whether a process has worked for a fifth of a second, which none does that reads no huge file. What it has opened is
/// nobody's business: the program keeps that to itself.
fn reads(child: &Child) -> bool {
    let state = fs_err::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    // After the name come fields 3 and on; 14 and 15 are the time, in hundredths of a second (proc(5)).
    let fields = state.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    let time: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    time >= 20
}

pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not come about within a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Ends a command while it reads; answers how it ended and what it said.
fn end(scene: &Scene, arguments: &[&str], signal: Signal) -> (Option<i32>, String) {
    let mut command = scene.command(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("reading", || reads(&child));
    kill_process(Pid::from_child(&child), signal).expect("it runs");
    let mut said = String::new();
    let mut ended = None;
    wait_until("the end", || {
        ended = child.try_wait().expect("a state");
        ended.is_some()
    });
    child.stdout.take().expect("piped").read_to_string(&mut said).expect("UTF-8");
    (ended.expect("it ended").code(), said)
}

#[test]
fn a_command_that_reads_a_huge_file_ends_when_it_is_told_to() {
    let hub = hub();
    let scene = huge(&hub);
    for (arguments, signal) in [
        (&["upload", "--json"][..], Signal::TERM),
        (&["status", "--json"], Signal::INT),
        (&["hash", "--json"], Signal::HUP),
        (&["sign", "--json", "--repo-id", "acme/demo"], Signal::TERM),
        (&["collect", ".", "--out", "../set", "--json"], Signal::TERM),
    ] {
        let (status, said) = end(&scene, arguments, signal);
        assert_eq!(status, Some(130), "{arguments:?}: {said}");
        assert!(said.contains("internal/interrupted"), "{arguments:?}: {said}");
    }
    assert!(hub.take_log().is_empty(), "nothing is asked");
    assert!(!scene.path("../set").exists());
}

/// How many sets are being collected beside a project, or were left.
fn on_their_way(scene: &Scene) -> usize {
    let entries = fs_err::read_dir(scene.path("..")).expect("there").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".collecting-")).count()
}

#[test]
fn what_a_killed_collect_left_goes_with_the_next() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let file = fs_err::File::create(scene.path("build/torch-cpu/data/table.bin")).expect("made");
    file.set_len(300 << 20).expect("a sparse file");
    let scene = sealed(scene);
    let left = || on_their_way(&scene);
    let mut command = scene.command(&["collect", ".", "--out", "../set"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("copying", || left() > 0);
    child.kill().expect("killed");
    child.wait().expect("it ended");
    assert!(left() == 1 && !scene.path("../set").exists(), "half a set is hidden, and no set");
    assert_eq!(scene.run(&["collect", ".", "--out", "../set"]).status, 0);
    assert_eq!(left(), 0);
}

/// The faster one has the place; the other says so, and leaves nothing.
#[test]
fn of_two_collects_into_one_folder_one_is_told_that_it_is_taken() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    fs_err::create_dir(scene.path("small")).expect("made");
    fs_err::rename(scene.path("build"), scene.path("small/build")).expect("moved");
    let scene = sealed(variant(scene, "torch-cpu", 1, &sample("two")));
    let file = fs_err::File::create(scene.path("build/torch-cpu/data/table.bin")).expect("made");
    file.set_len(300 << 20).expect("a sparse file");
    let scene = sealed(scene);
    let begun = || on_their_way(&scene);
    let mut command = scene.command(&["collect", ".", "--out", "../set", "--json"]);
    let slow = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("copying", || begun() > 0);
    assert_eq!(scene.run(&["collect", "small", "--out", "../set"]).status, 0);
    let ended = slow.wait_with_output().expect("it ended");
    let said = String::from_utf8(ended.stdout).expect("UTF-8");
    assert!(ended.status.code() == Some(2) && said.contains("collect/out"), "{said}");
    let init = fs_err::read_to_string(scene.path("../set/build/torch-cpu/__init__.py")).expect("a set");
    assert!(init.contains("one") && begun() == 0, "{init}");
}
