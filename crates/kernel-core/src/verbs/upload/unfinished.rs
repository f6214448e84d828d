//! Branches on which uploads prepared a new version and did not end. Nobody reads them; they go once their version is there,
//! because whoever still works on one then goes on with the version itself.

use std::collections::BTreeSet;

use kernel_hub::hub::{HubError, Refs};
use kernel_spec::{Finding, code};

use super::Upload;
use crate::Result;

/// Begins the name of such a branch.
const BEGIN: &str = "upload-";
/// Hexadecimal digits that end it.
const DIGITS: usize = 12;

impl Upload<'_> {
    /// The branch on which the content of a new branch is prepared: its own for each content, so that two uploads at once
    /// do not meet on it, and an upload that was killed finds it again.
    pub(super) fn staging(&self) -> String {
        let branch = self.target.branch.replace('/', "-");
        format!("{BEGIN}{branch}-{}", self.contents.identity())
    }

    /// What there is to say of such branches that are there.
    pub(super) fn unfinished(&self, refs: &Refs) -> Option<Finding> {
        let (own, going) = (self.staging(), self.going(refs));
        let found: Vec<String> = refs
            .branches
            .keys()
            .filter_map(|name| {
                let of = prepared(name)?;
                Some(match name {
                    name if self.options.create_pr => format!("`{name}`: an upload to `{of}` removes it"),
                    name if *name == own => format!("`{name}`: this upload goes on with it, and removes it"),
                    name if going.contains(name) => format!("`{name}`: this upload removes it"),
                    name => format!("`{name}`: an upload to `{of}` removes it"),
                })
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        let message = "branches of uploads that did not end are there".to_owned();
        Some(found.into_iter().fold(Finding::note(&code::upload::UNFINISHED, message), Finding::cause))
    }

    /// Those that go with this upload: its own, and all that were for the same version.
    fn going(&self, refs: &Refs) -> BTreeSet<String> {
        // Of a name that could stand for another branch too it is not sure what it was for.
        let is_sure = !self.target.branch.contains(['/', '-']);
        let same = |name: &&String| is_sure && prepared(name) == Some(self.target.branch.as_str());
        let mut going: BTreeSet<String> = refs.branches.keys().filter(same).cloned().collect();
        going.extend(refs.branches.contains_key(&self.staging()).then(|| self.staging()));
        going
    }

    /// Removes them, `made` by this very upload and found before. What is published is published also where this fails.
    pub(super) fn clear(&self, refs: &Refs, made: Option<String>) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let mut going = self.going(refs);
        going.extend(made);
        for branch in going {
            match self.hub.delete_branch(&self.target.repository, &branch) {
                Ok(()) => {}
                Err(error) if self.context.cancelled.is_cancelled() => return Err(error.into()),
                Err(error) => findings.push(left_over(&branch, &error)),
            }
        }
        Ok(findings)
    }
}

fn left_over(branch: &str, error: &HubError) -> Finding {
    let message = format!("the branch `{branch}`, where this was prepared, could not be removed");
    let finding = Finding::warning(&code::hub::LEFT_OVER, message).cause(error.to_string());
    let answer = std::error::Error::source(error).map(ToString::to_string);
    answer.into_iter().fold(finding, Finding::cause)
}

/// The branch that was prepared on the branch of this name; none where the name is another.
fn prepared(name: &str) -> Option<&str> {
    let (branch, digits) = name.strip_prefix(BEGIN)?.rsplit_once('-')?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (!branch.is_empty() && digits.len() == DIGITS && digits.bytes().all(is_digit)).then_some(branch)
}
