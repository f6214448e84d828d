//! Who the user is, and making repositories.

use serde::Deserialize;
use serde_json::json;

use super::error::{Answered, Wish};
use super::{Hub, HubError, Repository, RepositoryKind, encode};
use crate::http::{HttpError, Method, Problem, Response};

/// The user.
#[derive(Clone, Debug, Deserialize)]
pub struct Account {
    /// The user's name.
    pub name: String,
}

#[derive(Deserialize)]
struct Organization {
    #[serde(default, rename = "trustedKernelPublisher")]
    trusted: bool,
}

#[derive(Deserialize)]
struct Visibility {
    private: Option<bool>,
}

/// Whether something is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// It was made.
    Now,
    /// It was there.
    Before,
}

impl Hub {
    /// Who the token belongs to.
    pub fn who_am_i(&self) -> Result<Account, HubError> {
        Ok(self.send(&self.request(Method::Get, "/api/whoami-v2"))?.success()?.json()?)
    }

    /// Whether the loader trusts what an owner publishes. It never trusts a user's own repositories.
    pub fn trusts(&self, owner: &str) -> Result<bool, HubError> {
        let path = format!("/api/organizations/{}/overview", encode(owner));
        let response = self.send(&self.request(Method::Get, &path))?;
        if response.status == 404 {
            return Ok(false);
        }
        Ok(response.success()?.json::<Organization>()?.trusted)
    }

    /// Whether only those whom its owner lets see it can see a repository; none where the Hub does not say.
    pub fn is_private(&self, repository: &Repository) -> Result<Option<bool>, HubError> {
        let response = self.send(&self.request(Method::Get, &repository.api("")))?;
        match response.status {
            404 => Ok(None),
            _ if response.is_success() => Ok(response.json::<Visibility>()?.private),
            _ => Err(self.about(repository, Wish::Read, &response)),
        }
    }

    /// Makes a repository where it is missing.
    pub fn create(&self, repository: &Repository, private: bool, user: &str) -> Result<Created, HubError> {
        let kind = if repository.kind == RepositoryKind::Kernel { "kernel" } else { "model" };
        let organization = Some(&repository.owner).filter(|owner| *owner != user);
        let mut body = json!({ "name": repository.name, "organization": organization, "type": kind });
        if private {
            body["private"] = true.into();
            body["visibility"] = "private".into();
        }
        // A second time it is there, which is as good.
        let request = self.request(Method::Post, "/api/repos/create").json(&body).repeatable(true);
        let response = self.send(&request)?;
        match response.status {
            409 => Ok(Created::Before),
            403 => Err(forbidden(repository, Some(user), Wish::Change, response.problem())),
            404 => {
                let answer = Answered::from(response.problem());
                Err(HubError::NoNamespace { owner: repository.owner.clone(), answer })
            }
            _ => Ok(response.success().map(|_| Created::Now)?),
        }
    }

    /// What is wrong with an answer about a repository that has no better explanation.
    pub(super) fn about(&self, repository: &Repository, wish: Wish, response: &Response) -> HubError {
        self.about_problem(repository, wish, response.problem())
    }

    /// The same of a problem.
    pub(super) fn about_problem(&self, repository: &Repository, wish: Wish, problem: Problem) -> HubError {
        match problem.status {
            403 => {
                // Only now is it worth a request to know the name.
                let user = self.who_am_i().ok().map(|account| account.name);
                forbidden(repository, user.as_deref(), wish, problem)
            }
            404 if problem.code.as_deref().is_none_or(|code| code == "RepoNotFound") => {
                let answer = Answered::from(problem);
                HubError::NoRepository { repository: repository.id(), answer }
            }
            _ => HttpError::from_problem(problem).into(),
        }
    }
}

/// The answer 403.
fn forbidden(repository: &Repository, user: Option<&str>, wish: Wish, problem: Problem) -> HubError {
    let (id, owner) = (repository.id(), &repository.owner);
    let who = user.map_or_else(|| "you".to_owned(), |user| format!("you are logged in as `{user}`, who"));
    let (what, help) = match wish {
        Wish::Read => (
            format!("read `{id}`"),
            format!("ask the owners of `{owner}` for access to it, and give the token the right to read it"),
        ),
        Wish::Propose => (
            format!("propose changes in `{owner}`"),
            format!(
                "give the token the right to write and to open pull requests; if it has it, `{owner}` takes no proposals from you: ask its owners"
            ),
        ),
        Wish::Change => (
            format!("publish in `{owner}`"),
            format!(
                "ask the owners of `{owner}` for the right to write there, and give the token that right too; kernels also need the right to publish kernels, which the Hub grants on request; or propose the change with `--create-pr`"
            ),
        ),
    };
    HubError::Forbidden { who, what, help, answer: Answered::from(problem) }
}
