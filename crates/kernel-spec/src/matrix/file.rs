//! The matrix as a file, and how one file is laid over another: rows are replaced whole, by version and backend, and
//! entries of tables by their key, so that an override says only what differs.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{HostCompilers, Matrix, Row};
use crate::arch::System;
use crate::capability::{Capability, GfxTarget};
use crate::variant::{FrameworkVersion, ToolkitVersion};
use crate::{Backend, Version};

/// The form of the file this program reads.
const SCHEMA: u32 = 1;

/// Why a file is no matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// Not TOML of the right form.
    #[error("{0}")]
    Form(String),
    /// A form of another time.
    #[error("`schema = {0}` is not the form this version of kernel-builder reads (`schema = {SCHEMA}`)")]
    Schema(u32),
    /// A row that says something impossible.
    #[error("the row for version {version} on `{backend}` {fault}")]
    Row {
        /// Version of the row.
        version: Version,
        /// Backend of the row.
        backend: Backend,
        /// What is wrong with it.
        fault: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct MatrixFile {
    schema: u32,
    #[serde(default)]
    torch: Vec<RowFile>,
    #[serde(default)]
    tvm_ffi: Vec<RowFile>,
    #[serde(default)]
    cxx_standard: BTreeMap<Version, u32>,
    #[serde(default)]
    cuda_capabilities: BTreeMap<Version, Vec<Capability>>,
    #[serde(default)]
    rocm_targets: BTreeMap<Version, Vec<GfxTarget>>,
    #[serde(default)]
    cuda_host_compilers: BTreeMap<Version, HostCompilers>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RowFile {
    version: Version,
    backend: Backend,
    #[serde(default)]
    toolkits: Vec<Version>,
    systems: Vec<System>,
    #[serde(default)]
    bundled: bool,
}

impl Matrix {
    /// Lays a matrix file over this one. Nothing changes where the file is faulty.
    pub fn merge(&mut self, text: &str) -> Result<(), MatrixError> {
        let file: MatrixFile = toml::from_str(text)
            .map_err(|error| MatrixError::Form(error.to_string().trim_end().to_owned()))?;
        if file.schema != SCHEMA {
            return Err(MatrixError::Schema(file.schema));
        }
        let torch = rows(file.torch)?;
        let tvm_ffi = rows(file.tvm_ffi)?;
        self.torch.extend(torch);
        self.tvm_ffi.extend(tvm_ffi);
        self.cxx_standard.extend(file.cxx_standard);
        self.cuda_capabilities.extend(file.cuda_capabilities);
        self.rocm_targets.extend(file.rocm_targets);
        self.cuda_host_compilers.extend(file.cuda_host_compilers);
        Ok(())
    }
}

fn rows(rows: Vec<RowFile>) -> Result<BTreeMap<(FrameworkVersion, Backend), Row>, MatrixError> {
    let mut read = BTreeMap::new();
    for row in rows {
        let fault = |fault: &dyn std::fmt::Display| MatrixError::Row {
            version: row.version.clone(),
            backend: row.backend,
            fault: fault.to_string(),
        };
        let version =
            FrameworkVersion::of(&row.version).map_err(|error| fault(&format!("is faulty: {error}")))?;
        let toolkits: Result<Vec<ToolkitVersion>, _> = row.toolkits.iter().map(ToolkitVersion::of).collect();
        let toolkits = toolkits.map_err(|error| fault(&format!("is faulty: {error}")))?;
        if !row.backend.row().compiles {
            return Err(fault(&"is not needed: nothing is compiled for this backend"));
        }
        if row.backend.has_toolkit() == toolkits.is_empty() {
            let verb = if toolkits.is_empty() { "needs" } else { "cannot have" };
            return Err(fault(&format!("{verb} `toolkits`")));
        }
        let key = (version, row.backend);
        if read.insert(key, Row { toolkits, systems: row.systems, bundled: row.bundled }).is_some() {
            let twice = "stands twice in the file";
            return Err(MatrixError::Row {
                version: version.version(),
                backend: key.1,
                fault: twice.to_owned(),
            });
        }
    }
    Ok(read)
}
