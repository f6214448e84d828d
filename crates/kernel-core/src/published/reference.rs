//! `OWNER/NAME@REV`: a version, a branch or a commit of a repository.

use kernel_hub::hub::{Repository, RepositoryKind};
use kernel_spec::manifest::{KernelDependency, KernelReference, repository_id};

use crate::upload::target::is_branch;

/// A kernel of the Hub at one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The user or organization.
    pub owner: String,
    /// The repository's name there.
    pub name: String,
    /// `v1`, another branch, or a commit.
    pub revision: String,
}

impl Reference {
    /// The kernel that a word means; none where it is a path. A directory of such a name is written `./OWNER/NAME@REV`:
    /// what a command looks at must not depend on which directories there are.
    pub fn parse(word: &str) -> Option<Self> {
        let (id, revision) = word.split_once('@')?;
        let (owner, name) = id.split_once('/').filter(|_| repository_id::is_valid(id))?;
        is_branch(revision).then(|| Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
            revision: revision.to_owned(),
        })
    }

    /// The kernel that another depends on; none where it names none.
    pub fn of_dependency(dependency: &KernelDependency) -> Option<Self> {
        let revision = match &dependency.reference {
            KernelReference::Version(version) => format!("v{version}"),
            KernelReference::Revision(revision) => revision.clone(),
        };
        Self::parse(&format!("{}@{revision}", dependency.repo_id))
    }

    /// `OWNER/NAME`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// The repository.
    pub fn repository(&self) -> Repository {
        Repository { kind: RepositoryKind::Kernel, owner: self.owner.clone(), name: self.name.clone() }
    }

    /// The version, where the revision is one.
    pub fn version(&self) -> Option<u64> {
        self.revision.strip_prefix('v').filter(|digits| !digits.starts_with('+'))?.parse().ok()
    }
}

impl std::fmt::Display for Reference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}@{}", self.owner, self.name, self.revision)
    }
}

/// Whether a text is the full name of a commit.
pub(super) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kernels_or_paths() {
        for word in ["acme/relu@v1", "acme/relu@main", "a/b@0123456789abcdef0123456789abcdef01234567"] {
            assert_eq!(Reference::parse(word).map(|found| found.to_string()).as_deref(), Some(word));
        }
        for word in
            [".", "acme/relu", "./acme/relu@v1", "/a/b@v1", "a/b/c@v1", "a/b@", "a@v1", "a/b@../c", "a/b@-x"]
        {
            assert_eq!(Reference::parse(word), None, "{word}");
        }
        let version = |word: &str| Reference::parse(word).and_then(|found| found.version());
        assert_eq!((version("a/b@v12"), version("a/b@main"), version("a/b@v")), (Some(12), None, None));
    }
}
