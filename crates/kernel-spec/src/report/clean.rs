//! Answer of `clean`.

use schemars::JsonSchema;
use serde::Serialize;

/// What was removed, or would be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CleanReport {
    /// Whether nothing was touched.
    pub dry_run: bool,
    /// What went, or would go, relative to the project.
    pub removed: Vec<String>,
    /// What stays, and why.
    pub kept: Vec<KeptPath>,
}

/// Something that looks like ours but stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptPath {
    /// Relative to the project.
    pub path: String,
    /// Why it stays.
    pub reason: String,
}
