//! Answer of `completions`.

use schemars::JsonSchema;
use serde::Serialize;

/// A completion script.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompletionsReport {
    /// The shell it is for.
    pub shell: String,
    /// The script.
    pub script: String,
}
