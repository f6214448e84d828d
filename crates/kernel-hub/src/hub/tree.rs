//! What is in a commit.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::error::Wish;
use super::{Hub, HubError, Repository, encode, encode_path};
use crate::http::{Address, HttpError, Request, Response};

/// Files by path.
pub type Tree = BTreeMap<String, RemoteFile>;

/// Most entries of a listing, folders included: as many files as the Hub recommends for a repository.
const MOST: usize = 100_000;

/// Most pages of a listing; the Hub's have a thousand entries each.
const PAGES: usize = 1_000;

/// Most bytes of a listing.
const LARGEST: usize = 64 << 20;

/// Longest name of a file or folder, and longest path, in bytes: more has no place in a file system.
const LONGEST: (usize, usize) = (255, 1_024);

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its id in git.
    pub oid: String,
    /// SHA-256 where it is a large file.
    pub sha256: Option<String>,
    /// Bytes.
    pub size: u64,
}

impl From<&super::Blob> for RemoteFile {
    /// The file that this content will be, as far as comparing goes.
    fn from(blob: &super::Blob) -> Self {
        Self { oid: blob.oid.clone(), sha256: Some(blob.sha256.clone()), size: blob.size }
    }
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    oid: String,
    #[serde(default)]
    size: u64,
    path: String,
    lfs: Option<Large>,
}

#[derive(Deserialize)]
struct Large {
    oid: String,
    size: u64,
}

impl Hub {
    /// All files of a revision, below a folder where one is given. A revision or folder that is not there is an error.
    pub fn tree(&self, repository: &Repository, revision: &str, folder: &str) -> Result<Tree, HubError> {
        let folder = if folder.is_empty() { String::new() } else { format!("/{}", encode_path(folder)) };
        let path = repository.api(&format!("/tree/{}{folder}?recursive=true&expand=false", encode(revision)));
        let mut address = self.endpoint.join(&path);
        let (mut tree, mut asked) = (Tree::new(), BTreeSet::new());
        let (mut entries, mut bytes) = (0, 0);
        loop {
            if !asked.insert(cursor(&address).to_owned()) {
                return Err(unusable(&address, "its pages lead in a circle"));
            }
            let response = self.send(&Request::get(&address).token(self.token()))?;
            if !response.is_success() {
                return Err(self.about(repository, Wish::Read, &response));
            }
            bytes += response.body.len();
            let page = response.json::<Vec<Entry>>()?;
            entries += page.len();
            for entry in page {
                let Some((path, file)) = read(entry).map_err(|reason| unusable(&address, &reason))? else {
                    continue;
                };
                if tree.contains_key(&path) {
                    return Err(unusable(&address, &format!("it names the file `{path}` twice")));
                }
                tree.insert(path, file);
            }
            let next = next(&response)?;
            let ends = next.is_none();
            if entries > MOST || bytes > LARGEST || (asked.len() >= PAGES && !ends) {
                let reason =
                    format!("it lists more than {MOST} entries, {PAGES} pages or {} MiB", LARGEST >> 20);
                return Err(unusable(&address, &reason));
            }
            match next {
                Some(next) => address = next,
                None => break,
            }
        }
        let above = |path: &str| path.match_indices('/').any(|(at, _)| tree.contains_key(&path[..at]));
        match tree.keys().find(|path| above(path)) {
            Some(path) => Err(unusable(&address, &format!("it names `{path}` below a file"))),
            None => Ok(tree),
        }
    }
}

/// What tells one page from another: the cursor where there is one, whatever else stands in the address.
fn cursor(address: &str) -> &str {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    query.split('&').find(|pair| pair.starts_with("cursor=")).unwrap_or(address)
}

fn unusable(address: &str, reason: &str) -> HubError {
    let address = Address::parse(address).map(|address| address.to_string()).unwrap_or_default();
    HttpError::Answer { address, reason: reason.to_owned() }.into()
}

/// A file; none where the entry is something else.
fn read(entry: Entry) -> Result<Option<(String, RemoteFile)>, String> {
    if entry.kind != "file" {
        return Ok(None);
    }
    if !is_inside(&entry.path) {
        return Err(format!("it names the file `{}`", entry.path.escape_debug()));
    }
    let size = entry.lfs.as_ref().map_or(entry.size, |large| large.size);
    Ok(Some((entry.path, RemoteFile { oid: entry.oid, sha256: entry.lfs.map(|large| large.oid), size })))
}

/// Whether a path stays in the repository, wherever that is put.
pub(super) fn is_inside(path: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && !matches!(part, "." | ".." | ".git");
    let (name, whole) = LONGEST;
    path.len() <= whole
        && path.split('/').all(|part| plain(part) && part.len() <= name)
        && !path.contains(['\\', '\0'])
        && !path.contains(char::is_control)
}

/// The next page, which must be on the same Hub: the token goes with the request.
fn next(response: &Response) -> Result<Option<String>, HubError> {
    let Some(links) = response.headers.get("link") else { return Ok(None) };
    let next = links.split(',').find(|link| link.contains("rel=\"next\""));
    let Some(target) =
        next.and_then(|link| link.split_once('<')?.1.split_once('>')).map(|(target, _)| target)
    else {
        return Ok(None);
    };
    let wrong = |error: HttpError| match error {
        HttpError::Address { reason, .. } => {
            unusable(&response.address.to_string(), &format!("its next page cannot be asked: {reason}"))
        }
        other => other.into(),
    };
    if !Address::parse(target).map_err(wrong)?.same_origin(&response.address) {
        return Err(unusable(&response.address.to_string(), "its next page is on another host"));
    }
    Ok(Some(target.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn paths_that_leave_are_recognized() {
        for good in ["a", "a/b.py", "ä b/c", "..a/b"] {
            assert!(is_inside(good), "{good}");
        }
        for bad in ["", "/a", "a//b", "../a", "a/..", "./a", "a/.git/config", "a\\..\\b", "a\0b", "a\nb"] {
            assert!(!is_inside(bad), "{bad:?}");
        }
        assert!(is_inside(&"a".repeat(255)) && !is_inside(&"a".repeat(256)) && !is_inside(&"a/".repeat(600)));
    }
}
