//! Answer of `toolchain`.

use schemars::JsonSchema;
use serde::Serialize;

/// What is in the store of fetched parts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolchainReport {
    /// The parts that are there now, or of `fetch` those that were asked for.
    pub parts: Vec<StoredPart>,
    /// The parts that were removed.
    pub removed: Vec<StoredPart>,
}

/// A fetched part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoredPart {
    /// Its name and version: `cuda-13.2`.
    pub name: String,
    /// Where it is.
    pub directory: String,
    /// SHA-256 of its tree, in hexadecimal.
    pub digest: String,
    /// Bytes on disk.
    pub size: u64,
    /// The wheels it was taken from.
    pub wheels: Vec<String>,
}
