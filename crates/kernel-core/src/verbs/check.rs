//! `check`: everything that can be said about a project and its built variants, all of it in one run.

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_spec::finding::abridged;
use kernel_spec::manifest::{Manifest, parse};
use kernel_spec::report::CheckReport;
use kernel_spec::{Finding, Severity, SourceText, code};

use crate::check::built::{self, Overrides};
use crate::check::{layout, python_package, sources, tracked};
use crate::plan::allowed;
use crate::published::{Reference, Snapshot};
use crate::{Context, Result, artifacts, bounds, project};

/// How far the check goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The manifest alone; no other file is looked at.
    Manifest,
    /// The manifest and the project's files.
    Sources,
    /// The manifest, the project's files, and the variants that are built.
    Project,
}

/// Checks the project in `directory`, or the variants of a published kernel, which has no manifest.
pub fn check(context: &Context, directory: &Utf8Path, depth: Depth) -> Result<CheckReport> {
    if let Some(reference) = Reference::parse(directory.as_str()) {
        let mut report = CheckReport::new(directory.as_str(), Vec::new());
        report.name = Some(reference.name.clone());
        let snapshot = Snapshot::open(context, reference)?;
        report.findings.extend(snapshot.elsewhere());
        report.findings.extend(variants(&snapshot.fetch_variants(context, None)?)?);
        return Ok(report);
    }
    let source = project::read(context, directory)?;
    let parsed = parse(&source);
    let mut report = CheckReport::new(source.path(), parsed.findings);
    let Some(manifest) = parsed.draft else { return Ok(report) };
    report.name = Some(manifest.general.name.to_string());
    if depth != Depth::Manifest {
        let directory = context.resolve(directory);
        let checked = sources::check(&directory, &source, &manifest)?;
        let mut tracked_files = checked.files;
        tracked_files.insert(project::MANIFEST.to_owned());
        report.findings.extend(checked.findings);
        report.findings.extend(tracked::check(&directory, &tracked_files));
        report.findings.extend(refused_flags(&manifest, &source));
        let package = manifest.package_directory();
        // A missing package is a finding of the sources.
        if directory.join(&package).is_dir() {
            let name = manifest.general.name.python_name();
            let root = directory.join(&package);
            report.findings.extend(python_package::check(
                (&root, &directory),
                &format!("{package}/"),
                &name,
                Some(&python_depends(&manifest)),
                &code::environment::FILE,
            )?);
        }
    }
    if depth == Depth::Project {
        let directory = context.resolve(directory);
        report.findings.extend(variants(&directory)?);
        report.findings.extend(of_another(&directory, &manifest));
    }
    Ok(report)
}

/// What a manifest depends on for any backend.
fn python_depends(manifest: &Manifest) -> Vec<String> {
    let general = &manifest.general;
    let special = general.by_backend.values().flat_map(|special| &special.python_depends);
    general.python_depends.iter().chain(special).map(|name| name.value.clone()).collect()
}

/// Built variants of another version or name than the manifest's: warnings, because the next build mends them.
fn of_another(directory: &Utf8Path, manifest: &Manifest) -> Vec<Finding> {
    let mut findings = Vec::new();
    for variant in built::find(directory) {
        // Metadata that cannot be read were told of with the layout.
        let Ok(metadata) = artifacts::metadata(&variant.directory) else { continue };
        for mut finding in crate::check::manifest::check(&variant.name, &metadata, manifest) {
            finding.severity = Severity::Warning;
            findings.push(finding.help("build it again with `kernel-builder build`"));
        }
    }
    findings
}

/// Findings about all built variants of a directory.
fn variants(directory: &Utf8Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    findings.extend(artifacts::several_places(directory).map(|several| several.finding()));
    for variant in built::find(directory) {
        let mut of_variant = layout::check(&variant);
        of_variant.extend(built::check(&variant, &Overrides::default())?);
        findings.extend(abridged(of_variant, bounds::FINDINGS));
    }
    Ok(findings)
}

/// Flags that `build` refuses unless its caller allows them: warnings, because the caller may.
fn refused_flags(manifest: &Manifest, source: &SourceText) -> Vec<Finding> {
    let binding = manifest.compiled_binding().map(|binding| &binding.cxx_flags);
    let flags = binding.into_iter().chain(manifest.components.iter().map(|component| &component.cxx_flags));
    let mut findings: Vec<Finding> =
        flags.flat_map(|flags| allowed::judge(flags, &BTreeSet::new(), source)).collect();
    for finding in &mut findings {
        finding.severity = Severity::Warning;
    }
    findings
}
