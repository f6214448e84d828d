//! Bringing a branch or a pull request to what is wanted.

use std::collections::BTreeSet;

use super::batch::{self, Batch, Limits};
use super::difference::{difference, is_on_the_way};
use super::kept::LOOKS;
use super::wanted::{Content, Wanted};
use crate::http::{Attempts, HttpError};
use crate::hub::{Blob, Hub, HubError, Mode, Operation, Repository, Tree};

/// Where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A branch that is there.
    Branch(String),
    /// A pull request against a branch: an own one that is on the way already is continued.
    PullRequest(String),
}

/// What is to be published where.
pub struct Publication<'a> {
    /// The Hub.
    pub hub: &'a Hub,
    /// The repository.
    pub repository: &'a Repository,
    /// The branch, or what a pull request is for.
    pub target: Target,
    /// What should be there.
    pub wanted: &'a Wanted,
    /// The commit that this was decided from, where it holds for that one alone: on top of another it is not committed.
    pub base: Option<String>,
    /// First line of the message of each commit.
    pub summary: &'a str,
}

/// Something that was done on the way.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Bytes of a large file were stored.
    Sent(u64),
    /// A commit was made, with bytes in it.
    Committed(u64),
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Commits that were made.
    pub commits: u64,
    /// The commit that now holds what is wanted.
    pub head: String,
    /// The pull request.
    pub pull: Option<u64>,
}

/// Brings the target to what is wanted.
pub fn publish(publication: &Publication<'_>, hear: &(dyn Fn(Step) + Sync)) -> Result<Done, HubError> {
    let (revision, pull) = match &publication.target {
        Target::Branch(name) => (name.clone(), None),
        Target::PullRequest(base) => match publication.open_pull(base)? {
            Some(number) => (format!("refs/pr/{number}"), Some(number)),
            None => (base.clone(), None),
        },
    };
    let attempts = Attempts::new(publication.hub.client(), &publication.hub.endpoint().to_string())?;
    let done = Done { pull, ..Done::default() };
    let mut work = Work {
        publication,
        hear,
        revision,
        done,
        limits: Limits::default(),
        attempts,
        modes: Modes::new(),
        earlier: BTreeSet::new(),
        unanswered: None,
        least: usize::MAX,
        may_be_open: false,
    };
    work.run()?;
    Ok(work.done)
}

type Modes = std::collections::BTreeMap<String, Mode>;

struct Work<'a> {
    publication: &'a Publication<'a>,
    hear: &'a (dyn Fn(Step) + Sync),
    /// The branch or pull request that is looked at; the base while there is no pull request.
    revision: String,
    done: Done,
    limits: Limits,
    attempts: Attempts<'a>,
    modes: Modes,
    /// Commits that the branch was at before.
    earlier: BTreeSet<String>,
    /// What was to be committed when no answer came, and on top of what: it may have been done.
    unanswered: Option<(String, Batch)>,
    /// Fewest files that were seen to be missing or wrong.
    least: usize,
    /// Whether the pull request may have been opened although no answer said so.
    may_be_open: bool,
}

impl Work<'_> {
    fn run(&mut self) -> Result<(), HubError> {
        loop {
            let (head, mut there) = self.publication.look(&self.revision)?;
            self.count_unanswered(&head, &there);
            self.done.head = head;
            self.count_progress(&there);
            self.bring(&there)?;
            // Right before another one would be opened: a lost one may have come late.
            if self.found_pull()? {
                continue;
            }
            match self.advance(&mut there) {
                Ok(()) => return self.confirm(),
                Err(error) if error.is_transient() => {
                    self.may_be_open |= self.opens() && !error.is_moved();
                    if self.found_pull()? {
                        continue;
                    }
                    let reason = error.to_string();
                    let end = self.too_often(error);
                    self.attempts.wait_after(&reason, end)?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Looks once more after commits: the branch must hold what is wanted, whatever the answers said.
    fn confirm(&mut self) -> Result<(), HubError> {
        if self.done.commits == 0 {
            return Ok(());
        }
        self.attempts.restart();
        for look in 1.. {
            let (head, there) = self.publication.look(&self.revision)?;
            if difference(self.publication.wanted, &there).is_empty() {
                self.done.head = head;
                return Ok(());
            }
            if head != self.done.head && !self.earlier.contains(&head) {
                return Err(self.contended());
            }
            let (branch, repository) = (self.revision.clone(), self.publication.repository.id());
            let end = HubError::NotKept { branch, repository };
            if look == LOOKS {
                return Err(end);
            }
            self.attempts.wait_after(&end.to_string(), end)?;
        }
        Ok(())
    }

    /// Commits until nothing is left, or something goes wrong.
    fn advance(&mut self, there: &mut Tree) -> Result<(), HubError> {
        let wanted = self.publication.wanted;
        loop {
            let difference = difference(wanted, there);
            if difference.is_empty() {
                return Ok(());
            }
            self.check_base()?;
            let inside = |path: &str| match self.modes.get(path) {
                Some(Mode::Regular) => wanted.files.get(path).map_or(0, |content| content.size),
                _ => 0,
            };
            let batch = batch::next(wanted, there, &difference, self.limits, &inside);
            match self.commit(&batch) {
                Ok(()) => {}
                Err(error) if error.problem().is_some_and(|problem| problem.status == 413) => {
                    self.limits = self.limits.halved(batch.len()).ok_or(error)?;
                    continue;
                }
                Err(error) => {
                    let lost = error.is_transient() && !error.is_moved() && !self.opens();
                    self.unanswered = lost.then(|| (self.done.head.clone(), batch));
                    return Err(error);
                }
            }
            apply(&batch, wanted, there);
        }
    }

    /// Patience begins anew where the branch is seen to be nearer to what is wanted than ever before, whatever answers said.
    fn count_progress(&mut self, there: &Tree) {
        let missing = difference(self.publication.wanted, there);
        let missing = missing.brought().count() + missing.removed.len();
        if missing < self.least {
            self.least = missing;
            self.attempts.restart();
        }
    }

    /// Counts the commit whose answer was lost, where the branch holds now what was in it.
    fn count_unanswered(&mut self, head: &str, there: &Tree) {
        let Some((parent, batch)) = self.unanswered.take() else { return };
        if parent == head || !batch.is_done(self.publication.wanted, there) {
            return;
        }
        self.earlier.insert(parent);
        self.done.commits += 1;
        let files = batch.puts.iter().filter_map(|path| self.publication.wanted.files.get(path));
        let inside = files.filter(|content| self.modes.get(&content.path) == Some(&Mode::Regular));
        (self.hear)(Step::Committed(inside.map(|content| content.size).sum()));
    }

    /// Stores the large files of the difference, and learns which they are.
    fn bring(&mut self, there: &Tree) -> Result<(), HubError> {
        let Publication { hub, repository, wanted, .. } = self.publication;
        let difference = difference(wanted, there);
        let blobs: Vec<&Blob> = difference.brought().filter_map(|path| wanted.files.get(path)).collect();
        let unknown: Vec<&Blob> =
            blobs.iter().copied().filter(|blob| !self.modes.contains_key(&blob.path)).collect();
        let modes = hub.modes(repository, &self.revision, self.opens(), &unknown)?;
        self.modes.extend(unknown.iter().map(|blob| blob.path.clone()).zip(modes));
        let large: Vec<&Blob> =
            blobs.into_iter().filter(|blob| self.modes.get(&blob.path) == Some(&Mode::Large)).collect();
        let revision = (!self.opens()).then_some(self.revision.as_str());
        hub.store(repository, revision, &large, &|bytes| (self.hear)(Step::Sent(bytes)))
    }

    fn commit(&mut self, batch: &Batch) -> Result<(), HubError> {
        let operations = self.operations(batch)?;
        let Publication { hub, repository, summary, .. } = self.publication;
        let opens = self.opens();
        let made = hub.commit(repository, &self.revision, opens, (summary, &self.done.head), &operations)?;
        if opens {
            let missing = || HttpError::Answer {
                address: hub.endpoint().to_string(),
                reason: "it does not name the pull request that it opened".to_owned(),
            };
            let number = made.pull.ok_or_else(missing)?;
            self.revision = format!("refs/pr/{number}");
            self.done.pull = Some(number);
        }
        self.earlier.insert(std::mem::replace(&mut self.done.head, made.oid));
        self.done.commits += 1;
        (self.hear)(Step::Committed(bytes_in(&operations)));
        Ok(())
    }

    fn operations(&self, batch: &Batch) -> Result<Vec<Operation>, HubError> {
        let mut operations: Vec<Operation> =
            batch.deletes.iter().map(|path| Operation::Delete { path: path.clone() }).collect();
        for content in batch.puts.iter().filter_map(|path| self.publication.wanted.files.get(path)) {
            operations.push(self.operation(content)?);
        }
        Ok(operations)
    }

    fn operation(&self, content: &Content) -> Result<Operation, HubError> {
        let path = content.path.clone();
        if self.modes.get(&path) == Some(&Mode::Large) {
            return Ok(Operation::Large { path, sha256: content.sha256.clone(), size: content.size });
        }
        Ok(Operation::File { path, content: content.load()? })
    }

    /// Whether the next commit opens a pull request.
    fn opens(&self) -> bool {
        matches!(self.publication.target, Target::PullRequest(_)) && self.done.pull.is_none()
    }

    /// After a lost answer: whether the pull request was opened after all.
    fn found_pull(&mut self) -> Result<bool, HubError> {
        let Target::PullRequest(base) = &self.publication.target else { return Ok(false) };
        if !self.opens() || !self.may_be_open {
            return Ok(false);
        }
        let Some(number) = self.publication.open_pull(base)? else { return Ok(false) };
        self.revision = format!("refs/pr/{number}");
        self.done.pull = Some(number);
        self.done.commits += 1;
        Ok(true)
    }

    /// What was decided from one commit is not put on top of another.
    fn check_base(&self) -> Result<(), HubError> {
        let is_other = |base: &String| self.done.commits == 0 && *base != self.done.head;
        if self.publication.base.as_ref().is_some_and(is_other) && self.done.pull.is_none() {
            return Err(self.contended());
        }
        Ok(())
    }

    fn too_often(&self, error: HubError) -> HubError {
        if error.is_moved() { self.contended() } else { error }
    }

    fn contended(&self) -> HubError {
        HubError::Contended { branch: self.revision.clone(), repository: self.publication.repository.id() }
    }
}

/// Most pull requests that are looked at for one that is on the way already, the newest first.
const LOOKED_AT: usize = 20;

impl Publication<'_> {
    /// The head of a revision, and what is in it.
    fn look(&self, revision: &str) -> Result<(String, Tree), HubError> {
        let refs = self.hub.refs(self.repository, revision.starts_with("refs/pr/"))?;
        let head = refs.head(revision).cloned().ok_or_else(|| HttpError::Answer {
            address: self.hub.endpoint().to_string(),
            reason: format!("`{revision}` of `{}` is gone", self.repository.id()),
        })?;
        let tree = self.hub.tree(self.repository, &head, "")?;
        Ok((head, tree))
    }

    /// A pull request that is on the way to what is wanted, open, and the user's own: nobody may go on with another's.
    fn open_pull(&self, base: &str) -> Result<Option<u64>, HubError> {
        let refs = self.hub.refs(self.repository, true)?;
        let Some(head) = refs.branches.get(base) else { return Ok(None) };
        let base = self.hub.tree(self.repository, head, "")?;
        let mut known = None;
        for (number, oid) in refs.pulls.iter().rev().take(LOOKED_AT) {
            if !is_on_the_way(self.wanted, &base, &self.hub.tree(self.repository, oid, "")?) {
                continue;
            }
            let user = match known.take() {
                Some(user) => user,
                None => self.hub.who_am_i()?.name,
            };
            if self.hub.is_open_pull_of(self.repository, *number, &user)? {
                return Ok(Some(*number));
            }
            known = Some(user);
        }
        Ok(None)
    }
}

/// Bytes of content inside a commit.
fn bytes_in(operations: &[Operation]) -> u64 {
    let bytes = operations.iter().map(|operation| match operation {
        Operation::File { content, .. } => content.len() as u64,
        Operation::Large { .. } | Operation::Delete { .. } => 0,
    });
    bytes.sum()
}

/// What a commit makes of a state.
fn apply(batch: &Batch, wanted: &Wanted, there: &mut Tree) {
    there.retain(|path, _| !batch.deletes.contains(path));
    for content in batch.puts.iter().filter_map(|path| wanted.files.get(path)) {
        there.insert(content.path.clone(), content.into());
    }
}
