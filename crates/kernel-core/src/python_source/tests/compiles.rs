//! Files that no Python compiles, and files that look like them: this machine's own Python says which they are.

use crate::context::{Cancellation, Context, Environment};
use crate::process::{Command, Finished};

use super::super::*;

/// Prints of every form, between lines of three dashes, whether Python compiles it.
const COMPILE: &str = r#"
import sys, warnings
warnings.simplefilter("ignore")
for form in sys.stdin.buffer.read().decode().split("\n---\n"):
    try:
        compile(form, "form.py", "exec")
        print("taken")
    except SyntaxError as error:
        print(f"line {error.lineno}: {error.msg}")
"#;

fn context() -> Context {
    Context {
        sink: std::sync::Arc::new(kernel_spec::event::Silent),
        environment: Environment::new([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())]),
        working_directory: "/".into(),
        now: 0,
        source_date: 0,
        offline: true,
        cancelled: Cancellation::default(),
    }
}

/// A form, what Python says of it, and what the judge says.
type Compared<'a> = (&'a str, String, Result<(), Box<Finding>>);

fn compare(forms: &str) -> Vec<Compared<'_>> {
    let python = Command::new("python3").arguments(["-c", COMPILE]).input(forms);
    let said = python.capture(&context()).and_then(Finished::require_success).expect("Python runs").text();
    let said: Vec<&str> = said.lines().collect();
    let forms: Vec<&str> = forms.split("\n---\n").collect();
    assert_eq!(forms.len(), said.len(), "{said:?}");
    let judged = forms.iter().zip(said);
    let judged = judged.map(|(form, said)| {
        (*form, said.to_owned(), PythonSource::parse("form.py", form.as_bytes()).map(drop))
    });
    judged.collect()
}

#[test]
fn what_python_does_not_compile_is_refused_with_its_line() {
    let mut passed = Vec::new();
    for (form, said, judged) in compare(include_str!("compiles/refused.txt")) {
        assert_ne!(said, "taken", "{form}");
        match judged {
            Ok(()) => passed.push(format!("{form}\n    {said}")),
            Err(finding) => {
                assert_eq!(finding.message, "`form.py` is not valid Python", "{form}");
                assert!(!finding.causes.is_empty() && finding.span.is_some(), "{form}");
            }
        }
    }
    assert!(passed.is_empty(), "{} forms are passed:\n{}", passed.len(), passed.join("\n"));
}

#[test]
fn what_python_compiles_is_taken() {
    let mut refused = Vec::new();
    for (form, said, judged) in compare(include_str!("compiles/taken.txt")) {
        assert_eq!(said, "taken", "{form}");
        if let Err(finding) = judged {
            refused.push(format!("{form}\n    {:?}", finding.causes));
        }
    }
    assert!(refused.is_empty(), "{} forms are refused:\n{}", refused.len(), refused.join("\n"));
}

/// Python's own limits, from both sides.
#[test]
fn what_is_longer_or_deeper_than_python_takes_is_refused() {
    let brackets = |many: usize| format!("x = {}1{}", "(".repeat(many), ")".repeat(many));
    let blocks = |many: usize| -> String {
        (0..=many)
            .map(|at| format!("{}if x:{}\n", " ".repeat(at), if at < many { "" } else { " y" }))
            .collect()
    };
    let digits = |many: usize| format!("x = {}", "1".repeat(many));
    let hexadecimal = format!("x = 0x{}", "f".repeat(9000));
    let taken = [brackets(90), blocks(99), digits(4300), hexadecimal].join("\n---\n");
    for (form, said, judged) in compare(&taken) {
        assert_eq!((said.as_str(), judged), ("taken", Ok(())), "{form}");
    }
    for (form, said, judged) in compare(&[brackets(201), blocks(100), digits(4301)].join("\n---\n")) {
        assert!(said != "taken" && judged.is_err(), "{form}: {said}");
    }
}

#[test]
fn one_finding_names_the_first_place() {
    let text = "import os\n\n\ndef f():\n    await g()\n    nonlocal x\n\nreturn\n";
    let finding = PythonSource::parse("a.py", text.as_bytes()).map(drop).expect_err("it does not compile");
    assert_eq!(finding.span.as_ref().map(|span| span.line), Some(5));
    assert_eq!(finding.causes, ["`await` outside of an asynchronous function"]);
}
