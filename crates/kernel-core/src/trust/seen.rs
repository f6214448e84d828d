//! What was seen of each branch before. Nothing in an old set says that it is old; whoever serves a repository, or can
//! write to it, could serve last year's set with its faults for ever. Who has once verified a newer one notices.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::event::Stage;
use kernel_spec::{Event, Finding, code};
use miette::Diagnostic;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::set::{Place, sha256};
use super::statement::Statement;
use crate::{Context, Error, Result, atomic, regular};

/// What was seen before is not known.
#[derive(Debug, Error, Diagnostic)]
pub enum SeenError {
    /// It cannot be read.
    #[error("`{path}`, which remembers what was verified, cannot be read")]
    #[diagnostic(
        code("trust/memory"),
        help(
            "put it back, or remove it if you accept that an older set than the newest you saw is not noticed"
        )
    )]
    Unreadable {
        /// The file.
        path: Utf8PathBuf,
        /// The system's reason, or ours.
        #[source]
        reason: std::io::Error,
    },

    /// Another process does not let go of it.
    #[error("another process has held `{path}` for {} seconds, and with it what was verified before", PATIENCE.as_secs())]
    #[diagnostic(code("trust/memory"), help("end that process, or wait until it has ended"))]
    Held {
        /// The lock.
        path: Utf8PathBuf,
    },
}

/// How long to wait for another process, which needs it for as long as it takes to write a file.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often to ask whether it has ended.
const INTERVAL: Duration = Duration::from_millis(50);

/// Most bytes of a file of this.
const LIMIT: u64 = 16 << 20;

/// What is remembered of one branch; dropping it lets others at it.
pub struct Memory {
    path: Utf8PathBuf,
    known: Known,
    _lock: fs_err::File,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    repository: String,
    branch: String,
    /// The highest number of any set.
    newest: u64,
    /// The set that has it; of several the last by name, so that it is the same whichever was seen first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newest_set: Option<String>,
    /// The newest set of each variant.
    variants: BTreeMap<String, Member>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Member {
    serial: u64,
    set: String,
}

impl Memory {
    /// What is remembered of a place, or nothing where that is to be forgotten; none where the user has no directory for it.
    pub fn open(context: &Context, place: &Place, forget: bool) -> Result<Option<Self>> {
        let Some(directory) = context.environment.state_directory() else { return Ok(None) };
        let directory = directory.join("seen");
        fs_err::create_dir_all(&directory)?;
        let name = sha256(format!("{}\n{}", place.repository, place.branch).as_bytes());
        let path = directory.join(format!("{name}.json"));
        let lock = lock(context, &path)?;
        let nothing = || Known {
            repository: place.repository.clone(),
            branch: place.branch.clone(),
            ..Known::default()
        };
        let known = if forget { None } else { known(&path)? }.unwrap_or_else(nothing);
        Ok(Some(Self { path, known, _lock: lock }))
    }

    /// What is older than what was seen, or may be, among the variants that are there with the statements about their sets.
    pub fn older<'a>(&self, there: impl IntoIterator<Item = (&'a str, &'a Statement)>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut sets = BTreeMap::new();
        for (variant, statement) in there {
            sets.insert(statement.set.as_str(), statement.serial);
            let Some(known) = self.known.variants.get(variant) else { continue };
            if statement.serial < known.serial {
                let message =
                    format!("`{variant}` is of set {}, and of set {} before", statement.serial, known.serial);
                findings.push(Finding::error(&code::trust::OLDER, message));
            } else if statement.serial == known.serial && statement.set != known.set {
                findings.push(tied(&format!("`{variant}`"), statement.serial, &statement.set, &known.set));
            }
        }
        let newest = sets.iter().map(|(set, serial)| (*serial, *set)).max();
        let Some((serial, set)) = newest.filter(|_| findings.is_empty()) else { return findings };
        if serial < self.known.newest {
            let message = format!("the newest set is {serial}, and was {} before", self.known.newest);
            findings.push(Finding::error(&code::trust::OLDER, message));
        } else if serial == self.known.newest
            && let Some(known) = self.known.newest_set.as_deref()
            && !sets.contains_key(known)
        {
            findings.push(tied("the newest", serial, set, known));
        }
        findings
    }

    /// Remembers what was verified.
    pub fn remember<'a>(
        &mut self,
        verified: impl IntoIterator<Item = (&'a str, &'a Statement)>,
    ) -> Result<()> {
        for (variant, statement) in verified {
            let newest = (self.known.newest, self.known.newest_set.take());
            let (serial, set) = newest.max((statement.serial, Some(statement.set.clone())));
            (self.known.newest, self.known.newest_set) = (serial, set);
            let member = Member { serial: statement.serial, set: statement.set.clone() };
            self.known.variants.insert(variant.to_owned(), member);
        }
        let mut text = serde_json::to_string_pretty(&self.known).map_err(std::io::Error::from)?;
        text.push('\n');
        Ok(atomic::write(&self.path, text.as_bytes())?)
    }
}

/// Two sets with one number, which is the second of their signing: nobody can tell which is the newer.
fn tied(what: &str, serial: u64, set: &str, known: &str) -> Finding {
    let message = format!("{what} is of another set than before, and both have the number {serial}");
    let finding = Finding::error(&code::trust::OLDER, message).cause(format!("{known} was seen before"));
    finding
        .cause(format!("{set} is there now"))
        .help("let the publisher sign it once more, or accept what is there with `--forget`")
}

/// The owners of everything that was ever verified here.
pub fn owners(context: &Context) -> Result<BTreeSet<String>> {
    let Some(directory) = context.environment.state_directory() else { return Ok(BTreeSet::new()) };
    let directory = directory.join("seen");
    let entries = match directory.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(error.into()),
    };
    let mut owners = BTreeSet::new();
    for entry in entries {
        let entry = entry?;
        if entry.path().extension() == Some("json") {
            let known = known(entry.path())?;
            owners.extend(known.and_then(|known| known.repository.split('/').next().map(str::to_owned)));
        }
    }
    Ok(owners)
}

/// What a file remembers, or nothing where there is none. One that cannot be read is no first sight.
fn known(path: &Utf8Path) -> Result<Option<Known>> {
    let unreadable = |reason: std::io::Error| SeenError::Unreadable { path: path.to_owned(), reason };
    let Some(text) = regular::text_if_there(path, LIMIT).map_err(unreadable)? else { return Ok(None) };
    Ok(Some(serde_json::from_str(&text).map_err(|error| unreadable(error.into()))?))
}

/// One process at a time, so that none writes over what another has just seen. It is said that another is waited for, and
/// an interruption ends the wait.
fn lock(context: &Context, path: &Utf8Path) -> Result<fs_err::File> {
    let path = path.with_extension("lock");
    // Opening a pipe would wait for somebody to read from it.
    match regular::require(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(SeenError::Unreadable { path, reason: error }.into());
        }
        _ => {}
    }
    let file = fs_err::File::create(&path)?;
    let mut since: Option<Instant> = None;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) if context.cancelled.is_cancelled() => return Err(Error::Interrupted),
            Err(Errno::WOULDBLOCK) => match since {
                Some(since) if since.elapsed() > PATIENCE => return Err(SeenError::Held { path }.into()),
                Some(_) => std::thread::sleep(INTERVAL),
                None => {
                    since = Some(Instant::now());
                    let message = format!("waiting for another process, which holds `{path}`");
                    context.sink.event(&Event::Stage { stage: Stage::Wait, variant: None, message });
                }
            },
            Err(error) => return Err(std::io::Error::from(error).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(set: &str, serial: u64) -> Statement {
        let place = Place { repository: "acme/demo".to_owned(), branch: "v1".to_owned() };
        Statement { place, set: set.to_owned(), serial, members: BTreeMap::new() }
    }

    #[test]
    fn of_sets_with_one_number_none_is_the_newer() {
        for (first, second) in [("a", "b"), ("b", "a")] {
            let directory = tempfile::tempdir().expect("a directory");
            let path = Utf8PathBuf::try_from(directory.path().join("seen.json")).expect("UTF-8");
            let lock = fs_err::File::create(directory.path().join("lock")).expect("a file");
            let mut memory = Memory { path, known: Known::default(), _lock: lock };
            let (first, second) = (statement(first, 7), statement(second, 7));
            memory.remember([("torch-cpu", &first)]).expect("written");
            assert!(memory.older([("torch-cpu", &first)]).is_empty());
            for variant in ["torch-cpu", "torch-cuda"] {
                let findings = memory.older([(variant, &second)]);
                assert!(findings.len() == 1 && findings[0].message.contains("number 7"), "{findings:?}");
            }
            let both = [("torch-cpu", &first), ("torch-cuda", &second)];
            assert!(memory.older(both).is_empty(), "both are there, and nothing is hidden");
            memory.remember(both).expect("written");
            assert!(memory.older(both).is_empty());
            assert_eq!(memory.known.newest_set.as_deref(), Some("b"), "whichever was seen first");
        }
    }
}
