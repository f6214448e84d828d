use std::sync::{Arc, Mutex};

use kernel_spec::{Event, Sink};

use super::*;

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Sink for Heard {
    fn event(&self, event: &Event) {
        let line = match event {
            Event::Log { origin, line } => format!("{origin}: {line}"),
            Event::Progress { done, total, message } => format!("{done}/{total} {message}"),
            _ => return,
        };
        self.0.lock().expect("no listener panicked").push(line);
    }
}

fn follow(lines: &[&str]) -> (Vec<String>, super::Heard) {
    let sink = Arc::new(Heard::default());
    let context = Context {
        sink: sink.clone(),
        environment: crate::context::Environment::default(),
        working_directory: "/".into(),
        now: 0,
        source_date: 0,
        offline: true,
        cancelled: crate::context::Cancellation::default(),
    };
    let steps = Steps::default();
    let mut log = Log::new(&context, &steps);
    for line in lines {
        log.take(line);
    }
    let heard = log.end();
    let told = sink.0.lock().expect("no listener panicked").clone();
    (told, heard)
}

#[test]
fn two_builders_that_speak_at_once_are_told_apart() {
    let (told, heard) = follow(&[
        r#"@nix {"action":"start","id":281474976710657,"level":3,"parent":0,"text":"building 'a.drv'","type":105}"#,
        r#"@nix {"action":"start","id":281474976710658,"level":3,"parent":0,"text":"building 'b.drv'","type":105}"#,
        r#"@nix {"action":"result","fields":["\u001f1/2\u001fa: compile x.cpp (k)"],"id":281474976710657,"type":101}"#,
        r#"@nix {"action":"result","fields":["FAILED: [code=1] y.o "],"id":281474976710658,"type":101}"#,
        r#"@nix {"action":"result","fields":["g++ -c y.cpp"],"id":281474976710658,"type":101}"#,
        r#"@nix {"action":"result","fields":["x.cpp:1:1: warning: w"],"id":281474976710657,"type":101}"#,
        r#"@nix {"action":"result","fields":["y.cpp:1:1: error: e"],"id":281474976710658,"type":101}"#,
        r#"@nix {"action":"stop","id":281474976710657}"#,
        r#"@nix {"action":"msg","level":0,"msg":"\u001b[31;1merror:\u001b[0m Cannot build 'b.drv'"}"#,
    ]);
    assert_eq!(told[0], "nix: building 'a.drv'");
    assert_eq!(told[2], "1/2 a: compile x.cpp (k)");
    assert_eq!(heard.transcript.ran, ["a: compile x.cpp (k)"]);
    assert_eq!(heard.transcript.failed.len(), 1);
    assert_eq!(heard.transcript.failed[0].said, ["y.cpp:1:1: error: e"]);
    assert_eq!(heard.errors, ["error: Cannot build 'b.drv'"]);
    assert!(heard.built);
}

#[test]
fn what_is_not_known_is_a_line_like_any_other() {
    let (told, heard) = follow(&[
        "warning: something of another version",
        "@nix {not json",
        r#"@nix {"action":"dance","id":-1}"#,
        r#"@nix {"action":"result","fields":[],"id":1,"type":101}"#,
        r#"@nix {"action":"result","fields":["orphan"],"id":7,"type":101}"#,
        r#"@nix {"action":"start","id":"seven","type":105}"#,
        "@nix []",
        "",
    ]);
    assert_eq!(told, ["nix: warning: something of another version", "nix: @nix {not json", "nix: orphan"]);
    assert!(!heard.built);
}

#[test]
fn only_the_last_lines_are_kept() {
    let lines: Vec<String> = (0..200)
        .map(|line| format!(r#"@nix {{"action":"result","fields":["line {line}"],"id":7,"type":101}}"#))
        .collect();
    let (_, heard) = follow(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((heard.said.len(), heard.said[0].as_str()), (KEPT, "line 150"));
}
