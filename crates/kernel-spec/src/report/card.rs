//! What `card` answers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ExitClass, Finding};

/// The answer of `card`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CardReport {
    /// Where the card is; absent where it was asked for on standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The card.
    pub text: String,
    /// Whether the file had this text before.
    pub current: bool,
    /// Whether the file was only compared.
    pub checked: bool,
    /// Variants that are not what was built; the card says so too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Where the page for a browser is, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The command that usually comes next, argument by argument.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
}

impl CardReport {
    /// A stale card fails a check, and a damaged variant fails whatever is done.
    pub fn exit(&self) -> ExitClass {
        let stale = (self.checked && !self.current).then_some(ExitClass::Check);
        let found = self.findings.iter().map(|finding| finding.code.exit);
        found.chain(stale).min().unwrap_or(ExitClass::Success)
    }
}
