//! Answer of `schema`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A JSON Schema.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SchemaReport {
    /// What it describes.
    pub of: String,
    /// The schema.
    pub schema: Value,
}
