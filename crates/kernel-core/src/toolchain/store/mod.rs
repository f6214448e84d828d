//! The store of fetched parts: one directory for each user, shared by all projects and processes. A part is a directory
//! under the digest of its content with a record beside it; the record is written last, so a part with a record is whole.
//! One content of each part is what builds take that no lock binds.

mod credentials;
mod download;
mod error;
mod known;
pub mod part;
mod remote;
mod resolve;
mod shelf;
mod wheel;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_hub::http::{Client, HttpError};
use kernel_spec::Event;
use kernel_spec::event::Stage;
use sha2::{Digest, Sha256};

use super::fingerprint::{hash_tree, hexadecimal};
use super::lock::{LockedFile, LockedPart};
use crate::{Context, network};
pub use error::StoreError;
pub use part::Part;
use part::Taken;
use remote::RemoteFile;
use resolve::Wheel;
use shelf::{Record, Source, remove, size};
use wheel::WheelError;
use zip::result::ZipError;

/// From this size on a wheel is read in parts where only some of it is needed, in bytes.
const LARGE: u64 = 16 << 20;

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

/// Whether wheels are read in parts where only some of them is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    InParts,
    /// So that the hash of the whole is seen.
    Whole,
}

impl Store {
    /// The store in a cache directory.
    pub fn new(cache: &Utf8Path) -> Self {
        Self { directory: cache.join("toolchain") }
    }

    /// A part that is already there.
    pub fn find(&self, part: &Part) -> Option<Fetched> {
        self.fetched(&self.record(&part.to_string())?)
    }

    /// A part, fetched where it is missing. Of two processes one fetches and the other waits.
    pub fn ensure(&self, context: &Context, part: &Part, python: &Utf8Path) -> Result<Fetched, StoreError> {
        self.obtain(context, part, &|| self.find(part), &|| {
            let wheels = resolve::wheels(context, part, python)?;
            let record = self.bring(context, part, &wheels, Reading::InParts)?;
            self.prefer(part, &record)?;
            Ok(record)
        })
    }

    /// A part with exactly the content that a lock names, if it is there.
    pub fn find_locked(&self, locked: &LockedPart) -> Option<Fetched> {
        let record = self.content(&locked.part(), &locked.tree)?;
        self.fetched(&record)
    }

    /// A part with exactly the content that a lock names, fetched where it is missing.
    pub fn ensure_locked(
        &self,
        context: &Context,
        locked: &LockedPart,
        python: &Utf8Path,
    ) -> Result<Fetched, StoreError> {
        let part = locked.part();
        self.obtain(context, &part, &|| self.find_locked(locked), &|| {
            let wheels = resolve::locked(context, &part, &locked.files, python)?;
            let record = self.bring(context, &part, &wheels, Reading::InParts)?;
            if record.digest != locked.tree {
                let reason = format!("what was taken out of its wheels is {}", short(&record.digest));
                return Err(StoreError::Unlocked { part: part.to_string(), reason });
            }
            Ok(record)
        })
    }

    /// What a lock says of a part, fetched where it is missing. Unless wheels that were read in parts are trusted, the tree
    /// is one that this program knows, or the whole of every wheel was held against its hash.
    pub fn lock_part(
        &self,
        context: &Context,
        part: &Part,
        python: &Utf8Path,
        trust_ranges: bool,
    ) -> Result<LockedPart, StoreError> {
        let trusted = |record: &Record| trust_ranges || record.is_whole() || known::is(part, &record.digest);
        // What was fetched before wheels were written down says too little.
        let there =
            || self.record(&part.to_string()).filter(|record| !record.sources.is_empty() && trusted(record));
        self.obtain(context, part, &|| self.fetched(&there()?), &|| {
            let wheels = resolve::wheels(context, part, python)?;
            let in_parts = trust_ranges || known::mentions(part);
            let reading = if in_parts { Reading::InParts } else { Reading::Whole };
            let mut record = self.bring(context, part, &wheels, reading)?;
            if !trusted(&record) {
                record = self.bring(context, part, &wheels, Reading::Whole)?;
            }
            self.prefer(part, &record)?;
            Ok(record)
        })?;
        let record = there().ok_or_else(|| StoreError::Changed { part: part.to_string() })?;
        Ok(LockedPart::of(
            part,
            &record.digest,
            !record.is_whole() && !known::is(part, &record.digest),
            record.sources,
        ))
    }

    /// What is `there`, else what `fetch` brings, under the part's lock.
    fn obtain(
        &self,
        context: &Context,
        part: &Part,
        there: &dyn Fn() -> Option<Fetched>,
        fetch: &dyn Fn() -> Result<Record, StoreError>,
    ) -> Result<Fetched, StoreError> {
        if let Some(found) = there() {
            return Ok(found);
        }
        if context.offline {
            return Err(StoreError::Offline { part: part.to_string() });
        }
        let _lock = self.lock(context, part)?;
        if let Some(found) = there() {
            return Ok(found);
        }
        context.sink.event(&Event::Stage {
            stage: Stage::Fetch,
            variant: None,
            message: format!("fetch {part} into {}", self.directory),
        });
        let record = fetch()?;
        self.fetched(&record).ok_or_else(|| StoreError::Changed { part: part.to_string() })
    }

    /// Unpacks wheels and keeps what is needed of them.
    fn bring(
        &self,
        context: &Context,
        part: &Part,
        wheels: &[Wheel],
        reading: Reading,
    ) -> Result<Record, StoreError> {
        let client = network::client(context)?;
        let unpacked = self.directory.join(format!(".unpacking-{part}"));
        let arriving = self.directory.join(format!(".arriving-{part}"));
        self.file(remove(&unpacked).and_then(|()| fs_err::create_dir_all(&arriving)))?;
        self.file(fs_err::create_dir_all(&unpacked))?;
        let mut sources = Vec::new();
        for (wheel, package) in wheels.iter().zip(part.packages()) {
            let taken = (package.taken, reading);
            let whole = self.take(context, &client, (part, wheel), taken, (&arriving, &unpacked))?;
            sources.push(Source {
                package: wheel.package.clone(),
                file: wheel.file.clone(),
                sha256: wheel.sha256.clone(),
                whole,
            });
        }
        let record = self.keep(part, &unpacked, sources)?;
        self.file(remove(&arriving))?;
        Ok(record)
    }

    /// Unpacks what is needed of one wheel; answers whether the hash of all of it was seen.
    fn take(
        &self,
        context: &Context,
        client: &Client,
        (part, wheel): (&Part, &Wheel),
        (taken, reading): (Taken, Reading),
        (arriving, unpacked): (&Utf8Path, &Utf8Path),
    ) -> Result<bool, StoreError> {
        let failed = |source| self.broken_off(wheel, source);
        let remote = RemoteFile::open(client, wheel);
        let size = remote.as_ref().map(RemoteFile::size);
        let in_parts = reading == Reading::InParts && taken != Taken::All;
        if let Some(remote) = remote.filter(|remote| in_parts && remote.size() > LARGE) {
            report(context, wheel, (0, size));
            wheel::unpack(remote, part, taken, unpacked).map_err(failed)?;
            return Ok(false);
        }
        let path = arriving.join(&wheel.sha256);
        download::fetch(client, wheel, size, &path, &mut |done| report(context, wheel, (done, size)))?;
        let file = self.file(fs_err::File::open(&path))?;
        wheel::unpack(file, part, taken, unpacked).map_err(failed)?;
        Ok(true)
    }

    /// Why a wheel was not unpacked: the network, this machine, or the wheel.
    fn broken_off(&self, wheel: &Wheel, error: WheelError) -> StoreError {
        let damaged = |source| StoreError::Wheel { file: wheel.file.clone(), source };
        match error {
            WheelError::Write(source) => StoreError::File { directory: self.directory.clone(), source },
            WheelError::Read(error) | WheelError::Zip(ZipError::Io(error)) => {
                // A file on a server is read like one on a disk.
                error.downcast::<HttpError>().map_or_else(|error| damaged(error.into()), StoreError::Http)
            }
            error => damaged(error),
        }
    }

    /// Gives what was unpacked its name, and records it.
    fn keep(&self, part: &Part, unpacked: &Utf8Path, sources: Vec<Source>) -> Result<Record, StoreError> {
        let digest = self.file(digest(unpacked))?;
        let record = Record {
            directory: shelf::directory(part, &digest),
            root: part.root(),
            size: self.file(size(unpacked))?,
            wheels: sources.iter().map(|source| source.file.clone()).collect(),
            sources,
            digest,
        };
        let directory = self.directory.join(&record.directory);
        if directory.is_dir() {
            self.file(remove(unpacked))?;
        } else {
            self.file(fs_err::rename(unpacked, &directory))?;
        }
        self.write(&record.directory, &record)?;
        Ok(record)
    }

    /// Reads parts that are about to be used again and holds them against their digests: of all the paths, those that lie in
    /// the store.
    pub fn verify<'a>(&self, paths: impl Iterator<Item = &'a Utf8PathBuf>) -> Result<(), StoreError> {
        let directories = paths.filter_map(|path| {
            let name = path.strip_prefix(&self.directory).ok()?.components().next()?;
            Some(name.as_str())
        });
        let directories: std::collections::BTreeSet<&str> = directories.collect();
        for name in directories {
            let changed = || StoreError::Changed { part: name.to_owned() };
            let record = self.list_records().into_iter().find(|record| record.directory == name);
            let record = record.ok_or_else(changed)?;
            if self.file(digest(&self.directory.join(name)))? != record.digest {
                return Err(changed());
            }
        }
        Ok(())
    }

    fn fetched(&self, record: &Record) -> Option<Fetched> {
        let root = self.directory.join(&record.directory).join(&record.root);
        root.is_dir().then(|| Fetched { root, digest: record.digest.clone() })
    }

    fn file<T>(&self, result: std::io::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::File { directory: self.directory.clone(), source })
    }
}

impl LockedPart {
    fn of(part: &Part, tree: &str, trusted_ranges: bool, sources: Vec<Source>) -> Self {
        let files = sources.into_iter().map(|source| LockedFile {
            name: source.package,
            version: source.file.split('-').nth(1).unwrap_or_default().to_owned(),
            file: source.file,
            sha256: source.sha256,
        });
        Self {
            name: part.name().to_owned(),
            version: part.version().to_string(),
            tree: tree.to_owned(),
            trusted_ranges,
            files: files.collect(),
        }
    }
}

fn digest(directory: &Utf8Path) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    hash_tree(directory, &mut hasher)?;
    Ok(hexadecimal(hasher))
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

fn report(context: &Context, wheel: &Wheel, (done, size): (u64, Option<u64>)) {
    let message = format!("fetch {} ({}), in MiB", wheel.file, wheel.package);
    let total = wheel.size.or(size).unwrap_or(done) >> 20;
    context.sink.event(&Event::Progress { done: done >> 20, total, message });
}
