//! Whether the signatures of what is published fit: to the metadata beside them, and to where they go. A signature that
//! fits nothing is worse than none, because who verifies then finds an attack.

use kernel_spec::finding::Subject;
use kernel_spec::{Code, Finding, code};
use kernel_trust::Verifier;

use super::preflight::Artifact;
use crate::digest::{METADATA, SIGNATURE};
use crate::trust::set::Place;
use crate::trust::{BUNDLE_LIMIT, METADATA_LIMIT};
use crate::{Result, regular};

/// What speaks against publishing `artifacts` at `place`; where there is a verifier, each must have a sound signature.
pub fn check(artifacts: &[Artifact], place: &Place, required: Option<&Verifier>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for artifact in artifacts {
        findings.extend(one(artifact, place, required)?);
    }
    Ok(findings)
}

fn one(artifact: &Artifact, place: &Place, required: Option<&Verifier>) -> Result<Vec<Finding>> {
    let name = &artifact.name;
    let finding = |code: &'static Code, message: String| {
        Finding::error(code, message).about(Subject { variant: Some(name.clone()), ..Subject::default() })
    };
    if !artifact.signed {
        let missing = required.map(|_| finding(&code::trust::UNSIGNED, format!("`{name}` has no signature")));
        return Ok(missing.into_iter().collect());
    }
    let text = regular::start(&artifact.directory.join(METADATA), METADATA_LIMIT)?;
    let bundle = regular::start(&artifact.directory.join(SIGNATURE), BUNDLE_LIMIT)?;
    let sound = match required {
        Some(verifier) => verifier.blob(&text, &bundle).map(drop),
        None => kernel_trust::is_about(&text, &bundle),
    };
    if let Err(refusal) = sound {
        let message = format!("the signature of `{name}` does not fit");
        return Ok(vec![finding(refusal.code, message).cause(refusal.reason)]);
    }
    // Other tools sign for no place.
    let Some(record) = &artifact.metadata.publication else { return Ok(Vec::new()) };
    let mut findings = Vec::new();
    let signed = Place::of(record);
    if signed != *place {
        findings.push(finding(
            &code::trust::PLACE,
            format!("`{name}` was signed for {signed}, and not for {place}"),
        ));
    }
    if record.variant != *name {
        findings.push(finding(&code::trust::SLOT, format!("`{name}` was signed as `{}`", record.variant)));
    }
    if artifact.statement().is_none_or(|path| !path.is_file()) {
        findings.push(finding(&code::trust::SET, format!("there is no statement about the set of `{name}`")));
    }
    Ok(findings)
}
