//! The store of fetched parts: one directory for each user, shared by all projects and processes. A part is a directory
//! under the digest of its content with a record beside it; the record is written last, so a part with a record is whole.

mod download;
mod error;
pub mod part;
mod remote;
mod resolve;
mod wheel;

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_hub::http::Client;
use kernel_spec::Event;
use kernel_spec::event::Stage;
use kernel_spec::report::StoredPart;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::fingerprint::{hash_tree, hexadecimal};
use crate::{Context, atomic, network};
pub use error::StoreError;
pub use part::Part;
use part::Taken;
use remote::RemoteFile;
use resolve::Wheel;

/// From this size on a wheel is read in parts where only some of it is needed, in bytes.
const LARGE: u64 = 16 << 20;
/// How often a lock that another process holds is asked for.
const INTERVAL: Duration = Duration::from_millis(100);

/// A directory of fetched parts.
#[derive(Clone, Debug)]
pub struct Store {
    directory: Utf8PathBuf,
}

/// A part that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Its own directory.
    pub root: Utf8PathBuf,
    /// SHA-256 of its tree.
    pub digest: String,
}

/// What is written beside a part.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    directory: String,
    root: String,
    digest: String,
    size: u64,
    wheels: Vec<String>,
}

impl Store {
    /// The store in a cache directory.
    pub fn new(cache: &Utf8Path) -> Self {
        Self { directory: cache.join("toolchain") }
    }

    /// A part that is already there.
    pub fn find(&self, part: &Part) -> Option<Fetched> {
        let record = self.record(&part.to_string())?;
        let root = self.directory.join(&record.directory).join(&record.root);
        root.is_dir().then_some(Fetched { root, digest: record.digest })
    }

    /// A part, fetched where it is missing. Of two processes one fetches and the other waits.
    pub fn ensure(&self, context: &Context, part: &Part, python: &Utf8Path) -> Result<Fetched, StoreError> {
        if let Some(found) = self.find(part) {
            return Ok(found);
        }
        if context.offline {
            return Err(StoreError::Offline { part: part.to_string() });
        }
        let _lock = self.lock(context, part)?;
        if let Some(found) = self.find(part) {
            return Ok(found);
        }
        context.sink.event(&Event::Stage {
            stage: Stage::Fetch,
            variant: None,
            message: format!("fetch {part} into {}", self.directory),
        });
        let wheels = resolve::wheels(context, part, python)?;
        let client = network::client(context)?;
        let unpacked = self.directory.join(format!(".unpacking-{part}"));
        let arriving = self.directory.join(format!(".arriving-{part}"));
        self.file(remove(&unpacked).and_then(|()| fs_err::create_dir_all(&arriving)))?;
        self.file(fs_err::create_dir_all(&unpacked))?;
        for (wheel, package) in wheels.iter().zip(part.packages()) {
            self.take(context, &client, wheel, package.taken, (&arriving, &unpacked))?;
        }
        let fetched = self.keep(part, &unpacked, &wheels)?;
        self.file(remove(&arriving))?;
        Ok(fetched)
    }

    /// Unpacks what is needed of one wheel.
    fn take(
        &self,
        context: &Context,
        client: &Client,
        wheel: &Wheel,
        taken: Taken,
        (arriving, unpacked): (&Utf8Path, &Utf8Path),
    ) -> Result<(), StoreError> {
        let failed = |source| StoreError::Wheel { file: wheel.file.clone(), source };
        let remote = RemoteFile::open(client, &wheel.address);
        let size = remote.as_ref().map(RemoteFile::size);
        if let Some(remote) = remote.filter(|remote| taken != Taken::All && remote.size() > LARGE) {
            report(context, wheel, (0, size));
            return wheel::unpack(remote, taken, unpacked).map_err(failed);
        }
        let path = arriving.join(&wheel.sha256);
        download::fetch(client, wheel, size, &path, &mut |done| report(context, wheel, (done, size)))?;
        let file = self.file(fs_err::File::open(&path))?;
        wheel::unpack(file, taken, unpacked).map_err(failed)
    }

    /// Gives what was unpacked its name, and records it.
    fn keep(&self, part: &Part, unpacked: &Utf8Path, wheels: &[Wheel]) -> Result<Fetched, StoreError> {
        let mut hasher = Sha256::new();
        self.file(hash_tree(unpacked, &mut hasher))?;
        let digest = hexadecimal(hasher);
        let record = Record {
            directory: format!("{part}-{}", &digest[..16]),
            root: part.root(),
            size: self.file(size(unpacked))?,
            wheels: wheels.iter().map(|wheel| wheel.file.clone()).collect(),
            digest,
        };
        let directory = self.directory.join(&record.directory);
        if directory.is_dir() {
            self.file(remove(unpacked))?;
        } else {
            self.file(fs_err::rename(unpacked, &directory))?;
        }
        let text = serde_json::to_vec(&record).map_err(std::io::Error::from);
        self.file(text.and_then(|text| atomic::write(&self.directory.join(format!("{part}.json")), &text)))?;
        Ok(Fetched { root: directory.join(record.root), digest: record.digest })
    }

    fn record(&self, part: &str) -> Option<Record> {
        serde_json::from_slice(&fs_err::read(self.directory.join(format!("{part}.json"))).ok()?).ok()
    }

    /// Every part that is there, by name.
    pub fn list(&self) -> Vec<StoredPart> {
        let entries = self.directory.read_dir_utf8().into_iter().flatten().flatten();
        let mut parts: Vec<StoredPart> = entries
            .filter_map(|entry| {
                let name = entry.file_name().strip_suffix(".json")?.to_owned();
                let record = self.record(&name)?;
                let directory = self.directory.join(record.directory).into_string();
                Some(StoredPart {
                    name,
                    directory,
                    digest: record.digest,
                    size: record.size,
                    wheels: record.wheels,
                })
            })
            .collect();
        parts.sort_by(|one, other| one.name.cmp(&other.name));
        parts
    }

    /// Removes the parts that are not among `kept`, and everything that no record names; answers what went.
    pub fn collect(&self, context: &Context, kept: &[Part]) -> Result<Vec<StoredPart>, StoreError> {
        let mut gone = Vec::new();
        for part in self.list() {
            if kept.iter().any(|kept| kept.to_string() == part.name) {
                continue;
            }
            let Ok(known) = part.name.parse::<Part>() else { continue };
            let _lock = self.lock(context, &known)?;
            // The record goes first: what has none is nowhere taken for whole.
            self.file(fs_err::remove_file(self.directory.join(format!("{}.json", part.name))))?;
            self.file(remove(Utf8Path::new(&part.directory)))?;
            self.file(remove(&self.directory.join(format!(".arriving-{known}"))))?;
            gone.push(part);
        }
        Ok(gone)
    }

    fn lock(&self, context: &Context, part: &Part) -> Result<fs_err::File, StoreError> {
        self.file(fs_err::create_dir_all(&self.directory))?;
        let file = self.file(fs_err::File::create(self.directory.join(format!("{part}.lock"))))?;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(Errno::WOULDBLOCK | Errno::INTR) if context.cancelled.is_cancelled() => {
                    return Err(StoreError::Interrupted);
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => std::thread::sleep(INTERVAL),
                Err(error) => return self.file(Err(error.into())),
            }
        }
    }

    fn file<T>(&self, result: std::io::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::File { directory: self.directory.clone(), source })
    }
}

fn report(context: &Context, wheel: &Wheel, (done, size): (u64, Option<u64>)) {
    let message = format!("fetch {} ({}), in MiB", wheel.file, wheel.package);
    let total = wheel.size.or(size).unwrap_or(done) >> 20;
    context.sink.event(&Event::Progress { done: done >> 20, total, message });
}

/// Removes a tree, whose files are read-only but whose directories are not; nothing is nothing to remove.
fn remove(path: &Utf8Path) -> std::io::Result<()> {
    match fs_err::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn size(directory: &Utf8Path) -> std::io::Result<u64> {
    let mut sum = 0;
    for entry in fs_err::read_dir(directory)? {
        let entry = entry?;
        let status = entry.metadata()?;
        let path = Utf8PathBuf::try_from(entry.path()).map_err(std::io::Error::other)?;
        sum += if status.is_dir() { size(&path)? } else { status.len() };
    }
    Ok(sum)
}
