//! A crash leaves nothing of the program's memory behind, in which the user's token is; programs that it starts may be
//! debugged like any other.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hub_testkit::wire::{Delivery, Reply, Request, Server};
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{Scene, python};
use crate::upload::ended::wait_until;

/// Lets a program dump as much as it likes, as a developer's machine may.
const DUMPING: &str = "ulimit -c unlimited && exec \"$0\" \"$@\"";

/// How a shell ends that aborts itself where dumps are allowed.
#[expect(clippy::disallowed_methods, reason = "a program of the machine, as a measure")]
fn another_program(scene: &Scene) -> ExitStatus {
    let mut command = Command::new("sh");
    command.args(["-c", DUMPING, "sh", "-c", "kill -ABRT $$"]).current_dir(scene.path(""));
    command.stderr(Stdio::null()).status().expect("it starts")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the shell allows dumps before the binary starts")]
fn a_crash_with_a_token_in_memory_writes_no_dump() {
    let asked = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&asked);
    let server = Server::start(move |_: &mut Request<'_>| {
        seen.store(true, Ordering::SeqCst);
        Reply::json(200, "{}").delivered(Delivery::Late(Duration::from_mins(5)))
    });
    let server = server.expect("a server");
    let scene = Scene::new().variable("HF_ENDPOINT", &server.url()).variable("HF_TOKEN", "hf_secret_writer");
    assert!(
        another_program(&scene).core_dumped(),
        "this system writes no dumps at all (`ulimit -H -c`, core_pattern), so nothing can be shown"
    );
    for signal in [Signal::ABORT, Signal::QUIT] {
        asked.store(false, Ordering::SeqCst);
        let own = scene.command(&["variants", "acme/demo@v1"]);
        let mut command = Command::new("sh");
        command.args(["-c", DUMPING]).arg(own.get_program()).args(own.get_args());
        command.current_dir(scene.path("")).env_clear();
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts");
        // The token has been read and sent.
        wait_until("a question", || asked.load(Ordering::SeqCst));
        kill_process(Pid::from_child(&child), signal).expect("it runs");
        let ended = child.wait().expect("an end");
        assert!(ended.signal() == Some(signal.as_raw()) && !ended.core_dumped(), "{ended:?}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "Python is asked as a shell would")]
fn a_program_that_is_started_may_be_debugged_as_before() {
    // PR_GET_DUMPABLE of prctl(2), and the limit of dumps.
    let ask = "import ctypes, resource as r\nprint(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), r.getrlimit(r.RLIMIT_CORE))";
    let directly = Command::new(python()).args(["-c", ask]).output().expect("Python starts").stdout;
    let scene = Scene::new().file("kernel-pins.json", r#"{"schema": "kernel-pins/1", "kernels": []}"#);
    let ran = scene.run(&["run", "--verified", "--", &python(), "-c", ask]);
    let directly = String::from_utf8(directly).expect("UTF-8");
    assert!(directly.starts_with("1 (") && ran.stdout.starts_with(&directly), "{directly} {ran}");
}
