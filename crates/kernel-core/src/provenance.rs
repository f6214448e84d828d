//! Which commit a kernel's sources are, and whether they differ from it. Only the kernel's own files count: a sibling in
//! the same repository, documents and build results do not make it dirty; an input that is not tracked does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Once;

use camino::{Utf8Path, Utf8PathBuf};
use git2::{ErrorCode, Status, StatusOptions};
use kernel_spec::metadata::GitState;
use kernel_spec::path;

use crate::real_paths::RealPaths;
use crate::tree;

/// What is known of the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// A commit, and whether the kernel's files differ from it.
    Known(GitState),
    /// Nothing, and why.
    Unknown(String),
}

impl Provenance {
    /// The state, where it is known.
    pub fn state(&self) -> Option<&GitState> {
        match self {
            Provenance::Known(state) => Some(state),
            Provenance::Unknown(_) => None,
        }
    }
}

/// The repository a project is in, opened once.
pub struct Repository {
    project: Utf8PathBuf,
    opened: Result<Opened, String>,
}

struct Opened {
    repository: git2::Repository,
    /// The working tree, without links in its path.
    root: Utf8PathBuf,
}

/// How each of the kernel's files stands to the commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FileStates {
    /// Files that differ from the commit, that are not tracked, or that are gone; relative to the project.
    changed: BTreeSet<String>,
    /// Those of them that are not tracked.
    untracked: BTreeSet<String>,
}

impl Repository {
    /// The repository that `project` is in. That there is none, or none that can be read, is an answer and no error.
    pub fn open(project: &Utf8Path) -> Self {
        trust_owners();
        let opened = Self::discover(project);
        Self { project: project.to_owned(), opened }
    }

    fn discover(project: &Utf8Path) -> Result<Opened, String> {
        let repository = git2::Repository::discover(project).map_err(|error| match error.code() {
            ErrorCode::NotFound => "the project is in no git repository".to_owned(),
            _ => format!("the git repository cannot be read: {}", error.message()),
        })?;
        let root = repository.workdir().ok_or("the git repository has no working tree")?;
        let root = Utf8Path::from_path(root).ok_or("the path of the git repository is not UTF-8")?;
        let root = root.canonicalize_utf8().map_err(|error| error.to_string())?;
        Ok(Opened { repository, root })
    }

    /// The state of these files, relative to the project; `build.toml` always belongs to them. Where `package` names the
    /// directory of the package, a file that was deleted from it counts as well.
    pub fn provenance<'a>(
        &self,
        files: impl IntoIterator<Item = &'a str>,
        package: Option<&str>,
    ) -> Provenance {
        let known = self.opened.as_ref().map_err(Clone::clone).and_then(|opened| {
            let commit = opened.commit()?;
            let states = opened.states(&self.project, files, package)?;
            Ok(GitState { commit, dirty: !states.changed.is_empty() })
        });
        match known {
            Ok(state) => Provenance::Known(state),
            Err(reason) => Provenance::Unknown(reason),
        }
    }

    /// Which of these files are not tracked; the reason where that cannot be known, as without any commit.
    pub fn untracked<'a>(
        &self,
        files: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeSet<String>, String> {
        let opened = self.opened.as_ref().map_err(Clone::clone)?;
        opened.commit()?;
        Ok(opened.states(&self.project, files, None)?.untracked)
    }
}

impl Opened {
    fn commit(&self) -> Result<String, String> {
        match self.repository.head().and_then(|head| head.peel_to_commit()) {
            Ok(commit) => Ok(commit.id().to_string()),
            Err(error) if matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => {
                Err("the git repository has no commit yet".to_owned())
            }
            Err(error) => Err(format!("the commit cannot be read: {}", error.message())),
        }
    }

    fn states<'a>(
        &self,
        project: &Utf8Path,
        files: impl IntoIterator<Item = &'a str>,
        package: Option<&str>,
    ) -> Result<FileStates, String> {
        let mut states = FileStates::default();
        let project = project.canonicalize_utf8().map_err(|error| error.to_string())?;
        let prefix =
            project.strip_prefix(&self.root).map_err(|_| "the project is outside the working tree")?;
        // By path in the repository, the names the caller knows it by.
        let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut real = RealPaths::new(&project);
        for file in files.into_iter().chain(["build.toml"]) {
            let mut want = |path: String| wanted.entry(path).or_default().insert(file.to_owned());
            want(path::join(prefix.as_str(), file));
            // A link is tracked as a link; what it means can change without it.
            if let Some(target) = real.of(file)
                && let Ok(target) = target.strip_prefix(&self.root)
            {
                want(target.as_str().to_owned());
            }
        }
        self.submodules(&mut wanted, &mut states)?;
        let package = package.map(|package| path::join(prefix.as_str(), package));
        let mut options = StatusOptions::new();
        options
            .disable_pathspec_match(true)
            .exclude_submodules(true)
            .include_untracked(true)
            .include_ignored(true);
        options.recurse_untracked_dirs(true).recurse_ignored_dirs(true);
        for path in wanted.keys().chain(&package) {
            options.pathspec(path.as_str());
        }
        let found =
            self.repository.statuses(Some(&mut options)).map_err(|error| error.message().to_owned())?;
        for entry in found.iter().filter(|entry| entry.status() != Status::CURRENT) {
            let path = String::from_utf8_lossy(entry.path_bytes()).into_owned();
            let status = entry.status();
            if let Some(names) = wanted.get(&path) {
                states.changed.extend(names.iter().cloned());
                if status.intersects(Status::WT_NEW | Status::IGNORED) {
                    states.untracked.extend(names.iter().cloned());
                }
            } else if status.intersects(Status::WT_DELETED | Status::INDEX_DELETED)
                && !tree::is_bytecode(&path)
            {
                states.changed.insert(path);
            }
        }
        Ok(states)
    }

    /// Takes files of submodules out of `wanted` and asks the submodules. One whose commit is not the recorded one has
    /// changed as a whole.
    fn submodules(
        &self,
        wanted: &mut BTreeMap<String, BTreeSet<String>>,
        states: &mut FileStates,
    ) -> Result<(), String> {
        const GITLINK: u32 = 0o160_000;
        let index = self.repository.index().map_err(|error| error.message().to_owned())?;
        for entry in index.iter().filter(|entry| entry.mode == GITLINK) {
            let directory = format!("{}/", String::from_utf8_lossy(&entry.path));
            let names: BTreeMap<String, BTreeSet<String>> =
                wanted.extract_if(directory.clone().., |path, _| path.starts_with(&directory)).collect();
            if names.is_empty() {
                continue;
            }
            let root = self.root.join(&directory);
            let inner = Repository::open(&root);
            let files: Vec<&str> = names.keys().map(|path| &path[directory.len()..]).collect();
            let inside = match &inner.opened {
                Ok(opened) => opened.states(&root, files.iter().copied(), None)?,
                Err(_) => FileStates::default(),
            };
            let moved = !matches!(&inner.opened, Ok(opened) if opened.commit() == Ok(entry.id.to_string()));
            for (path, names) in names {
                let file = &path[directory.len()..];
                if inside.untracked.contains(file) {
                    states.untracked.extend(names.iter().cloned());
                }
                if moved || inside.changed.contains(file) {
                    states.changed.extend(names);
                }
            }
        }
        Ok(())
    }
}

/// libgit2 refuses repositories of other users, to keep their hooks and settings from being run. Nothing of a repository
/// is run here, and builds in containers see checkouts of other users all the time.
fn trust_owners() {
    static ONCE: Once = Once::new();
    // SAFETY: the function asks that no other thread uses libgit2 meanwhile; every use of it in this program comes
    // after a call of this one, and `Once` lets nobody through before it is done.
    #[allow(unsafe_code, reason = "libgit2 has no safe way to set it")]
    ONCE.call_once(|| unsafe {
        // Without it, such a repository is reported as unreadable, with libgit2's reason.
        let _ = git2::opts::set_verify_owner_validation(false);
    });
}

#[cfg(test)]
mod tests;
