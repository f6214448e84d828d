//! Every variant of a project: the manifest's backends and bounds, multiplied with the matrix.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Matrix, Row};
use crate::manifest::{Binding, Manifest};
use crate::variant::{
    ArchVariant, Compute, FrameworkAbi, FrameworkVersion, NoarchTarget, ToolkitVersion, Variant,
};
use crate::{Backend, Located, Version};

/// A variant that can be built for a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Offer {
    /// The variant.
    pub variant: Variant,
    /// Its backend.
    pub backend: Backend,
    /// Whether publishing builds it by default.
    pub bundled: bool,
    /// Version of the framework to build it with: for a stable-ABI variant the newest torch that has its toolkit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built_with: Option<Version>,
}

/// In which shape a backend of a project is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Python only.
    Noarch,
    /// With compiled code.
    Compiled,
    /// Not at all: TVM-FFI kernels exist only compiled.
    Nothing,
}

impl Shape {
    pub(super) fn of(manifest: &Manifest, backend: Backend) -> Self {
        let compiles = backend.row().compiles;
        match manifest.binding {
            Binding::Torch(_) if compiles && manifest.components_of(backend).next().is_some() => {
                Shape::Compiled
            }
            Binding::Torch(_) | Binding::TorchNoarch(_) => Shape::Noarch,
            Binding::TvmFfi(_) if compiles => Shape::Compiled,
            Binding::TvmFfi(_) => Shape::Nothing,
        }
    }
}

/// Every variant of a project, in the order of [`Variant`], each once.
pub fn variants_of(manifest: &Manifest, matrix: &Matrix) -> Vec<Offer> {
    offers(manifest, matrix, |backend| Shape::of(manifest, backend))
}

/// The same as if every backend that can be compiled were: what the project would have with code for all of them.
pub fn compiled_variants_of(manifest: &Manifest, matrix: &Matrix) -> Vec<Offer> {
    offers(manifest, matrix, |backend| {
        if backend.row().compiles { Shape::Compiled } else { Shape::of(manifest, backend) }
    })
}

fn offers(manifest: &Manifest, matrix: &Matrix, shape: impl Fn(Backend) -> Shape) -> Vec<Offer> {
    let mut offers: BTreeMap<Variant, Offer> = BTreeMap::new();
    for backend in manifest.general.backends.iter().map(|backend| backend.value) {
        let offered = match shape(backend) {
            Shape::Nothing => Vec::new(),
            Shape::Noarch => vec![noarch(backend)],
            Shape::Compiled => compiled(manifest, matrix, backend),
        };
        for offer in offered {
            add(&mut offers, offer);
        }
    }
    offers.into_values().collect()
}

pub(super) fn noarch(backend: Backend) -> Offer {
    let variant = Variant::Noarch(NoarchTarget::Backend(backend));
    Offer { variant, backend, bundled: true, built_with: None }
}

/// One variant can come from several rows (a stable-ABI variant comes from every torch): the newest builds it.
fn add(offers: &mut BTreeMap<Variant, Offer>, offer: Offer) {
    match offers.get_mut(&offer.variant) {
        None => {
            offers.insert(offer.variant, offer);
        }
        Some(known) => {
            known.bundled |= offer.bundled;
            known.built_with = known.built_with.take().max(offer.built_with);
        }
    }
}

fn compiled(manifest: &Manifest, matrix: &Matrix, backend: Backend) -> Vec<Offer> {
    let rows = match manifest.binding {
        Binding::TvmFfi(_) => &matrix.tvm_ffi,
        _ => &matrix.torch,
    };
    rows.iter()
        .filter(|((version, of), _)| {
            *of == backend && framework_allowed(manifest, backend, &version.version()).is_ok()
        })
        .flat_map(|((version, _), row)| of_row(manifest, backend, *version, row))
        .collect()
}

fn of_row(manifest: &Manifest, backend: Backend, version: FrameworkVersion, row: &Row) -> Vec<Offer> {
    let computes: Vec<Compute> = match Compute::plain(backend) {
        Some(compute) => vec![compute],
        None => row
            .toolkits
            .iter()
            .filter(|toolkit| toolkit_allowed(manifest, backend, &toolkit.version()).is_ok())
            .filter_map(|toolkit| Compute::of_toolkit(backend, *toolkit))
            .collect(),
    };
    let offer = |compute, system| Offer {
        variant: name(manifest, backend, version, ArchTarget { compute, system }),
        backend,
        bundled: row.bundled,
        built_with: Some(version.version()),
    };
    let targets =
        computes.iter().flat_map(|compute| row.systems.iter().map(move |system| (*compute, *system)));
    targets.map(|(compute, system)| offer(compute, system)).collect()
}

/// Where a compiled variant runs.
#[derive(Clone, Copy)]
pub(super) struct ArchTarget {
    pub(super) compute: Compute,
    pub(super) system: crate::arch::System,
}

/// The variant that a project has for one version of its framework: for its stable ABI where the backend has one.
pub(super) fn name(
    manifest: &Manifest,
    backend: Backend,
    version: FrameworkVersion,
    ArchTarget { compute, system }: ArchTarget,
) -> Variant {
    let arch = |framework| Variant::Arch(ArchVariant { framework, compute, system });
    let stable = manifest.stable_abi(backend).and_then(|abi| FrameworkVersion::of(abi).ok());
    match (&manifest.binding, stable) {
        (Binding::TvmFfi(_), _) => arch(FrameworkAbi::TvmFfi(version)),
        (_, Some(abi)) => arch(FrameworkAbi::TorchStableAbi(abi)),
        (_, None) => Variant::torch(version, compute, system),
    }
}

/// Whether the manifest's bounds on torch, and its stable ABI, allow a version; else why not.
pub(super) fn framework_allowed(
    manifest: &Manifest,
    backend: Backend,
    version: &Version,
) -> Result<(), String> {
    let Binding::Torch(torch) = &manifest.binding else { return Ok(()) };
    if let Some(abi) = manifest.stable_abi(backend).filter(|abi| !version.reaches(abi)) {
        return Err(format!("torch {version} is older than its stable ABI {abi}"));
    }
    within(
        "torch",
        version,
        ("torch.minver", torch.minimum.as_ref()),
        ("torch.maxver", torch.maximum.as_ref()),
    )
}

/// Whether the manifest's bounds on CUDA allow a version; else why not.
pub(super) fn toolkit_allowed(
    manifest: &Manifest,
    backend: Backend,
    version: &Version,
) -> Result<(), String> {
    if backend != Backend::Cuda {
        return Ok(());
    }
    let general = &manifest.general;
    let minimum = ("general.cuda.minver", general.cuda_minimum.as_ref());
    within("CUDA", version, minimum, ("general.cuda.maxver", general.cuda_maximum.as_ref()))
}

type Bound<'a> = (&'static str, Option<&'a Located<Version>>);

fn within(what: &str, version: &Version, minimum: Bound<'_>, maximum: Bound<'_>) -> Result<(), String> {
    if let (key, Some(bound)) = minimum
        && !version.reaches(&bound.value)
    {
        return Err(format!("{what} {version} is older than `{key} = \"{}\"`", bound.value));
    }
    if let (key, Some(bound)) = maximum
        && !version.within(&bound.value)
    {
        return Err(format!("{what} {version} is newer than `{key} = \"{}\"`", bound.value));
    }
    Ok(())
}

impl Compute {
    /// The compute of a backend without a toolkit.
    pub fn plain(backend: Backend) -> Option<Self> {
        [Compute::Cpu, Compute::Metal, Compute::Neuron, Compute::Tpu]
            .into_iter()
            .find(|compute| compute.backend() == backend)
    }

    /// The compute of a backend with a toolkit of this version.
    pub fn of_toolkit(backend: Backend, version: ToolkitVersion) -> Option<Self> {
        Compute::WITH_TOOLKIT
            .iter()
            .map(|(_, compute)| compute(version))
            .find(|compute| compute.backend() == backend)
    }
}

impl Backend {
    /// Whether its variants are named by the version of a toolkit.
    pub fn has_toolkit(self) -> bool {
        Compute::plain(self).is_none()
    }
}
