//! Reading a file that a listing names: what comes is what the listing says, or an error.

use super::difference::is_same;
use crate::http::HttpError;
use crate::hub::{Blob, Hub, HubError, RemoteFile, Repository};

/// Fewest bytes that an answer may have: one that says what is wrong is no longer.
const LEAST: u64 = 64 << 10;

/// The content of a small file of a commit, whose size the caller has found fit for memory.
pub fn read_listed(
    hub: &Hub,
    repository: &Repository,
    commit: &str,
    (path, file): (&str, &RemoteFile),
) -> Result<Vec<u8>, HubError> {
    let wrong = |reason: &str| HttpError::Content {
        address: hub.endpoint().join(&repository.page("")),
        path: path.into(),
        reason: reason.to_owned(),
    };
    let limit = file.size.saturating_add(1).max(LEAST);
    let content = hub.read_file(repository, commit, path, limit)?;
    let content = content.ok_or_else(|| wrong("it is listed, and not there"))?;
    let blob = Blob::of_bytes(path, content.clone());
    if !is_same(&blob, file) {
        return Err(wrong("its hash or its size is not that of the listing").into());
    }
    Ok(content)
}
