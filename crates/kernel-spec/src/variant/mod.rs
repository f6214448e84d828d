//! Build variants: the directories of a built kernel, and the names by which the loader chooses among them.
//! `Display` and `FromStr` are inverse: every value has one name, and only that name gives the value back. What the
//! loader reads beyond that (unknown processors, leading zeros, any word after `torch-`) is a [`LoaderName`].

mod loader_name;
mod number;

use std::fmt;
use std::str::FromStr;

use crate::arch::{Cpu, Os, System};
use crate::{Backend, Framework};

pub use loader_name::{LoaderName, LoaderNameError};
pub use number::{AmbiguousVersion, FrameworkVersion, ToolkitVersion};

/// One way in which a kernel is built. Ordered by framework, version, compute and system, as lists show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variant {
    /// Compiled for one system.
    Arch(ArchVariant),
    /// Python only: `torch-cpu`, `torch-universal`.
    Noarch(NoarchTarget),
}

/// A compiled variant: `torch213-cxx11-cu126-x86_64-linux`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArchVariant {
    /// What it binds to.
    pub framework: FrameworkAbi,
    /// What it runs on.
    pub compute: Compute,
    /// Where it runs.
    pub system: System,
}

/// The binary interface that a compiled variant needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameworkAbi {
    /// One minor version of torch.
    Torch {
        /// Torch.
        version: FrameworkVersion,
        /// The C++ string ABI, where the name tells it: Linux builds say `cxx11`, others nothing.
        cxx_abi: Option<CxxAbi>,
    },
    /// Torch's stable ABI, from this version on.
    TorchStableAbi(FrameworkVersion),
    /// One minor version of TVM-FFI.
    TvmFfi(FrameworkVersion),
}

/// The C++ string ABI of libstdc++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CxxAbi {
    /// The old one (`cxx98`).
    Cxx98,
    /// The one of C++11 (`cxx11`).
    Cxx11,
}

/// A backend, with the version of its toolkit where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Compute {
    Cpu,
    Metal,
    Neuron,
    Tpu,
    Cuda(ToolkitVersion),
    Rocm(ToolkitVersion),
    Xpu(ToolkitVersion),
    Cann(ToolkitVersion),
}

/// What a Python-only variant is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoarchTarget {
    /// One backend, under the loader's name for it.
    Backend(Backend),
    /// Every backend.
    Universal,
}

impl Variant {
    /// The torch variant for a system: with the ABI tag exactly on Linux, as the published kernels have it.
    pub fn torch(version: FrameworkVersion, compute: Compute, system: System) -> Self {
        let cxx_abi = (system.os == Os::Linux).then_some(CxxAbi::Cxx11);
        Self::Arch(ArchVariant { framework: FrameworkAbi::Torch { version, cxx_abi }, compute, system })
    }

    /// The backend it serves; `None` for `torch-universal`, which serves all.
    pub fn backend(&self) -> Option<Backend> {
        match self {
            Variant::Arch(arch) => Some(arch.compute.backend()),
            Variant::Noarch(NoarchTarget::Backend(backend)) => Some(*backend),
            Variant::Noarch(NoarchTarget::Universal) => None,
        }
    }

    /// The framework it binds to.
    pub fn framework(&self) -> Framework {
        match self {
            Variant::Arch(ArchVariant { framework: FrameworkAbi::TvmFfi(_), .. }) => Framework::TvmFfi,
            Variant::Arch(_) => Framework::Torch,
            Variant::Noarch(_) => Framework::TorchNoarch,
        }
    }

    /// The compiled part, if anything is compiled.
    pub fn arch(&self) -> Option<&ArchVariant> {
        match self {
            Variant::Arch(arch) => Some(arch),
            Variant::Noarch(_) => None,
        }
    }
}

impl CxxAbi {
    /// Its tag in a name.
    pub fn as_str(self) -> &'static str {
        match self {
            CxxAbi::Cxx98 => "cxx98",
            CxxAbi::Cxx11 => "cxx11",
        }
    }
}

/// Makes a compute of a toolkit's version.
type WithToolkit = fn(ToolkitVersion) -> Compute;

impl Compute {
    /// The backends whose names carry a version, with what stands before it.
    pub(crate) const WITH_TOOLKIT: &[(&str, WithToolkit)] =
        &[("cu", Compute::Cuda), ("rocm", Compute::Rocm), ("xpu", Compute::Xpu), ("cann", Compute::Cann)];

    /// The backend.
    pub fn backend(self) -> Backend {
        match self {
            Compute::Cpu => Backend::Cpu,
            Compute::Metal => Backend::Metal,
            Compute::Neuron => Backend::Neuron,
            Compute::Tpu => Backend::Tpu,
            Compute::Cuda(_) => Backend::Cuda,
            Compute::Rocm(_) => Backend::Rocm,
            Compute::Xpu(_) => Backend::Xpu,
            Compute::Cann(_) => Backend::Cann,
        }
    }

    /// The version of its toolkit, where there is one.
    pub fn toolkit(self) -> Option<ToolkitVersion> {
        match self {
            Compute::Cuda(version)
            | Compute::Rocm(version)
            | Compute::Xpu(version)
            | Compute::Cann(version) => Some(version),
            Compute::Cpu | Compute::Metal | Compute::Neuron | Compute::Tpu => None,
        }
    }
}

impl NoarchTarget {
    /// Its name after `torch-`.
    pub fn as_str(self) -> &'static str {
        match self {
            NoarchTarget::Backend(backend) => backend.row().noarch_name,
            NoarchTarget::Universal => "universal",
        }
    }

    fn named(name: &str) -> Option<Self> {
        if name == "universal" {
            return Some(Self::Universal);
        }
        Backend::all().find(|backend| backend.row().noarch_name == name).map(Self::Backend)
    }
}

impl fmt::Display for FrameworkAbi {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameworkAbi::Torch { version, cxx_abi: None } => write!(formatter, "torch{}", version.digits()),
            FrameworkAbi::Torch { version, cxx_abi: Some(abi) } => {
                write!(formatter, "torch{}-{}", version.digits(), abi.as_str())
            }
            FrameworkAbi::TorchStableAbi(version) => {
                write!(formatter, "torch-stable-abi{}", version.digits())
            }
            FrameworkAbi::TvmFfi(version) => write!(formatter, "tvm-ffi{}", version.digits()),
        }
    }
}

impl fmt::Display for Compute {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compute::Cpu | Compute::Metal | Compute::Neuron | Compute::Tpu => {
                formatter.write_str(self.backend().as_str())
            }
            Compute::Cuda(version) => write!(formatter, "cu{}", version.digits()),
            Compute::Rocm(version) => write!(formatter, "rocm{}", version.digits()),
            Compute::Xpu(version) => write!(formatter, "xpu{}", version.digits()),
            Compute::Cann(version) => write!(formatter, "cann{}", version.digits()),
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variant::Arch(ArchVariant { framework, compute, system }) => {
                write!(formatter, "{framework}-{compute}-{system}")
            }
            Variant::Noarch(target) => write!(formatter, "torch-{}", target.as_str()),
        }
    }
}

/// Why a text is no variant's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VariantError {
    /// The loader cannot read it either.
    #[error(transparent)]
    Unreadable(#[from] LoaderNameError),
    /// The loader reads it, but as a variant that is spelled otherwise.
    #[error("`{name}` is not how this variant is spelled: the loader reads it as `{canonical}`")]
    Spelling {
        /// The refused text.
        name: String,
        /// The name that means the same.
        canonical: String,
    },
    /// The loader reads it, but nothing can be built for it.
    #[error("`{name}` is for {part} `{value}`, which kernels are not built for")]
    Unsupported {
        /// The refused text.
        name: String,
        /// Which part of it.
        part: &'static str,
        /// That part.
        value: String,
    },
}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read: LoaderName = text.parse()?;
        let canonical = read.to_string();
        if canonical != text {
            return Err(VariantError::Spelling { name: text.to_owned(), canonical });
        }
        let unsupported = |part, value: &str| VariantError::Unsupported {
            name: text.to_owned(),
            part,
            value: value.to_owned(),
        };
        match &read {
            LoaderName::Arch { framework, compute, cpu, os } => {
                let cpu = Cpu::ALL.iter().find(|known| known.as_str() == cpu);
                let os = Os::ALL.iter().find(|known| known.as_str() == os);
                let (Some(cpu), Some(os)) = (cpu, os) else {
                    return Err(unsupported("the system", &read.system().unwrap_or_default()));
                };
                let system = System { cpu: *cpu, os: *os };
                Ok(Variant::Arch(ArchVariant { framework: *framework, compute: *compute, system }))
            }
            LoaderName::Noarch(name) => {
                NoarchTarget::named(name).map(Variant::Noarch).ok_or_else(|| unsupported("the backend", name))
            }
        }
    }
}

impl serde::Serialize for Variant {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Variant {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <String as serde::Deserialize>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Variant {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Variant".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "Name of a build variant" })
    }
}

#[cfg(test)]
mod tests;
