//! What `card` answers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ExitClass;

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
}

impl CardReport {
    /// A stale card fails a check.
    pub fn exit(&self) -> ExitClass {
        if self.checked && !self.current { ExitClass::Check } else { ExitClass::Success }
    }
}
