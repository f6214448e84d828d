//! Reading a file of a commit.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Inner;
use super::answer::{Answer, Refusal};
use super::large::content;
use super::state::User;
use crate::wire::{Reply, Request};

impl Inner {
    pub(super) fn resolve(
        &self,
        request: &Request<'_>,
        key: &str,
        user: Option<&User>,
        revision: &str,
        path: &str,
    ) -> Answer {
        let state = self.state();
        let (commit, files) = state.readable(key, user)?.files(revision)?;
        let entry = files.get(path);
        let entry = entry.ok_or_else(|| Refusal::new(404, "EntryNotFound", "Entry not found"))?;
        let reply = match &entry.lfs {
            Some(sha256) => Reply::empty(302)
                .header("location", &self.download_address(sha256))
                .header("x-linked-etag", &format!("\"{sha256}\""))
                .header("x-linked-size", &entry.size.to_string())
                .header("etag", &format!("\"{sha256}\"")),
            None => send(request, &self.store.blob(&entry.oid), &entry.oid)?,
        };
        Ok(reply.header("x-repo-commit", &commit))
    }
}

/// A stored file, or the range of it that is asked for.
pub(super) fn send(request: &Request<'_>, path: &Path, tag: &str) -> std::io::Result<Reply> {
    let size = fs_err::metadata(path)?.len();
    let range = request.header("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    let begin = range.and_then(|(begin, _)| begin.parse().ok()).unwrap_or(0_u64).min(size);
    let end = range.and_then(|(_, end)| end.parse::<u64>().ok()).map_or(size, |end| (end + 1).min(size));
    let mut reply = Reply::empty(if range.is_some() { 206 } else { 200 });
    if range.is_some() {
        let last = end.saturating_sub(1);
        reply = reply.header("content-range", &format!("bytes {begin}-{last}/{size}"));
    }
    reply.content = content(path, begin, end.saturating_sub(begin));
    Ok(reply.header("etag", &format!("\"{tag}\"")).header("accept-ranges", "bytes"))
}

/// The password of basic authorization, which git sends.
pub(super) fn basic_password(encoded: &str) -> Option<String> {
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    text.split_once(':').map(|(_, password)| password.to_owned())
}
