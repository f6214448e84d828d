//! Branches and pull requests.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::commit::is_object_id;
use super::error::{Answered, Wish};
use super::{Created, Hub, HubError, Repository, encode};
use crate::http::{HttpError, Method, Problem};

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

impl Refs {
    /// The commit of a branch, or of a pull request by its full name.
    pub fn head(&self, revision: &str) -> Option<&String> {
        match number_of_pull(revision) {
            Some(number) => self.pulls.get(&number),
            None => self.branches.get(revision),
        }
    }
}

/// The number of a pull request in its full name; none where it is that of something else.
pub(super) fn number_of_pull(name: &str) -> Option<u64> {
    name.strip_prefix(PULLS)?.parse().ok()
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

/// A pull request, as its details say.
#[derive(Deserialize)]
struct Pull {
    status: String,
    /// None where the account is gone.
    author: Option<Author>,
}

#[derive(Deserialize)]
struct Author {
    name: Option<String>,
}

impl Hub {
    /// Whether a pull request is open and was opened by this user. One that the Hub has no details of is not.
    pub fn is_open_pull_of(
        &self,
        repository: &Repository,
        number: u64,
        user: &str,
    ) -> Result<bool, HubError> {
        let path = repository.api(&format!("/discussions/{number}"));
        let response = self.send(&self.request(Method::Get, &path))?;
        if response.status == 404 {
            return Ok(false);
        }
        if !response.is_success() {
            return Err(self.about(repository, Wish::Read, &response));
        }
        let pull: Pull = response.json()?;
        let author = pull.author.and_then(|author| author.name);
        Ok(matches!(pull.status.as_str(), "open" | "draft") && author.as_deref() == Some(user))
    }

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
            let Some(number) = number_of_pull(&pull.full_name) else { continue };
            if refs.pulls.insert(number, pull.target_commit).is_some() {
                return Err(wrong(format!("it names the pull request {number} twice")).into());
            }
        }
        Ok(refs)
    }

    /// What it means that a revision which was there a moment ago is answered with 404: it is gone, or the server has a
    /// reason of its own.
    pub(super) fn not_found(&self, repository: &Repository, revision: &str, problem: Problem) -> HubError {
        match self.refs(repository, revision.starts_with(PULLS)) {
            Err(error) => error,
            Ok(refs) if refs.head(revision).is_some() => HttpError::from_problem(problem).into(),
            Ok(_) => {
                let (revision, answer) = (revision.to_owned(), Answered::from(problem));
                HubError::Gone { revision, repository: repository.id(), answer }
            }
        }
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
