//! What a project keeps of earlier runs, as JSON. A record that is there and cannot be read is told of: taken for none, a
//! damaged one would let a failure be forgotten.

use camino::Utf8Path;
use kernel_spec::finding::Subject;
use kernel_spec::{Code, Finding};
use serde::de::DeserializeOwned;

use crate::regular;

/// A record of at most so many bytes; none where nothing is at its place. Jobs that run a project's code hand records on,
/// so one may be anything; `what` names it for people, `code` is that of one that cannot be read.
pub(crate) fn read<T: DeserializeOwned>(
    path: &Utf8Path,
    most: u64,
    (variant, what, code): (&str, &str, &'static Code),
) -> Result<Option<T>, Box<Finding>> {
    let unreadable = |reason: String| {
        let finding = Finding::error(code, format!("the {what} of `{variant}` cannot be read"));
        let subject = Subject { variant: Some(variant.to_owned()), ..Subject::default() };
        Box::new(finding.cause(reason).about(subject))
    };
    let Some(text) = regular::text_if_there(path, most).map_err(|error| unreadable(error.to_string()))?
    else {
        return Ok(None);
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        unreadable(format!("`{path}` is damaged, or of another version of kernel-builder ({place})"))
    })
}
