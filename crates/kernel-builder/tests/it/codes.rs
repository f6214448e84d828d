//! Walks all codes: those the sources use are in the table, those in the table are used, and each has been produced by
//! a test or is excused in `codes_without_test.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kernel_spec::Code;

use crate::scene::repository;

/// Every Rust file of the crates with its path from the repository.
pub(crate) fn sources() -> Vec<(String, String)> {
    let is_source =
        |path: &str| path.contains("/src/") && Path::new(path).extension().is_some_and(|end| end == "rs");
    files("crates").into_iter().filter(|(path, _)| is_source(path)).collect()
}

fn files(directory: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![repository().join(directory)];
    while let Some(directory) = open.pop() {
        for entry in fs_err::read_dir(&directory).expect("a readable directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(text) = fs_err::read_to_string(&path) {
                found.push((relative(&path), text));
            }
        }
    }
    assert!(!found.is_empty());
    found.sort();
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(repository()).expect("inside the repository").to_str().expect("a UTF-8 path").to_owned()
}

/// The codes that derived diagnostics name.
fn written(text: &str) -> BTreeSet<&str> {
    text.split("code(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_code_in_the_sources_is_in_the_table() {
    for (path, text) in sources() {
        for id in written(&text) {
            assert!(Code::find(id).is_some(), "{path} uses `{id}`, which is not in the table");
        }
    }
}

/// Whether a text names a code, by its id or by its place in the table.
fn names(text: &str, code: &Code, name: &str) -> bool {
    // `environment/python-package` is no part of `environment/python-package-broken`.
    let ends = |rest: &str| {
        !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || matches!(next, '_' | '-'))
    };
    [code.id.to_owned(), format!("::{name}")]
        .iter()
        .any(|way| text.match_indices(way).any(|(at, _)| ends(&text[at + way.len()..])))
}

/// Each code with the name of its row.
fn table() -> Vec<(&'static Code, String)> {
    let rows: String = files("crates/kernel-spec/src/code").into_iter().map(|(_, text)| text).collect();
    Code::all()
        .map(|code| {
            let of = format!("= \"{}\"", code.id);
            let row = rows.lines().find(|line| line.contains(&of)).expect("its row");
            (code, row.split_whitespace().next().expect("its name").to_owned())
        })
        .collect()
}

/// The sources without their tests, and all tests; the table and this test's own files are neither.
fn program_and_tests() -> (Vec<String>, Vec<String>) {
    let (mut program, mut tests) = (Vec::new(), Vec::new());
    for (path, text) in files("crates") {
        if path.starts_with("crates/kernel-spec/src/code/") || path.contains("/tests/it/codes") {
            continue;
        }
        if path.contains("tests") || path.contains("snapshots") {
            tests.push(text);
        } else if path.contains("/src/") {
            let (code, test) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
            program.push(code.to_owned());
            tests.push(test.to_owned());
        }
    }
    (program, tests)
}

#[test]
fn every_code_in_the_table_is_used() {
    let (program, _) = program_and_tests();
    let unused: Vec<&str> = table()
        .into_iter()
        .filter(|(code, name)| !program.iter().any(|text| names(text, code, name)))
        .filter(|(code, _)| !include_str!("codes_without_test.txt").contains(&format!("{code}: not yet")))
        .map(|(code, _)| code.id)
        .collect();
    assert!(unused.is_empty(), "in the table, but nothing uses them: {unused:?}");
}

#[test]
fn every_code_is_produced_by_a_test_or_excused() {
    let excuses: BTreeMap<&str, &str> = include_str!("codes_without_test.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(": ").unwrap_or_else(|| panic!("`{line}` has no reason")))
        .collect();
    let (_, tests) = program_and_tests();
    let mut missing = Vec::new();
    for (code, name) in table() {
        let produced = tests.iter().any(|text| names(text, code, &name));
        let excuse = excuses.get(code.id);
        if !produced && excuse.is_none() {
            missing.push(code.id);
        }
        let stale = produced && excuse.is_some_and(|reason| *reason != "not yet");
        assert!(!stale, "a test produces `{code}`: remove it from codes_without_test.txt");
    }
    assert!(missing.is_empty(), "no test produces {missing:?}, and codes_without_test.txt does not say why");
    let unknown: Vec<_> = excuses.keys().filter(|id| Code::find(id).is_none()).collect();
    assert!(unknown.is_empty(), "codes_without_test.txt names codes that do not exist: {unknown:?}");
}
