//! The variants of a project that one machine can load, whether or not the matrix has them: whoever has torch 2.16
//! installed can build for torch 2.16 today.

use schemars::JsonSchema;
use serde::Serialize;

use super::offer::{ArchTarget, Shape, framework_allowed, name, noarch, toolkit_allowed};
use super::{Matrix, Offer};
use crate::arch::System;
use crate::manifest::{Binding, Manifest};
use crate::selection::{MachineDescription, SystemBackend};
use crate::variant::{Compute, FrameworkVersion, ToolkitVersion};
use crate::{Backend, Version};

/// What a machine can load of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostOffers {
    /// The variants: first for the backend the loader chooses by itself, then for the CPU.
    pub offers: Vec<Offer>,
    /// Why other backends of the project have none here.
    pub refusals: Vec<Refusal>,
}

/// A backend of the project that has no variant on a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refusal {
    /// The backend.
    pub backend: Backend,
    /// Why: a lower-case fragment.
    pub reason: String,
}

/// The variants of a project that the loader on `machine` could load, and why the other backends have none. They are
/// named by what is installed; the matrix only says whether they are bundled.
pub fn host_variants_of(manifest: &Manifest, matrix: &Matrix, machine: &MachineDescription) -> HostOffers {
    let detected = machine.detected_backend();
    let mut host = HostOffers::default();
    let mut backends: Vec<Backend> = manifest.general.backends.iter().map(|backend| backend.value).collect();
    backends.sort_by_key(|backend| (*backend != detected.backend(), *backend));
    for backend in backends {
        match offer(manifest, machine, backend, &detected) {
            Ok(offer) => host.offers.push(offer),
            Err(reason) => host.refusals.push(Refusal { backend, reason }),
        }
    }
    let known = super::variants_of(manifest, matrix);
    for offer in &mut host.offers {
        offer.bundled = known.iter().any(|known| known.bundled && known.variant == offer.variant);
    }
    host
}

fn offer(
    manifest: &Manifest,
    machine: &MachineDescription,
    backend: Backend,
    detected: &SystemBackend,
) -> Result<Offer, String> {
    if backend != detected.backend() && backend != Backend::Cpu {
        return Err(format!("the loader here chooses {} variants", either(detected.backend())));
    }
    match Shape::of(manifest, backend) {
        Shape::Nothing => Err("TVM-FFI kernels cannot be compiled for it".to_owned()),
        Shape::Noarch => Ok(noarch(backend)),
        Shape::Compiled => compiled(manifest, machine, backend, detected),
    }
}

fn either(detected: Backend) -> String {
    if detected == Backend::Cpu { "`cpu`".to_owned() } else { format!("`{detected}` or `cpu`") }
}

fn compiled(
    manifest: &Manifest,
    machine: &MachineDescription,
    backend: Backend,
    detected: &SystemBackend,
) -> Result<Offer, String> {
    if machine.drops_compiled_variants() {
        return Err("the loader takes no compiled variant on free-threaded Python before 3.15".to_owned());
    }
    let system = format!("{}-{}", machine.cpu, machine.os);
    let system: System = system.parse().map_err(|_| format!("kernels are not built for `{system}`"))?;
    let installed = framework(manifest, machine)?;
    framework_allowed(manifest, backend, &installed)?;
    let version = FrameworkVersion::of(&installed).map_err(|error| error.to_string())?;
    let compute = match (Compute::plain(backend), detected.version()) {
        (Some(compute), _) => compute,
        (None, Some(toolkit)) => {
            toolkit_allowed(manifest, backend, toolkit)?;
            let toolkit = ToolkitVersion::of(toolkit).map_err(|error| error.to_string())?;
            Compute::of_toolkit(backend, toolkit).ok_or_else(|| format!("`{backend}` has no toolkit"))?
        }
        (None, None) => return Err(format!("the version of `{backend}` is unknown")),
    };
    let variant = name(manifest, backend, version, ArchTarget { compute, system });
    Ok(Offer { variant, backend, bundled: false, built_with: Some(installed) })
}

fn framework(manifest: &Manifest, machine: &MachineDescription) -> Result<Version, String> {
    if matches!(manifest.binding, Binding::TvmFfi(_)) {
        return machine.tvm_ffi.clone().ok_or_else(|| "TVM-FFI is not installed".to_owned());
    }
    let torch = machine.torch.as_ref().ok_or_else(|| "torch is not installed".to_owned())?;
    if machine.os == "linux" && !torch.cxx11_abi {
        return Err(format!("torch {} was compiled with the C++ ABI from before C++11", torch.version));
    }
    Ok(torch.version.clone())
}
