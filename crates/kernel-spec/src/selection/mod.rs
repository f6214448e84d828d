//! Which variant the loader takes: its decision (kernels 0.17) as a pure function over a described machine, with its
//! own reasons and in its own order, so that a user sees before publishing what every other machine will see.

mod machine;
mod reason;

pub use machine::{MachineDescription, SystemBackend, TorchDescription, UnsupportedBackend};
pub use reason::Reason;

use crate::arch::Os;
use crate::variant::{Compute, CxxAbi, FrameworkAbi, LoaderName};
use crate::{Backend, Version};

/// The oldest macOS on which the loader takes a compiled Metal variant.
pub const METAL_MINIMUM_MACOS: (u64, u64) = (26, 0);

/// The first Python whose free-threaded build has the limited API that compiled variants use.
pub const FREE_THREADED_MINIMUM_PYTHON: (u64, u64) = (3, 15);

/// What the loader says about one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The variant.
    pub name: LoaderName,
    /// `None` where it is accepted, else why it is not.
    pub rejection: Option<Reason>,
}

/// What the loader says about a set of variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decisions {
    /// The backend it chose for.
    pub backend: SystemBackend,
    /// Its decisions in its order of preference: accepted ones first, and the first of them is the one it loads.
    pub trace: Vec<Decision>,
    /// Compiled variants it does not even look at, because this Python is free-threaded and older than 3.15.
    pub passed_over: Vec<LoaderName>,
}

impl Decisions {
    /// What the loader would load.
    pub fn chosen(&self) -> Option<&LoaderName> {
        self.trace.first().filter(|decision| decision.rejection.is_none()).map(|decision| &decision.name)
    }
}

/// Decides like the loader about `names` on `machine`. `requested` is what a caller passes as `backend=`; only `cpu`
/// or the machine's own backend may be requested. Names of equal preference keep their order.
pub fn decide(
    names: impl IntoIterator<Item = LoaderName>,
    machine: &MachineDescription,
    requested: Option<Backend>,
) -> Result<Decisions, UnsupportedBackend> {
    Ok(decide_for(machine.select_backend(requested)?, names, machine))
}

/// The same for a backend that was selected before.
pub fn decide_for(
    backend: SystemBackend,
    names: impl IntoIterator<Item = LoaderName>,
    machine: &MachineDescription,
) -> Decisions {
    let drops_compiled = machine.drops_compiled_variants();
    let (passed_over, considered): (Vec<LoaderName>, Vec<LoaderName>) =
        names.into_iter().partition(|name| drops_compiled && matches!(name, LoaderName::Arch { .. }));
    let mut trace: Vec<Decision> = considered
        .into_iter()
        .map(|name| Decision { rejection: rejection(&name, machine, &backend), name })
        .collect();
    trace.sort_by_key(preference);
    Decisions { backend, trace, passed_over }
}

fn rejection(name: &LoaderName, machine: &MachineDescription, backend: &SystemBackend) -> Option<Reason> {
    match name {
        LoaderName::Arch { framework, compute, cpu, os } => {
            if *cpu != machine.cpu {
                return Some(Reason::Cpu { variant: cpu.clone(), system: machine.cpu.clone() });
            }
            if *os != machine.os {
                return Some(Reason::Os { variant: os.clone(), system: machine.os.clone() });
            }
            wrong_framework(*framework, machine).or_else(|| wrong_compute(*compute, machine, backend))
        }
        LoaderName::Noarch(name) => {
            let system = backend.backend().row().noarch_name;
            let matches = name == system || name == "universal";
            (!matches).then(|| Reason::Noarch { variant: name.clone(), system: system.to_owned() })
        }
    }
}

fn wrong_framework(framework: FrameworkAbi, machine: &MachineDescription) -> Option<Reason> {
    let torch = machine.torch.as_ref().map(|torch| torch.version.truncated());
    match framework {
        FrameworkAbi::Torch { version, cxx_abi } => {
            let version = version.version();
            if torch.as_ref() != Some(&version) {
                return Some(Reason::Torch { variant: version, system: torch });
            }
            let variant = cxx_abi? == CxxAbi::Cxx11;
            let system = machine.cxx11_abi();
            (system != Some(variant)).then_some(Reason::CxxAbi { variant, system })
        }
        FrameworkAbi::TorchStableAbi(version) => {
            let version = version.version();
            let reached = torch.as_ref().is_some_and(|torch| torch.reaches(&version));
            (!reached).then_some(Reason::StableAbi { variant: version, system: torch })
        }
        FrameworkAbi::TvmFfi(version) => {
            let (variant, system) = (version.version(), machine.tvm_ffi.as_ref().map(Version::truncated));
            (system.as_ref() != Some(&variant)).then_some(Reason::TvmFfi { variant, system })
        }
    }
}

fn wrong_compute(compute: Compute, machine: &MachineDescription, backend: &SystemBackend) -> Option<Reason> {
    if let (Compute::Cuda(variant), Some(system)) = (compute, backend.cuda()) {
        let served = variant.major() == system.major() && variant.minor() <= system.minor();
        return (!served).then(|| Reason::Cuda { variant: variant.version(), system: system.clone() });
    }
    let (variant, system) = (compute.to_string(), backend.name_in_variants());
    if variant != system {
        return Some(Reason::Backend { variant, system });
    }
    let minimum = Version::major_minor(METAL_MINIMUM_MACOS.0, METAL_MINIMUM_MACOS.1);
    let too_old = !machine.macos.as_ref().is_some_and(|macos| macos.reaches(&minimum));
    (compute == Compute::Metal && too_old).then(|| Reason::Metal { system: machine.macos.clone() })
}

/// Smaller is better. Frameworks: stable ABI (newest first), torch (without ABI tag first), then TVM-FFI and Python
/// only; of one framework the highest minor version of the toolkit, and the universal variant last of all.
fn preference(decision: &Decision) -> [i128; 5] {
    let rejected = i128::from(decision.rejection.is_some());
    match &decision.name {
        LoaderName::Arch { framework, compute, .. } => {
            let toolkit = -compute.toolkit().map_or(0, |version| i128::from(version.minor()));
            match framework {
                FrameworkAbi::TorchStableAbi(version) => {
                    [rejected, 0, -i128::from(version.major()), -i128::from(version.minor()), toolkit]
                }
                FrameworkAbi::Torch { cxx_abi, .. } => [rejected, 1, 0, cxx_abi.is_some().into(), toolkit],
                FrameworkAbi::TvmFfi(_) => [rejected, 2, 0, 0, toolkit],
            }
        }
        LoaderName::Noarch(name) => [rejected, 2, 0, 0, (name == "universal").into()],
    }
}

impl MachineDescription {
    /// Whether the loader looks only at Python-only variants here.
    pub fn drops_compiled_variants(&self) -> bool {
        let (major, minor) = FREE_THREADED_MINIMUM_PYTHON;
        let new_enough =
            self.python.as_ref().is_some_and(|python| python.reaches(&Version::major_minor(major, minor)));
        self.free_threaded && !new_enough
    }

    /// Torch's C++ ABI as the loader asks for it: only on Linux.
    fn cxx11_abi(&self) -> Option<bool> {
        let torch = self.torch.as_ref().filter(|_| self.os == Os::Linux.as_str())?;
        Some(torch.cxx11_abi)
    }
}

#[cfg(test)]
mod tests;
