//! The file of declared operations of a project.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::workloads::{self, FILE, Workloads};
use kernel_spec::{Severity, SourceText, code};

use crate::{Result, regular};

/// No file that people write comes near this size in bytes.
const LARGEST: u64 = 4 << 20;

/// Declared operations, with the place of their file.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The file.
    pub path: Utf8PathBuf,
    /// What it declares.
    pub workloads: Workloads,
}

/// What a project declares, if it declares anything; all faults of the file are returned together.
pub fn declared(project: &Utf8Path) -> Result<Option<Declared>> {
    declared_at(project.join(FILE))
}

/// The same of a file.
pub(crate) fn declared_at(path: Utf8PathBuf) -> Result<Option<Declared>> {
    let text = match regular::text_if_there(&path, LARGEST) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(reason) => return Err(regular::Unreadable { path, reason }.into()),
    };
    let parsed = workloads::parse(&SourceText::new(FILE, text));
    if let Some(workloads) = parsed.workloads {
        return Ok(Some(Declared { path, workloads }));
    }
    let errors = parsed.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let faults = if errors == 1 { "fault" } else { "faults" };
    let summary = format!("`{FILE}` has {errors} {faults}");
    Err(Faults::new(&code::workloads::INVALID, summary, parsed.findings).into())
}
