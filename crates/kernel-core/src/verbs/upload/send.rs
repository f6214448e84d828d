//! Doing what was planned: the branch, then the card.

use kernel_hub::hub::{Blob, Created, HubError};
use kernel_hub::publish::{
    Done, Publication, Step, Target, Wanted, confirm_branch, difference, publish, read_listed,
};
use kernel_spec::event::Stage;
use kernel_spec::report::UploadReport;
use kernel_spec::report::upload::{CardState, PullRequest, UploadState};

use super::{MAIN, There, Upload, stage};
use crate::meter::Meter;
use crate::upload::{UploadError, card};
use crate::{Error, Result};

/// First line of the message of each commit.
const SUMMARY: &str = "Upload with kernel-builder";
/// How often a card is merged anew because somebody edits it meanwhile.
const MERGES: usize = 5;

impl Upload<'_> {
    /// Does it, and brings the report to what was done.
    pub(super) fn send(&self, there: &There, report: &mut UploadReport) -> Result<()> {
        stage(self.context, Stage::Upload, &format!("to `{}` of `{}`", report.branch, report.repository));
        let meter = Meter::new(self.context, "bytes sent", report.bytes);
        report.commits = 0;
        if there.new_branch(self.target) {
            report.commits += self.new_branch(there, &meter)?;
            report.findings.extend(self.clear(&there.refs, Some(self.staging()))?);
        } else {
            let wanted = self.contents.wanted(self.options.prune);
            let done = self.publish(&self.target.branch, &wanted, None, &meter)?;
            self.note(report, &self.target.branch, &done);
            if !self.options.create_pr {
                report.findings.extend(self.clear(&there.refs, None)?);
            }
        }
        if let Some(card) = &self.card {
            let done = self.send_card(card, &meter).map_err(|error| self.without_card(error))?;
            report.card = match done {
                Done { pull: Some(_), .. } => CardState::Proposed,
                Done { commits: 0, .. } => CardState::Unchanged,
                Done { .. } => CardState::Written,
            };
            self.note(report, MAIN, &done);
        }
        report.bytes = meter.done();
        report.state = if !report.pull_requests.is_empty() {
            UploadState::PullRequestCreated
        } else if report.commits == 0 && !report.new_branch {
            UploadState::NoChanges
        } else {
            UploadState::Uploaded
        };
        Ok(())
    }

    fn note(&self, report: &mut UploadReport, branch: &str, done: &Done) {
        report.commits += done.commits;
        if let Some(number) = done.pull {
            let page = self.target.repository.page(&format!("/discussions/{number}"));
            let url = self.hub.endpoint().join(&page);
            report.pull_requests.push(PullRequest { branch: branch.to_owned(), url });
        }
    }

    fn publish(
        &self,
        branch: &str,
        wanted: &Wanted,
        base: Option<String>,
        meter: &Meter<'_>,
    ) -> Result<Done, HubError> {
        let target = if self.options.create_pr {
            Target::PullRequest(branch.to_owned())
        } else {
            Target::Branch(branch.to_owned())
        };
        let repository = &self.target.repository;
        let publication = Publication { hub: self.hub, repository, target, wanted, base, summary: SUMMARY };
        publish(&publication, &|step| {
            let (Step::Sent(bytes) | Step::Committed(bytes)) = step;
            meter.add(bytes);
        })
    }

    /// Prepares the content on a branch of its own, and makes the wanted branch from it when it is complete.
    fn new_branch(&self, there: &There, meter: &Meter<'_>) -> Result<u64> {
        let (hub, repository, branch) = (self.hub, &self.target.repository, &self.target.branch);
        let staging = self.staging();
        let main = there.refs.branches.get(MAIN).map_or(MAIN, String::as_str);
        let mut commits = 0;
        let prepared = hub
            .create_branch(repository, &staging, main)
            .and_then(|_| self.publish(&staging, &self.contents.wanted(true), None, meter));
        let made = match prepared {
            Ok(done) => {
                commits += done.commits;
                let made = hub.create_branch(repository, branch, &done.head)?;
                if made == Created::Now {
                    // Before the preparation goes, and before anything says that this is published.
                    confirm_branch(hub, repository, branch, &done.head, &self.contents.wanted(false))?;
                }
                made
            }
            // The same upload somewhere else may have ended first, and removed the preparation.
            Err(_) if hub.refs(repository, false)?.branches.contains_key(branch) => Created::Before,
            Err(error) => return Err(error.into()),
        };
        if made == Created::Before {
            // Somebody was faster, or our own answer was lost.
            self.replaces_nothing()?;
            commits += self.publish(branch, &self.contents.wanted(false), None, meter)?.commits;
        }
        Ok(commits)
    }

    /// What somebody published under the name of a new branch since the plan was made stays: only variants that are not there
    /// are added to it.
    fn replaces_nothing(&self) -> Result<(), HubError> {
        let (hub, repository, branch) = (self.hub, &self.target.repository, self.target.branch.clone());
        let Some(head) = hub.refs(repository, false)?.branches.remove(&branch) else { return Ok(()) };
        let changes = difference(&self.contents.wanted(false), &hub.tree(repository, &head, "")?);
        if changes.changed.is_empty() && changes.removed.is_empty() {
            return Ok(());
        }
        Err(HubError::Contended { branch, repository: repository.id() })
    }

    /// The error of a card that could not be written after the version was published.
    fn without_card(&self, error: Error) -> Error {
        if self.options.create_pr || self.context.cancelled.is_cancelled() {
            return error;
        }
        let (branch, repository) = (self.target.branch.clone(), self.target.repository.id());
        UploadError::Card { branch, repository, reason: Box::new(error) }.into()
    }

    /// Merges the card into the README of `main`, anew where somebody edits it meanwhile.
    fn send_card(&self, card: &str, meter: &Meter<'_>) -> Result<Done> {
        let mut merges = 0;
        loop {
            let refs = self.hub.refs(&self.target.repository, false)?;
            let Some(head) = refs.branches.get(MAIN) else { return Ok(Done::default()) };
            let (_, text) = self.merged_card(card, head)?;
            let content = Blob::of_bytes(card::README, text.into_bytes());
            let files = [(card::README.to_owned(), content)].into();
            let wanted = Wanted { files, owns: Box::new(|_| false), vouches: |_| false };
            merges += 1;
            match self.publish(MAIN, &wanted, Some(head.clone()), meter) {
                Err(HubError::Contended { .. }) if merges < MERGES => {}
                done => return Ok(done?),
            }
        }
    }

    /// The README at a commit, and what it should be.
    pub(super) fn merged_card(&self, card: &str, head: &str) -> Result<(Option<String>, String)> {
        let repository = &self.target.repository;
        let refuse = |reason: String| UploadError::Readme { repository: repository.id(), reason };
        let tree = self.hub.tree(repository, head, "")?;
        let there = match tree.get(card::README) {
            Some(file) if file.size > card::LARGEST => {
                return Err(refuse(format!("it is larger than {} MiB", card::LARGEST >> 20)).into());
            }
            Some(file) => Some(read_listed(self.hub, repository, head, (card::README, file))?),
            None => None,
        };
        // What is not UTF-8 would not stay as others wrote it.
        let there = there.map(String::from_utf8).transpose();
        let there = there.map_err(|_| refuse("it is not UTF-8".to_owned()))?;
        let text = card::merge(card, there.as_deref()).map_err(|reason| refuse(reason.to_string()))?;
        Ok((there, text))
    }
}
