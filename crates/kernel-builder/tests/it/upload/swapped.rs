//! What changes while it is uploaded: nothing else than what was planned ever leaves the machine, and nothing hangs.

use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use fs_err::os::unix::fs::symlink;
use hub_testkit::{Fault, Kind};
use rustix::process::{Pid, Signal, kill_process};

use super::ended::wait_until;
use super::*;

/// Uploads, and does something when the content is named and not yet sent. Answers the status and what was said.
fn upload_while(hub: &Hub, scene: &Scene, meanwhile: impl FnOnce(Pid)) -> (Option<i32>, String) {
    // The answer waits for long enough that there is time for what is done meanwhile.
    let kind = Kind::Late(Duration::from_secs(2));
    hub.faults().plan(Fault { method: "POST", path: "/preupload/".to_owned(), times: 1, kind });
    let mut command = scene.command(&["upload", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("the plan", || hub.take_log().iter().any(|line| line.contains("/preupload/")));
    meanwhile(Pid::from_child(&child));
    let mut said = String::new();
    let mut ended = None;
    wait_until("the end", || {
        ended = child.try_wait().expect("a state");
        ended.is_some()
    });
    child.stdout.take().expect("piped").read_to_string(&mut said).expect("UTF-8");
    (ended.expect("it ended").code(), said)
}

/// A project with content of three sizes: inside of a commit, stored whole, stored in parts.
fn three_sizes(hub: &Hub) -> Scene {
    let files = BTreeMap::from([
        ("__init__.py".to_owned(), b"VALUE = 1\n".to_vec()),
        ("small.py".to_owned(), b"SMALL = 1\n".to_vec()),
        ("whole.bin".to_owned(), vec![0; 2_000]),
        ("parts.bin".to_owned(), vec![0; 3 << 20]),
    ]);
    sealed(variant(manifest(scene(hub, "writer"), 1), "torch-cpu", 1, &files))
}

fn hub_of_parts() -> Hub {
    hub_with(Limits { multipart: 1 << 20, part: 700_000, ..Limits::default() })
}

/// Replaces a file of an upload that has named it, by something else.
fn replace(file: &str, what: &str) {
    let hub = hub_of_parts();
    let scene = three_sizes(&hub);
    let place = scene.path(&format!("build/torch-cpu/{file}"));
    let length = usize::try_from(fs_err::metadata(&place).expect("there").len()).expect("a length");
    fs_err::write(scene.path("secret"), vec![b's'; length]).expect("written");
    let (status, said) = upload_while(&hub, &scene, |_| {
        fs_err::remove_file(&place).expect("removed");
        match what {
            "other content" => drop(fs_err::copy(scene.path("secret"), &place).expect("copied")),
            "a link" => symlink(scene.path("secret"), &place).expect("linked"),
            "a pipe" => scene.tool("mkfifo", &[place.to_str().expect("UTF-8")]),
            "a link to a pipe" => {
                scene.tool("mkfifo", &["pipe"]);
                symlink(scene.path("pipe"), &place).expect("linked");
            }
            _ => {}
        }
    });
    let changed = said.contains("hub/changed") && said.contains(file);
    assert!(status == Some(8) && changed, "{file}, {what}: {status:?} {said}");
    assert!(hub.history(REPOSITORY, "v1").is_empty(), "{file}, {what}");
    let stored = hub.stored().expect("stored files");
    let most = if file == "small.py" { 2 } else { 1 };
    assert!(stored.len() <= most, "{file}, {what}: nothing else is there: {stored:?}");
}

#[test]
fn a_file_that_is_replaced_during_an_upload_is_not_sent() {
    for file in ["small.py", "whole.bin", "parts.bin"] {
        std::thread::scope(|scope| {
            for what in ["other content", "a link", "a pipe", "a link to a pipe", "nothing"] {
                scope.spawn(move || replace(file, what));
            }
        });
    }
}

/// A folder on the way to a file is no better than the file.
#[test]
fn a_folder_that_becomes_a_link_during_an_upload_is_not_followed() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let (folder, elsewhere) = (scene.path("build/torch-cpu/data"), scene.path("elsewhere"));
    let (status, said) = upload_while(&hub, &scene, |_| {
        fs_err::rename(&folder, &elsewhere).expect("moved");
        symlink(&elsewhere, &folder).expect("linked");
    });
    assert!(status == Some(8) && said.contains("hub/changed"), "{status:?} {said}");
    assert!(hub.history(REPOSITORY, "v1").is_empty());
}

#[test]
fn one_signal_ends_an_upload_whose_file_became_a_pipe() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let place = scene.path("build/torch-cpu/data/table.bin");
    let (status, said) = upload_while(&hub, &scene, |pid| {
        fs_err::remove_file(&place).expect("removed");
        scene.tool("mkfifo", &[place.to_str().expect("UTF-8")]);
        kill_process(pid, Signal::TERM).expect("it runs");
    });
    assert!(status == Some(130) && said.contains("internal/interrupted"), "{status:?} {said}");
}
