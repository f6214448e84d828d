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

/// A name, and the versions behind it.
type Library = (&'static str, &'static [&'static str]);

/// Names as they stand in libraries. Where the name holds a version that differs from release to release, the versions
/// follow that releases had; `#` is the major version of the toolkit, and where a toolkit has another number in it, it is
/// a row of its own.
static LIBRARIES: &[(Provider, &[Library])] = &[
    (
        Of(Framework::Torch),
        &[
            ("libtorch.so", &[]),
            ("libtorch_cpu.so", &[]),
            ("libtorch_python.so", &[]),
            ("libtorch_global_deps.so", &[]),
            ("libc10.so", &[]),
            ("libshm.so", &[]),
            // Torch ships it under the name that compilers link; without Torch it is not promised.
            ("libgomp.so", &["1"]),
        ],
    ),
    (Of(Framework::TvmFfi), &[("libtvm_ffi.so", &[])]),
    (
        Both(Framework::Torch, Backend::Cuda),
        &[("libtorch_cuda.so", &[]), ("libtorch_cuda_linalg.so", &[]), ("libc10_cuda.so", &[])],
    ),
    (
        Both(Framework::Torch, Backend::Rocm),
        &[("libtorch_hip.so", &[]), ("libtorch_hip_linalg.so", &[]), ("libc10_hip.so", &[])],
    ),
    (Both(Framework::Torch, Backend::Xpu), &[("libtorch_xpu.so", &[]), ("libc10_xpu.so", &[])]),
    (
        On(Backend::Cuda),
        &[
            ("libcudart.so", &["#", "11.0"]),
            ("libcublas.so", &["#"]),
            ("libcublasLt.so", &["#"]),
            ("libcupti.so", &["#"]),
            ("libnvrtc.so", &["#", "11.2"]),
            ("libnvJitLink.so", &["#"]),
            ("libnvfatbin.so", &["#"]),
            ("libcuda.so", &["1"]),
            ("libcudnn.so", &["8", "9"]),
            ("libcufft.so", &["10", "11", "12"]),
            ("libcufile.so", &["0"]),
            ("libcurand.so", &["10"]),
            ("libcusolver.so", &["11", "12"]),
            ("libcusolverMg.so", &["11", "12"]),
            ("libcusparse.so", &["11", "12"]),
            ("libcusparseLt.so", &["0"]),
            ("libnccl.so", &["2"]),
            ("libnvidia-ml.so", &["1"]),
            ("libnvshmem_host.so", &["2", "3"]),
            ("libnvToolsExt.so", &["1"]),
        ],
    ),
    // Wheels of Torch for ROCm carry these without a version, too.
    (
        On(Backend::Rocm),
        &[
            ("libamdhip64.so", &["#", ""]),
            ("libhiprtc.so", &["#", ""]),
            ("libhipblas.so", &["0", "1", "2", "3", ""]),
            ("libhipblaslt.so", &["0", "1", ""]),
            ("libhipfft.so", &["0", ""]),
            ("libhiprand.so", &["1", ""]),
            ("libhipsolver.so", &["0", "1", ""]),
            ("libhipsparse.so", &["0", "1", "2", "3", "4", ""]),
            ("libhipsparselt.so", &["0", ""]),
            ("libhsa-runtime64.so", &["1", ""]),
            ("libMIOpen.so", &["1", ""]),
            ("librccl.so", &["1", ""]),
            ("librocblas.so", &["0", "3", "4", "5", ""]),
            ("librocfft.so", &["0", ""]),
            ("librocrand.so", &["1", ""]),
            ("librocsolver.so", &["0", ""]),
            ("librocsparse.so", &["0", "1", ""]),
            ("libroctx64.so", &["4", ""]),
        ],
    ),
    (
        On(Backend::Xpu),
        &[
            ("libsycl.so", &["7", "8", "9"]),
            ("libOpenCL.so", &["1"]),
            ("libze_loader.so", &["1"]),
            ("libur_loader.so", &["0"]),
            ("libdnnl.so", &["3"]),
            ("libccl.so", &["1", "2"]),
            ("libmkl_core.so", &["2", "3"]),
            ("libmkl_intel_lp64.so", &["2", "3"]),
            ("libmkl_intel_ilp64.so", &["2", "3"]),
            ("libmkl_gnu_thread.so", &["2", "3"]),
            ("libmkl_intel_thread.so", &["2", "3"]),
            ("libmkl_tbb_thread.so", &["2", "3"]),
            ("libmkl_sycl_blas.so", &["4", "5", "6"]),
            ("libmkl_sycl_dft.so", &["4", "5", "6"]),
            ("libmkl_sycl_lapack.so", &["4", "5", "6"]),
            ("libmkl_sycl_rng.so", &["4", "5", "6"]),
            ("libmkl_sycl_sparse.so", &["4", "5", "6"]),
            ("libimf.so", &[]),
            ("libintlc.so", &["5"]),
            ("libirng.so", &[]),
            ("libiomp5.so", &[]),
            ("libsvml.so", &[]),
            ("libtbb.so", &["12"]),
        ],
    ),
];

/// The OpenMP run time that Torch ships.
pub(crate) const GOMP: &str = "libgomp.so.1";

/// Its versions: what `readelf -V` shows of `torch/lib/libgomp.so.1` in the wheels of Torch 2.11 and 2.15 for x86_64. That
/// of a newer GCC has more.
pub(crate) static GOMP_VERSIONS: &[&str] = &[
    "GOACC_2.0",
    "GOACC_2.0.1",
    "GOMP_1.0",
    "GOMP_2.0",
    "GOMP_3.0",
    "GOMP_4.0",
    "GOMP_4.0.1",
    "GOMP_4.5",
    "GOMP_5.0",
    "GOMP_PLUGIN_1.0",
    "GOMP_PLUGIN_1.1",
    "GOMP_PLUGIN_1.2",
    "OACC_2.0",
    "OACC_2.0.1",
    "OACC_2.5",
    "OMP_1.0",
    "OMP_2.0",
    "OMP_3.0",
    "OMP_3.1",
    "OMP_4.0",
    "OMP_4.5",
    "OMP_5.0",
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
        // macOS names the path of a library, and looks for those of the framework wherever they were loaded from.
        let (file, own) = match library.strip_prefix("@rpath/") {
            Some(file) => (file, file.strip_suffix(".dylib").map(|stem| format!("{stem}.so"))),
            None => (library, None),
        };
        let file = own.as_deref().unwrap_or(file);
        let (name, version) = match file.split_once(".so.") {
            Some((stem, version)) => (&file[..stem.len() + 3], version),
            None => (file, ""),
        };
        let rows = LIBRARIES.iter().filter(|(provider, _)| match provider {
            Of(framework) => *framework == self.framework,
            On(backend) => *backend == self.backend,
            Both(framework, backend) => (*framework, *backend) == (self.framework, self.backend),
        });
        let known = rows.flat_map(|(_, libraries)| libraries.iter()).find(|(known, _)| *known == name);
        let Some((_, versions)) = known else { return Origin::NotProvided };
        let numbered = versions.contains(&"#");
        let leading = version.split('.').next().and_then(|major| major.parse::<u64>().ok());
        let of_toolkit = !numbered || self.toolkit.is_none() || leading == self.toolkit || version.is_empty();
        let is_major = leading.is_some_and(|major| version == major.to_string());
        let known = versions.contains(&version) || versions.is_empty() && version.is_empty();
        match (known || numbered && is_major, of_toolkit) {
            (false, _) => Origin::NotProvided,
            (true, false) => Origin::OtherToolkit,
            (true, true) => Origin::Provided,
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel_spec::Variant;

    use super::*;

    #[test]
    fn names_are_exact_and_versions_are_those_that_exist() {
        use Origin::{NotProvided, OtherToolkit, Provided};
        let origin = |variant: &str, library: &str| {
            let variant: Variant = variant.parse().expect("a variant");
            Policy::for_variant(variant.arch().expect("compiled")).origin(library)
        };
        let cuda = |library| origin("torch213-cxx11-cu130-x86_64-linux", library);
        for (library, expected) in [
            ("libtorch.so", Provided),
            ("libtorch.so.2", NotProvided),
            ("libtorch.so_evil.so", NotProvided),
            ("/opt/libtorch.so", NotProvided),
            ("libgomp.so.1", Provided),
            ("libgomp.so.9", NotProvided),
            ("libcudart.so.13", Provided),
            ("libcudart.so.12", OtherToolkit),
            ("libcudart.so.11.0", OtherToolkit),
            ("libcudart.so.666.so", NotProvided),
            ("libcudart.so.013", NotProvided),
            ("libcudart.so", NotProvided),
            ("libcudnn.so.9", Provided),
            ("libcudnn.so.666", NotProvided),
            ("libcuda.so.1", Provided),
            ("libamdhip64.so.7", NotProvided),
        ] {
            assert_eq!(cuda(library), expected, "{library}");
        }
        let rocm = |library| origin("torch213-cxx11-rocm72-x86_64-linux", library);
        assert_eq!((rocm("libamdhip64.so.7"), rocm("libamdhip64.so")), (Provided, Provided));
        assert_eq!((rocm("libamdhip64.so.6"), rocm("librocblas.so.2")), (OtherToolkit, NotProvided));
        let metal = |library| origin("torch213-metal-aarch64-darwin", library);
        assert_eq!((metal("@rpath/libtorch.dylib"), metal("/tmp/libtorch.dylib")), (Provided, NotProvided));
    }
}
