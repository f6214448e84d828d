//! Ninja goes by times, but content can change without becoming newer: a file restored from an archive with its old
//! date, or objects made last from another copy of the inputs (the staged one, or the user's own). What the objects of
//! a variant are made from is therefore written down by content.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::super::Job;
use crate::atomic;

/// Beside the objects: the digest of each input that they are made from.
const RECORD: &str = "made-from.json";

/// Removes the objects of a job in `directory` where an input in `root` has other content than they were made from and
/// is no newer than they are, or where nothing is known; then writes down what they will be made from.
pub(super) fn settle(root: &Utf8Path, directory: &Utf8Path, job: &Job) -> std::io::Result<()> {
    let record = directory.join(RECORD);
    let wanted: BTreeMap<&str, &str> =
        job.plan.inputs.iter().map(|input| (input.path.as_str(), input.sha256.as_str())).collect();
    let written = fs_err::metadata(&record).and_then(|metadata| metadata.modified()).ok();
    let known: Option<BTreeMap<String, String>> =
        fs_err::read(&record).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let is_unseen = |path: &str, digest: &str| {
        let same = known.as_ref().is_some_and(|known| known.get(path).is_some_and(|known| known == digest));
        !same && fs_err::metadata(root.join(path)).and_then(|file| file.modified()).ok() <= written
    };
    if known.is_none() || wanted.iter().any(|(path, digest)| is_unseen(path, digest)) {
        for step in job.plan.library.iter().flat_map(|library| &library.compile) {
            match fs_err::remove_file(directory.join(&step.object)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    let text = serde_json::to_vec(&wanted)?;
    match fs_err::read(&record) {
        Ok(present) if present == text => Ok(()),
        _ => atomic::write(&record, &text),
    }
}
