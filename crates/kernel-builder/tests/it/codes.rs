//! Walks all codes: those the sources use are in the table, those in the table are used, and each has been produced by
//! a test or is excused in `codes_without_test.txt`.

use std::collections::BTreeSet;
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
