//! `check-abi`: the built variants of a directory, or one library, against the policies of old systems.

use camino::Utf8Path;
use kernel_spec::Finding;
use kernel_spec::code::abi;
use kernel_spec::report::CheckReport;

use crate::check::built::{self, BuiltVariant, Overrides};
use crate::check::{layout, library};
use crate::{Context, Result, published};

/// Judges the library or the variants at `path`.
pub fn check_abi(context: &Context, path: &Utf8Path, overrides: &Overrides) -> Result<CheckReport> {
    let place = published::directory(context, path)?;
    let mut report = CheckReport::new(path.as_str(), Vec::new());
    if library::is_missing(&place) {
        report.findings.push(library::missing(path));
        return Ok(report);
    }
    if !place.is_dir() {
        report.findings = built::check_file(&place, overrides);
        return Ok(report);
    }
    let variants = built::find(&place);
    for variant in &variants {
        report.findings.extend(links(variant));
        report.findings.extend(layout::metadata(variant));
        report.findings.extend(layout::entry(variant));
        report.findings.extend(built::check(variant, overrides)?);
    }
    if variants.is_empty() {
        let message = format!("`{path}` holds no built variant");
        report.findings.push(Finding::error(&abi::NOTHING, message));
    }
    Ok(report)
}

/// A library that is a link is judged as what it leads to here; elsewhere that is another file, or none.
fn links(variant: &BuiltVariant) -> Vec<Finding> {
    let of_library = |finding: &Finding| match &finding.subject.file {
        Some(file) => library::is_library(&variant.directory.join(file)),
        None => true,
    };
    layout::entries(variant).into_iter().filter(of_library).collect()
}
