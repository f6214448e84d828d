//! The name of a repository, and the paths it has.

use super::encode;

/// What a repository holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepositoryKind {
    /// A kernel.
    Kernel,
    /// A model: where kernels were before they had a kind of their own.
    Model,
}

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// What it holds.
    pub kind: RepositoryKind,
    /// The user or organization it belongs to.
    pub owner: String,
    /// Its name there.
    pub name: String,
}

impl Repository {
    /// `OWNER/NAME`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    fn encoded(&self) -> String {
        format!("{}/{}", encode(&self.owner), encode(&self.name))
    }

    /// A path of its API.
    pub(super) fn api(&self, rest: &str) -> String {
        let kinds = if self.kind == RepositoryKind::Kernel { "kernels" } else { "models" };
        format!("/api/{kinds}/{}{rest}", self.encoded())
    }

    /// A path of its web page, of its files, or of its git.
    pub fn page(&self, rest: &str) -> String {
        let prefix = if self.kind == RepositoryKind::Kernel { "/kernels" } else { "" };
        format!("{prefix}/{}{rest}", self.encoded())
    }
}
