//! The door is tested with real children: shells that misbehave in the ways compilers and their helpers do.

use std::time::{Duration, Instant};

use super::*;
use crate::context::Cancellation;

fn context(variables: &[(&str, &str)]) -> Context {
    let path = ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned());
    let given = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Context {
        sink: std::sync::Arc::new(kernel_spec::event::Silent),
        environment: Environment::new(std::iter::once(path).chain(given)),
        working_directory: "/".into(),
        now: 0,
        source_date: 0,
        offline: true,
        cancelled: Cancellation::default(),
    }
}

fn shell(script: &str) -> Command {
    Command::new("sh").arguments(["-c", script])
}

#[test]
fn a_child_sees_only_what_is_allowed() {
    let context = context(&[
        ("HF_TOKEN", "hf_secret"),
        ("AWS_SECRET_ACCESS_KEY", "x"),
        ("GITHUB_TOKEN", "x"),
        ("LD_PRELOAD", "x"),
        ("HOME", "/home/somebody"),
        ("https_proxy", "http://proxy"),
        ("LANG", "de_DE.UTF-8"),
    ]);
    let names = |command: Command| -> Vec<String> {
        let finished = command.capture(&context).and_then(Finished::require_success).expect("runs");
        finished.text().lines().map(|line| line.split('=').next().unwrap_or_default().to_owned()).collect()
    };
    let env = || Command::new("env");
    let mut plain = names(env());
    plain.sort();
    assert_eq!(plain, ["LANG", "PATH"]);
    let mut more = names(env().with_home().with_proxies().inherit("HF_TOKEN").inherit("GITHUB_TOKEN"));
    more.sort();
    assert_eq!(more, ["HOME", "LANG", "PATH", "https_proxy"]);
    let language = env().capture(&context).expect("runs").text();
    assert!(language.contains("LANG=C.UTF-8"), "{language}");
}

#[test]
fn lines_come_from_both_streams_and_are_bounded() {
    let mut lines = Vec::new();
    let script = "echo one; echo two >&2; printf 'b\\377d\\r\\n'; head -c 100000 /dev/zero | tr '\\0' x";
    let finished = shell(script).stream(&context(&[]), &mut |line| lines.push(line.clone())).expect("runs");
    assert!(finished.succeeded());
    let output: Vec<&str> =
        lines.iter().filter(|line| line.stream == Stream::Output).map(|line| line.text.as_str()).collect();
    assert_eq!(output[..2], ["one", "b\u{fffd}d"]);
    assert_eq!(output[2..].iter().map(|line| line.len()).sum::<usize>(), 100_000);
    assert!(output.iter().all(|line| line.len() <= 32 << 10));
    assert_eq!(finished.said, ["two"]);
}

#[test]
fn the_end_is_told_apart() {
    let run = |script: &str| shell(script).capture(&context(&[])).expect("runs");
    assert_eq!(run("exit 3").end, End::Exited(3));
    assert_eq!(run("kill -TERM $$").end, End::Signalled(15));
    let killed = run("kill -KILL $$");
    assert_eq!((killed.end, killed.out_of_memory), (End::Signalled(9), true));
    let words = "echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1";
    assert!(run(words).out_of_memory);
    assert!(!run("echo oops >&2; exit 1").out_of_memory);
    let error = run("echo oops >&2; exit 1").require_success().expect_err("failed");
    assert_eq!(error.to_string(), "`sh` ended with status 1: oops");
}

#[test]
fn a_missing_program_is_named_with_what_to_install() {
    let command = Command::new("no-such-program").remedy("install `the-package`");
    let error = command.capture(&context(&[])).expect_err("missing");
    assert_eq!(error.to_string(), "program `no-such-program` was not found");
    assert_eq!(miette::Diagnostic::help(&error).expect("help").to_string(), "install `the-package`");
    let error = shell("true").directory("/no/such/place").capture(&context(&[])).expect_err("no directory");
    assert!(matches!(error, ProcessError::Directory { .. }), "{error}");
}

#[test]
fn input_reaches_the_child_and_is_empty_without() {
    let cat = Command::new("cat").input("hello").capture(&context(&[])).expect("runs");
    assert_eq!(cat.text(), "hello");
    assert_eq!(Command::new("cat").capture(&context(&[])).expect("runs").text(), "");
}

/// Ninja puts each compiler into a group of its own, and a shell can ignore SIGTERM: neither may survive.
#[test]
fn an_interruption_ends_everything_below() {
    let context = context(&[]);
    let (sender, pids) = std::sync::mpsc::channel();
    let cancelled = context.cancelled.clone();
    let waiter = std::thread::spawn(move || {
        let pids: Vec<String> = (0..3).map(|_| pids.recv().expect("a pid")).collect();
        cancelled.cancel();
        (Instant::now(), pids)
    });
    let script = "trap '' TERM; echo $$; sleep 100 & echo $!; setsid sh -c 'echo $$; sleep 100' & wait; wait";
    let error = shell(script)
        .stream(&context, &mut |line| {
            let _ = sender.send(line.text.clone());
        })
        .expect_err("interrupted");
    assert!(matches!(error, ProcessError::Interrupted { .. }), "{error}");
    let (asked, pids) = waiter.join().expect("the waiter");
    // A second until SIGKILL is the promise; a busy machine adds its own time, but never the sleepers' hundred seconds.
    assert!(asked.elapsed() < Duration::from_secs(30), "took {:?}", asked.elapsed());
    for pid in pids {
        // SIGKILL is sent, but a process that has to wait for a processor dies when it gets one.
        let lives = || {
            let state = fs_err::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        let end = Instant::now() + Duration::from_secs(20);
        while lives() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!lives(), "{pid} lives");
    }
}

#[test]
fn a_timeout_ends_the_child() {
    let started = Instant::now();
    let error =
        shell("sleep 100").timeout(Duration::from_millis(200)).capture(&context(&[])).expect_err("late");
    assert!(matches!(error, ProcessError::TimedOut { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_process_left_behind_does_not_hold_the_result() {
    let finished = shell("setsid sleep 30 & echo done").capture(&context(&[])).expect("runs");
    assert_eq!(finished.text(), "done\n");
}

#[test]
fn a_child_can_be_talked_to() {
    let context = context(&[]);
    let echo = "while read line; do echo \"log of $line\"; echo \"answer $line\" >&0; done";
    let mut conversation = shell(echo).converse(&context).expect("starts");
    let mut logs = Vec::new();
    for word in ["one", "two"] {
        conversation.say(word).expect("said");
        let heard = conversation
            .hear(Duration::from_secs(20), &mut |line| logs.push(line.text.clone()))
            .expect("an answer");
        assert_eq!(String::from_utf8_lossy(&heard), format!("answer {word}"));
    }
    let finished = conversation.close(&mut |line| logs.push(line.text.clone())).expect("ends");
    assert!(finished.succeeded(), "{finished:?}");
    assert_eq!(logs, ["log of one", "log of two"]);
}

#[test]
fn silence_has_a_reason() {
    let context = context(&[]);
    let hear = |script: &str, within: Duration| {
        let mut conversation = shell(script).converse(&context).expect("starts");
        conversation.hear(within, &mut |_| {}).expect_err("no answer")
    };
    assert!(matches!(hear("exit 0", Duration::from_secs(20)), Silence::Ended));
    // What is left behind holds the socket open, and is no reason to wait.
    assert!(matches!(hear("sleep 600 & exit 0", Duration::from_secs(20)), Silence::Ended));
    assert!(matches!(hear("sleep 600", Duration::from_millis(300)), Silence::TimedOut(_)));
    // In a pipeline the second command's standard input is the pipe.
    let endless = "exec 3>&0; head -c 3000000 /dev/zero | tr '\\0' x >&3; sleep 600";
    assert!(matches!(hear(endless, Duration::from_secs(20)), Silence::TooLong));
}
