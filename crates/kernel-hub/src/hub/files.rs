//! Reading single files of a commit.

use super::{Hub, HubError, Repository, encode, encode_path};
use crate::http::Method;

impl Hub {
    /// The content of a small file; none where it is not there.
    pub fn read_file(
        &self,
        repository: &Repository,
        revision: &str,
        path: &str,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, HubError> {
        let page = repository.page(&format!("/resolve/{}/{}", encode(revision), encode_path(path)));
        let response = self.send(&self.request(Method::Get, &page).limit(limit))?;
        match response.status {
            404 => Ok(None),
            _ if response.is_success() => Ok(Some(response.body)),
            _ => Err(self.about(repository, response)),
        }
    }
}
