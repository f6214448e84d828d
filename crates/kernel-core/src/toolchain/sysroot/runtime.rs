//! Libraries that are in the process before a kernel is loaded: Torch, TVM FFI and the run times of the GPUs. A kernel
//! needs them by name only, so it is linked to stubs that are nothing but a name, and a build needs no gigabytes.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use kernel_spec::Backend;
use kernel_spec::variant::{ArchVariant, FrameworkAbi, ToolkitVersion};

use super::table::unpack;

/// A library that the process brings.
#[derive(Debug, PartialEq, Eq)]
pub struct Runtime {
    /// Its SONAME, which is also the stub's file name.
    pub soname: &'static str,
    /// How a kernel comes by it.
    pub reach: Reach,
    binding: Binding,
    gpu: Option<Gpu>,
    source: Source,
}

/// How a kernel comes by a library of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It names the library as needed: the loader looks no further than that for a kernel's symbols, since Torch is
    /// loaded with local symbols only.
    Named,
    /// Those that are named need it themselves, so it is found although its name differs from release to release.
    Brought,
}

/// Kernels that a library is there for, by what they bind to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binding {
    Any,
    Torch,
    /// One release of Torch with its C++ interface.
    TorchCxx,
    TvmFfi,
}

/// Kernels that a library is there for, by what they run on: the backend, and the major version of its toolkit where the
/// library's name holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gpu(Backend, Option<u64>);

#[derive(Debug, PartialEq, Eq)]
enum Source {
    /// A list in the embedded data, by name.
    List(&'static str),
    /// All its exports start like this.
    Prefix(&'static str),
    /// Torch.
    Torch,
}

/// What is known of a library's exports.
#[derive(Debug)]
pub enum Exports {
    /// All of them.
    Listed(&'static BTreeSet<&'static str>),
    /// How they all start.
    Prefixed(&'static str),
    /// It is a part of Torch.
    Torch,
}

use Binding::{Any, Torch, TorchCxx, TvmFfi};
use Source::{List, Prefix};

const CUDA: Option<Gpu> = Some(Gpu(Backend::Cuda, None));
const CUDA_12: Option<Gpu> = Some(Gpu(Backend::Cuda, Some(12)));
const CUDA_13: Option<Gpu> = Some(Gpu(Backend::Cuda, Some(13)));
const ROCM: Option<Gpu> = Some(Gpu(Backend::Rocm, None));
const ROCM_5: Option<Gpu> = Some(Gpu(Backend::Rocm, Some(5)));
const ROCM_6: Option<Gpu> = Some(Gpu(Backend::Rocm, Some(6)));
const ROCM_7: Option<Gpu> = Some(Gpu(Backend::Rocm, Some(7)));
const XPU: Option<Gpu> = Some(Gpu(Backend::Xpu, None));

const fn torch(soname: &'static str, binding: Binding, gpu: Option<Gpu>) -> Runtime {
    Runtime { soname, reach: Reach::Named, binding, gpu, source: Source::Torch }
}

const fn named(soname: &'static str, binding: Binding, gpu: Option<Gpu>, source: Source) -> Runtime {
    Runtime { soname, reach: Reach::Named, binding, gpu, source }
}

/// A library that Torch needs itself; its name stands here without a version where that differs.
const fn brought(soname: &'static str, gpu: Option<Gpu>, source: Source) -> Runtime {
    Runtime { soname, reach: Reach::Brought, binding: Torch, gpu, source }
}

impl Runtime {
    /// Every library, in the order in which a link names them.
    pub const ALL: &[Runtime] = &[
        torch("libtorch.so", Torch, None),
        torch("libtorch_cpu.so", Torch, None),
        torch("libtorch_cuda.so", Torch, CUDA),
        torch("libtorch_hip.so", Torch, ROCM),
        torch("libtorch_xpu.so", Torch, XPU),
        torch("libc10.so", TorchCxx, None),
        torch("libc10_cuda.so", TorchCxx, CUDA),
        torch("libc10_hip.so", TorchCxx, ROCM),
        torch("libc10_xpu.so", TorchCxx, XPU),
        named("libtvm_ffi.so", TvmFfi, None, List("libtvm_ffi.so")),
        named("libcudart.so.12", Any, CUDA_12, List("libcudart.so.12")),
        named("libcudart.so.13", Any, CUDA_13, List("libcudart.so.13")),
        named("libamdhip64.so.5", Any, ROCM_5, List("libamdhip64.so")),
        named("libamdhip64.so.6", Any, ROCM_6, List("libamdhip64.so")),
        named("libamdhip64.so.7", Any, ROCM_7, List("libamdhip64.so")),
        brought("libgomp.so.1", None, List("libgomp.so.1")),
        brought("libcublas.so", CUDA, Prefix("cublas")),
        brought("libcusparse.so", CUDA, Prefix("cusparse")),
        brought("libcufft.so", CUDA, Prefix("cufft")),
        brought("libcudnn.so", CUDA, Prefix("cudnn")),
        brought("libnccl.so", CUDA, Prefix("nccl")),
        brought("libnvrtc.so", CUDA, Prefix("nvrtc")),
    ];

    /// The libraries in the process of a variant, in the order in which a link names them.
    pub fn of(variant: &ArchVariant) -> Vec<&'static Runtime> {
        Self::ALL.iter().filter(|runtime| runtime.serves(variant)).collect()
    }

    fn serves(&self, variant: &ArchVariant) -> bool {
        let binding = match variant.framework {
            FrameworkAbi::Torch { .. } => matches!(self.binding, Any | Torch | TorchCxx),
            FrameworkAbi::TorchStableAbi(_) => matches!(self.binding, Any | Torch),
            FrameworkAbi::TvmFfi(_) => matches!(self.binding, Any | TvmFfi),
        };
        let compute = variant.compute;
        let toolkit = compute.toolkit().map(ToolkitVersion::major);
        let gpu = self.gpu.is_none_or(|Gpu(backend, major)| {
            backend == compute.backend() && (major.is_none() || major == toolkit)
        });
        binding && gpu
    }

    /// Those for which there is a stub.
    pub fn named() -> impl Iterator<Item = &'static Runtime> {
        Self::ALL.iter().filter(|runtime| runtime.reach == Reach::Named)
    }

    /// Whether its symbols have versions: those of Torch and tvm-ffi have none.
    pub fn is_versioned(&self) -> bool {
        self.source != Source::Torch && self.binding != TvmFfi
    }

    /// The runtime with this SONAME.
    pub fn find(soname: &str) -> Option<&'static Runtime> {
        Self::ALL.iter().find(|runtime| runtime.soname == soname)
    }

    /// Whether the embedded data lists this name among its exports.
    pub fn lists(&self, name: &str) -> bool {
        matches!(self.exports(), Exports::Listed(names) if names.contains(name))
    }

    /// What is known of its exports.
    pub fn exports(&self) -> Exports {
        match self.source {
            Source::Torch => Exports::Torch,
            Source::Prefix(prefix) => Exports::Prefixed(prefix),
            Source::List(list) => {
                let found = lists().iter().find(|(soname, _)| *soname == list);
                Exports::Listed(found.map(|(_, names)| names).expect("every list named here is embedded"))
            }
        }
    }
}

fn lists() -> &'static [(&'static str, BTreeSet<&'static str>)] {
    static LISTS: OnceLock<Vec<(&'static str, BTreeSet<&'static str>)>> = OnceLock::new();
    LISTS.get_or_init(|| {
        let mut lists: Vec<(&str, BTreeSet<&str>)> = Vec::new();
        for line in unpack(include_bytes!("../../../data/link/runtimes.txt.zlib")).lines() {
            if let Some(soname) = line.strip_prefix("= ") {
                lists.push((soname, BTreeSet::new()));
            } else if let (false, Some((_, names))) = (line.starts_with('#'), lists.last_mut()) {
                names.insert(line);
            }
        }
        lists
    })
}

#[cfg(test)]
mod tests {
    use kernel_spec::Variant;

    use super::*;

    fn of(variant: &str) -> (Vec<&'static str>, Vec<&'static str>) {
        let variant: Variant = variant.parse().expect("a variant");
        let (named, brought): (Vec<&Runtime>, Vec<&Runtime>) = Runtime::of(variant.arch().expect("compiled"))
            .into_iter()
            .partition(|runtime| runtime.reach == Reach::Named);
        let sonames = |runtimes: Vec<&Runtime>| runtimes.iter().map(|runtime| runtime.soname).collect();
        (sonames(named), sonames(brought))
    }

    #[test]
    fn a_variant_has_the_libraries_of_its_framework_and_its_backend() {
        let torch = ["libtorch.so", "libtorch_cpu.so"];
        for (variant, named) in [
            ("torch213-cxx11-cpu-x86_64-linux", &["libc10.so"][..]),
            ("torch-stable-abi211-cpu-x86_64-linux", &[]),
            (
                "torch213-cxx11-cu126-x86_64-linux",
                &["libtorch_cuda.so", "libc10.so", "libc10_cuda.so", "libcudart.so.12"],
            ),
            ("torch-stable-abi211-cu130-x86_64-linux", &["libtorch_cuda.so", "libcudart.so.13"]),
            (
                "torch213-cxx11-rocm72-x86_64-linux",
                &["libtorch_hip.so", "libc10.so", "libc10_hip.so", "libamdhip64.so.7"],
            ),
            ("torch213-cxx11-xpu20253-x86_64-linux", &["libtorch_xpu.so", "libc10.so", "libc10_xpu.so"]),
        ] {
            assert_eq!(of(variant).0, [&torch, named].concat(), "{variant}");
        }
        assert_eq!(of("tvm-ffi01-cpu-x86_64-linux"), (vec!["libtvm_ffi.so"], vec![]));
        assert_eq!(of("tvm-ffi01-cu130-aarch64-linux"), (vec!["libtvm_ffi.so", "libcudart.so.13"], vec![]));
        assert_eq!(of("torch213-cxx11-cpu-x86_64-linux").1, ["libgomp.so.1"]);
        assert!(of("torch213-cxx11-cu130-x86_64-linux").1.contains(&"libcublas.so"));
    }

    #[test]
    fn every_library_with_a_list_has_it() {
        assert!(
            Runtime::ALL.iter().filter(|runtime| matches!(runtime.exports(), Exports::Listed(_))).count()
                >= 6
        );
    }
}
