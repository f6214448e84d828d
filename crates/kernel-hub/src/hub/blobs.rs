//! Content that is to be in a commit, and how the Hub wants to have it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::Wish;
use super::refs::PULLS;
use super::{Hub, HubError, Repository, encode};
use crate::http::{Method, Planned};

/// Most files or objects that one request names.
pub(super) const NAMED: usize = 256;

/// Most bytes of a file inside of a commit, which is made in memory; Hubs store what is larger than ten megabytes.
const INSIDE: u64 = 64 << 20;

/// Where content is.
#[derive(Clone, Debug)]
pub enum Source {
    /// In a file.
    File(Planned),
    /// In memory.
    Bytes(Vec<u8>),
}

impl Default for Source {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

/// Content that is to be in a commit.
#[derive(Clone, Debug, Default)]
pub struct Blob {
    /// Where in the repository.
    pub path: String,
    /// Where it is now.
    pub source: Source,
    /// Bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal: its name as a large file.
    pub sha256: String,
    /// Its name as a file of git.
    pub oid: String,
    /// Its first 512 bytes, by which the Hub tells text from data.
    pub sample: Vec<u8>,
}

/// How a file gets into a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// In the commit itself.
    Regular,
    /// Stored before, named in the commit.
    Large,
}

#[derive(Deserialize)]
struct Modes {
    files: Vec<ModeOf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModeOf {
    path: String,
    upload_mode: String,
    #[serde(default)]
    should_ignore: bool,
}

impl Hub {
    /// How each file gets into a commit, in the order of the files.
    pub fn modes(
        &self,
        repository: &Repository,
        revision: &str,
        opens: bool,
        blobs: &[&Blob],
    ) -> Result<Vec<Mode>, HubError> {
        let query = if opens { "?create_pr=1" } else { "" };
        let path = repository.api(&format!("/preupload/{}{query}", encode(revision)));
        let mut modes = Vec::new();
        for chunk in blobs.chunks(NAMED) {
            let files: Vec<Value> = chunk
                .iter()
                .map(|blob| {
                    json!({ "path": blob.path, "size": blob.size, "sample": STANDARD.encode(&blob.sample) })
                })
                .collect();
            let request = self.request(Method::Post, &path).json(&json!({ "files": files })).repeatable(true);
            let response = self.send(&request)?;
            if response.status == 404 {
                return Err(self.not_found(repository, revision, response.problem()));
            }
            if !response.is_success() {
                let proposed = opens || revision.starts_with(PULLS);
                return Err(self.about(repository, Wish::proposed(proposed), &response));
            }
            let answer: Modes = response.json()?;
            let known: BTreeMap<&str, &ModeOf> =
                answer.files.iter().map(|file| (file.path.as_str(), file)).collect();
            for blob in chunk {
                modes.push(mode(blob, known.get(blob.path.as_str()).copied())?);
            }
        }
        Ok(modes)
    }
}

fn mode(blob: &Blob, answer: Option<&ModeOf>) -> Result<Mode, HubError> {
    let refuse = |reason: &str| HubError::NotStored { path: blob.path.clone(), reason: reason.to_owned() };
    let answer = answer.ok_or_else(|| refuse("the server does not say how"))?;
    if answer.should_ignore {
        return Err(refuse("the repository's `.gitignore` names it"));
    }
    match answer.upload_mode.as_str() {
        // The store of large files takes nothing that is empty.
        "lfs" if blob.size > 0 => Ok(Mode::Large),
        "lfs" | "regular" if blob.size <= INSIDE => Ok(Mode::Regular),
        "regular" => Err(refuse("the server wants it inside of a commit, and it is too large for that")),
        other => Err(refuse(&format!("the server wants `{other}`, which is not known"))),
    }
}
