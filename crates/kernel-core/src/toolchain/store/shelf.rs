//! What lies in the store: records, what is on the list, what goes, and who may write.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::report::StoredPart;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::{Part, Store, StoreError};
use crate::{Context, atomic};

/// How often a lock that another process holds is asked for.
const INTERVAL: Duration = Duration::from_millis(100);
/// Digits of a digest in the name of a directory.
const DIGITS: usize = 16;

/// What is written beside a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) directory: String,
    pub(super) root: String,
    pub(super) digest: String,
    pub(super) size: u64,
    pub(super) wheels: Vec<String>,
    #[serde(default)]
    pub(super) sources: Vec<Source>,
}

/// A wheel that a part was taken from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Source {
    pub(super) package: String,
    pub(super) file: String,
    pub(super) sha256: String,
    /// Whether the hash of all of it was seen.
    pub(super) whole: bool,
}

impl Record {
    /// Whether every wheel was held against its hash.
    pub(super) fn is_whole(&self) -> bool {
        !self.sources.is_empty() && self.sources.iter().all(|source| source.whole)
    }

    /// The part's name: that of the directory without its digest.
    fn part(&self) -> &str {
        let end = self.directory.len().saturating_sub(DIGITS + 1);
        self.directory.get(..end).unwrap_or(&self.directory)
    }
}

/// Name of the directory of a content.
pub(super) fn directory(part: &Part, digest: &str) -> String {
    format!("{part}-{}", digest.get(..DIGITS).unwrap_or(digest))
}

impl Store {
    pub(super) fn record(&self, name: &str) -> Option<Record> {
        serde_json::from_slice(&fs_err::read(self.directory.join(format!("{name}.json"))).ok()?).ok()
    }

    /// The record of one content of a part.
    pub(super) fn content(&self, part: &Part, digest: &str) -> Option<Record> {
        let own = self.record(&directory(part, digest)).or_else(|| self.record(&part.to_string()))?;
        (own.digest == digest).then_some(own)
    }

    pub(super) fn write(&self, name: &str, record: &Record) -> Result<(), StoreError> {
        let text = serde_json::to_vec(record).map_err(std::io::Error::from);
        let path = self.directory.join(format!("{name}.json"));
        self.file(text.and_then(|text| atomic::write(&path, &text)))
    }

    /// Makes a content the one that builds take that no lock binds.
    pub(super) fn prefer(&self, part: &Part, record: &Record) -> Result<(), StoreError> {
        self.write(&part.to_string(), record)
    }

    /// The record of every content.
    pub(super) fn list_records(&self) -> Vec<Record> {
        let entries = self.directory.read_dir_utf8().into_iter().flatten().flatten();
        let mut records: Vec<Record> =
            entries.filter_map(|entry| self.record(entry.file_name().strip_suffix(".json")?)).collect();
        records.sort_by(|one, other| one.directory.cmp(&other.directory));
        records.dedup_by(|one, other| one.directory == other.directory);
        records
    }

    /// Every part that is there, by name.
    pub fn list(&self) -> Vec<StoredPart> {
        let records = self.list_records().into_iter();
        let mut parts: Vec<StoredPart> = records
            .map(|record| StoredPart {
                name: record.part().to_owned(),
                directory: self.directory.join(&record.directory).into_string(),
                digest: record.digest,
                size: record.size,
                wheels: record.wheels,
            })
            .collect();
        parts.sort_by(|one, other| (&one.name, &one.digest).cmp(&(&other.name, &other.digest)));
        parts
    }

    /// Removes the parts that are not among `kept`; answers what went.
    pub fn collect(&self, context: &Context, kept: &[Part]) -> Result<Vec<StoredPart>, StoreError> {
        let mut gone = Vec::new();
        for part in self.list() {
            if kept.iter().any(|kept| kept.to_string() == part.name) {
                continue;
            }
            let Ok(known) = part.name.parse::<Part>() else { continue };
            let _lock = self.lock(context, &known)?;
            // The records go first: what has none is nowhere taken for whole.
            for name in [part.name.clone(), directory(&known, &part.digest)] {
                self.file(remove_file(&self.directory.join(format!("{name}.json"))))?;
            }
            self.file(remove(Utf8Path::new(&part.directory)))?;
            self.file(remove(&self.directory.join(format!(".arriving-{known}"))))?;
            gone.push(part);
        }
        Ok(gone)
    }

    pub(super) fn lock(&self, context: &Context, part: &Part) -> Result<fs_err::File, StoreError> {
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
}

fn remove_file(path: &Utf8Path) -> std::io::Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a tree, whose files are read-only but whose directories are not; nothing is nothing to remove.
pub(super) fn remove(path: &Utf8Path) -> std::io::Result<()> {
    match fs_err::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Bytes of a tree.
pub(super) fn size(directory: &Utf8Path) -> std::io::Result<u64> {
    let mut sum = 0;
    for entry in fs_err::read_dir(directory)? {
        let entry = entry?;
        let status = entry.metadata()?;
        let path = Utf8PathBuf::try_from(entry.path()).map_err(std::io::Error::other)?;
        sum += if status.is_dir() { size(&path)? } else { status.len() };
    }
    Ok(sum)
}
