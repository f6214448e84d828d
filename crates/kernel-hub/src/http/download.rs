//! A download to a file: it is verified while it arrives, goes on where it broke off, and appears whole or not at all.

use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::attempts::Attempts;
use super::client::{Client, Failed, Opened};
use super::error::HttpError;
use super::paced::{Pace, Paced};
use super::request::Request;
use super::{Token, retry};

/// Bytes read at a time.
const PIECE: usize = 64 << 10;

/// What to download, and what it must be.
#[derive(Clone, Debug)]
pub struct Download {
    request: Request,
    path: Utf8PathBuf,
    sha256: Option<[u8; 32]>,
    git_blob: Option<[u8; 20]>,
    size: Option<u64>,
    most: u64,
}

/// What arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// SHA-256 of the content.
    pub sha256: [u8; 32],
    /// Length in bytes.
    pub size: u64,
}

impl Download {
    /// A download of an address to a file; the directories above it are made, a file that is there is replaced.
    pub fn new(address: impl Into<String>, path: impl AsRef<Utf8Path>) -> Self {
        Self {
            request: Request::get(address),
            path: path.as_ref().to_owned(),
            sha256: None,
            git_blob: None,
            size: None,
            most: u64::MAX,
        }
    }

    /// Says who asks; the token goes to the address's own origin only.
    #[must_use]
    pub fn token(mut self, token: Option<&Token>) -> Self {
        self.request = self.request.token(token);
        self
    }

    /// The SHA-256 that the content must have.
    #[must_use]
    pub fn sha256(mut self, sha256: [u8; 32]) -> Self {
        self.sha256 = Some(sha256);
        self
    }

    /// The id and the length that the content must have as a file of git.
    #[must_use]
    pub fn git_blob(mut self, id: [u8; 20], size: u64) -> Self {
        self.git_blob = Some(id);
        self.size(size)
    }

    /// The length that the content must have.
    #[must_use]
    pub fn size(mut self, size: u64) -> Self {
        self.size = Some(size);
        self
    }

    /// Most bytes that may arrive, where the length is not known.
    #[must_use]
    pub fn at_most(mut self, bytes: u64) -> Self {
        self.most = bytes;
        self
    }

    fn start_of_git(&self) -> Option<Sha1> {
        let size = self.size.filter(|_| self.git_blob.is_some())?;
        Some(Sha1::new_with_prefix(format!("blob {size}\0")))
    }
}

/// What has arrived so far.
struct Arrived {
    file: NamedTempFile,
    hash: Sha256,
    /// The hash that git gives to content, which begins with its length.
    git: Option<Sha1>,
    size: u64,
    /// Names the version of the content, so that a rest is never joined to another version's beginning.
    tag: Option<String>,
}

impl Client {
    /// Downloads a file. `progress` hears of bytes done and in all.
    pub fn download(
        &self,
        download: &Download,
        progress: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<Downloaded, HttpError> {
        let directory =
            download.path.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
        fs_err::create_dir_all(directory).map_err(HttpError::Write)?;
        let file = NamedTempFile::new_in(directory).map_err(HttpError::Write)?;
        let git = download.start_of_git();
        let mut arrived = Arrived { file, hash: Sha256::new(), git, size: 0, tag: None };
        let mut attempts = Attempts::new(self, &download.request.address)?;
        let slowest = self.settings().patience.slowest;
        let (mut pace, mut before) = (Pace::start(), 0);
        loop {
            let Err(failed) = self.piece(download, &mut arrived, progress) else { break };
            // Over all connections together: a byte on each would never end.
            pace.add(arrived.size.saturating_sub(before));
            before = arrived.size;
            if pace.too_slow(Duration::ZERO, slowest).is_none() {
                attempts.restart();
                pace = Pace::start();
            }
            attempts.wait(failed)?;
        }
        finish(download, arrived)
    }

    /// One request, for all or for the rest.
    fn piece(
        &self,
        download: &Download,
        arrived: &mut Arrived,
        progress: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<(), Failed> {
        let mut request = download.request.clone();
        if let (Some(tag), true) = (&arrived.tag, arrived.size > 0) {
            request =
                request.header("range", format!("bytes={}-", arrived.size)).header("if-range", tag.clone());
        }
        let opened = self.open(&request)?;
        let begins = match opened.status {
            206 => opened.headers.get("content-range").and_then(range_start),
            200..=299 => Some(0),
            _ => return Err(self.refused(opened)),
        };
        let address = opened.address.to_string();
        if begins != Some(arrived.size) {
            if begins != Some(0) {
                let reason = "it is another part of the file than was asked for".to_owned();
                return Err(HttpError::Answer { address, reason }.into());
            }
            restart(download, arrived).map_err(HttpError::Write)?;
        }
        arrived.tag = opened.headers.get("etag").filter(|tag| tag.starts_with('"')).map(str::to_owned);
        let length = opened.headers.get("content-length").and_then(|length| length.parse::<u64>().ok());
        let total = download.size.or(length.map(|length| arrived.size.saturating_add(length)));
        let most = download.size.unwrap_or(download.most);
        let mut reader = Paced::new(opened.body.into_reader(), self.settings().patience);
        let mut buffer = vec![0; PIECE];
        loop {
            progress(arrived.size, total);
            let count = match reader.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.broken(&error, &opened.address)),
            };
            if self.is_cancelled() {
                return Err(HttpError::Interrupted.into());
            }
            arrived.size += count as u64;
            if arrived.size > most {
                return Err(mismatch(download, format!("it has more than {most} bytes")).into());
            }
            arrived.hash.update(&buffer[..count]);
            if let Some(git) = &mut arrived.git {
                git.update(&buffer[..count]);
            }
            arrived.file.write_all(&buffer[..count]).map_err(HttpError::Write)?;
        }
    }

    /// What an answer without the file means.
    fn refused(&self, opened: Opened) -> Failed {
        let Opened { status, headers, body: unread, address } = opened;
        let mut body = Vec::new();
        // The status says enough where the text does not arrive.
        let _ =
            Paced::new(unread.into_reader(), self.settings().patience).take(64 << 10).read_to_end(&mut body);
        let response = self.answered((status, headers, address), body);
        if retry::is_transient(status) {
            return Failed::Transient(Box::new(response));
        }
        HttpError::from_problem(response.problem()).into()
    }
}

fn range_start(value: &str) -> Option<u64> {
    value.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}

fn restart(download: &Download, arrived: &mut Arrived) -> std::io::Result<()> {
    arrived.file.as_file().set_len(0)?;
    arrived.file.seek(SeekFrom::Start(0))?;
    arrived.hash = Sha256::new();
    arrived.git = download.start_of_git();
    arrived.size = 0;
    Ok(())
}

fn finish(download: &Download, arrived: Arrived) -> Result<Downloaded, HttpError> {
    let result = Downloaded { sha256: arrived.hash.finalize().into(), size: arrived.size };
    if let Some(size) = download.size.filter(|size| *size != result.size) {
        return Err(mismatch(download, format!("it has {} bytes instead of {size}", result.size)));
    }
    if let Some(sha256) = download.sha256.filter(|sha256| *sha256 != result.sha256) {
        let (is, should) = (hexadecimal(&result.sha256), hexadecimal(&sha256));
        return Err(mismatch(download, format!("its SHA-256 is {is} instead of {should}")));
    }
    if let (Some(git), Some(id)) = (arrived.git, download.git_blob) {
        let is: [u8; 20] = git.finalize().into();
        if is != id {
            let (is, should) = (hexadecimal(&is), hexadecimal(&id));
            return Err(mismatch(download, format!("its id in git is {is} instead of {should}")));
        }
    }
    let file = arrived.file;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).map_err(HttpError::Write)?;
    file.as_file().sync_all().map_err(HttpError::Write)?;
    file.persist(&download.path).map_err(|error| HttpError::Write(error.error))?;
    Ok(result)
}

fn mismatch(download: &Download, reason: String) -> HttpError {
    let address = super::address::shown(&download.request.address);
    HttpError::Content { address, path: download.path.clone(), reason }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
