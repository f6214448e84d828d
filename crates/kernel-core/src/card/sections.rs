//! The parts of a card that only the tool can write.

use std::fmt::Write;

use super::model::{BuiltModel, Model};

/// A warning above everything else, where a variant does not come from a commit.
pub(super) fn banner(model: &Model) -> String {
    let dirty: Vec<String> =
        model.variants.iter().filter(|it| it.dirty).map(|it| format!("`{}`", it.name)).collect();
    if dirty.is_empty() {
        return String::new();
    }
    format!("> **Warning:** built from sources with uncommitted changes: {}.\n\n", dirty.join(", "))
}

/// What was built.
pub(super) fn compatibility(model: &Model) -> String {
    let mut text = String::from("## Compatibility\n\n");
    if model.variants.is_empty() {
        text.push_str("No variant is built yet.");
        return text;
    }
    text.push_str("| variant | backend | architectures | commit |\n|---|---|---|---|\n");
    for variant in &model.variants {
        let BuiltModel { name, backend, architectures, commit, .. } = variant;
        let commit = commit.as_deref().map_or("unknown", |commit| &commit[..commit.len().min(12)]);
        let architectures =
            if architectures.is_empty() { "any".to_owned() } else { architectures.join(", ") };
        writeln!(text, "| `{name}` | {} | {architectures} | {commit} |", backend.row().title)
            .expect("writing to a string cannot fail");
    }
    text.trim_end().to_owned()
}

/// What was proved about it.
pub(super) fn evidence(model: &Model) -> String {
    let mut text = String::from("## Evidence\n\n");
    if model.variants.is_empty() {
        text.push_str("Nothing was tested.");
        return text;
    }
    for BuiltModel { name, tests, .. } in &model.variants {
        let said = match tests {
            None => "not tested".to_owned(),
            Some(tests) => {
                let counts = tests.counts;
                let with =
                    |package: &str| tests.versions.get(package).map(|version| format!("{package} {version}"));
                let versions: Vec<String> =
                    ["torch", "apache-tvm-ffi", "kernels"].into_iter().filter_map(with).collect();
                format!(
                    "{} tests passed, {} failed, {} were skipped, with {}",
                    counts.passed,
                    counts.failed + counts.errors,
                    counts.skipped,
                    versions.join(", ")
                )
            }
        };
        writeln!(text, "- `{name}`: {said}").expect("writing to a string cannot fail");
    }
    text.trim_end().to_owned()
}
