//! Build dependencies of components: which part of the toolchain each is, and where its headers are. `torch` is there for
//! every kernel bound to torch, so it adds nothing.

use std::collections::BTreeSet;

use kernel_spec::manifest::types::{Component, Manifest};
use kernel_spec::plan::Language;
use kernel_spec::variant::ArchVariant;
use kernel_spec::{Backend, Located, Version};

use super::language::{FileKind, kind};

/// The CUTLASS that a token such as `cutlass_4_0` means.
pub fn cutlass(token: &str) -> Option<Version> {
    token.strip_prefix("cutlass_")?.replace('_', ".").parse().ok()
}

/// Torch's translator of CUDA to HIP, as a part.
pub const HIPIFY: &str = "hipify";

/// What the components of a variant need besides torch.
pub fn of(manifest: &Manifest, variant: &ArchVariant) -> BTreeSet<String> {
    let backend = variant.compute.backend();
    let mut depends: BTreeSet<String> = manifest.components_of(backend).flat_map(needed).collect();
    let of_cuda = |component: &Component| {
        component.sources.iter().any(|source| kind(&source.value) == FileKind::Source(Language::Cuda))
    };
    if backend == Backend::Rocm && manifest.components_of(backend).any(of_cuda) {
        depends.insert(HIPIFY.to_owned());
    }
    depends
}

fn needed(component: &Component) -> impl Iterator<Item = String> {
    component.depends.iter().map(|token| token.value.clone()).filter(|token| token != "torch")
}

/// Where the headers of a list of dependencies are, relative to the variant's build directory.
pub(super) fn includes(depends: &[Located<String>]) -> impl Iterator<Item = String> {
    let headers = depends.iter().filter(|token| cutlass(&token.value).is_some());
    headers.map(|token| format!("tc/{}/include", token.value))
}
