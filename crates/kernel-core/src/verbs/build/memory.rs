//! What is remembered of a finished variant, so that a build with nothing to do starts no process at all: everything
//! the result was made from as one digest, and the status of every file of the result.

use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::finish::TOOL;
use crate::engine::Job;
use crate::engine::local::sandbox::Mode;
use crate::provenance::Provenance;
use crate::seal::Sealed;
use crate::toolchain::fingerprint::{Witnesses, hexadecimal};
use crate::{atomic, tree};

/// Name of the file, in the variant's build directory.
pub(super) const FILE: &str = "finished.json";

/// A finished variant.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Finished {
    made_from: String,
    sandbox: String,
    files: Witnesses,
}

/// Everything that decides a result, as one digest.
pub(super) fn made_from(engine: &str, job: &Job, sources: &Provenance, lock: Option<&str>) -> String {
    let mut hasher = Sha256::new_with_prefix(TOOL);
    let plan = serde_json::to_string(&job.plan).unwrap_or_default();
    for part in [engine.to_owned(), plan, job.files.digest(), format!("{sources:?} {lock:?}")] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hexadecimal(hasher)
}

/// Whether the variant at `place` is the result of `made_from`, and was made under a sandbox where one is required.
pub(super) fn is_current(build: &Utf8Path, place: &Utf8Path, made_from: &str, mode: Mode) -> bool {
    let known = fs_err::read(build.join(FILE)).ok();
    let known = known.and_then(|bytes| serde_json::from_slice::<Finished>(&bytes).ok());
    known.is_some_and(|known| {
        let confined = mode != Mode::Require || known.sandbox != "off";
        let present = witnesses(place);
        confined && known.made_from == made_from && !present.is_empty() && known.files == present
    })
}

/// Writes down a finished variant. That it cannot be written costs time later and nothing else.
pub(super) fn remember(build: &Utf8Path, sealed: &Sealed, made_from: String, sandbox: &str) {
    let finished = Finished { made_from, sandbox: sandbox.to_owned(), files: witnesses(&sealed.directory) };
    let written = serde_json::to_vec(&finished)
        .map_err(std::io::Error::from)
        .and_then(|text| atomic::write(&build.join(FILE), &text));
    if let Err(error) = written {
        tracing::debug!(%error, "the finished variant could not be written down");
    }
}

fn witnesses(directory: &Utf8Path) -> Witnesses {
    let mut witnesses = Witnesses::default();
    for entry in tree::walk(directory, &|_| true).unwrap_or_default() {
        witnesses.add(directory.join(entry.path));
    }
    witnesses
}
