//! What is in a commit.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{Hub, HubError, Repository, encode, encode_path};
use crate::http::{Address, HttpError, Request, Response};

/// Files by path.
pub type Tree = BTreeMap<String, RemoteFile>;

/// Most files of a repository: ten times what the Hub recommends.
const MOST: usize = 1_000_000;

/// Most bytes of a listing.
const LARGEST: usize = 256 << 20;

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
        let (mut tree, mut asked, mut bytes) = (Tree::new(), BTreeSet::new(), 0);
        loop {
            if !asked.insert(address.clone()) {
                return Err(unusable(&address, "its pages lead in a circle"));
            }
            let response = self.send(&Request::get(&address).token(self.token()))?;
            if !response.is_success() {
                return Err(self.about(repository, response));
            }
            for entry in response.json::<Vec<Entry>>()? {
                if let Some((path, file)) = read(entry).map_err(|reason| unusable(&address, &reason))? {
                    tree.insert(path, file);
                }
            }
            bytes += response.body.len();
            if tree.len() > MOST || asked.len() > MOST / 100 || bytes > LARGEST {
                return Err(unusable(&address, "its listing has no end"));
            }
            match next(&response)? {
                Some(next) => address = next,
                None => return Ok(tree),
            }
        }
    }
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
        return Err(format!("it names the file `{}`", entry.path));
    }
    let size = entry.lfs.as_ref().map_or(entry.size, |large| large.size);
    Ok(Some((entry.path, RemoteFile { oid: entry.oid, sha256: entry.lfs.map(|large| large.oid), size })))
}

/// Whether a path stays in the repository, wherever that is put.
pub(super) fn is_inside(path: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && !matches!(part, "." | ".." | ".git");
    path.split('/').all(plain) && !path.contains(['\\', '\0']) && !path.contains(char::is_control)
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
    if !Address::parse(target)?.same_origin(&response.address) {
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
    }
}
