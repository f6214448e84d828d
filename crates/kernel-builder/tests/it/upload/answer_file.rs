//! The file that `--output-json` names: only an earlier answer is replaced, and what is wrong with it is known in time.

use fs_err::os::unix::fs::symlink;
use hub_testkit::{Fault, Kind};

use super::*;

#[test]
fn what_holds_something_else_is_refused_before_anything_is_sent() {
    let hub = hub();
    let scene = project(&hub, "writer", "one").file("notes.txt", "mine");
    symlink(scene.path("notes.txt"), scene.path("link")).expect("linked");
    scene.tool("mkfifo", &["pipe"]);
    hub.take_log();
    for place in
        ["build.toml", "notes.txt", "link", "pipe", "build", "notes.txt/in/it", "build/torch-cpu/answer.json"]
    {
        let before = fs_err::read(scene.path("build.toml")).expect("a manifest");
        let ran = scene.run(&["upload", "--json", "--output-json", place]);
        let last = ran.json().pop().expect("a line");
        assert_eq!((ran.status, &last["code"]), (2, &"upload/output-json".into()), "{place}: {ran}");
        assert_eq!(fs_err::read(scene.path("build.toml")).expect("a manifest"), before);
    }
    assert!(scene.path("link").is_symlink());
    assert!(hub.take_log().is_empty(), "nothing is asked");
    // An empty file, as a job makes it to know a free name, and then an earlier answer.
    let scene = scene.file("answer.json", "");
    for status in ["uploaded", "no_changes"] {
        assert_eq!(scene.run(&["upload", "--output-json", "answer.json"]).status, 0);
        let text = fs_err::read_to_string(scene.path("answer.json")).expect("an answer");
        assert!(text.contains(status), "{text}");
    }
}

#[test]
fn an_answer_that_cannot_be_written_any_more_is_said_beside_it() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let kind = Kind::Late(std::time::Duration::from_secs(2));
    hub.faults().plan(Fault { method: "POST", path: "/preupload/".to_owned(), times: 1, kind });
    let arguments = ["upload", "--json", "--output-json", "answers/answer.json"];
    let mut child = scene
        .command(&arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    ended::wait_until("the plan", || hub.take_log().iter().any(|line| line.contains("/preupload/")));
    fs_err::create_dir(scene.path("answers/answer.json")).expect("made");
    let status = child.wait().expect("it ended");
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().expect("piped"), &mut said).expect("UTF-8");
    let last: Value = serde_json::from_str(said.lines().last().expect("a line")).expect("JSON");
    assert_eq!((status.code(), &last["state"]), (Some(4), &"uploaded".into()), "{said}");
    assert!(said.contains("environment/file"), "{said}");
    assert!(!hub.history(REPOSITORY, "v1").is_empty());
}
