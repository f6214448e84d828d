//! What a manifest may depend on, as data: build dependencies of components, and Python packages that the loader
//! allows a kernel to import. Section 1.6 of the format; the loader refuses every other Python name.

use crate::Backend;
use crate::version::Version;

/// A token of `kernel.<name>.depends`.
#[derive(Debug)]
pub struct BuildDependency {
    /// The token.
    pub token: &'static str,
    /// What it stands for.
    pub package: BuildPackage,
    /// The version it stands for; empty where the toolchain decides.
    pub version: &'static str,
}

/// What a build dependency supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuildPackage {
    /// Torch itself, which is always there.
    Torch,
    /// The headers of NVIDIA CUTLASS.
    Cutlass,
    /// The headers of CUTLASS for SYCL.
    SyclTla,
    /// The headers of metal-cpp.
    MetalCpp,
}

const fn build(token: &'static str, package: BuildPackage, version: &'static str) -> BuildDependency {
    BuildDependency { token, package, version }
}

/// Every build dependency.
pub static BUILD: &[BuildDependency] = &[
    build("torch", BuildPackage::Torch, ""),
    build("cutlass_2_10", BuildPackage::Cutlass, "2.10.0"),
    build("cutlass_3_5", BuildPackage::Cutlass, "3.5.1"),
    build("cutlass_3_6", BuildPackage::Cutlass, "3.6.0"),
    build("cutlass_3_8", BuildPackage::Cutlass, "3.8.0"),
    build("cutlass_3_9", BuildPackage::Cutlass, "3.9.2"),
    build("cutlass_4_0", BuildPackage::Cutlass, "4.0.0"),
    build("cutlass_4_4", BuildPackage::Cutlass, "4.4.2"),
    build("cutlass_4_5", BuildPackage::Cutlass, "4.5.2"),
    build("sycl_tla", BuildPackage::SyclTla, ""),
    build("metal-cpp", BuildPackage::MetalCpp, ""),
];

/// The build dependency with this token.
pub fn build_dependency(token: &str) -> Option<&'static BuildDependency> {
    BUILD.iter().find(|dependency| dependency.token == token)
}

impl BuildDependency {
    /// The version it stands for, where the token fixes one.
    pub fn version(&self) -> Option<Version> {
        self.version.parse().ok()
    }
}

/// A name of `python-depends`.
#[derive(Debug)]
pub struct PythonDependency {
    /// The only backend that may name it; `None` where every kernel may.
    pub backend: Option<Backend>,
    /// The name in manifests and metadata.
    pub name: &'static str,
    /// The distribution to install.
    pub package: &'static str,
    /// The module the loader imports to see that it is there; empty where it does not look.
    pub import: &'static str,
}

const fn python(
    backend: Option<Backend>,
    name: &'static str,
    package: &'static str,
    import: &'static str,
) -> PythonDependency {
    PythonDependency { backend, name, package, import }
}

/// Every Python dependency.
pub static PYTHON: &[PythonDependency] = &[
    python(None, "einops", "einops", "einops"),
    python(None, "helion", "helion", "helion"),
    python(None, "tvm-ffi", "apache-tvm-ffi", "tvm_ffi"),
    python(Some(Backend::Cuda), "nvidia-cutlass-dsl", "nvidia-cutlass-dsl", "cutlass"),
    python(Some(Backend::Neuron), "nki", "nki", "nki"),
    python(Some(Backend::Xpu), "onednn", "onednn-devel", ""),
];

/// The Python dependency of this name in one scope: a backend's own table, or `[general]` for `None`.
pub fn python_dependency(scope: Option<Backend>, name: &str) -> Option<&'static PythonDependency> {
    PYTHON.iter().find(|dependency| dependency.backend == scope && dependency.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_table_are_versions() {
        for dependency in BUILD {
            assert_eq!(
                dependency.version().is_some(),
                dependency.package == BuildPackage::Cutlass,
                "{dependency:?}"
            );
        }
    }
}
