//! This machine's loader, and what became of each mutant in it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::fixture::Fixture;
use super::mutants::Mutant;

/// What became of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It loaded, its entry point did what it is for, and the process ended.
    Fine,
    /// The loader said no, or the process ended while it loaded, or the entry point is not found.
    NotLoaded,
    /// It loaded, and then went wrong.
    Wrong,
}

/// An outcome, and what the loader or the system said.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub outcome: Outcome,
    pub detail: String,
}

/// Loads a library with each of the mutants.
pub fn load(fixture: &Fixture, mutants: &[Mutant]) -> Vec<Loaded> {
    let program = fixture.path("loader");
    let mut child = Command::new(program)
        .args([fixture.library().to_string_lossy().as_ref(), super::fixture::ENTRY])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: Vec<String> = mutants
        .iter()
        .map(|mutant| format!("{} {} {}\n", mutant.field.at, mutant.field.size, mutant.new))
        .collect();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.concat().as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let loaded: Vec<Loaded> = text.lines().map(parse).collect();
    assert_eq!(loaded.len(), mutants.len(), "{text}");
    loaded
}

fn parse(line: &str) -> Loaded {
    let outcome = match line.split(' ').next().unwrap_or_default() {
        "fine" => Outcome::Fine,
        "refused" | "crashed-loading" | "crashed-searching" | "not-found" => Outcome::NotLoaded,
        _ => Outcome::Wrong,
    };
    Loaded { outcome, detail: line.trim().to_owned() }
}
