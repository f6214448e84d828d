//! Branches and pull requests.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::commit::is_object_id;
use super::error::{Answered, Wish};
use super::{Created, Hub, HubError, Repository, encode};
use crate::http::{HttpError, Method};

/// Begins the full name of a pull request.
pub(super) const PULLS: &str = "refs/pr/";

/// Where branches and pull requests are.
#[derive(Clone, Debug, Default)]
pub struct Refs {
    /// Commits of branches.
    pub branches: BTreeMap<String, String>,
    /// Commits of pull requests, by their number.
    pub pulls: BTreeMap<u64, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    branches: Vec<Reference>,
    #[serde(default)]
    pull_requests: Vec<Reference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    name: String,
    #[serde(rename = "ref")]
    full_name: String,
    target_commit: String,
}

impl Hub {
    /// All branches, and all pull requests where they are wanted.
    pub fn refs(&self, repository: &Repository, with_pulls: bool) -> Result<Refs, HubError> {
        let query = if with_pulls { "?include_prs=1" } else { "" };
        let path = repository.api(&format!("/refs{query}"));
        let response = self.send(&self.request(Method::Get, &path))?;
        if !response.is_success() {
            return Err(self.about(repository, Wish::Read, &response));
        }
        let listing: Listing = response.json()?;
        let wrong = |reason: String| HttpError::Answer { address: response.address.to_string(), reason };
        let mut refs = Refs::default();
        let all = listing.branches.iter().chain(&listing.pull_requests);
        if let Some(other) = all.into_iter().find(|reference| !is_object_id(&reference.target_commit)) {
            let (name, commit) = (other.full_name.escape_debug(), other.target_commit.escape_debug());
            return Err(wrong(format!("it names `{commit}` as the commit of `{name}`")).into());
        }
        for Reference { name, target_commit, .. } in listing.branches {
            if refs.branches.insert(name.clone(), target_commit).is_some() {
                return Err(wrong(format!("it names the branch `{}` twice", name.escape_debug())).into());
            }
        }
        for pull in listing.pull_requests {
            let Some(number) = pull.full_name.strip_prefix(PULLS).and_then(|number| number.parse().ok())
            else {
                continue;
            };
            if refs.pulls.insert(number, pull.target_commit).is_some() {
                return Err(wrong(format!("it names the pull request {number} twice")).into());
            }
        }
        Ok(refs)
    }

    /// Makes a branch that begins at a commit.
    pub fn create_branch(
        &self,
        repository: &Repository,
        name: &str,
        start: &str,
    ) -> Result<Created, HubError> {
        let path = repository.api(&format!("/branch/{}", encode(name)));
        let request =
            self.request(Method::Post, &path).json(&json!({ "startingPoint": start })).repeatable(true);
        let response = self.send(&request)?;
        match response.status {
            // A name that only begins like that of another branch is refused in the same way.
            409 if self.refs(repository, false)?.branches.contains_key(name) => Ok(Created::Before),
            409 => {
                let (branch, answer) = (name.to_owned(), Answered::from(response.problem()));
                Err(HubError::NotMade { branch, repository: repository.id(), answer })
            }
            _ if response.is_success() => Ok(Created::Now),
            _ => Err(self.about(repository, Wish::Change, &response)),
        }
    }

    /// Removes a branch; one that is gone is as good.
    pub fn delete_branch(&self, repository: &Repository, name: &str) -> Result<(), HubError> {
        let path = repository.api(&format!("/branch/{}", encode(name)));
        let response = self.send(&self.request(Method::Delete, &path))?;
        if response.is_success() || response.status == 404 {
            return Ok(());
        }
        Err(self.about(repository, Wish::Change, &response))
    }
}
