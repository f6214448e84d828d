//! What we wrote into a project and somebody may have edited since: the digest of each such file is kept in the state
//! directory under the file's own path. A digest has a file of its own, so that commands that run side by side lose none.

use camino::Utf8Path;
use kernel_spec::identifier::hexadecimal;
use sha2::{Digest, Sha256};

use crate::workspace_lock::DIRECTORY;
use crate::{atomic, regular};

/// Where the digests are, in the state directory.
pub const RECORDS: &str = "written";

/// Characters of a digest.
const LENGTH: u64 = 64;

/// No document of ours comes near this size in bytes.
const LARGEST: u64 = 256 << 20;

/// Writes a file of a project, named relative to it, and keeps its digest.
pub fn write(project: &Utf8Path, path: &str, content: &[u8]) -> std::io::Result<()> {
    atomic::write(&project.join(path), content)?;
    let record = record(path);
    // Without a digest the file counts as somebody's; through a link it would be written who knows where.
    if regular::inside(project, &record).is_err() {
        return Ok(());
    }
    atomic::write(&project.join(record), digest(content).as_bytes())
}

/// Writes a document; below a state directory its digest is kept there, elsewhere it is its owner's.
pub fn write_document(path: &Utf8Path, content: &[u8]) -> std::io::Result<()> {
    let state = path.ancestors().find(|place| place.file_name() == Some(DIRECTORY));
    let project = state.and_then(Utf8Path::parent);
    match project.and_then(|project| Some((project, path.strip_prefix(project).ok()?))) {
        Some((project, inside)) => write(project, inside.as_str(), content),
        None => atomic::write(path, content),
    }
}

/// Whether a file of a project is there just as it was written.
pub fn is_as_written(project: &Utf8Path, path: &str) -> bool {
    let place = |path: &str| regular::inside(project, path).ok().flatten();
    let known = place(&record(path)).and_then(|place| regular::start(&place, LENGTH).ok());
    let present = place(path).and_then(|place| regular::bytes(&place, LARGEST).ok());
    matches!((known, present), (Some(known), Some(present)) if digest(&present).as_bytes() == known)
}

fn record(path: &str) -> String {
    format!("{DIRECTORY}/{RECORDS}/{path}")
}

fn digest(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}
