//! Answer of `pin`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ExitClass, Finding};

/// Published kernels as they are now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PinReport {
    /// Our file.
    pub pins: String,
    /// The loader's lock.
    pub lock: String,
    /// Whether the files say so.
    pub state: PinState,
    /// The kernels, with those that they depend on.
    pub kernels: Vec<PinnedKernel>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

impl PinReport {
    /// Files that were compared and say something else are a failure.
    pub fn exit(&self) -> ExitClass {
        if self.state == PinState::Stale { ExitClass::Check } else { ExitClass::Success }
    }
}

/// How the files of pins stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PinState {
    /// They were written.
    Written,
    /// They said so already.
    Current,
    /// They say something else, or are not there, and were only compared.
    Stale,
}

/// One kernel at one commit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PinnedKernel {
    /// The repository, as `OWNER/NAME`.
    pub repository: String,
    /// What was asked for: a branch or a commit.
    pub revision: String,
    /// The commit.
    pub commit: String,
    /// Whether the loader trusts the publisher by itself.
    pub trusted: bool,
    /// SHA-256 of each variant's `metadata.json`, in hexadecimal; the digest in it speaks of all other files.
    pub variants: BTreeMap<String, String>,
}
