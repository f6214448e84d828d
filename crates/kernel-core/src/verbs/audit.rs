//! `audit`: what built or published variants could do, without importing or running anything of them, and a bill of what
//! they are made of.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::report::CheckReport;
use kernel_spec::variant::LoaderName;
use kernel_spec::{Finding, Metadata, Severity, code};

use crate::audit::{Audit, Part, bill, is_bill};
use crate::check::built::{self, BuiltVariant};
use crate::published::{Reference, Snapshot};
use crate::upload::card::README;
use crate::upload::contents::{BENCHMARKS, BUILD};
use crate::upload::results::RESULTS;
use crate::{Context, Project, Result, artifacts, atomic, occupied, project};

/// What to audit.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// A project, a directory of variants, a variant, or a published kernel.
    pub subject: Utf8PathBuf,
    /// Where the bill of materials goes, if one is wanted.
    pub bill: Option<Utf8PathBuf>,
}

/// Audits variants.
pub fn audit(context: &Context, options: &AuditOptions) -> Result<CheckReport> {
    if let Some(path) = &options.bill {
        occupied::require_free(context, path, is_bill)?;
    }
    let mut report = CheckReport::new(options.subject.as_str(), Vec::new());
    let directory = match Reference::parse(options.subject.as_str()) {
        None => context.resolve(&options.subject),
        Some(reference) => {
            let snapshot = Snapshot::open(context, reference)?;
            report.findings.extend(snapshot.elsewhere());
            report.findings.extend(beside(&snapshot));
            snapshot.fetch_variants(context, None)?
        }
    };
    artifacts::discover(&directory)?;
    let variants = built::find(&directory);
    let mut audit = Audit::default();
    for variant in &variants {
        report.findings.extend(audit.variant(variant)?);
    }
    if let Some(path) = &options.bill {
        let project =
            project::is_there(&directory).then(|| Project::open(context, &directory)).transpose()?;
        write(context, options, &variants, project.as_ref(), &context.resolve(path))?;
    }
    Ok(report)
}

/// What a repository holds beside variants, their results, benchmarks and the card.
fn beside(snapshot: &Snapshot) -> Option<Finding> {
    let benchmarks = format!("{BENCHMARKS}/");
    let is_known = |path: &str| {
        let variant = path.strip_prefix(BUILD).and_then(|rest| rest.split_once('/'));
        variant.is_some_and(|(name, _)| name.parse::<LoaderName>().is_ok())
            || [RESULTS, &benchmarks].iter().any(|folder| path.starts_with(folder))
            || [README, ".gitattributes"].contains(&path)
    };
    let others: Vec<&str> =
        snapshot.files().keys().map(String::as_str).filter(|path| !is_known(path)).collect();
    if others.is_empty() {
        return None;
    }
    let message = format!("`{}` holds files that the loader never looks at", snapshot.reference);
    Some(Finding::note(&code::audit::FILES, message).cause(others.join(", ")))
}

fn write(
    context: &Context,
    options: &AuditOptions,
    variants: &[BuiltVariant],
    project: Option<&Project>,
    path: &Utf8Path,
) -> Result<()> {
    let mut known: Vec<(&BuiltVariant, Metadata)> = Vec::new();
    let mut faults = Vec::new();
    for variant in variants {
        match artifacts::metadata(&variant.directory) {
            Ok(metadata) => known.push((variant, metadata)),
            Err(findings) => faults.extend(findings),
        }
    }
    if faults.iter().any(|finding| finding.severity == Severity::Error) {
        let summary = "a bill of materials needs metadata that can be read";
        return Err(Faults::new(&code::audit::BILL, summary, faults).or_unread().into());
    }
    let parts: Vec<Part<'_>> = known
        .iter()
        .map(|(variant, metadata)| Part { directory: &variant.directory, name: &variant.name, metadata })
        .collect();
    let bill = bill(context, options.subject.as_str(), &parts, project)?;
    Ok(atomic::write(path, format!("{bill:#}\n").as_bytes())?)
}
