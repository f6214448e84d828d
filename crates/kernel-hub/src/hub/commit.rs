//! One commit: all of it or nothing, and only on top of the commit it was made for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::{Answered, Wish};
use super::refs::PULLS;
use super::{Hub, HubError, Repository, encode};
use crate::http::{Body, HttpError, Method};

/// One change of a commit.
#[derive(Clone, Debug)]
pub enum Operation {
    /// A small file with its content.
    File {
        /// Where.
        path: String,
        /// What.
        content: Vec<u8>,
    },
    /// A large file that is stored already.
    Large {
        /// Where.
        path: String,
        /// SHA-256 of the content.
        sha256: String,
        /// Bytes.
        size: u64,
    },
    /// A file that goes.
    Delete {
        /// Which.
        path: String,
    },
}

/// A commit that was made.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Its id.
    pub oid: String,
    /// The number of the pull request that was opened for it.
    pub pull: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    success: Option<bool>,
    commit_oid: String,
    pull_request_url: Option<String>,
}

impl Hub {
    /// Commits on top of `parent`, which must still be the head of `revision`; as a pull request where `opens` says so.
    /// It is sent once: whoever gets no answer has to look what became of it.
    pub fn commit(
        &self,
        repository: &Repository,
        revision: &str,
        opens: bool,
        (summary, parent): (&str, &str),
        operations: &[Operation],
    ) -> Result<Committed, HubError> {
        let header = json!({ "summary": summary, "description": "", "parentCommit": parent });
        let mut body = line("header", &header);
        for operation in operations {
            body.extend(match operation {
                Operation::File { path, content } => {
                    let content = STANDARD.encode(content);
                    line("file", &json!({ "path": path, "content": content, "encoding": "base64" }))
                }
                Operation::Large { path, sha256, size } => {
                    line("lfsFile", &json!({ "path": path, "algo": "sha256", "oid": sha256, "size": size }))
                }
                Operation::Delete { path } => line("deletedFile", &json!({ "path": path })),
            });
        }
        let query = if opens { "?create_pr=1" } else { "" };
        let path = repository.api(&format!("/commit/{}{query}", encode(revision)));
        let request = self.request(Method::Post, &path).header("content-type", "application/x-ndjson");
        let response = self.send(&request.body(Body::Bytes(body)))?;
        if response.status == 412 {
            let (branch, answer) = (revision.to_owned(), Answered::from(response.problem()));
            return Err(HubError::Moved { branch, repository: repository.id(), answer });
        }
        if response.status == 404 {
            return Err(self.not_found(repository, revision, response.problem()));
        }
        if !response.is_success() {
            let wish = Wish::proposed(opens || revision.starts_with(PULLS));
            return Err(self.about(repository, wish, &response));
        }
        let answer: Answer = response.json()?;
        let unusable = |reason: &str| {
            let (address, reason) = (response.address.to_string(), reason.to_owned());
            HubError::from(HttpError::Answer { address, reason })
        };
        if answer.success == Some(false) {
            return Err(unusable("it says that the commit was not made, and not why"));
        }
        if !is_object_id(&answer.commit_oid) {
            return Err(unusable("what it names as the new commit is no id of a commit"));
        }
        let number = |url: &str| url.trim_end_matches('/').rsplit('/').next()?.parse().ok();
        Ok(Committed { oid: answer.commit_oid, pull: answer.pull_request_url.as_deref().and_then(number) })
    }
}

/// Whether a text is an id as git writes it.
pub(super) fn is_object_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn line(key: &str, value: &Value) -> Vec<u8> {
    let mut bytes = json!({ "key": key, "value": value }).to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}
