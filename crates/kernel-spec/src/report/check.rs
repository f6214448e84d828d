//! What `check` and `check-abi` answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ExitClass, Finding, Severity};

/// The answer of `check` and of `check-abi`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CheckReport {
    /// The manifest, or the path that `check-abi` was given, as the user would name it.
    pub manifest: String,
    /// The kernel's name, where it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether warnings count as errors.
    pub warnings_denied: bool,
    /// Everything that was found.
    pub findings: Vec<Finding>,
    /// Its other forms that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

impl CheckReport {
    /// A report of these findings.
    pub fn new(manifest: &str, findings: Vec<Finding>) -> Self {
        Self {
            manifest: manifest.to_owned(),
            name: None,
            warnings_denied: false,
            findings,
            reports: Vec::new(),
        }
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// The class of the first stage that failed: a wrong manifest before wrong files before a wrong artifact.
    pub fn exit(&self) -> ExitClass {
        let least = if self.warnings_denied { Severity::Warning } else { Severity::Error };
        let failing = self.findings.iter().filter(|finding| finding.severity >= least);
        failing.map(|finding| finding.code.exit).min().unwrap_or(ExitClass::Success)
    }
}
