//! What has to change. Pure: two states in, the difference out.

use std::collections::BTreeSet;

use super::wanted::{Content, Wanted};
use crate::hub::{RemoteFile, Tree};

/// What has to change, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Wanted and not there.
    pub added: BTreeSet<String>,
    /// There, with other content.
    pub changed: BTreeSet<String>,
    /// There as wanted.
    pub unchanged: BTreeSet<String>,
    /// There, ours, and not wanted.
    pub removed: BTreeSet<String>,
}

impl Difference {
    /// Whether nothing has to change.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }

    /// How many changes it is.
    pub fn count(&self) -> usize {
        self.added.len() + self.changed.len() + self.removed.len()
    }

    /// Files whose content has to be brought there.
    pub fn brought(&self) -> impl Iterator<Item = &String> {
        self.added.iter().chain(&self.changed)
    }
}

/// Compares what is there with what should be.
pub fn difference(wanted: &Wanted, there: &Tree) -> Difference {
    let mut difference = Difference::default();
    for (path, content) in &wanted.files {
        let place = match there.get(path) {
            None => &mut difference.added,
            Some(file) if is_same(content, file) => &mut difference.unchanged,
            Some(_) => &mut difference.changed,
        };
        place.insert(path.clone());
    }
    let stale = there.keys().filter(|path| !wanted.files.contains_key(*path) && (wanted.owns)(path));
    difference.removed.extend(stale.cloned());
    difference
}

/// Whether a file of a commit has this content. A size that does not go with the hash is a lie of the listing.
pub fn is_same(content: &Content, file: &RemoteFile) -> bool {
    let same_hash = match &file.sha256 {
        Some(sha256) => *sha256 == content.sha256,
        None => file.oid == content.oid,
    };
    same_hash && file.size == content.size
}

/// Whether a state lies on the way from a base to what is wanted: it differs from the base, and only where and how this
/// upload would change it.
pub(super) fn is_on_the_way(wanted: &Wanted, base: &Tree, state: &Tree) -> bool {
    let brought = |path: &String, file: &RemoteFile| {
        wanted.files.get(path).is_some_and(|content| is_same(content, file))
    };
    let kept = state.iter().all(|(path, file)| base.get(path) == Some(file) || brought(path, file));
    let gone = base.keys().all(|path| {
        let may_go = (wanted.owns)(path) || (wanted.vouches)(path) && wanted.files.contains_key(path);
        state.contains_key(path) || may_go
    });
    kept && gone && state != base
}
