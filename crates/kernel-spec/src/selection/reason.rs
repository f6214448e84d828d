//! Why the loader rejects a variant, in its own words: users find them in its messages, so ours must be the same.

use std::fmt;

use super::METAL_MINIMUM_MACOS;
use crate::Version;

/// The first check that failed. `variant` is what the variant needs, `system` what the machine has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the fields mean the same in every case")]
pub enum Reason {
    /// Another processor.
    Cpu { variant: String, system: String },
    /// Another operating system.
    Os { variant: String, system: String },
    /// Another minor version of torch, or no torch.
    Torch { variant: Version, system: Option<Version> },
    /// Another C++ string ABI.
    CxxAbi { variant: bool, system: Option<bool> },
    /// A newer stable ABI than torch has, or no torch.
    StableAbi { variant: Version, system: Option<Version> },
    /// Another minor version of TVM-FFI, or no TVM-FFI.
    TvmFfi { variant: Version, system: Option<Version> },
    /// Another major, or a newer minor version of CUDA.
    Cuda { variant: Version, system: Version },
    /// Another backend, or another version of it.
    Backend { variant: String, system: String },
    /// A macOS too old for Metal variants.
    Metal { system: Option<Version> },
    /// Another backend of a Python-only variant.
    Noarch { variant: String, system: String },
}

impl Reason {
    /// A short stable name of the check, for scripts and counts.
    pub fn check(&self) -> &'static str {
        match self {
            Reason::Cpu { .. } => "cpu",
            Reason::Os { .. } => "os",
            Reason::Torch { .. } => "torch",
            Reason::CxxAbi { .. } => "cxx-abi",
            Reason::StableAbi { .. } => "stable-abi",
            Reason::TvmFfi { .. } => "tvm-ffi",
            Reason::Cuda { .. } => "cuda",
            Reason::Backend { .. } => "backend",
            Reason::Metal { .. } => "metal",
            Reason::Noarch { .. } => "noarch",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Cpu { variant, system } => {
                write!(formatter, "CPU ({variant}) does not match system CPU ({system})")
            }
            Reason::Os { variant, system } => {
                write!(formatter, "OS ({variant}) does not match system OS ({system})")
            }
            Reason::Torch { variant, system } => write!(
                formatter,
                "Torch version ({variant}) does not match environment Torch version ({})",
                python(system.as_ref())
            ),
            Reason::CxxAbi { variant, system } => write!(
                formatter,
                "Torch CXX11 ABI ({}) does not match environment Torch CXX11 ABI ({})",
                boolean(*variant),
                system.map_or("None", boolean)
            ),
            Reason::StableAbi { variant, system } => write!(
                formatter,
                "Torch stable ABI version ({variant}) is too new for environment Torch version ({})",
                python(system.as_ref())
            ),
            Reason::TvmFfi { variant, system } => write!(
                formatter,
                "tvm-ffi version ({variant}) does not match environment tvm-ffi version ({})",
                python(system.as_ref())
            ),
            Reason::Cuda { variant, system } => {
                write!(
                    formatter,
                    "CUDA version ({variant}) is not compatible with system CUDA version ({system})"
                )
            }
            Reason::Backend { variant, system } => {
                write!(formatter, "backend ({variant}) does not match selected backend ({system})")
            }
            Reason::Metal { system } => write!(
                formatter,
                "Metal kernels require macOS {}.{} or later, system macOS version is {}",
                METAL_MINIMUM_MACOS.0,
                METAL_MINIMUM_MACOS.1,
                python(system.as_ref())
            ),
            Reason::Noarch { variant, system } => {
                write!(
                    formatter,
                    "backend ({variant}) does not match system backend ({system}) and is not universal"
                )
            }
        }
    }
}

/// A value as the loader, a Python program, prints it.
fn python(version: Option<&Version>) -> String {
    version.map_or_else(|| "None".to_owned(), Version::to_string)
}

fn boolean(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}
