//! Answer of `collect`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Finding;

/// The set that was made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CollectReport {
    /// Where it is, as it was named.
    pub directory: String,
    /// The commit that all variants are of, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its variants, by name.
    pub variants: Vec<CollectedVariant>,
    /// Remarks that did not stop it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// One variant of a set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CollectedVariant {
    /// Its name.
    pub name: String,
    /// The directory it was taken from.
    pub from: String,
}
