//! Commits: all of one or nothing, on a branch or as a pull request.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::answer::{Answer, Refusal, json};
use super::large::is_sha256;
use super::state::{Commit, Entry, Pull, Repository, User};
use super::{Inner, query};
use crate::store::{blob_oid, name_of};
use crate::wire::Request;

impl Inner {
    pub(super) fn commit(
        &self,
        request: &mut Request<'_>,
        key: &str,
        user: Option<&User>,
        revision: &str,
    ) -> Answer {
        let mut body = Vec::new();
        (&mut request.body).take(self.limits.commit + 1).read_to_end(&mut body)?;
        if body.len() as u64 > self.limits.commit {
            return Err(Refusal::new(413, "", "Payload too large"));
        }
        let is_pull = query(request, "create_pr").as_deref() == Some("1");
        let mut state = self.state();
        let mut author = None;
        if is_pull {
            state.readable(key, user)?;
            let user = user.ok_or_else(|| Refusal::new(401, "", "Invalid username or password."))?;
            author = Some(user.name.clone());
        } else if let Some(pull) = pull_of(revision, state.readable(key, user)?) {
            // Whoever opened it may go on with it, and those who may write.
            if pull.is_closed {
                return Err(Refusal::new(403, "", "Forbidden: this pull request is closed"));
            }
            if user.is_none_or(|user| user.name != pull.author) {
                state.writable(key, user)?;
            }
        } else {
            state.writable(key, user)?;
        }
        let (head, files) = state.readable(key, user)?.files(revision)?;
        let mut files = BTreeMap::clone(&files);
        let mut header = Value::Null;
        for line in body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line: Value = serde_json::from_slice(line)?;
            let kind = line["key"].as_str().ok_or_else(|| Refusal::bad("the key of a line is missing"))?;
            if kind == "header" {
                header = line["value"].clone();
            } else {
                self.apply(&mut files, kind, &line["value"])?;
            }
        }
        if header["parentCommit"].as_str().is_some_and(|parent| parent != head) {
            let text = "A commit has happened since. Please refresh and try again.";
            return Err(Refusal::new(412, "", text));
        }
        let summary =
            header["summary"].as_str().ok_or_else(|| Refusal::bad("summary is missing"))?.to_owned();
        let repository = state.repositories.get_mut(key).ok_or_else(|| Refusal::bad("gone"))?;
        let oid = name_of(&format!("{head} {summary} {} {files:?}", repository.commits.len()));
        let commit = Commit { parent: Some(head), summary, files: Arc::new(files) };
        repository.commits.insert(oid.clone(), commit);
        let url = format!("{}/{key}/commit/{oid}", self.base());
        let mut answer = json!({ "success": true, "commitOid": oid, "commitUrl": url, "hookOutput": "" });
        if let Some(author) = author {
            let base = revision.to_owned();
            repository.pulls.push(Pull { head: oid, base, author, is_closed: false });
            let number = repository.pulls.len();
            answer["pullRequestUrl"] = format!("{}/{key}/discussions/{number}", self.base()).into();
        } else if let Some(number) = revision.strip_prefix("refs/pr/") {
            let number: usize = number.parse().map_err(Refusal::bad)?;
            repository.pulls[number - 1].head = oid;
        } else {
            repository.branches.insert(revision.to_owned(), oid);
        }
        Ok(json(200, &answer))
    }

    fn apply(&self, files: &mut BTreeMap<String, Entry>, kind: &str, value: &Value) -> Result<(), Refusal> {
        let path = value["path"].as_str().ok_or_else(|| Refusal::bad("path is missing"))?;
        if path.starts_with('/') || path.split('/').any(|part| matches!(part, ".." | ".git" | ".")) {
            return Err(Refusal::bad(format!("the path {path} is not allowed")));
        }
        match kind {
            "file" => {
                let text = value["content"].as_str().ok_or_else(|| Refusal::bad("content is missing"))?;
                let content = if value["encoding"] == "base64" {
                    STANDARD.decode(text).map_err(Refusal::bad)?
                } else {
                    text.as_bytes().to_vec()
                };
                let oid = self.store.put_blob(&content)?;
                files.insert(path.to_owned(), Entry { oid, size: content.len() as u64, lfs: None });
            }
            "lfsFile" => {
                let sha256 = value["oid"].as_str().filter(|oid| is_sha256(oid));
                let sha256 = sha256.ok_or_else(|| Refusal::bad("oid is no SHA-256"))?;
                let Ok(known) = fs_err::metadata(self.store.large(sha256)) else {
                    return Err(Refusal::bad(format!("the content of {path} was never uploaded")));
                };
                let size = known.len();
                let pointer =
                    format!("version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n");
                let entry = Entry { oid: blob_oid(pointer.as_bytes()), size, lfs: Some(sha256.to_owned()) };
                files.insert(path.to_owned(), entry);
            }
            "deletedFile" => {
                let missing = || Refusal::new(404, "EntryNotFound", "A file with this name doesn't exist");
                files.remove(path).ok_or_else(missing)?;
            }
            "deletedFolder" => files.retain(|known, _| !known.starts_with(path)),
            other => return Err(Refusal::bad(format!("`{other}` is no operation"))),
        }
        Ok(())
    }
}

/// The pull request that a revision names.
fn pull_of<'a>(revision: &str, repository: &'a Repository) -> Option<&'a Pull> {
    let number: usize = revision.strip_prefix("refs/pr/")?.parse().ok()?;
    repository.pulls.get(number.wrapping_sub(1))
}
