//! Whether what is published is what was judged. Files may change while they are judged, and are read once more to be
//! published; what was read then must be what the judged metadata speak of, for else whoever loads it is told of a forgery.

use std::collections::{BTreeMap, BTreeSet};

use kernel_hub::publish::Content;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, code};

use super::contents::BUILD;
use super::preflight::Artifact;
use crate::digest::{METADATA, SIGNATURE, in_hexadecimal};
use crate::trust::PROVENANCE;
use crate::trust::set::sha256;

/// Every file of the variants that is no longer as it was judged, among those that are to be published.
pub(super) fn differences(artifacts: &[Artifact], files: &BTreeMap<String, Content>) -> Vec<Finding> {
    artifacts.iter().flat_map(|artifact| of_variant(artifact, files)).collect()
}

fn of_variant(artifact: &Artifact, files: &BTreeMap<String, Content>) -> Vec<Finding> {
    let folder = format!("{BUILD}{}/", artifact.name);
    let mut judged = BTreeMap::from([(METADATA, sha256(&artifact.text))]);
    judged.extend(artifact.signature.iter().map(|bundle| (SIGNATURE, sha256(bundle))));
    let statement = statement(artifact, files);
    // It is by SHA-256: what is not was refused before.
    let record = artifact.metadata.digest.as_ref();
    let sealed = record.iter().flat_map(|record| &record.files);
    judged.extend(sealed.map(|(path, digest)| (path.as_str(), in_hexadecimal(digest).unwrap_or_default())));
    let found: BTreeMap<&str, &str> = files
        .range(folder.clone()..)
        .map_while(|(path, content)| Some((path.strip_prefix(&folder)?, content.sha256.as_str())))
        .collect();
    let paths: BTreeSet<&str> = judged.keys().chain(found.keys()).copied().collect();
    let differs = |path: &&str| match (judged.get(path), found.get(path)) {
        (None, _) => record.is_some() || *path == SIGNATURE,
        (Some(judged), found) => found != Some(&judged.as_str()),
    };
    let changed = paths.into_iter().filter(differs).map(|path| {
        let message = format!("`{path}` of `{}` changed while it was judged", artifact.name);
        let subject = Subject {
            variant: Some(artifact.name.clone()),
            file: Some(path.to_owned()),
            ..Subject::default()
        };
        Finding::error(&code::artifact::DIGEST, message).about(subject)
    });
    changed.chain(statement).collect()
}

/// The same of the statement about the set.
fn statement(artifact: &Artifact, files: &BTreeMap<String, Content>) -> Option<Finding> {
    let path = artifact.statement_path()?;
    let judged = artifact.statement.as_deref().map(sha256);
    let published = files.get(&format!("{PROVENANCE}/{}", path.file_name()?));
    if published.map(|content| &content.sha256) == judged.as_ref() {
        return None;
    }
    let message = format!("the statement about the set of `{}` changed while it was judged", artifact.name);
    let subject = Subject { variant: Some(artifact.name.clone()), ..Subject::default() };
    Some(Finding::error(&code::artifact::DIGEST, message).about(subject))
}
