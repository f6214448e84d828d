//! Answer of `explain`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Code;

/// What was asked to be explained.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainReport {
    /// The codes: the one asked for, or all.
    pub codes: Vec<CodeEntry>,
    /// Whether all codes were asked for, so that people get a list instead of a page.
    #[serde(skip)]
    pub list: bool,
}

/// One code and what its table says.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CodeEntry {
    /// `area/name`.
    pub code: &'static str,
    /// Exit status when it stops the program.
    pub exit: u8,
    /// What it means.
    pub meaning: &'static str,
    /// What produces it.
    pub example: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

impl From<&'static Code> for CodeEntry {
    fn from(code: &'static Code) -> Self {
        Self {
            code: code.id,
            exit: code.exit.status(),
            meaning: code.meaning,
            example: code.example,
            remedy: code.remedy,
        }
    }
}
