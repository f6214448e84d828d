//! The document of a variant's last benchmark, as a project keeps it.

use camino::Utf8Path;
use kernel_bench::report::Document;
use kernel_spec::{Finding, code};

use super::document_of;
use crate::records;

/// No document of a run comes near this size in bytes.
const LARGEST: u64 = 256 << 20;

/// The document of a variant's last run; a finding where it cannot be read.
pub fn kept(project: &Utf8Path, variant: &str) -> Result<Option<Document>, Box<Finding>> {
    let about = (variant, "kept result of the benchmark", &code::bench::RECORD);
    records::read(&document_of(project, variant), LARGEST, about)
}
