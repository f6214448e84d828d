//! Where to: the repository and the branch, from the line, the manifest or the variants.

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_hub::hub::Repository;
pub use kernel_hub::hub::RepositoryKind;
use kernel_spec::manifest::repository_id;
use kernel_spec::{Finding, code};

use super::UploadError;
use super::preflight::Artifact;
use crate::Project;

/// Where an upload goes.
#[derive(Clone, Debug)]
pub struct Target {
    /// The repository.
    pub repository: Repository,
    /// The branch.
    pub branch: String,
    /// Why this branch.
    pub reason: String,
}

/// What the line says of it.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// `--repo-id`.
    pub repository: Option<String>,
    /// `--repo-type`.
    pub kind: RepositoryKind,
    /// `--branch`.
    pub branch: Option<String>,
}

/// Decides where an upload goes.
pub fn decide(
    directory: &Utf8Path,
    chosen: &Chosen,
    project: Option<&Project>,
    artifacts: &[Artifact],
) -> Result<Target, UploadError> {
    let hub = project.map(|project| &project.manifest.general.hub);
    let named = hub.and_then(|hub| hub.repo_id.as_ref()).map(|id| id.value.clone());
    let Some(id) = chosen.repository.clone().or(named) else {
        return Err(UploadError::NoRepository { directory: directory.to_owned() });
    };
    let parts = id.split_once('/').filter(|_| repository_id::is_valid(&id));
    let Some((owner, name)) = parts else { return Err(UploadError::BadRepository { id }) };
    let repository = Repository { kind: chosen.kind, owner: owner.to_owned(), name: name.to_owned() };
    let from_manifest = hub.and_then(|hub| hub.branch.as_ref()).map(|branch| branch.value.clone());
    let version = artifacts.first().map_or(0, |artifact| artifact.metadata.version);
    let (branch, reason) = match (&chosen.branch, from_manifest) {
        (Some(branch), _) => (branch.clone(), "`--branch` names it".to_owned()),
        (None, Some(branch)) => (branch, "`[general.hub]` names it".to_owned()),
        (None, None) => (format!("v{version}"), format!("the variants are of version {version}")),
    };
    if is_branch(&branch) {
        Ok(Target { repository, branch, reason })
    } else {
        Err(UploadError::BadBranch { branch })
    }
}

impl Target {
    /// What speaks against these variants on the branch of a version: loaders would take them for that version.
    pub fn disagreement(&self, artifacts: &[Artifact]) -> Option<Finding> {
        let digits =
            self.branch.strip_prefix('v').filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
        let version: u64 = digits?.parse().ok()?;
        let others: BTreeSet<u64> = artifacts
            .iter()
            .map(|artifact| artifact.metadata.version)
            .filter(|other| *other != version)
            .collect();
        let list = others.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let branch = &self.branch;
        let message = format!(
            "loaders take `{branch}` for version {version}, and there are variants of version {list}"
        );
        let help =
            "publish them where they belong, without `--branch`; or raise the version and build them again";
        (!others.is_empty()).then(|| Finding::error(&code::upload::VERSIONS, message).help(help))
    }
}

/// Whether a text can be the name of a branch.
pub fn is_branch(text: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
    !text.is_empty()
        && text.chars().all(plain)
        && !text.contains("..")
        && !text.starts_with(['-', '/', '.'])
        && !text.starts_with("refs/")
        && !text.ends_with('/')
}
