//! What `migrate` answers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ExitClass;

/// The answer of `migrate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MigrateReport {
    /// The manifest, as the user would name it.
    pub manifest: String,
    /// The edition it was written in.
    pub from: u8,
    /// Whether the current edition needs another text.
    pub changed: bool,
    /// Whether the new text was written.
    pub written: bool,
    /// The change as a unified diff, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Whether a change that was not made is a failure.
    pub checked: bool,
}

impl MigrateReport {
    /// A stale manifest fails a check.
    pub fn exit(&self) -> ExitClass {
        if self.checked && self.changed { ExitClass::Check } else { ExitClass::Success }
    }
}
