//! Escaping is tested against the programs that read it: Ninja and a shell, a response file of the compiler, and the
//! compiler's and Python's own literals.

use std::fmt::Write as _;
use std::process::Command;

use kernel_core::render::escape::{c_string, ninja_value, python_string, response, shell};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Many texts at once, because starting a program costs more than reading a text.
fn texts() -> Vec<String> {
    let strategy = prop::collection::vec("[ -~äß€\t]{0,24}", 300);
    let mut texts = strategy.new_tree(&mut TestRunner::deterministic()).expect("a value").current();
    for special in [
        "",
        " ",
        "$",
        "$$x",
        "'",
        "\"",
        "\\",
        "a b",
        "$(touch x)",
        "`x`",
        "#",
        ":",
        "|",
        "*",
        "~",
        "-n",
        "%s",
    ] {
        texts.push(special.to_owned());
    }
    texts
}

#[expect(clippy::disallowed_methods, reason = "the tests start programs as a shell does")]
fn output(program: &str, arguments: &[&str], directory: &std::path::Path) -> Vec<u8> {
    let ran =
        Command::new(program).args(arguments).current_dir(directory).output().expect("the program starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    ran.stdout
}

#[test]
fn what_goes_through_ninja_and_a_shell_comes_out_the_same() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut file = String::from("rule r\n  command = printf '%s\\0' $words > $out\n");
    let texts = texts();
    let words: Vec<String> =
        texts.iter().map(|text| ninja_value(&shell(text).expect("a word")).expect("a value")).collect();
    let _ = writeln!(file, "build out: r\n  words = {}", words.join(" "));
    fs_err::write(directory.path().join("build.ninja"), file).expect("written");
    output("ninja", &[], directory.path());
    let written = fs_err::read(directory.path().join("out")).expect("made");
    let expected: Vec<u8> = texts.iter().flat_map(|text| [text.as_bytes(), b"\0"].concat()).collect();
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
}

#[test]
fn a_compiler_reads_a_response_file_as_it_was_meant() {
    let directory = tempfile::tempdir().expect("a directory");
    let texts = texts();
    let mut file = String::from("-E -x c\n");
    for (at, text) in texts.iter().enumerate() {
        let _ = writeln!(file, "{}", response(&format!("-DM{at}={text}")).expect("an argument"));
    }
    fs_err::write(directory.path().join("arguments"), file + "in.c\n").expect("written");
    fs_err::write(directory.path().join("in.c"), "").expect("written");
    // The wrapper stands where the compiler proper would, and sees what the driver understood.
    let wrapper = directory.path().join("wrapper");
    fs_err::write(&wrapper, "#!/bin/sh\nprintf '%s\\0' \"$@\" > seen\n").expect("written");
    fs_err::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    output("g++", &["-wrapper", "./wrapper", "@arguments"], directory.path());
    let seen = fs_err::read(directory.path().join("seen")).expect("made");
    let seen: Vec<&[u8]> = seen.split(|byte| *byte == 0).collect();
    for (at, text) in texts.iter().enumerate() {
        let definition = format!("M{at}={text}");
        assert!(seen.contains(&definition.as_bytes()), "{definition:?}");
    }
}

#[test]
fn literals_are_read_back_by_their_compilers() {
    let directory = tempfile::tempdir().expect("a directory");
    let texts: Vec<String> =
        texts().into_iter().chain(["??=\n\u{7f}1".to_owned(), "é0".to_owned()]).collect();
    let mut c = String::from("#include <stdio.h>\nint main(void) {\n");
    let mut python = String::from("import sys\n");
    for text in &texts {
        let _ = writeln!(c, "fwrite({0}, 1, sizeof {0}, stdout);", c_string(text));
        let _ = writeln!(python, "sys.stdout.buffer.write({}.encode() + b'\\0')", python_string(text));
    }
    fs_err::write(directory.path().join("a.c"), c + "}\n").expect("written");
    fs_err::write(directory.path().join("a.py"), python).expect("written");
    let expected: Vec<u8> = texts.iter().flat_map(|text| [text.as_bytes(), b"\0"].concat()).collect();
    output("gcc", &["-trigraphs", "a.c", "-o", "a"], directory.path());
    assert_eq!(output("./a", &[], directory.path()), expected);
    assert_eq!(output("python3", &["a.py"], directory.path()), expected);
}
