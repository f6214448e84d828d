//! Answer of `status`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ExitClass, Finding};

/// How each variant of a project stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusReport {
    /// The kernel.
    pub name: String,
    /// The variants that publishing builds by default, and every other that is built; by name.
    pub variants: Vec<VariantStatus>,
    /// The command that brings the project nearest to publication, argument by argument.
    pub next: Vec<String>,
}

impl StatusReport {
    /// However variants stand is an answer; that it is not known, because something could not be read, is none.
    pub fn exit(&self) -> ExitClass {
        let mut findings = self.variants.iter().flat_map(|variant| &variant.findings);
        let unread = findings.any(|finding| finding.code.exit == ExitClass::Unreadable);
        if unread { ExitClass::Unreadable } else { ExitClass::Success }
    }
}

/// How one variant stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VariantStatus {
    /// Its name.
    pub variant: String,
    /// Whether it is there, and of these sources.
    pub state: VariantState,
    /// Whether publishing builds it by default.
    pub bundled: bool,
    /// `release`, or `dev`, which is never published; absent where it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The commit that it was built from, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether the kernel's files differed from the commit.
    pub dirty: bool,
    /// How the last test of this very artifact ended; absent where it was not tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tested: Option<bool>,
    /// Whether a signature lies beside it; `verify` says what it is worth.
    pub signed: bool,
    /// What is wrong with its files, where they are not those of the build, and which of its results cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// Whether a variant is there, and of which sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VariantState {
    /// It was not built.
    Missing,
    /// It was built from the sources as they are.
    Built,
    /// The sources have changed since it was built.
    Stale,
    /// Its files are not those that its digest names.
    Changed,
    /// Its metadata cannot be used.
    Broken,
}
