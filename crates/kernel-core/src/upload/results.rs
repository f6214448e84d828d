//! What tests and benchmarks said of the uploaded variants, published beside them: each result names the metadata that it
//! was made with, and only those of this very artifact go along. Paths of the machine stay at home.

use camino::Utf8Path;
use kernel_bench::report::Document;
use kernel_spec::report::test::VariantTests;

use super::preflight::Artifact;
use crate::bench::DOCUMENTS;
use crate::digest::METADATA;
use crate::suite::kept;
use crate::{Context, artifacts, regular};

/// The directory of results in a repository.
pub const RESULTS: &str = "results/";
/// No result that is worth publishing comes near this size in bytes.
const LARGEST: u64 = 32 << 20;

/// A variant's results, by their path in the repository.
pub fn of(context: &Context, project: &Utf8Path, artifact: &Artifact) -> Vec<(String, Vec<u8>)> {
    let path = |name: &str| format!("{RESULTS}{}/{name}.json", artifact.name);
    let write =
        |value: serde_json::Result<String>| value.ok().map(|text| without_paths(context, project, &text));
    let tests = kept(project, &artifact.name, &artifact.directory).map(public);
    let tests = tests.and_then(|tests| write(serde_json::to_string_pretty(&tests)));
    let bench =
        measured(project, artifact).and_then(|document| write(serde_json::to_string_pretty(&document)));
    let results = [("tests", tests), ("bench", bench)];
    results.into_iter().filter_map(|(name, text)| Some((path(name), (text? + "\n").into_bytes()))).collect()
}

/// What a test said when it failed or was skipped is the project's own text, and may say anything.
fn public(mut tests: VariantTests) -> VariantTests {
    for test in &mut tests.tests {
        test.message.clear();
    }
    tests
}

/// The last benchmark of a variant, if it was made with this very artifact.
fn measured(project: &Utf8Path, artifact: &Artifact) -> Option<Document> {
    let path = project.join(DOCUMENTS).join(format!("{}.json", artifact.name));
    let document: Document = serde_json::from_str(&regular::text(&path, LARGEST).ok()?).ok()?;
    let name = format!("build/{}/{METADATA}", artifact.name);
    let mut files = document.subject.files.iter().filter(|file| file.path == name);
    let is_it = files.any(|file| artifacts::is_of(&artifact.directory, &file.sha256));
    is_it.then_some(document)
}

fn without_paths(context: &Context, project: &Utf8Path, text: &str) -> String {
    let text = text.replace(project.as_str(), ".");
    let home = context.environment.get("HOME").filter(|home| home.len() > 1);
    home.map_or_else(|| text.clone(), |home| text.replace(home, "~"))
}
