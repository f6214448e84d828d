//! The states of repositories in metadata, in every combination of their keys: what the loader reads we read.

use kernel_spec::metadata::Metadata;
use serde_json::{Map, Value, json};

use crate::oracle::ask;

const COMMIT: &str = "0123456789012345678901234567890123456789";

/// An object with these values of `sha`, `commit` and `dirty`, of which some are absent.
fn states() -> Vec<Map<String, Value>> {
    let commits = [None, Some(Value::Null), Some(json!(COMMIT)), Some(json!("x")), Some(json!(1))];
    let flags = [None, Some(Value::Null), Some(json!(true)), Some(json!("yes"))];
    let mut states = Vec::new();
    for sha in &commits {
        for commit in &commits {
            for dirty in &flags {
                let entries = [("sha", sha), ("commit", commit), ("dirty", dirty)];
                let given =
                    entries.iter().filter_map(|(key, value)| Some(((*key).to_owned(), (*value).clone()?)));
                states.push(given.collect());
            }
        }
    }
    states
}

#[test]
fn states_of_repositories_are_read_where_the_loader_reads_them() {
    let mut all = Vec::new();
    for state in states() {
        let mut tool = state.clone();
        tool.insert("version".to_owned(), json!("1"));
        for provenance in [
            json!({ "kernel-builder": tool }),
            json!({ "kernel-builder": { "version": "1" }, "kernel": state }),
        ] {
            all.push(json!({
                "name": "ab", "id": "_ab_cpu_1", "version": 1, "license": "MIT", "python-depends": [],
                "backend": { "type": "cpu" }, "provenance": provenance,
            }));
        }
    }
    let answers = ask(&all);
    assert!(answers.iter().any(String::is_empty), "{answers:?}");
    for (metadata, answer) in all.iter().zip(&answers) {
        let ours = Metadata::from_json(metadata.to_string().as_bytes());
        assert_eq!(ours.is_ok(), answer.is_empty(), "{} {answer} {ours:?}", metadata["provenance"]);
    }
}
