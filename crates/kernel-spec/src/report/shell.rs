//! Answer of `shell`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ExitClass, Finding};

/// What became of a program, or of a person's shell, in the environment of a variant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShellReport {
    /// The variant.
    pub variant: String,
    /// Whether it is built, so that the loader finds it.
    pub built: bool,
    /// What was set beyond the user's own environment.
    pub variables: BTreeMap<String, String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How it ended.
    pub end: String,
    /// What went wrong.
    pub findings: Vec<Finding>,
}

impl ShellReport {
    /// A program that failed is a failure; how a person leaves a shell is not.
    pub fn exit(&self) -> ExitClass {
        self.findings.iter().map(|finding| finding.code.exit).min().unwrap_or(ExitClass::Success)
    }
}
