//! The two voices: what goes to which stream, in which form, and what a closed or full pipe does.

use std::process::Stdio;

use crate::scene::Scene;

#[test]
fn errors_go_to_standard_error_in_one_form() {
    let scene = Scene::new();
    insta::assert_snapshot!("unknown-command", scene.run(&["explian"]));
    insta::assert_snapshot!("unknown-option", scene.run(&["explain", "--jason"]));
    insta::assert_snapshot!("missing-argument", scene.run(&["completions"]));
    insta::assert_snapshot!("wrong-value", scene.run(&["completions", "cmd"]));
    insta::assert_snapshot!("wrong-value-in-JSON", scene.run(&["--json", "completions", "cmd"]));
}

#[test]
fn json_starts_with_start_and_ends_with_the_answer() {
    let ran = Scene::new().run(&["--json", "explain", "internal/bug"]);
    assert_eq!(ran.stderr, "");
    let lines = ran.json();
    assert_eq!((&lines[0]["event"], &lines[0]["schema"]), (&"start".into(), &1.into()));
    assert_eq!(lines.last().expect("lines")["event"], "report");
    let failed = Scene::new().run(&["explain", "--json", "no/code"]);
    assert_eq!(failed.stderr, "");
    let last = failed.json().pop().expect("lines");
    assert_eq!((&last["event"], &last["exit"]), (&"error".into(), &failed.status.into()));
}

#[test]
fn colour_comes_only_when_asked_for() {
    let plain = Scene::new().run(&["explain", "no/code"]);
    assert!(!plain.stderr.contains('\u{1b}'), "{plain}");
    let coloured = Scene::new().run(&["--color", "always", "explain", "no/code"]);
    assert!(coloured.stderr.starts_with("\u{1b}["), "{coloured}");
}

#[test]
fn hostile_words_are_shown_harmless() {
    let ran = Scene::new().run(&["explain", "a/\u{1b}]0;title\u{7}"]);
    assert!(!ran.stderr.contains('\u{1b}') && ran.stderr.contains("\\u{1b}"), "{ran}");
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    let scene = Scene::new();
    let mut child =
        scene.command(&["explain"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let full = full.into_parts().0;
    for asked in ["explain", "--help", "--version"] {
        let full = full.try_clone().expect("another handle");
        let output = Scene::new().command(&[asked]).stdout(full).output().expect("an end");
        assert_eq!(output.status.code(), Some(4), "{asked}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.starts_with("error[environment/output]"), "{asked}: {text}");
    }
}

#[test]
fn a_working_directory_that_is_gone_is_an_error() {
    let scene = Scene::new();
    let gone = scene.path("gone");
    fs_err::create_dir(&gone).expect("a directory");
    let script = "cd gone && rmdir ../gone && exec \"$0\" explain";
    #[expect(clippy::disallowed_methods, reason = "only a shell can stand in a directory that is gone")]
    let mut shell = std::process::Command::new("sh");
    let output = shell
        .args(["-c", script, env!("CARGO_BIN_EXE_kernel-builder")])
        .current_dir(scene.path(""))
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.starts_with("error[environment/working-directory]"), "{text}");
    assert_eq!(output.status.code(), Some(4));
}
