//! What tests and benchmarks said of the uploaded variants, published beside them: each result names the metadata that it
//! was made with, and only those of this very artifact go along. Paths of the machine stay at home.

use camino::Utf8Path;
use kernel_bench::report::Document;
use kernel_spec::report::test::VariantTests;

use super::preflight::{Artifact, home};
use crate::digest::METADATA;
use crate::{Context, artifacts, bench, suite};

/// The directory of results in a repository.
pub const RESULTS: &str = "results/";

/// A variant's results, by their path in the repository. Those that cannot be read are told of by `preflight`.
pub fn of(context: &Context, directory: &Utf8Path, artifact: &Artifact) -> Vec<(String, Vec<u8>)> {
    let project = home(directory, &artifact.directory);
    let path = |name: &str| format!("{RESULTS}{}/{name}.json", artifact.name);
    let write =
        |value: serde_json::Result<String>| value.ok().map(|text| without_paths(context, project, &text));
    let tests = suite::kept(project, &artifact.name, &artifact.directory).ok().flatten().map(public);
    let tests = tests.and_then(|tests| write(serde_json::to_string_pretty(&tests)));
    let bench = bench::kept(project, &artifact.name).ok().flatten();
    let bench = bench.filter(|document| is_of(document, artifact));
    let bench = bench.and_then(|document| write(serde_json::to_string_pretty(&document)));
    let results = [("tests", tests), ("bench", bench)];
    results.into_iter().filter_map(|(name, text)| Some((path(name), (text? + "\n").into_bytes()))).collect()
}

/// What a test said when it failed or was skipped is the project's own text, and may say anything.
fn public(mut tests: VariantTests) -> VariantTests {
    for test in &mut tests.tests {
        test.message.clear();
    }
    for gate in tests.operations.iter_mut().flat_map(|operation| &mut operation.gates) {
        if let Some(failure) = &mut gate.failure {
            failure.message.clear();
        }
    }
    tests
}

/// Whether a benchmark was made with this very artifact.
fn is_of(document: &Document, artifact: &Artifact) -> bool {
    let name = format!("build/{}/{METADATA}", artifact.name);
    let mut files = document.subject.files.iter().filter(|file| file.path == name);
    files.any(|file| artifacts::is_of(&artifact.directory, &file.sha256))
}

fn without_paths(context: &Context, project: &Utf8Path, text: &str) -> String {
    let text = text.replace(project.as_str(), ".");
    let home = context.environment.get("HOME").filter(|home| home.len() > 1);
    home.map_or_else(|| text.clone(), |home| text.replace(home, "~"))
}
