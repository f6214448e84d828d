//! The file that gets the answer in the peer's form. Whether it can be written is found out before anything is sent, because
//! afterwards it is too late; and only an earlier answer is replaced, never what somebody wrote.

use std::io::{Error, ErrorKind};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::report::UploadReport;
use kernel_spec::{Finding, code};

use crate::atomic::{self, Pending};
use crate::upload::UploadError;
use crate::upload::preflight::Artifact;
use crate::{Context, occupied};

/// A place that an answer can be written to.
pub(super) struct AnswerFile {
    path: Utf8PathBuf,
    /// As the user named it.
    shown: Utf8PathBuf,
}

impl AnswerFile {
    /// Makes the directories above it, and refuses a place that holds something else.
    pub(super) fn prepare(
        context: &Context,
        shown: &Utf8Path,
        artifacts: &[Artifact],
    ) -> Result<Self, UploadError> {
        let path = context.resolve(shown);
        match free(&path, artifacts).and_then(|()| Pending::begin(&path)) {
            Ok(_) => Ok(Self { path, shown: shown.to_owned() }),
            Err(reason) => Err(UploadError::OutputJson { path: shown.to_owned(), reason }),
        }
    }

    /// Writes it. What was sent stays sent: a failure is a finding beside the answer.
    pub(super) fn write(&self, report: &UploadReport) -> Option<Finding> {
        let text = format!("{:#}\n", report.as_peer());
        let error = atomic::write(&self.path, text.as_bytes()).err()?;
        let message = format!("the upload is done, and its answer could not be written to `{}`", self.shown);
        Some(Finding::error(&code::environment::FILE, message).cause(error.to_string()))
    }
}

/// Whether a place is free, or holds an earlier answer.
fn free(path: &Utf8Path, artifacts: &[Artifact]) -> std::io::Result<()> {
    if artifacts.iter().any(|artifact| path.starts_with(&artifact.directory)) {
        return Err(Error::new(ErrorKind::InvalidInput, "it would be a stray file of a variant"));
    }
    occupied::free(path, |value| {
        ["status", "repo_id", "branch", "url"].iter().all(|key| value.get(key).is_some())
    })
}
