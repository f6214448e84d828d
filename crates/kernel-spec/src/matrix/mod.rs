//! The matrix: which versions of torch and TVM-FFI, which toolkits and which systems kernels are built for. A data
//! file, so that a new release of torch or CUDA needs no new release of this program.

mod closest;
mod file;
mod host;
mod offer;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

pub use closest::closest;
pub use file::MatrixError;
pub use host::{HostOffers, Refusal, host_variants_of};
pub use offer::{Offer, compiled_variants_of, variants_of};

use crate::arch::System;
use crate::capability::{Capability, GfxTarget};
use crate::variant::{FrameworkVersion, ToolkitVersion};
use crate::{Backend, Version};

static EMBEDDED: LazyLock<Matrix> = LazyLock::new(|| {
    let mut matrix = Matrix::default();
    matrix.merge(include_str!("../../data/matrix.toml")).expect("a test reads the embedded matrix");
    matrix
});

/// The whole table. `Matrix::embedded` is the program's own; `merge` lays a user's file over it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    torch: BTreeMap<(FrameworkVersion, Backend), Row>,
    tvm_ffi: BTreeMap<(FrameworkVersion, Backend), Row>,
    cxx_standard: BTreeMap<Version, u32>,
    cuda_capabilities: BTreeMap<Version, Vec<Capability>>,
    rocm_targets: BTreeMap<Version, Vec<GfxTarget>>,
    cuda_host_compilers: BTreeMap<Version, HostCompilers>,
}

/// What one version of a framework is built for on one backend.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// Empty for backends without a toolkit.
    toolkits: Vec<ToolkitVersion>,
    systems: Vec<System>,
    bundled: bool,
}

/// The newest host compilers that a CUDA toolkit accepts, by major version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCompilers {
    /// GCC.
    pub gcc: u32,
    /// Clang.
    pub clang: u32,
}

impl Matrix {
    /// The matrix that comes with the program.
    pub fn embedded() -> &'static Matrix {
        &EMBEDDED
    }

    /// The C++ standard that torch's headers of this version need: 17 or 20.
    pub fn cxx_standard(&self, torch: &Version) -> u32 {
        since(&self.cxx_standard, torch).copied().unwrap_or(17)
    }

    /// The capabilities a CUDA toolkit of this version builds where a kernel lists none.
    pub fn cuda_capabilities(&self, toolkit: &Version) -> &[Capability] {
        since(&self.cuda_capabilities, toolkit).map_or(&[], Vec::as_slice)
    }

    /// The gfx targets a ROCm toolkit of this version builds where a kernel lists none.
    pub fn rocm_targets(&self, toolkit: &Version) -> &[GfxTarget] {
        since(&self.rocm_targets, toolkit).map_or(&[], Vec::as_slice)
    }

    /// The newest host compilers that a CUDA toolkit of this version accepts; `None` below the table.
    pub fn cuda_host_compilers(&self, toolkit: &Version) -> Option<HostCompilers> {
        since(&self.cuda_host_compilers, toolkit).copied()
    }

    /// The toolkit versions that any row has for a backend, in order: what a wrong name may have meant.
    pub fn toolkits(&self, backend: Backend) -> Vec<ToolkitVersion> {
        let rows = self.torch.iter().chain(&self.tvm_ffi).filter(|((_, of), _)| *of == backend);
        let mut toolkits: Vec<ToolkitVersion> =
            rows.flat_map(|(_, row)| row.toolkits.iter().copied()).collect();
        toolkits.sort();
        toolkits.dedup();
        toolkits
    }

    /// The newest torch of the matrix.
    pub fn newest_torch(&self) -> Option<FrameworkVersion> {
        self.torch.keys().map(|(version, _)| *version).max()
    }
}

/// The entry of a table by lowest version that holds for `version`: the one with the highest key it reaches.
fn since<'a, T>(table: &'a BTreeMap<Version, T>, version: &Version) -> Option<&'a T> {
    table.iter().rev().find(|(from, _)| version.reaches(from)).map(|(_, entry)| entry)
}

#[cfg(test)]
mod tests;
