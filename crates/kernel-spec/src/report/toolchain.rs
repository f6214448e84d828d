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
    /// The lock that was written; only of `lock`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<WrittenLock>,
}

/// A project's lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WrittenLock {
    /// Where it is.
    pub path: String,
    /// Whether it says something else than before.
    pub changed: bool,
    /// The compiler that was locked: `gcc 12.2.0`.
    pub compiler: String,
    /// Parts of whose wheels the whole was never held against its hash.
    pub trusted: Vec<String>,
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
