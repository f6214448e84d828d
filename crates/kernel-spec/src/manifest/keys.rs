//! The keys of every table of `build.toml`, as data: what is allowed, since which edition, and what must be there.

use super::Edition;
use crate::Backend;

/// A key of a table.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// The first edition that has it.
    pub(crate) since: Edition,
    /// Whether editions from this one on need it.
    pub(crate) required: Option<Edition>,
}

pub(crate) const fn optional(name: &'static str) -> Key {
    Key { name, since: Edition::Three, required: None }
}

pub(crate) const fn required(name: &'static str) -> Key {
    Key { name, since: Edition::Three, required: Some(Edition::Three) }
}

const fn since_five(name: &'static str) -> Key {
    Key { name, since: Edition::Five, required: None }
}

pub(crate) static ROOT: &[Key] = &[
    required("general"),
    optional("torch"),
    optional("torch-noarch"),
    optional("tvm-ffi"),
    optional("kernel"),
];

pub(crate) static GENERAL: &[Key] = &[
    required("name"),
    // Edition 3 took a missing version to be 1.
    Key { name: "version", since: Edition::Three, required: Some(Edition::Four) },
    optional("edition"),
    required("license"),
    required("backends"),
    optional("upstream"),
    optional("source"),
    optional("python-depends"),
    since_five("kernel-depends"),
    optional("hub"),
    optional("cuda"),
    optional("neuron"),
    since_five("tpu"),
    optional("xpu"),
];

pub(crate) static HUB: &[Key] = &[optional("repo-id"), optional("branch")];

pub(crate) static GENERAL_CUDA: &[Key] =
    &[optional("minver"), optional("maxver"), since_five("kernel-depends"), optional("python-depends")];

pub(crate) static GENERAL_TPU: &[Key] = &[optional("python-depends")];

/// `[general.neuron]` and `[general.xpu]`.
pub(crate) static GENERAL_BACKEND: &[Key] = &[since_five("kernel-depends"), optional("python-depends")];

pub(crate) static KERNEL_DEPENDENCY: &[Key] =
    &[required("repo-id"), optional("version"), optional("revision")];

pub(crate) static TORCH: &[Key] = &[
    optional("src"),
    optional("include"),
    optional("pyext"),
    optional("minver"),
    optional("maxver"),
    optional("stable-abi"),
    optional("cxx-flags"),
];

/// The architecture keys are written in snake case by the format's own parser and in kebab case by its documents.
pub(crate) static TORCH_NOARCH: &[Key] = &[
    optional("pyext"),
    optional("cuda_capabilities"),
    optional("cuda-capabilities"),
    optional("rocm_archs"),
    optional("rocm-archs"),
];

pub(crate) static TVM_FFI: &[Key] =
    &[required("src"), optional("include"), optional("pyext"), optional("cxx-flags")];

/// What every component may have.
static COMPONENT: &[Key] =
    &[required("backend"), required("depends"), required("src"), optional("include"), optional("cxx-flags")];

/// What only components of one backend have.
static COMPONENT_OF: &[(Backend, &[Key])] = &[
    (Backend::Cuda, &[optional("cuda-capabilities"), optional("cuda-flags"), optional("cuda-minver")]),
    (Backend::Rocm, &[optional("rocm-archs"), optional("hip-flags")]),
    (Backend::Xpu, &[optional("sycl-flags")]),
];

/// The keys of a component; of every backend's where its own is not known.
pub(crate) fn component(backend: Option<Backend>) -> Vec<&'static Key> {
    let own = COMPONENT_OF.iter().filter(|(of, _)| backend.is_none_or(|backend| backend == *of));
    COMPONENT.iter().chain(own.flat_map(|(_, keys)| keys.iter())).collect()
}

/// The backend whose components alone have this key.
pub(crate) fn owner_of(key: &str) -> Option<Backend> {
    COMPONENT_OF
        .iter()
        .find(|(_, keys)| keys.iter().any(|known| known.name == key))
        .map(|(backend, _)| *backend)
}
