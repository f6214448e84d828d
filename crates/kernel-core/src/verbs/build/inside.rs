//! A build as the derivations of a kernel's flake do it: this program plans, Nix runs the build files, this program seals.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::metadata::GitState;
use kernel_spec::report::{BuildReport, BuiltVariant, PlanReport, Work};

use super::finish::Finish;
use super::job;
use crate::engine::nix::inside;
use crate::provenance::Provenance;
use crate::verbs::plan::{Drafting, PlanOptions};
use crate::{Context, Result};

/// What is sealed.
#[derive(Clone, Debug)]
pub struct Seal {
    /// What Nix built; variants of Python alone have nothing.
    pub library: Option<Utf8PathBuf>,
    /// The flake's revision, where it knows one.
    pub revision: Option<GitState>,
    /// Where the variant's directory is put.
    pub output: Utf8PathBuf,
}

/// Plans the chosen variant and lays out what its derivations read.
pub fn lay_out(context: &Context, options: &PlanOptions, output: &Utf8Path) -> Result<PlanReport> {
    let drafting = Drafting::open(context, options)?;
    let mut plans = Vec::new();
    for variant in &drafting.variants {
        let draft = drafting.draft(variant)?;
        inside::lay_out(&drafting.project.directory, &context.resolve(output), &job(&draft)?)?;
        plans.push(draft.plan);
    }
    Ok(PlanReport { plans, matrix: None })
}

/// Stamps, checks and seals what the derivations of the chosen variant made.
pub fn seal(context: &Context, options: &PlanOptions, seal: &Seal) -> Result<BuildReport> {
    let drafting = Drafting::open(context, options)?;
    let sources = match &seal.revision {
        Some(revision) => Provenance::Known(revision.clone()),
        None => Provenance::Unknown("the flake does not know its revision".to_owned()),
    };
    let mut report = BuildReport { variants: Vec::new(), findings: Vec::new(), next: Vec::new() };
    for variant in &drafting.variants {
        let draft = drafting.draft(variant)?;
        let built = inside::built(&job(&draft)?, seal.library.as_deref())?;
        let finish = Finish { context, drafting: &drafting, draft: &draft, built: &built, sources: &sources };
        let (sealed, findings) = finish.seal(&context.resolve(&seal.output))?;
        report.findings.extend(findings);
        report.variants.push(BuiltVariant {
            variant: draft.plan.variant.clone(),
            directory: sealed.directory.to_string(),
            id: draft.plan.kernel.id.clone(),
            profile: draft.plan.profile,
            work: Work::Built,
            sandbox: draft.plan.library.as_ref().map(|_| built.sandbox.to_owned()),
            steps: Vec::new(),
        });
    }
    Ok(report)
}
