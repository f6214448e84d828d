//! What a command answers when it has finished: one report, or one failure.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Finding, Span};

/// The answer of a command that did what it was asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Report {}

/// The answer of a command that could not.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Failure {
    /// Stable code.
    pub code: String,
    /// Exit status of the process.
    pub exit: u8,
    /// What happened.
    pub message: String,
    /// Why, outermost first.
    pub causes: Vec<String>,
    /// What to do.
    pub help: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The single faults, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}
