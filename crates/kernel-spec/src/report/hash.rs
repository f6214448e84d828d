//! Answer of `hash`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::worst;
use crate::{ExitClass, Finding, Severity};

/// The digests of built variants.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HashReport {
    /// Whether digests were only compared.
    pub check: bool,
    /// Each variant, by name.
    pub variants: Vec<HashedVariant>,
}

/// One variant's digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HashedVariant {
    /// Its name.
    pub variant: String,
    /// Its directory.
    pub directory: String,
    /// Files in the digest.
    pub files: usize,
    /// What was found or done.
    pub state: HashState,
    /// Whether a signature was removed because it no longer matched.
    pub signature_removed: bool,
    /// What is in it that no digest vouches for: links and byte code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// How a recorded digest stands to the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HashState {
    /// It is that of the files.
    Current,
    /// It is absent or another, and was left so.
    Stale,
    /// It was absent or another, and is now that of the files.
    Written,
}

impl HashReport {
    /// A stale digest is a failed check, and so is what none vouches for.
    pub fn exit(&self) -> ExitClass {
        let fails = |variant: &HashedVariant| {
            variant.state == HashState::Stale || worst(&variant.findings) == Some(Severity::Error)
        };
        if self.variants.iter().any(fails) { ExitClass::Check } else { ExitClass::Success }
    }
}
