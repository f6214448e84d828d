//! The variants of a published kernel, by the listing of its commit; of those that the loader would take, what their
//! metadata ask for.

use kernel_spec::Metadata;
use kernel_spec::report::{Explanation, PublishedKernel, PublishedVariant, VariantsReport};
use kernel_spec::variant::LoaderName;

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
    let explanation = place.map(|place| explain(&snapshot, &published, place)).transpose()?;
    Ok(VariantsReport {
        kernel: snapshot.reference.name.clone(),
        framework: None,
        variants: Vec::new(),
        published: Some(published),
        explanation: explanation.map(Box::new),
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

fn explain(snapshot: &Snapshot, published: &PublishedKernel, place: Place) -> Result<Explanation> {
    let readable = published.variants.iter().filter(|variant| variant.readable);
    let there: std::collections::BTreeSet<String> = readable.map(|variant| variant.name.clone()).collect();
    let mut explanation = place.explain(&Subject { names: there.clone(), there, refusals: Vec::new() });
    if !(published.trusted || published.trust_remote_code) {
        explanation.remarks.push(format!(
            "`{}` is no trusted publisher, so the loader takes it with `trust_remote_code=True` alone",
            snapshot.reference.owner
        ));
    }
    let chosen = explanation.decisions.first().filter(|decision| decision.accepted);
    if let Some(chosen) = chosen.map(|decision| decision.variant.clone()) {
        explanation.remarks.extend(demands(snapshot, &chosen)?);
    }
    Ok(explanation)
}

/// What the loader asks of a machine beside what a variant's name says.
fn demands(snapshot: &Snapshot, variant: &str) -> Result<Vec<String>> {
    let Some(bytes) = snapshot.metadata(variant)? else {
        return Ok(vec![format!("`{variant}` has no metadata, so the loader fails when it takes it")]);
    };
    let Ok(metadata) = Metadata::from_json(&bytes) else {
        return Ok(vec![format!(
            "the metadata of `{variant}` cannot be read, so the loader fails when it takes it"
        )]);
    };
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
    Ok(demands)
}
