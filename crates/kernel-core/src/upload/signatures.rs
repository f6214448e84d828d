//! Whether the signatures of what is published fit: to the metadata beside them, and to where they go. A signature that
//! fits nothing is worse than none, because who verifies then finds an attack.

use kernel_spec::finding::Subject;
use kernel_spec::{Code, Finding, code};
use kernel_trust::Verifier;

use super::preflight::Artifact;
use crate::regular;
use crate::trust::BUNDLE_LIMIT;
use crate::trust::set::Place;

/// What speaks against publishing `artifacts` at `place`; where there is a verifier, each must have a sound signature.
pub fn check(artifacts: &[Artifact], place: &Place, required: Option<&Verifier>) -> Vec<Finding> {
    artifacts.iter().flat_map(|artifact| one(artifact, place, required)).collect()
}

fn one(artifact: &Artifact, place: &Place, required: Option<&Verifier>) -> Vec<Finding> {
    let name = &artifact.name;
    let finding = |code: &'static Code, message: String| {
        Finding::error(code, message).about(Subject { variant: Some(name.clone()), ..Subject::default() })
    };
    let Some(bundle) = &artifact.signature else {
        let missing = required.map(|_| finding(&code::trust::UNSIGNED, format!("`{name}` has no signature")));
        return missing.into_iter().collect();
    };
    let sound = match required {
        Some(verifier) => verifier.blob(&artifact.text, bundle).map(drop),
        None => kernel_trust::is_about(&artifact.text, bundle),
    };
    if let Err(refusal) = sound {
        let message = format!("the signature of `{name}` does not fit");
        return vec![finding(refusal.code, message).cause(refusal.reason)];
    }
    // Other tools sign for no place.
    let Some(record) = &artifact.metadata.publication else { return Vec::new() };
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
    let statement = artifact.statement().map(|path| regular::start(&path, BUNDLE_LIMIT));
    match statement {
        Some(Ok(_)) => {}
        Some(Err(error)) if error.kind() != std::io::ErrorKind::NotFound => {
            let message = format!("the statement about the set of `{name}` cannot be read");
            findings.push(finding(&code::artifact::UNREADABLE, message).cause(error.to_string()));
        }
        _ => {
            let message = format!("there is no statement about the set of `{name}`");
            findings.push(finding(&code::trust::SET, message));
        }
    }
    findings
}
