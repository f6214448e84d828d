//! Reading files of a commit: small ones into memory, any into a place on disk.

use camino::Utf8PathBuf;

use super::error::Wish;
use super::lanes::side_by_side;
use super::{Hub, HubError, RemoteFile, Repository, encode, encode_path};
use crate::http::{Download, HttpError, Method};

/// A file of a commit, and where it is to be.
#[derive(Clone, Debug)]
pub struct Fetch<'a> {
    /// Its path in the commit.
    pub path: &'a str,
    /// What the listing says of it.
    pub file: &'a RemoteFile,
    /// Where to.
    pub place: Utf8PathBuf,
}

impl Hub {
    /// The content of a small file; none where it is not there.
    pub fn read_file(
        &self,
        repository: &Repository,
        revision: &str,
        path: &str,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, HubError> {
        let page = resolved(repository, revision, path);
        let response = self.send(&self.request(Method::Get, &page).limit(limit))?;
        match response.status {
            404 => Ok(None),
            _ if response.is_success() => Ok(Some(response.body)),
            _ => Err(self.about(repository, Wish::Read, &response)),
        }
    }

    /// Brings files to their places, some side by side. Each is what the listing says, or is not there; `hear` hears of
    /// bytes that arrived.
    pub fn fetch(
        &self,
        repository: &Repository,
        revision: &str,
        files: &[Fetch<'_>],
        hear: &(dyn Fn(u64) + Sync),
    ) -> Result<(), HubError> {
        side_by_side(files, &|fetch| self.fetch_one(repository, revision, fetch, hear))
    }

    fn fetch_one(
        &self,
        repository: &Repository,
        revision: &str,
        Fetch { path, file, place }: &Fetch<'_>,
        hear: &(dyn Fn(u64) + Sync),
    ) -> Result<(), HubError> {
        let address = self.endpoint.join(&resolved(repository, revision, path));
        let unnamed = || HttpError::Answer {
            address: address.clone(),
            reason: format!("its listing names no hash of `{path}`"),
        };
        let download = Download::new(&address, place).token(self.token());
        let download = match &file.sha256 {
            Some(sha256) => download.sha256(bytes(sha256).ok_or_else(unnamed)?).size(file.size),
            None => download.git_blob(bytes(&file.oid).ok_or_else(unnamed)?, file.size),
        };
        let mut heard = 0;
        let done = self.client.download(&download, &mut |done, _| {
            hear(done.saturating_sub(heard));
            heard = done;
        });
        match done {
            Err(HttpError::Refused(problem)) => Err(match problem.status {
                401 => HubError::login(&self.endpoint, &self.login, self.purpose, problem),
                403 => self.about_problem(repository, Wish::Read, problem),
                _ => HttpError::Refused(problem).into(),
            }),
            done => Ok(done.map(drop)?),
        }
    }
}

/// The path of a file of a commit.
fn resolved(repository: &Repository, revision: &str, path: &str) -> String {
    repository.page(&format!("/resolve/{}/{}", encode(revision), encode_path(path)))
}

/// A hash of so many bytes.
fn bytes<const N: usize>(hexadecimal: &str) -> Option<[u8; N]> {
    let digits: Vec<u8> = hexadecimal
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> =
        digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    (digits.len() == 2 * N).then(|| bytes.try_into().ok())?
}
