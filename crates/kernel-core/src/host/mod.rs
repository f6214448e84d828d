//! This machine as kernels see it: the chosen Python with its torch and TVM-FFI. The interpreter is asked once, isolated
//! and outside the project, and its answer is kept; packages are read as files each time, so that a warm run starts no
//! Python and an upgraded torch is seen at once.

mod cache;
mod device;
mod error;
mod interpreter;
mod packages;
mod probe;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Version;
use kernel_spec::selection::{MachineDescription, TorchDescription};

use crate::{Context, Result};

pub use device::device_is_present;
pub use error::HostError;
pub use packages::{TorchInstallation, TvmFfiInstallation};

/// A Python interpreter and what a build needs of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonEnvironment {
    /// The interpreter, as it calls itself: inside a virtual environment, that environment's.
    pub interpreter: Utf8PathBuf,
    /// Why this one, for example "the active virtual environment (`VIRTUAL_ENV`)".
    pub why: String,
    /// Its version.
    pub version: Version,
    /// Whether it is a free-threaded build.
    pub free_threaded: bool,
    /// Where its headers are; without Python's development files there is no `Python.h` in it.
    pub include: Utf8PathBuf,
    /// Where packages are looked for, in order.
    pub search: Vec<Utf8PathBuf>,
    /// The installed torch.
    pub torch: Option<TorchInstallation>,
    /// The installed TVM-FFI.
    pub tvm_ffi: Option<TvmFfiInstallation>,
    /// The loader's facts about this machine.
    machine: MachineDescription,
}

impl PythonEnvironment {
    /// Finds and describes a Python: `chosen` (a path, an environment's directory or a name on `PATH`), else the active
    /// virtual environment, else the active Conda environment, else `python3` on `PATH`.
    pub fn discover(context: &Context, chosen: Option<&str>) -> Result<Self> {
        let choice = interpreter::choose(context, chosen)?;
        let facts = probe::facts(context, &choice)?;
        let search: Vec<Utf8PathBuf> = facts.search.iter().map(Utf8PathBuf::from).collect();
        let torch = packages::torch(&search, &facts)?;
        let tvm_ffi = packages::tvm_ffi(&search)?;
        let version = Version::release(&facts.version).ok_or_else(|| HostError::Unusable {
            interpreter: choice.path.clone(),
            said: facts.version.clone(),
        })?;
        let machine = MachineDescription {
            python: Some(version.clone()),
            free_threaded: facts.free_threaded,
            macos: Version::release(&facts.macos),
            tvm_ffi: tvm_ffi.as_ref().map(|installed| installed.version.clone()),
            torch: torch.as_ref().map(|installed| describe_torch(installed, &search, &facts)),
            cuda_runtime: if torch.is_none() { packages::cuda_runtime() } else { None },
            ..MachineDescription::bare(&facts.cpu, &facts.os)
        };
        Ok(Self {
            interpreter: facts.interpreter.into(),
            why: choice.why,
            version,
            free_threaded: facts.free_threaded,
            include: facts.include.into(),
            search,
            torch,
            tvm_ffi,
            machine,
        })
    }

    /// What the loader looks at on this machine, with this Python.
    pub fn machine(&self) -> &MachineDescription {
        &self.machine
    }

    /// The directory of an importable package, or of a package's data, in the order in which Python looks.
    pub fn package(&self, name: &str) -> Option<Utf8PathBuf> {
        packages::directory(&self.search, name)
    }
}

fn describe_torch(
    torch: &TorchInstallation,
    search: &[Utf8PathBuf],
    facts: &probe::InterpreterFacts,
) -> TorchDescription {
    let has = |package: &str| packages::directory(search, package).is_some();
    TorchDescription {
        version: torch.version.clone(),
        cxx11_abi: torch.cxx11_abi,
        cuda: torch.cuda.clone(),
        rocm: torch.hip.clone(),
        xpu: torch.xpu.clone(),
        // CANN's version stands in no file of torch_npu; a described machine can name it.
        cann: None,
        // Torch for Apple silicon always has MPS; it needs macOS 14.
        metal: facts.os == "darwin"
            && facts.cpu == "arm64"
            && Version::release(&facts.macos).is_some_and(|macos| macos.major() >= 14),
        neuron: has("torch_neuronx"),
        tpu: has("torch_tpu"),
    }
}

/// A path of the user's that may name a directory of an environment.
fn interpreter_in(environment: &Utf8Path) -> Utf8PathBuf {
    environment.join("bin/python")
}

#[cfg(test)]
mod tests;
