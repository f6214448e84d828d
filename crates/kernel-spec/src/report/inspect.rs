//! What `inspect` answers: the facts about libraries, without judgement.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ExitClass, Finding};

/// The answer of `inspect`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct InspectReport {
    /// The libraries, by path; a fat library once for each architecture.
    pub libraries: Vec<InspectedLibrary>,
    /// Files that could not be read, or are no libraries.
    pub findings: Vec<Finding>,
}

/// The facts about one library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InspectedLibrary {
    /// Its path, relative to what was asked for.
    pub file: String,
    /// The variant whose directory it lies in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// `elf`, `mach-o` or `pe`.
    pub format: String,
    /// The processor.
    pub architecture: String,
    /// Bytes of the file.
    pub size: u64,
    /// `SONAME` or install name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The linker's identity of the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// What kernel-builder wrote into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<ProvenanceNote>,
    /// Libraries that are loaded first.
    pub needed: Vec<String>,
    /// Directories that the loader is told to search.
    pub search_paths: Vec<String>,
    /// The newest version needed of each library, by the version's prefix: `libc.so.6` → `GLIBC_2.17`.
    pub symbol_floors: BTreeMap<String, Vec<String>>,
    /// The oldest systems that its variant promises: a manylinux policy, or `host`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promised: Option<String>,
    /// The oldest manylinux policy whose systems have all that it takes from the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manylinux: Option<String>,
    /// The oldest macOS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_macos: Option<String>,
    /// What it takes from Python.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<PythonAbi>,
    /// The oldest Torch that has the stable functions it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torch_stable_abi: Option<String>,
    /// Embedded GPU code, by kind and architecture.
    pub gpu: Vec<GpuPayload>,
    /// Names that others can bind to.
    pub exports: Vec<String>,
    /// Bytes of each section, largest first.
    pub sections: Vec<SectionSize>,
}

/// The provenance note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProvenanceNote {
    /// The kernel's commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether the working tree had changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
    /// Version of the kernel-builder that filled it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// What a library takes from Python.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PythonAbi {
    /// The oldest Python whose limited API has all of it.
    pub minimum: String,
    /// Names outside the limited API.
    pub unlimited: Vec<String>,
}

/// GPU code of one kind and architecture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GpuPayload {
    /// `cubin`, `ptx`, `hip` or `sycl`.
    pub kind: String,
    /// The architecture, as the compiler calls it.
    pub architecture: String,
    /// Number of images.
    pub images: u64,
    /// Bytes in the file.
    pub size: u64,
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub struct SectionSize {
    pub name: String,
    pub size: u64,
}

impl InspectReport {
    /// An unreadable file before a file that is no library.
    pub fn exit(&self) -> ExitClass {
        self.findings.iter().map(|finding| finding.code.exit).max().unwrap_or(ExitClass::Success)
    }
}
