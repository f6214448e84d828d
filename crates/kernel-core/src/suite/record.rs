//! Keeps the last test result of each variant beside its build, so that a card can show it. A result speaks only for
//! the artifact whose metadata it names.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::report::test::VariantTests;
use kernel_spec::{Finding, code};

use crate::{artifacts, records, written};

/// Where a project keeps the last result of each variant.
pub const RESULTS: &str = ".kernel-builder/tests";

/// Largest result that is read, in bytes.
const LARGEST: u64 = 64 << 20;

fn path(project: &Utf8Path, variant: &str) -> Utf8PathBuf {
    project.join(RESULTS).join(format!("{variant}.json"))
}

/// Keeps a result.
pub fn keep(project: &Utf8Path, tests: &VariantTests) -> std::io::Result<()> {
    let text = serde_json::to_string_pretty(tests)? + "\n";
    written::write_document(&path(project, &tests.variant), text.as_bytes())
}

/// The kept result of a variant, if it was made with this very artifact; a finding where it cannot be read.
pub fn kept(
    project: &Utf8Path,
    variant: &str,
    artifact: &Utf8Path,
) -> Result<Option<VariantTests>, Box<Finding>> {
    let about = (variant, "kept result of the tests", &code::test::RECORD);
    let tests: Option<VariantTests> = records::read(&path(project, variant), LARGEST, about)?;
    Ok(tests.filter(|tests| artifacts::is_of(artifact, &tests.metadata_sha256)))
}
