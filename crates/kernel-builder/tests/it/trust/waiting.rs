//! Another process that verifies at the same time.

use std::process::{Child, Stdio};

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};

use super::*;
use crate::upload::ended::wait_until;

/// Begins to verify, and answers when it has said that it waits.
fn waits(scene: &Scene) -> Child {
    let said = scene.path("said");
    let file = fs_err::File::create(&said).expect("a file");
    let arguments = ["verify", "--json", "--trust-config", "trust.json", "--policy", "policy.toml"];
    let mut command = scene.command(&arguments);
    let output = Stdio::from(file.into_file());
    let child = command.stdout(output).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("the notice", || {
        fs_err::read_to_string(&said).expect("UTF-8").contains("waiting for another process")
    });
    child
}

fn status(mut child: Child) -> Option<i32> {
    let mut ended = None;
    wait_until("the end", || {
        ended = child.try_wait().expect("a state");
        ended.is_some()
    });
    ended.expect("it ended").code()
}

#[test]
fn another_process_is_waited_for_until_an_interruption() {
    let services = Sigstore::start().expect("services");
    let scene = signed(&services);
    assert_eq!(verify(&scene, &[]).status, 0);
    let folder = scene.path("../home/.local/state/kernel-builder/seen");
    let mut entries =
        fs_err::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let lock = entries.find(|path| path.extension().is_some_and(|end| end == "lock")).expect("a lock");
    let lock = fs_err::File::open(lock).expect("a lock");
    flock(&lock, FlockOperation::LockExclusive).expect("locked");
    let child = waits(&scene);
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    assert_eq!(status(child), Some(130));
    let child = waits(&scene);
    drop(lock);
    assert_eq!(status(child), Some(0));
}
