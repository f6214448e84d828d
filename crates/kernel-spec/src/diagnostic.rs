//! What a compiler said about a source, taken apart: one shape for gcc, clang, nvcc, ptxas and the linkers, so that
//! editors and agents need not read any of their dialects. The words are the compiler's own: never trust them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Severity;

/// One message of a compiler with the remarks that belong to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// How much it matters to the compiler.
    pub severity: Severity,
    /// The compiler's own code: the option that switches the message (`-Wunused-variable`) or its number (`#20-D`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The message.
    pub message: String,
    /// Where; not every message has a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Remarks that explain it, in the compiler's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Remark>,
}

/// A remark that belongs to a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Remark {
    /// The message.
    pub message: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// A place as a compiler names it; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Place {
    /// The file, relative to the project for its own.
    pub file: String,
    /// The line, where it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, where it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}
