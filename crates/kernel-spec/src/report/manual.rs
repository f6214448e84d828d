//! Answer of `manual`.

use schemars::JsonSchema;
use serde::Serialize;

/// The manual pages that were written.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ManualReport {
    /// The files, one for the program and one for each command.
    pub files: Vec<String>,
}
