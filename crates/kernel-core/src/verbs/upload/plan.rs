//! What an upload will do.

use std::collections::BTreeSet;

use kernel_hub::hub::Blob;
use kernel_hub::publish::{Difference, MOST_CHANGES, Wanted, difference};
use kernel_spec::report::UploadReport;
use kernel_spec::report::upload::{CardState, FileCounts, UploadState, UploadedVariant, VariantState};

use super::{MAIN, There, Upload};
use crate::Result;
use crate::upload::contents::BUILD;
use crate::upload::limits;
use crate::upload::preflight::Artifact;
use crate::upload::results::RESULTS;

impl Upload<'_> {
    /// What will be done, as the report of an upload that only plans.
    pub(super) fn plan(
        &self,
        there: &There,
        artifacts: &[Artifact],
        kept: Vec<String>,
    ) -> Result<UploadReport> {
        let target = self.target;
        let new_branch = there.new_branch(target);
        let wanted = self.contents.wanted(new_branch || self.options.prune);
        let changes = difference(&wanted, &there.tree);
        let published = there.published(target);
        let brought = changes.brought().filter_map(|path| wanted.files.get(path));
        let card = self.planned_card(there)?;
        let changes_card = matches!(card, CardState::Written | CardState::Proposed);
        Ok(UploadReport {
            repository: target.repository.id(),
            new_repository: there.new_repository,
            branch: target.branch.clone(),
            branch_reason: target.reason.clone(),
            new_branch,
            state: if changes.is_empty() && !new_branch && !changes_card {
                UploadState::NoChanges
            } else {
                UploadState::Planned
            },
            url: self.hub.endpoint().join(&target.repository.page(&format!("/tree/{}", target.branch))),
            variants: artifacts
                .iter()
                .map(|artifact| describe(artifact, &wanted, &changes, &published))
                .collect(),
            kept,
            files: FileCounts {
                added: changes.added.len(),
                changed: changes.changed.len(),
                unchanged: changes.unchanged.len(),
                removed: changes.removed.len(),
            },
            removed: changes.removed.iter().cloned().collect(),
            bytes: brought.map(|content| content.size).sum(),
            commits: changes.count().div_ceil(MOST_CHANGES) as u64 + u64::from(changes_card),
            limits: limits::limits(&wanted, &there.tree, &changes),
            card,
            pull_requests: Vec::new(),
            findings: Vec::new(),
        })
    }

    fn planned_card(&self, there: &There) -> Result<CardState> {
        let Some(card) = &self.card else { return Ok(CardState::Absent) };
        let changed = if self.options.create_pr { CardState::Proposed } else { CardState::Written };
        let Some(head) = there.refs.branches.get(MAIN) else { return Ok(changed) };
        let (earlier, text) = self.merged_card(card, head)?;
        Ok(if earlier.as_deref() == Some(text.as_str()) { CardState::Unchanged } else { changed })
    }
}

fn describe(
    artifact: &Artifact,
    wanted: &Wanted,
    changes: &Difference,
    published: &BTreeSet<&str>,
) -> UploadedVariant {
    let folder = format!("{BUILD}{}/", artifact.name);
    let touches = |paths: &BTreeSet<String>| paths.iter().any(|path| path.starts_with(&folder));
    let files: Vec<&Blob> =
        wanted.files.values().filter(|content| content.path.starts_with(&folder)).collect();
    UploadedVariant {
        name: artifact.name.clone(),
        state: if !published.contains(artifact.name.as_str()) {
            VariantState::New
        } else if touches(&changes.added) || touches(&changes.changed) || touches(&changes.removed) {
            VariantState::Changed
        } else {
            VariantState::Unchanged
        },
        files: files.len() as u64,
        bytes: files.iter().map(|content| content.size).sum(),
        signed: artifact.signature.is_some(),
        results: wanted
            .files
            .keys()
            .filter_map(|path| path.strip_prefix(RESULTS)?.strip_prefix(&artifact.name)?.strip_prefix('/'))
            .map(|name| name.trim_end_matches(".json").to_owned())
            .collect(),
    }
}
