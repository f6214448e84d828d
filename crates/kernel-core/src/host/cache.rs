//! What interpreters said about themselves, kept in the cache directory beside the state of every file the answer
//! depends on. The cache is only a saving: a missing, old or broken entry means that the interpreter is asked again.

use std::os::unix::fs::MetadataExt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::probe::InterpreterFacts;
use crate::{Context, atomic};

/// Raised when the facts or the script that gathers them change.
const FORM: u32 = 1;

/// The state of a file or directory: any change of its content changes one of the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Witness {
    path: Utf8PathBuf,
    state: Option<State>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    inode: u64,
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    form: u32,
    interpreter: Utf8PathBuf,
    witnesses: Vec<Witness>,
    facts: InterpreterFacts,
}

/// The place of one interpreter's entry.
pub(super) struct Cache {
    interpreter: Utf8PathBuf,
    file: Utf8PathBuf,
}

impl Witness {
    /// The state of a path as it is now; that nothing is there is a state too.
    pub(super) fn of(path: Utf8PathBuf) -> Self {
        let state = fs_err::metadata(&path).ok().map(|file| State {
            inode: file.ino(),
            size: file.size(),
            seconds: file.mtime(),
            nanoseconds: file.mtime_nsec(),
        });
        Self { path, state }
    }

    fn holds(&self) -> bool {
        Self::of(self.path.clone()) == *self
    }
}

impl Cache {
    /// The entry of an interpreter; `None` where there is no cache directory.
    pub(super) fn of(context: &Context, interpreter: &Utf8Path) -> Option<Self> {
        let digest = Sha256::digest(interpreter.as_str().as_bytes());
        let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let file = context.environment.cache_directory()?.join("python").join(format!("{name}.json"));
        Some(Self { interpreter: interpreter.to_owned(), file })
    }

    /// The facts, where they are still true.
    pub(super) fn read(&self) -> Option<InterpreterFacts> {
        let entry: Entry = serde_json::from_slice(&fs_err::read(&self.file).ok()?).ok()?;
        let fresh = entry.form == FORM
            && entry.interpreter == self.interpreter
            && entry.witnesses.iter().all(Witness::holds);
        fresh.then_some(entry.facts)
    }

    /// Keeps the facts; a cache that cannot be written costs time, not the command.
    pub(super) fn write(&self, facts: &InterpreterFacts, witnesses: &[Witness]) {
        if let Err(error) = self.try_write(facts, witnesses) {
            tracing::debug!(%error, file = %self.file, "the facts about Python were not kept");
        }
    }

    fn try_write(&self, facts: &InterpreterFacts, witnesses: &[Witness]) -> std::io::Result<()> {
        let entry = Entry {
            form: FORM,
            interpreter: self.interpreter.clone(),
            witnesses: witnesses.to_vec(),
            facts: facts.clone(),
        };
        atomic::write(&self.file, &serde_json::to_vec(&entry)?)
    }
}
