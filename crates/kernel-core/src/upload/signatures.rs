//! Whether the signatures of what is published fit: to the metadata beside them, and to where they go. A signature that
//! fits nothing is worse than none, because who verifies then finds an attack.

use kernel_spec::finding::Subject;
use kernel_spec::{Code, Finding, code};
use kernel_trust::Verifier;

use super::preflight::Artifact;
use crate::trust::set::Place;
use crate::trust::statement::Statement;

/// What speaks against publishing `artifacts` at `place`; where there is a verifier, each must have a sound signature, and
/// so must the statement about its set.
pub fn check(artifacts: &[Artifact], place: &Place, required: Option<&Verifier>) -> Vec<Finding> {
    let some = artifacts.iter().any(|artifact| artifact.signature.is_some());
    artifacts.iter().flat_map(|artifact| one(artifact, place, required, some)).collect()
}

fn one(artifact: &Artifact, place: &Place, required: Option<&Verifier>, some: bool) -> Vec<Finding> {
    let name = &artifact.name;
    let finding = |code: &'static Code, message: String| {
        Finding::error(code, message).about(Subject { variant: Some(name.clone()), ..Subject::default() })
    };
    let Some(bundle) = &artifact.signature else {
        // What was broken off while it was signed is no unsigned set.
        let message = match (required.is_some(), some || artifact.metadata.publication.is_some()) {
            (true, _) => format!("`{name}` has no signature"),
            (false, true) => format!("`{name}` has no signature, and its set was signed"),
            (false, false) => return Vec::new(),
        };
        return vec![finding(&code::trust::UNSIGNED, message)];
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
    let Some(bundle) = &artifact.statement else {
        let message = format!("there is no statement about the set of `{name}`");
        findings.push(finding(&code::trust::SET, message));
        return findings;
    };
    let faults = match statement(&artifact.text, bundle, required) {
        Ok((statement, logged_at)) => {
            statement.faults((&signed, &record.set), (name, &artifact.text), logged_at)
        }
        Err(reason) => vec![reason],
    };
    findings.extend(faults.into_iter().map(|reason| {
        let message = format!("the statement about the set of `{name}` does not hold");
        finding(&code::trust::SET, message).cause(reason)
    }));
    findings
}

/// What a bundle states of these metadata, and when the log took it where that is proven, in seconds since 1970.
fn statement(
    metadata: &[u8],
    bundle: &[u8],
    required: Option<&Verifier>,
) -> Result<(Statement, Option<u64>), String> {
    let (text, logged_at) = match required {
        Some(verifier) => {
            let signed = verifier.statement(metadata, bundle).map_err(|refusal| refusal.reason)?;
            (signed.statement, Some(signed.signed.logged_at))
        }
        None => (kernel_trust::statement_in(bundle).map_err(|refusal| refusal.reason)?, None),
    };
    Ok((Statement::from_json(&text)?, logged_at))
}
