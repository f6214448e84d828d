//! Answer of `run`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ExitClass, Finding};

/// What became of a program whose kernels were verified.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How it ended.
    pub end: String,
    /// The kernels that were found to be what is pinned, in the order of their imports.
    pub verified: Vec<VerifiedKernel>,
    /// What was refused, and what else went wrong.
    pub findings: Vec<Finding>,
}

impl RunReport {
    /// A refused kernel before a failed program.
    pub fn exit(&self) -> ExitClass {
        self.findings.iter().map(|finding| finding.code.exit).min().unwrap_or(ExitClass::Success)
    }
}

/// A kernel that is what is pinned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifiedKernel {
    /// `OWNER/NAME@REV`, as it was pinned.
    pub kernel: String,
    /// Where it was loaded from.
    pub directory: String,
}
