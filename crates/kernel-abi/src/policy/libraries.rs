//! Libraries that come with a framework or a backend, so that a kernel may need them although no system has them.

use kernel_spec::{Backend, Framework};

use super::Policy;

/// Whose libraries a row lists.
enum Provider {
    Framework(Framework),
    Backend(Backend),
    /// A framework's part for a backend.
    Both(Framework, Backend),
}

use Provider::{Backend as On, Both, Framework as Of};

/// Names up to `.so`; `#` stands for the major version of the toolkit, after `.so.`.
static LIBRARIES: &[(Provider, &[&str])] = &[
    // Torch ships libgomp under the name that compilers link; without Torch it is not promised.
    (Of(Framework::Torch), &["libtorch", "libtorch_cpu", "libtorch_python", "libc10", "libgomp", "libshm"]),
    (Of(Framework::TvmFfi), &["libtvm_ffi"]),
    (Both(Framework::Torch, Backend::Cuda), &["libtorch_cuda", "libtorch_cuda_linalg", "libc10_cuda"]),
    (Both(Framework::Torch, Backend::Rocm), &["libtorch_hip", "libtorch_hip_linalg", "libc10_hip"]),
    (Both(Framework::Torch, Backend::Xpu), &["libtorch_xpu", "libc10_xpu"]),
    (
        On(Backend::Cuda),
        &[
            "libcudart#",
            "libcublas#",
            "libcublasLt#",
            "libnvrtc#",
            "libnvJitLink#",
            "libcuda",
            "libcudnn",
            "libcufft",
            "libcufile",
            "libcurand",
            "libcusolver",
            "libcusparse",
            "libcusparseLt",
            "libnccl",
            "libnvidia-ml",
            "libnvshmem_host",
            "libnvToolsExt",
        ],
    ),
    (
        On(Backend::Rocm),
        &[
            "libamdhip64",
            "libhipblas",
            "libhipblaslt",
            "libhipfft",
            "libhiprand",
            "libhiprtc",
            "libhipsolver",
            "libhipsparse",
            "libhipsparselt",
            "libhsa-runtime64",
            "libMIOpen",
            "librccl",
            "librocblas",
            "librocfft",
            "librocrand",
            "librocsolver",
            "librocsparse",
            "libroctx64",
        ],
    ),
    (
        On(Backend::Xpu),
        &[
            "libsycl",
            "libOpenCL",
            "libze_loader",
            "libur_loader",
            "libdnnl",
            "libccl",
            "libmkl_core",
            "libmkl_intel_lp64",
            "libmkl_intel_ilp64",
            "libmkl_gnu_thread",
            "libmkl_intel_thread",
            "libmkl_sycl_blas",
            "libmkl_sycl_dft",
            "libmkl_sycl_lapack",
            "libmkl_sycl_rng",
            "libmkl_sycl_sparse",
            "libmkl_tbb_thread",
            "libimf",
            "libintlc",
            "libirng",
            "libiomp5",
            "libsvml",
            "libtbb",
        ],
    ),
];

/// What a needed library is to a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Provided by the framework or the backend.
    Provided,
    /// Provided, but made for another major version of the toolkit.
    OtherToolkit,
    /// A system library or a foreign one.
    NotProvided,
}

impl Policy {
    /// Whether the framework or the backend provides a library.
    pub fn origin(&self, library: &str) -> Origin {
        // macOS names the path of a library, with `@rpath` for those of the framework.
        let file = library.rsplit('/').next().unwrap_or(library);
        let (stem, version) = match (file.split_once(".so"), file.strip_suffix(".dylib")) {
            (Some((stem, rest)), _) => (stem, rest.trim_start_matches('.')),
            (None, Some(stem)) => (stem, ""),
            (None, None) => (file, ""),
        };
        let rows = LIBRARIES.iter().filter(|(provider, _)| match provider {
            Of(framework) => *framework == self.framework,
            On(backend) => *backend == self.backend,
            Both(framework, backend) => (*framework, *backend) == (self.framework, self.backend),
        });
        let known = rows.flat_map(|(_, names)| names.iter()).find(|name| name.trim_end_matches('#') == stem);
        let major = version.split('.').next().and_then(|major| major.parse::<u64>().ok());
        match known {
            None => Origin::NotProvided,
            Some(name) if name.ends_with('#') && self.toolkit.is_some() && major != self.toolkit => {
                Origin::OtherToolkit
            }
            Some(_) => Origin::Provided,
        }
    }
}
