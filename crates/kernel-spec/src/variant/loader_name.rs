//! A directory name as the loader (kernels 0.17) reads it, which is more than kernels are built for: any processor and
//! system, leading zeros, any word after `torch-`. Explaining the loader's choice needs exactly its reading.
//!
//! Two readings differ on purpose: non-ASCII digits and numbers beyond 64 bits are refused here.

use std::fmt;
use std::str::FromStr;

use super::{Compute, CxxAbi, FrameworkAbi, FrameworkVersion, ToolkitVersion};

/// The parts of a name. `Display` gives the spelling under which the loader looks for the directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoaderName {
    /// Compiled for one system.
    Arch {
        /// What it binds to.
        framework: FrameworkAbi,
        /// What it runs on.
        compute: Compute,
        /// Processor; any text without a dash.
        cpu: String,
        /// Operating system; any text without a dash.
        os: String,
    },
    /// Python only: what follows `torch-`, empty for the name `torch`.
    Noarch(String),
}

/// Why the loader cannot read a name; it skips such directories.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoaderNameError {
    /// Not one of the four forms.
    #[error("`{0}` does not begin with `torch`, `torch-stable-abi` or `tvm-ffi` and a version")]
    Framework(String),
    /// Not a backend.
    #[error("`{compute}` in `{name}` is not a backend with its version such as `cpu`, `cu130` or `rocm72`")]
    Compute {
        /// The name.
        name: String,
        /// The part in question.
        compute: String,
    },
    /// Too few or too many parts.
    #[error("`{0}` does not end with a backend, a processor and a system such as `cpu-x86_64-linux`")]
    Parts(String),
}

impl LoaderName {
    /// Processor and system, of compiled variants.
    pub fn system(&self) -> Option<String> {
        match self {
            LoaderName::Arch { cpu, os, .. } => Some(format!("{cpu}-{os}")),
            LoaderName::Noarch(_) => None,
        }
    }
}

impl FromStr for LoaderName {
    type Err = LoaderNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || LoaderNameError::Framework(text.to_owned());
        let parts: Vec<&str> = text.split('-').collect();
        if text.starts_with("torch-stable-abi") {
            let digits = parts[2].strip_prefix("abi").ok_or_else(unknown)?;
            let version = FrameworkVersion::from_digits(digits).ok_or_else(unknown)?;
            return arch(text, FrameworkAbi::TorchStableAbi(version), &parts[3..]);
        }
        match (parts[0], parts.get(1).copied()) {
            ("torch", _) => Ok(Self::Noarch(parts[1..].join("-"))),
            ("tvm", Some(second)) => {
                let digits = second.strip_prefix("ffi").ok_or_else(unknown)?;
                let version = FrameworkVersion::from_digits(digits).ok_or_else(unknown)?;
                arch(text, FrameworkAbi::TvmFfi(version), &parts[2..])
            }
            (first, second) => {
                let digits = first.strip_prefix("torch").ok_or_else(unknown)?;
                let version = FrameworkVersion::from_digits(digits).ok_or_else(unknown)?;
                let cxx_abi =
                    [CxxAbi::Cxx11, CxxAbi::Cxx98].into_iter().find(|abi| Some(abi.as_str()) == second);
                let rest = if cxx_abi.is_some() { 2 } else { 1 };
                arch(text, FrameworkAbi::Torch { version, cxx_abi }, &parts[rest..])
            }
        }
    }
}

fn arch(name: &str, framework: FrameworkAbi, parts: &[&str]) -> Result<LoaderName, LoaderNameError> {
    let &[compute, cpu, os] = parts else { return Err(LoaderNameError::Parts(name.to_owned())) };
    let compute = read_compute(compute)
        .ok_or_else(|| LoaderNameError::Compute { name: name.to_owned(), compute: compute.to_owned() })?;
    Ok(LoaderName::Arch { framework, compute, cpu: cpu.to_owned(), os: os.to_owned() })
}

fn read_compute(text: &str) -> Option<Compute> {
    let plain = [Compute::Cpu, Compute::Metal, Compute::Neuron, Compute::Tpu];
    if let Some(compute) = plain.into_iter().find(|compute| compute.backend().as_str() == text) {
        return Some(compute);
    }
    Compute::WITH_TOOLKIT
        .iter()
        .find_map(|(prefix, compute)| text.strip_prefix(prefix).map(|digits| (digits, compute)))
        .and_then(|(digits, compute)| ToolkitVersion::from_digits(digits).map(compute))
}

impl fmt::Display for LoaderName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoaderName::Arch { framework, compute, cpu, os } => {
                write!(formatter, "{framework}-{compute}-{cpu}-{os}")
            }
            LoaderName::Noarch(name) => write!(formatter, "torch-{name}"),
        }
    }
}
