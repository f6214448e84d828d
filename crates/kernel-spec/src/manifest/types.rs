//! The manifest as values: the same for every edition, with the place of everything that a later check may have to
//! point at. Section 1 of the format: editions 4 (no `edition` key) and 5.

use std::collections::BTreeMap;

use crate::{Backend, Framework, KernelName, Located, Version};

/// Which form of the file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edition {
    /// No `edition` key, and no framework section for a Python-only kernel; only a migration reads it.
    Three,
    /// No `edition` key; a framework section is required.
    Four,
    /// `edition = 5`.
    Five,
}

/// A whole, valid `build.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The form that was read.
    pub edition: Edition,
    /// `[general]` and its sub-tables.
    pub general: General,
    /// The one framework section.
    pub binding: Binding,
    /// `[kernel.*]`, in the order of the file.
    pub components: Vec<Component>,
}

/// `[general]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct General {
    /// The kernel's name.
    pub name: Located<KernelName>,
    /// Major version; also the Hub branch `v<version>`.
    pub version: Located<u64>,
    /// Licence as written.
    pub license: Located<String>,
    /// Backends in the order of the file, without repetitions.
    pub backends: Vec<Located<Backend>>,
    /// Where the algorithm or code comes from, as written.
    pub upstream: Option<Located<String>>,
    /// The repository of this project, as written.
    pub source: Option<Located<String>>,
    /// Python dependencies of every backend.
    pub python_depends: Vec<Located<String>>,
    /// Kernel dependencies of every backend.
    pub kernel_depends: Vec<Located<KernelDependency>>,
    /// `[general.hub]`.
    pub hub: Hub,
    /// Lower bound of the CUDA variants.
    pub cuda_minimum: Option<Located<Version>>,
    /// Inclusive upper bound of the CUDA variants.
    pub cuda_maximum: Option<Located<Version>>,
    /// What single backends add: `[general.cuda]`, `[general.neuron]`, `[general.tpu]`, `[general.xpu]`.
    pub by_backend: BTreeMap<Backend, BackendDependencies>,
}

/// Dependencies that one backend adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackendDependencies {
    /// Names from that backend's allow-list.
    pub python_depends: Vec<Located<String>>,
    /// Kernels from the Hub.
    pub kernel_depends: Vec<Located<KernelDependency>>,
}

/// Another kernel on the Hub.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelDependency {
    /// `owner/name`.
    pub repo_id: String,
    /// Which state of it.
    pub reference: KernelReference,
}

/// Exactly one way to name a state of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KernelReference {
    /// Branch `v<version>`.
    Version(u64),
    /// A commit, branch or tag.
    Revision(String),
}

/// `[general.hub]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hub {
    /// `owner/name`.
    pub repo_id: Option<Located<String>>,
    /// Branch to publish on instead of `v<version>`.
    pub branch: Option<Located<String>>,
}

/// The framework section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// `[torch]`.
    Torch(TorchBinding),
    /// `[torch-noarch]`.
    TorchNoarch(NoarchBinding),
    /// `[tvm-ffi]`.
    TvmFfi(TvmFfiBinding),
}

/// `[torch]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TorchBinding {
    /// What is compiled for the binding itself.
    pub common: CompiledBinding,
    /// Lower bound on torch.
    pub minimum: Option<Located<Version>>,
    /// Inclusive upper bound on torch.
    pub maximum: Option<Located<Version>>,
    /// Which stable ABI each backend is built for, if any.
    pub stable_abi: StableAbi,
}

/// `[tvm-ffi]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TvmFfiBinding {
    /// What is compiled for the binding itself.
    pub common: CompiledBinding,
}

/// What `[torch]` and `[tvm-ffi]` share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledBinding {
    /// Sources and headers, relative to the project, normalised, each once.
    pub sources: Vec<Located<String>>,
    /// Include directories, relative to the project, normalised.
    pub include: Vec<Located<String>>,
    /// Extensions of the files that ship; `None` is the default (`py`, `pyi`).
    pub python_extensions: Option<Vec<Located<String>>>,
    /// Extra flags for C++.
    pub cxx_flags: Vec<Located<String>>,
}

/// `[torch-noarch]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoarchBinding {
    /// Extensions of the files that ship; `None` ships every file but bytecode and hidden files.
    pub python_extensions: Option<Vec<Located<String>>>,
    /// CUDA capabilities to record in the metadata.
    pub cuda_capabilities: Vec<Located<String>>,
    /// gfx targets to record in the metadata.
    pub rocm_archs: Vec<Located<String>>,
}

/// `torch.stable-abi`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StableAbi {
    /// Not used.
    #[default]
    None,
    /// One version for every backend.
    All(Located<Version>),
    /// A version for the listed backends only.
    ByBackend(BTreeMap<Backend, Located<Version>>),
}

/// One `[kernel.<name>]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// `<name>`.
    pub name: Located<String>,
    /// Its backend.
    pub backend: Located<Backend>,
    /// Build dependencies such as `torch` or `cutlass_4_0`.
    pub depends: Vec<Located<String>>,
    /// Sources and headers, relative to the project, normalised, each once.
    pub sources: Vec<Located<String>>,
    /// Include directories, relative to the project, normalised.
    pub include: Vec<Located<String>>,
    /// Extra flags for C++.
    pub cxx_flags: Vec<Located<String>>,
    /// What only this backend has.
    pub target: Target,
}

/// The keys of a component that only its backend has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `backend = "cpu"`.
    Cpu,
    /// `backend = "cuda"`.
    Cuda {
        /// `cuda-capabilities`; `None` is the default list, an empty list is a fault.
        capabilities: Option<Vec<Located<String>>>,
        /// `cuda-flags`.
        flags: Vec<Located<String>>,
        /// `cuda-minver`: on older toolkits the component is left out.
        minimum: Option<Located<Version>>,
    },
    /// `backend = "metal"`.
    Metal,
    /// `backend = "rocm"`.
    Rocm {
        /// `rocm-archs`; `None` is the default list.
        architectures: Option<Vec<Located<String>>>,
        /// `hip-flags`.
        flags: Vec<Located<String>>,
    },
    /// `backend = "xpu"`.
    Xpu {
        /// `sycl-flags`.
        flags: Vec<Located<String>>,
    },
}

impl Manifest {
    /// The framework the kernel binds to.
    pub fn framework(&self) -> Framework {
        match self.binding {
            Binding::Torch(_) => Framework::Torch,
            Binding::TorchNoarch(_) => Framework::TorchNoarch,
            Binding::TvmFfi(_) => Framework::TvmFfi,
        }
    }

    /// What is compiled for the binding, if anything is.
    pub fn compiled_binding(&self) -> Option<&CompiledBinding> {
        match &self.binding {
            Binding::Torch(torch) => Some(&torch.common),
            Binding::TvmFfi(tvm_ffi) => Some(&tvm_ffi.common),
            Binding::TorchNoarch(_) => None,
        }
    }

    /// The components of one backend, in the order of the file.
    pub fn components_of(&self, backend: Backend) -> impl Iterator<Item = &Component> {
        self.components.iter().filter(move |component| component.backend.value == backend)
    }

    /// Directory of the Python package that ships, relative to the project.
    pub fn package_directory(&self) -> String {
        format!("{}/{}", self.framework().row().extension_directory, self.general.name.python_name())
    }

    /// The stable-ABI version that variants of `backend` are built for.
    pub fn stable_abi(&self, backend: Backend) -> Option<&Version> {
        match &self.binding {
            Binding::Torch(TorchBinding { stable_abi: StableAbi::All(version), .. }) => Some(&version.value),
            Binding::Torch(TorchBinding { stable_abi: StableAbi::ByBackend(versions), .. }) => {
                versions.get(&backend).map(|version| &version.value)
            }
            _ => None,
        }
    }
}
