//! The frameworks a kernel can bind to, one row each.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The section of the manifest that says how Python reaches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Framework {
    /// A C++ extension registered with `TORCH_LIBRARY`; with or without the stable ABI.
    Torch,
    /// Python only, for example Triton.
    TorchNoarch,
    /// A library of TVM-FFI functions.
    TvmFfi,
}

/// One row of the framework table.
#[derive(Debug)]
pub struct FrameworkRow {
    /// The framework.
    pub framework: Framework,
    /// Its section in `build.toml`.
    pub section: &'static str,
    /// The directory of its Python package.
    pub extension_directory: &'static str,
    /// Whether something is compiled.
    pub compiles: bool,
}

/// Every framework.
pub static FRAMEWORKS: &[FrameworkRow] = &[
    FrameworkRow {
        framework: Framework::Torch,
        section: "torch",
        extension_directory: "torch-ext",
        compiles: true,
    },
    FrameworkRow {
        framework: Framework::TorchNoarch,
        section: "torch-noarch",
        extension_directory: "torch-ext",
        compiles: false,
    },
    FrameworkRow {
        framework: Framework::TvmFfi,
        section: "tvm-ffi",
        extension_directory: "tvm-ffi-ext",
        compiles: true,
    },
];

impl Framework {
    /// This framework's row.
    pub fn row(self) -> &'static FrameworkRow {
        &FRAMEWORKS[self as usize]
    }

    /// Its section in `build.toml`.
    pub fn section(self) -> &'static str {
        self.row().section
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.section())
    }
}
