//! Answer of `ide`.

use schemars::JsonSchema;
use serde::Serialize;

/// What editors can use now.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct IdeReport {
    /// The variants whose commands are in the database.
    pub variants: Vec<String>,
    /// Commands in the database.
    pub commands: usize,
    /// Files that are as this command writes them.
    pub files: Vec<String>,
    /// Those of them that were not so before.
    pub written: Vec<String>,
    /// Files that somebody wrote or edited and that stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}
