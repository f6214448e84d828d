//! Who there is, which repositories there are, and what is in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::answer::Refusal;
use crate::sigstore::Workflow;

/// What a member may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// See private repositories.
    Read,
    /// Change repositories.
    Write,
}

/// Bounds that real servers have.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Entries of a page of a listing.
    pub page: usize,
    /// Most bytes of a commit request.
    pub commit: u64,
    /// From this size on a file is uploaded in parts.
    pub multipart: u64,
    /// Bytes of a part.
    pub part: u64,
    /// From this size on a file goes to the store of large files.
    pub large: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { page: 1000, commit: 64 << 20, multipart: 32 << 20, part: 8 << 20, large: 1 << 20 }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) name: String,
    /// What its token allows.
    pub(crate) scope: Role,
    /// The one repository that the token is for, where it is for one.
    pub(crate) only: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Organization {
    pub(crate) trusted: bool,
    pub(crate) members: BTreeMap<String, Role>,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Id of its content, or of its pointer.
    pub oid: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 where it is in the store of large files.
    pub lfs: Option<String>,
}

/// A state of a branch.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The commit before.
    pub parent: Option<String>,
    /// First line of its message.
    pub summary: String,
    /// All files by path.
    pub files: Arc<BTreeMap<String, Entry>>,
}

/// A pull request.
#[derive(Clone, Debug)]
pub(crate) struct Pull {
    /// Its newest commit.
    pub(crate) head: String,
    /// The branch that it is for.
    pub(crate) base: String,
    /// The user who opened it.
    pub(crate) author: String,
    pub(crate) is_closed: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Repository {
    pub(crate) private: bool,
    pub(crate) branches: BTreeMap<String, String>,
    pub(crate) pulls: Vec<Pull>,
    pub(crate) commits: BTreeMap<String, Commit>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) users: BTreeMap<String, User>,
    pub(crate) organizations: BTreeMap<String, Organization>,
    /// By `kernels/OWNER/NAME` or `models/OWNER/NAME`.
    pub(crate) repositories: BTreeMap<String, Repository>,
    /// The workflows that may publish without a token of their own, with the repository they may write to.
    pub(crate) publishers: Vec<(String, Workflow)>,
    /// Number of parts uploads so far.
    pub(crate) uploads: u64,
}

impl State {
    /// What a user may do in the namespace of an owner.
    fn role(&self, user: &User, owner: &str) -> Option<Role> {
        let granted = if user.name == owner {
            Some(Role::Write)
        } else {
            self.organizations.get(owner).and_then(|owner| owner.members.get(&user.name).copied())
        };
        granted.map(|role| role.min(user.scope))
    }

    /// Whether a user may make repositories there.
    pub(crate) fn may_create(&self, user: &User, owner: &str) -> bool {
        user.only.is_none() && self.role(user, owner) == Some(Role::Write)
    }

    /// The repository for reading, by the rules of who may know that it is there.
    pub(crate) fn readable(&self, key: &str, user: Option<&User>) -> Result<&Repository, Refusal> {
        let missing = || match user {
            None => Refusal::new(401, "RepoNotFound", "Invalid username or password."),
            Some(_) => Refusal::new(404, "RepoNotFound", "Repository not found"),
        };
        let repository = self.repositories.get(key).ok_or_else(missing)?;
        let is_for = |user: &User| user.only.as_deref() == Some(key);
        let knows = user.is_some_and(|user| is_for(user) || self.role(user, owner(key)).is_some());
        if repository.private && !knows { Err(missing()) } else { Ok(repository) }
    }

    /// Refuses whoever may not write.
    pub(crate) fn writable(&self, key: &str, user: Option<&User>) -> Result<(), Refusal> {
        self.readable(key, user)?;
        let Some(user) = user else {
            return Err(Refusal::new(401, "", "Invalid username or password."));
        };
        let may = user
            .only
            .as_ref()
            .map_or_else(|| self.role(user, owner(key)) == Some(Role::Write), |only| only == key);
        if may {
            return Ok(());
        }
        let text = "Forbidden: pass `create_pr=1` as a query parameter to create a Pull Request";
        Err(Refusal::new(403, "", text))
    }
}

fn owner(key: &str) -> &str {
    key.split('/').nth(1).unwrap_or_default()
}

impl Repository {
    /// The commit that a revision means: a branch, `refs/pr/N`, `refs/heads/NAME`, or a commit.
    pub(crate) fn resolve(&self, revision: &str) -> Result<String, Refusal> {
        let pull = revision.strip_prefix("refs/pr/").and_then(|number| number.parse::<usize>().ok());
        let branch = revision.strip_prefix("refs/heads/").unwrap_or(revision);
        let found = match pull {
            Some(number) => self.pulls.get(number.wrapping_sub(1)).map(|pull| &pull.head),
            None => self.branches.get(branch),
        };
        let found =
            found.cloned().or_else(|| self.commits.get_key_value(revision).map(|(oid, _)| oid.clone()));
        found.ok_or_else(|| Refusal::new(404, "RevisionNotFound", &format!("Invalid rev id: {revision}")))
    }

    /// The files at a revision.
    pub(crate) fn files(&self, revision: &str) -> Result<(String, Arc<BTreeMap<String, Entry>>), Refusal> {
        let oid = self.resolve(revision)?;
        let files = self.commits.get(&oid).map(|commit| Arc::clone(&commit.files)).unwrap_or_default();
        Ok((oid, files))
    }
}
