//! What a library must satisfy, as data: every fact below comes from a published package or is one row of a table.

pub mod libraries;
pub mod mangled;
pub mod manylinux;
pub mod python;
pub mod torch;

use std::collections::BTreeSet;

use kernel_spec::arch::System;
use kernel_spec::variant::{ArchVariant, FrameworkAbi};
use kernel_spec::{Backend, Framework, Version};

pub use manylinux::Manylinux;

/// The oldest Python that kernels support unless they say otherwise.
pub const OLDEST_PYTHON: (u64, u64) = (3, 9);
/// The oldest macOS that kernels support unless told otherwise.
pub const OLDEST_MACOS: (u64, u64) = (15, 0);

/// What a library must satisfy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Where it must load.
    pub system: System,
    /// Oldest Linux systems on which it must load; `None` judges no versions (`--policy host`).
    pub manylinux: Option<Manylinux>,
    /// Oldest macOS on which it must load.
    pub minimum_macos: Version,
    /// Oldest Python whose limited API it may use.
    pub python: Version,
    /// Oldest Torch whose stable ABI it may use; `None` where it binds to one Torch.
    pub torch_stable_abi: Option<Version>,
    /// What it binds to: decides its entry points and some libraries.
    pub framework: Framework,
    /// What it runs on; decides which libraries it may need.
    pub backend: Backend,
    /// Major version of the backend's toolkit, part of the names of its libraries.
    pub toolkit: Option<u64>,
    /// GPU architectures that it promises, as metadata writes them (`9.0a`, `12.0+PTX`, `gfx942`); `None` where
    /// nothing was promised.
    pub gpu: Option<BTreeSet<String>>,
}

impl Policy {
    /// The policy of a system, a framework and a backend, with the oldest systems that Hub kernels support.
    pub fn new(system: System, framework: Framework, backend: Backend) -> Self {
        Self {
            system,
            manylinux: Some(Manylinux::default()),
            minimum_macos: Version::major_minor(OLDEST_MACOS.0, OLDEST_MACOS.1),
            python: Version::major_minor(OLDEST_PYTHON.0, OLDEST_PYTHON.1),
            torch_stable_abi: None,
            framework,
            backend,
            toolkit: None,
            gpu: None,
        }
    }

    /// The policy that a variant's name alone asks for.
    pub fn for_variant(variant: &ArchVariant) -> Self {
        let (framework, stable) = match variant.framework {
            FrameworkAbi::Torch { .. } => (Framework::Torch, None),
            FrameworkAbi::TorchStableAbi(version) => (Framework::Torch, Some(version.version())),
            FrameworkAbi::TvmFfi(_) => (Framework::TvmFfi, None),
        };
        let toolkit = variant.compute.toolkit().map(kernel_spec::variant::ToolkitVersion::major);
        let policy = Self::new(variant.system, framework, variant.compute.backend());
        Self { torch_stable_abi: stable, toolkit, ..policy }
    }
}
