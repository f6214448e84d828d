//! The variants of a published kernel, by the listing of its commit; of those that the loader would take, what their
//! metadata ask for.

use std::collections::BTreeSet;

use kernel_spec::report::{Explanation, PublishedKernel, PublishedVariant, VariantsReport};
use kernel_spec::variant::LoaderName;
use kernel_spec::{Finding, Metadata};

use super::loadable::Loader;
use super::{Place, Subject, VariantsOptions};
use crate::digest::SIGNATURE;
use crate::published::{Reference, Snapshot};
use crate::upload::contents::BUILD;
use crate::{Context, Result};

pub(super) fn variants(
    context: &Context,
    options: &VariantsOptions,
    reference: Reference,
) -> Result<VariantsReport> {
    let snapshot = Snapshot::open(context, reference)?;
    let published = PublishedKernel {
        repository: snapshot.reference.id(),
        revision: snapshot.reference.revision.clone(),
        commit: snapshot.commit.clone(),
        trusted: snapshot.is_trusted()?,
        trust_remote_code: options.trust_remote_code,
        variants: snapshot.variants().into_iter().map(|name| describe(&snapshot, name)).collect(),
    };
    let place = options.explain.as_ref().map(|machine| Place::find(context, machine)).transpose()?;
    let explained = place.map(|place| explain(context, &snapshot, &published, place)).transpose()?;
    let (explanation, findings) = explained.unzip();
    Ok(VariantsReport {
        kernel: snapshot.reference.name.clone(),
        framework: None,
        variants: Vec::new(),
        published: Some(published),
        explanation: explanation.map(Box::new),
        findings: findings.unwrap_or_default(),
    })
}

fn describe(snapshot: &Snapshot, name: &str) -> PublishedVariant {
    let folder = format!("{BUILD}{name}");
    let sizes: Vec<u64> = snapshot.folder(&folder).map(|(_, file)| file.size).collect();
    PublishedVariant {
        name: name.to_owned(),
        readable: name.parse::<LoaderName>().is_ok_and(|read| read.to_string() == name),
        files: sizes.len(),
        bytes: sizes.iter().fold(0, |sum, size| sum.saturating_add(*size)),
        signed: snapshot.folder(&folder).any(|(path, _)| path == SIGNATURE),
    }
}

/// What the loader decides, and what would make it fail afterwards.
fn explain(
    context: &Context,
    snapshot: &Snapshot,
    published: &PublishedKernel,
    place: Place,
) -> Result<(Explanation, Vec<Finding>)> {
    let readable = published.variants.iter().filter(|variant| variant.readable);
    let there: BTreeSet<String> = readable.map(|variant| variant.name.clone()).collect();
    let mut explanation = place.explain(&Subject { names: there.clone(), there, refusals: Vec::new() });
    if !(published.trusted || published.trust_remote_code) {
        explanation.remarks.push(format!(
            "`{}` is no trusted publisher, so the loader takes it with `trust_remote_code=True` alone",
            snapshot.reference.owner
        ));
    }
    let chosen = explanation.decisions.first().filter(|decision| decision.accepted);
    let Some(chosen) = chosen.map(|decision| decision.variant.clone()) else {
        return Ok((explanation, Vec::new()));
    };
    let mut loader = Loader {
        context,
        machine: &explanation.machine,
        trusts_all: published.trust_remote_code,
        findings: Vec::new(),
        known: BTreeSet::new(),
    };
    let metadata = loader.load(snapshot, &chosen, &[])?;
    let findings = loader.findings;
    explanation.remarks.extend(metadata.into_iter().flat_map(|metadata| demands(&chosen, metadata)));
    Ok((explanation, findings))
}

/// What the loader asks of a machine beside what a variant's name says.
fn demands(variant: &str, metadata: Metadata) -> Vec<String> {
    let mut demands = Vec::new();
    if let Some(version) = metadata.kernels_minver {
        let (major, minor, patch) = (version.0, version.1, version.2);
        demands.push(format!("`{variant}` needs `kernels` {major}.{minor}.{patch} or newer"));
    }
    if !metadata.python_depends.is_empty() {
        let names = metadata.python_depends.join("`, `");
        demands.push(format!("`{variant}` needs the Python packages `{names}`"));
    }
    if let Some(archs) = metadata.backend.archs.filter(|archs| !archs.is_empty()) {
        demands.push(format!("`{variant}` runs on the architectures {}", archs.join(", ")));
    }
    demands
}
