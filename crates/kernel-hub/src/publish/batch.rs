//! The next commit: as much of the difference as one commit may hold, cut so that no file ever vouches for others that
//! are not there. What belongs to one folder goes together where it fits; where it does not, whoever vouches goes first
//! and comes last.

use std::collections::{BTreeMap, BTreeSet};

use super::difference::{Difference, is_same};
use super::wanted::Wanted;
use crate::hub::Tree;

/// Most changes of one commit, as many as the ecosystem's own clients put into one.
pub const MOST_CHANGES: usize = 1000;

/// How much one commit may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Changes.
    pub(super) changes: usize,
    /// Bytes of content inside the commit, before encoding.
    pub(super) bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { changes: MOST_CHANGES, bytes: 8 << 20 }
    }
}

impl Limits {
    /// Half as much, after the server found a commit too large; none where it was the smallest already.
    pub(super) fn halved(self, changes: usize) -> Option<Self> {
        (changes > 1).then(|| Self { changes: changes.div_ceil(2), bytes: (self.bytes / 2).max(64 << 10) })
    }
}

/// The changes of one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) puts: BTreeSet<String>,
    pub(super) deletes: BTreeSet<String>,
    bytes: u64,
}

impl Batch {
    pub(super) fn len(&self) -> usize {
        self.puts.len() + self.deletes.len()
    }

    /// Whether a state is as this makes it.
    pub(super) fn is_done(&self, wanted: &Wanted, there: &Tree) -> bool {
        let is_there = |path: &String| match (wanted.files.get(path), there.get(path)) {
            (Some(content), Some(file)) => is_same(content, file),
            _ => false,
        };
        self.puts.iter().all(is_there) && !self.deletes.iter().any(|path| there.contains_key(path))
    }

    /// Adds a change where it fits; the first one always does.
    fn try_add(&mut self, change: &Change<'_>, limits: Limits) -> bool {
        if self.len() > 0 && (self.len() >= limits.changes || self.bytes + change.bytes > limits.bytes) {
            return false;
        }
        let place = if change.deletes { &mut self.deletes } else { &mut self.puts };
        place.insert(change.path.to_owned());
        self.bytes += change.bytes;
        true
    }
}

struct Change<'a> {
    path: &'a str,
    deletes: bool,
    bytes: u64,
}

/// The next commit of a difference that is not empty; `inside` is the number of bytes a file adds to a commit.
pub(super) fn next(
    wanted: &Wanted,
    there: &Tree,
    difference: &Difference,
    limits: Limits,
    inside: &dyn Fn(&str) -> u64,
) -> Batch {
    let mut folders: BTreeMap<&str, Vec<Change<'_>>> = BTreeMap::new();
    let puts = difference.brought().map(|path| Change { path, deletes: false, bytes: inside(path) });
    let deletes = difference.removed.iter().map(|path| Change { path, deletes: true, bytes: 0 });
    let vouched = vouched_folders(wanted, there);
    for change in deletes.chain(puts) {
        let folder = vouched.iter().rfind(|folder| is_below(change.path, folder));
        folders.entry(folder.copied().unwrap_or_default()).or_default().push(change);
    }
    let mut batch = Batch::default();
    for (folder, changes) in &folders {
        let mut whole = batch.clone();
        if changes.iter().all(|change| whole.try_add(change, limits)) {
            batch = whole;
        } else if batch.len() == 0 || folder.is_empty() {
            return part(wanted, there, folder, changes, batch, limits);
        } else {
            return batch;
        }
    }
    batch
}

/// As much of one folder as fits.
fn part(
    wanted: &Wanted,
    there: &Tree,
    folder: &str,
    changes: &[Change<'_>],
    mut batch: Batch,
    limits: Limits,
) -> Batch {
    let vouching = |path: &str| !folder.is_empty() && (wanted.vouches)(path) && folder_of(path) == folder;
    // Whoever vouches for the state that is about to go has to go first.
    for path in there.keys().filter(|path| vouching(path)) {
        batch.try_add(&Change { path, deletes: true, bytes: 0 }, limits);
    }
    let (last, first): (Vec<_>, Vec<_>) = changes.iter().partition(|change| vouching(change.path));
    let complete = first.iter().all(|change| batch.try_add(change, limits));
    if complete {
        for change in last.iter().filter(|change| !change.deletes) {
            if batch.try_add(change, limits) {
                batch.deletes.remove(change.path);
            }
        }
    }
    batch
}

/// The folders of files that vouch, there or wanted.
fn vouched_folders<'a>(wanted: &'a Wanted, there: &'a Tree) -> BTreeSet<&'a str> {
    let paths = wanted.files.keys().chain(there.keys()).map(String::as_str);
    paths.filter(|path| (wanted.vouches)(path)).map(folder_of).collect()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
