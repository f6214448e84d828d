//! Answer of `upload`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ExitClass, Finding, Severity};

/// What an upload did, or would do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UploadReport {
    /// The repository, as `OWNER/NAME`.
    pub repository: String,
    /// Whether it was made, or would be.
    pub new_repository: bool,
    /// The branch.
    pub branch: String,
    /// Why this branch.
    pub branch_reason: String,
    /// Whether it is new.
    pub new_branch: bool,
    /// How it ended.
    pub state: UploadState,
    /// Where to look at it.
    pub url: String,
    /// The uploaded variants.
    pub variants: Vec<UploadedVariant>,
    /// Published variants that are none of this upload, and stay.
    pub kept: Vec<String>,
    /// What changes on the branch.
    pub files: FileCounts,
    /// Files that go, because this upload answers for their place.
    pub removed: Vec<String>,
    /// What becomes of the card on `main`.
    pub card: CardState,
    /// Bytes that were sent, or that would be at most.
    pub bytes: u64,
    /// Commits that were made, or would be at least.
    pub commits: u64,
    /// The bounds of the Hub, and how near the upload comes to them.
    pub limits: Vec<UploadLimit>,
    /// The pull requests that hold the changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pull_requests: Vec<PullRequest>,
    /// Remarks that did not stop the upload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

impl UploadReport {
    /// How the process ends: what is done is done, and what went wrong afterwards is said.
    pub fn exit(&self) -> ExitClass {
        let error = self.findings.iter().find(|finding| finding.severity == Severity::Error);
        error.map_or(ExitClass::Success, |finding| finding.code.exit)
    }

    /// The answer in the form of the peer's `--output-json`.
    pub fn as_peer(&self) -> serde_json::Value {
        let status = match self.state {
            UploadState::Planned | UploadState::NoChanges => "no_changes",
            UploadState::Uploaded => "uploaded",
            UploadState::PullRequestCreated => "pull_request_created",
        };
        serde_json::json!({
            "status": status,
            "repo_id": self.repository,
            "branch": self.branch,
            "url": self.url,
            "pull_requests": self.pull_requests,
        })
    }
}

/// How an upload ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UploadState {
    /// Nothing was done, as asked.
    Planned,
    /// Everything was there already.
    NoChanges,
    /// The branch now holds the variants.
    Uploaded,
    /// A pull request proposes them.
    PullRequestCreated,
}

/// One variant of an upload.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UploadedVariant {
    /// Its name.
    pub name: String,
    /// How it stands to what is published.
    pub state: VariantState,
    /// Its files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether it has a signature.
    pub signed: bool,
    /// Which results of this very variant go along: `tests`, `bench`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
}

/// How a variant stands to what is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VariantState {
    /// It was not published before.
    New,
    /// It replaces an earlier one.
    Changed,
    /// It is published as it is.
    Unchanged,
}

/// Files by what happens to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCounts {
    /// Not there before.
    pub added: usize,
    /// There with other content.
    pub changed: usize,
    /// There as they are.
    pub unchanged: usize,
    /// Going.
    pub removed: usize,
}

/// A bound of the Hub, and how near an upload comes to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UploadLimit {
    /// What is bounded.
    pub limit: LimitKind,
    /// The most that there may be.
    pub most: u64,
    /// The most that there would be after the upload.
    pub planned: u64,
    /// The file or folder that has the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LimitKind {
    /// Changed files of one commit; more make more commits.
    FilesPerCommit,
    /// Bytes of one file.
    BytesPerFile,
    /// Files and folders directly in one folder.
    EntriesPerFolder,
}

/// What becomes of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CardState {
    /// There is none to publish.
    Absent,
    /// It is published as it is.
    Unchanged,
    /// It is written around the text that others have put there.
    Written,
    /// A pull request proposes it.
    Proposed,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PullRequest {
    /// What it is for.
    pub branch: String,
    /// Where to look at it.
    pub url: String,
}
