//! Places that a person names for what a command writes: only what an earlier run of it wrote is replaced, never what somebody
//! else did.

use std::io::{Error, ErrorKind};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::{Context, regular};

/// Most bytes of a file that is replaced.
const LIMIT: u64 = 64 << 20;

/// A file that is not written over.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("`{path}` is not written over")]
#[diagnostic(
    code("environment/occupied"),
    help("name a file that is not there yet, that is empty, or that this command wrote earlier")
)]
pub struct Occupied {
    /// The file, as the user named it.
    pub path: Utf8PathBuf,
    /// What is there.
    #[source]
    pub reason: Error,
}

/// Refuses a place that holds something else than JSON of this command.
pub fn require_free(
    context: &Context,
    path: &Utf8Path,
    is_ours: impl Fn(&Value) -> bool,
) -> Result<(), Occupied> {
    let place = context.resolve(path);
    // Where nothing can be, the attempt to write says why.
    if fs_err::symlink_metadata(&place).is_err() {
        return Ok(());
    }
    free(&place, is_ours).map_err(|reason| Occupied { path: path.to_owned(), reason })
}

/// Whether a place is free, or holds what an earlier run wrote.
///
/// # Errors
///
/// The reason why it is neither.
pub fn free(path: &Utf8Path, is_ours: impl Fn(&Value) -> bool) -> std::io::Result<()> {
    let refuse = |reason: &str| Err(Error::new(ErrorKind::InvalidInput, reason));
    match fs_err::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(state) if state.is_symlink() => return refuse("it is a link, and would be replaced"),
        Ok(_) => {}
    }
    let text = regular::bytes(path, LIMIT)?;
    let earlier: Option<Value> = serde_json::from_slice(&text).ok();
    if text.is_empty() || earlier.is_some_and(|value| is_ours(&value)) {
        return Ok(());
    }
    refuse("it holds something else than what this command writes")
}
