//! The console blocks of the documents, run as they stand. A line that begins with `$ ` is a command, which must succeed
//! or end as `(exit 6)` behind it says; the lines below it must be in its output in this order. `…` stands for anything.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::scene::{Scene, python, repository};

/// One command of a document with what it should say.
#[derive(Debug)]
struct Step {
    command: String,
    status: i32,
    output: Vec<String>,
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.trim_end() {
            "```console" => inside = true,
            "```" => inside = false,
            line if inside => match line.strip_prefix("$ ") {
                Some(command) => {
                    let (command, status) = match command.rsplit_once(" (exit ") {
                        Some((command, status)) => {
                            (command, status.trim_end_matches(')').parse().expect("a status"))
                        }
                        None => (command, 0),
                    };
                    steps.push(Step { command: command.to_owned(), status, output: Vec::new() });
                }
                None => steps.last_mut().expect("a command before its output").output.push(line.to_owned()),
            },
            _ => {}
        }
    }
    steps
}

/// Whether a line is as a document has it.
fn is_like(line: &str, written: &str) -> bool {
    let mut parts = written.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let mut ends_anywhere = false;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        ends_anywhere = part.is_empty();
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || ends_anywhere
}

/// The first line of a document that its command did not say.
fn missing<'a>(said: &str, written: &'a [String]) -> Option<&'a str> {
    let mut lines = said.lines().map(str::trim_end);
    written.iter().map(String::as_str).find(|written| !lines.any(|line| is_like(line, written)))
}

/// Runs a document from an empty directory, with the program and the tests' Python environment in `PATH`.
fn run(document: &str) {
    run_with(document, &[]);
}

/// The same with further variables.
#[expect(clippy::disallowed_methods, reason = "a document is for a shell")]
fn run_with(document: &str, variables: &[(&str, &str)]) {
    let path = repository().join(document);
    let steps = steps(&fs_err::read_to_string(&path).expect("the document"));
    assert!(!steps.is_empty(), "{document} has no console block");
    let scene = Scene::new();
    let environment = PathBuf::from(python()).ancestors().nth(2).expect("an environment").to_owned();
    let program = Path::new(env!("CARGO_BIN_EXE_kernel-builder")).parent().expect("its directory").to_owned();
    let outer = std::env::var_os("PATH").unwrap_or_default();
    let places = [program, environment.join("bin")].into_iter().chain(std::env::split_paths(&outer));
    let places = std::env::join_paths(places).expect("a search path");
    let mut directory = scene.path("");
    let mut transcript = String::new();
    for step in steps {
        if let Some(to) = step.command.strip_prefix("cd ") {
            directory.push(to);
            assert!(directory.is_dir(), "{document}: `{}` leads nowhere", step.command);
            continue;
        }
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {}", step.command)])
            .current_dir(&directory)
            .env_clear()
            .env("PATH", &places)
            .env("HOME", scene.path("../home"))
            .env("VIRTUAL_ENV", &environment)
            .envs(variables.iter().copied())
            .stdin(std::process::Stdio::null())
            .output()
            .expect("a shell");
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        write!(transcript, "$ {}\n{said}", step.command).expect("written");
        assert_eq!(output.status.code(), Some(step.status), "{document}: {transcript}");
        if let Some(line) = missing(&said, &step.output) {
            panic!("{document}: `{}` does not say `{line}` there:\n{transcript}", step.command);
        }
    }
}

#[test]
fn the_tutorial_does_what_it_says() {
    run("docs/guide/tutorial.md");
}

#[test]
fn the_guide_for_those_who_come_over_does_what_it_says() {
    run("docs/guide/coming-over.md");
}

#[test]
fn the_guide_to_publishing_does_what_it_says() {
    let hub = crate::upload::hub();
    run_with("docs/guide/publishing.md", &[("HF_ENDPOINT", &hub.url()), ("HF_TOKEN", "hf_secret_writer")]);
}

#[test]
fn the_protocol_for_agents_does_what_it_says() {
    run("docs/agents.md");
}

#[test]
fn the_guide_to_signatures_does_what_it_says() {
    run("docs/guide/trust.md");
}

#[test]
fn the_shorter_pages_do_what_they_say() {
    for page in ["guide/installation", "guide/backends", "guide/many-machines", "guide/adoption", "faq"] {
        run(&format!("docs/{page}.md"));
    }
}

/// The places in a page that a link may name, as mdBook and code hosts make them of headings.
fn anchors(text: &str) -> Vec<String> {
    let mut inside = false;
    let headings = text.lines().filter(|line| {
        inside ^= line.starts_with("```");
        !inside && line.starts_with('#')
    });
    let anchor = |heading: &str| {
        let letters = heading.trim_start_matches('#').trim().chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            letter if letter.is_alphanumeric() || "-_".contains(letter) => letter.to_lowercase().next(),
            _ => None,
        });
        letters.collect()
    };
    headings.map(anchor).collect()
}

/// Every page is in the book, and every link leads to a file and to a heading in it.
#[test]
fn the_book_is_whole() {
    let docs = repository().join("docs");
    let summary = fs_err::read_to_string(docs.join("SUMMARY.md")).expect("the summary");
    let links = |text: &str| -> Vec<String> {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
    };
    let mut pages: Vec<PathBuf> = Vec::new();
    let mut open = vec![docs.clone()];
    while let Some(directory) = open.pop() {
        for entry in fs_err::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            match path.extension().and_then(|end| end.to_str()) {
                None => open.push(path),
                Some("md") => pages.push(path),
                _ => {}
            }
        }
    }
    let listed = links(&summary);
    for page in &pages {
        let name = page.strip_prefix(&docs).expect("below").to_str().expect("UTF-8").to_owned();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "docs/SUMMARY.md does not list {name}");
    }
    let beside = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| repository().join(name));
    for page in pages.into_iter().chain(beside) {
        let name = page.strip_prefix(repository()).expect("below").display().to_string();
        let text = fs_err::read_to_string(&page).expect("a page");
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = page.parent().expect("a directory").join(file);
            let target = if file.is_empty() { page.clone() } else { target };
            assert!(target.is_file(), "{name} links to {link}, which is not there");
            if !anchor.is_empty() {
                let there = anchors(&fs_err::read_to_string(&target).expect("a page"));
                assert!(
                    there.iter().any(|found| found == anchor),
                    "{name} links to {link}: there are {there:?}"
                );
            }
        }
    }
}

#[test]
fn a_document_that_is_wrong_is_noticed() {
    let found = steps("text\n```console\n$ a (exit 6)\none …\n$ b\n```\n$ no\n");
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].command.as_str(), found[0].status), ("a", 6));
    let written = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert_eq!(missing("one 1\ntwo\nthree\n", &written(&["one …", "three"])), None);
    assert_eq!(missing("one\ntwo\n", &written(&["two", "one"])), Some("one"));
    assert_eq!(missing("one two\n", &written(&["one"])), Some("one"));
    assert!(
        is_like("built in 3.1 s, ok", "built in … s, ok") && !is_like("built in 3.1 s", "built in … s, ok")
    );
}
