//! `--check-reproducible`: every variant once more from its inputs alone, in a place with another name, and compared.

use camino::Utf8Path;
use kernel_spec::Finding;
use kernel_spec::code;
use kernel_spec::error::Faults;
use kernel_spec::event::Stage;
use kernel_spec::plan::Input;
use kernel_spec::report::BuildReport;

use super::{BuildOptions, Wanted, announce, make};
use crate::engine::staging;
use crate::provenance::Repository;
use crate::toolchain::lock::LOCK;
use crate::verbs::plan::{Drafting, PlanOptions};
use crate::{Context, Result, compare, project};

/// Builds what `report` tells of again, and fails where the bytes differ. The metadata are left out: they name the
/// engine and the sandbox.
pub(super) fn check(
    context: &Context,
    options: &BuildOptions,
    first: &Drafting,
    repository: &Repository,
    report: &BuildReport,
) -> Result<()> {
    let directory = tempfile::Builder::new().prefix("built again in another place ").tempdir()?;
    let place = <&Utf8Path>::try_from(directory.path())
        .map_err(camino::FromPathError::into_io_error)?
        .join("project");
    let mut inputs: Vec<Input> = Vec::new();
    for variant in &first.variants {
        inputs.extend(first.draft(variant)?.plan.inputs);
    }
    staging::update(&first.project.directory, &place, inputs.iter())?;
    fs_err::copy(first.project.directory.join(project::MANIFEST), place.join(project::MANIFEST))?;
    if first.lock.is_some() {
        fs_err::copy(first.project.directory.join(LOCK), place.join(LOCK))?;
    }
    let names: Vec<String> = report.variants.iter().map(|built| built.variant.clone()).collect();
    announce(context, Stage::Compile, &names.join(", "), "build again in another place, to compare");
    let plan = PlanOptions { project: place.clone(), variants: Wanted::Named(names), ..options.plan.clone() };
    let again = Drafting::open(context, &plan)?;
    let second = make(context, options, &again, repository, &place.join("build"))?;
    let mut findings: Vec<Finding> = Vec::new();
    for (one, other) in report.variants.iter().zip(&second.variants) {
        let differences = compare::variants(one.directory.as_ref(), other.directory.as_ref(), None)?;
        findings.extend(differences.iter().map(|difference| difference.finding(&one.variant)));
    }
    if findings.is_empty() {
        return Ok(());
    }
    let summary = "the same sources gave other bytes when they were built again in another place";
    Err(Faults::new(&code::build::NOT_REPRODUCIBLE, summary.to_owned(), findings).into())
}
