//! Torch and TVM-FFI as files. Importing torch takes seconds and needs every GPU library; its version file says the same
//! in microseconds and runs nothing.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Version;

use super::HostError;
use super::probe::InterpreterFacts;
use crate::Result;

/// The first torch whose Linux wheels all have the C++11 string ABI.
const CXX11_SINCE: (u64, u64) = (2, 7);

/// An installed torch, as its own files describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorchInstallation {
    /// Its version without what follows a plus sign.
    pub version: Version,
    /// Its version as it says it: `2.15.0+cu132`.
    pub full_version: String,
    /// Its package directory, with `include` and `lib` in it.
    pub root: Utf8PathBuf,
    /// CUDA it was compiled for.
    pub cuda: Option<Version>,
    /// HIP it was compiled for.
    pub hip: Option<Version>,
    /// Major and minor version of the XPU toolkit it was compiled for.
    pub xpu: Option<Version>,
    /// Whether it has the C++11 string ABI.
    pub cxx11_abi: bool,
}

/// An installed TVM-FFI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TvmFfiInstallation {
    /// Its version.
    pub version: Version,
    /// Its package directory, with `include` and `lib` in it.
    pub root: Utf8PathBuf,
}

/// The directory that Python would import `name` from: the first with an `__init__.py`.
pub(super) fn directory(search: &[Utf8PathBuf], name: &str) -> Option<Utf8PathBuf> {
    search.iter().map(|directory| directory.join(name)).find(|path| path.join("__init__.py").is_file())
}

pub(super) fn torch(search: &[Utf8PathBuf], facts: &InterpreterFacts) -> Result<Option<TorchInstallation>> {
    let Some(root) = directory(search, "torch") else { return Ok(None) };
    let broken = || HostError::Package { package: "torch", directory: root.clone() };
    let text = fs_err::read_to_string(root.join("version.py")).map_err(|_| broken())?;
    let full_version = assigned(&text, "__version__").ok_or_else(broken)?;
    let version = Version::release(&full_version).ok_or_else(broken)?;
    let release = |name| assigned(&text, name).and_then(|text| Version::release(&text));
    Ok(Some(TorchInstallation {
        cuda: release("cuda"),
        hip: release("hip"),
        xpu: assigned(&text, "xpu").and_then(|text| xpu_version(&text)),
        cxx11_abi: cxx11_abi(&root, &version, facts),
        version,
        full_version,
        root,
    }))
}

pub(super) fn tvm_ffi(search: &[Utf8PathBuf]) -> Result<Option<TvmFfiInstallation>> {
    let Some(root) = directory(search, "tvm_ffi") else { return Ok(None) };
    let broken = || HostError::Package { package: "apache-tvm-ffi", directory: root.clone() };
    let text = fs_err::read_to_string(root.join("_version.py")).map_err(|_| broken())?;
    let version = assigned(&text, "__version__").as_deref().and_then(Version::release).ok_or_else(broken)?;
    Ok(Some(TvmFfiInstallation { version, root }))
}

/// The text that a Python module assigns to a name in a line of its own, with or without a type or further names:
/// `cuda: Optional[str] = '13.2'`, `__version__ = version = '0.1.15'`. `None` for `None` and for other values.
fn assigned(module: &str, name: &str) -> Option<String> {
    module.lines().find_map(|line| {
        let (left, right) = line.split_once('=')?;
        let left = left.split(':').next().unwrap_or(left).trim();
        let value = right.rsplit('=').next().unwrap_or(right).trim();
        let quote = value.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let inner = value.strip_prefix(quote)?.split(quote).next()?;
        (left == name).then(|| inner.to_owned())
    })
}

/// Torch writes the XPU toolkit as digits, `20250302` for 2025.3.2; the loader takes the first four and the sixth.
fn xpu_version(text: &str) -> Option<Version> {
    let major = text.get(0..4)?.parse().ok()?;
    let minor = text.get(5..6)?.parse().ok()?;
    Some(Version::major_minor(major, minor))
}

/// Torch says its string ABI in its CMake file, where that is installed; wheels since 2.7 all have the new one, and so
/// had those for 64-bit Arm before.
fn cxx11_abi(root: &Utf8Path, version: &Version, facts: &InterpreterFacts) -> bool {
    let file = root.join("share/cmake/Torch/TorchConfig.cmake");
    let text = fs_err::read_to_string(file).unwrap_or_default();
    match text.split("_GLIBCXX_USE_CXX11_ABI=").nth(1).and_then(|rest| rest.chars().next()) {
        Some('0') => false,
        Some('1') => true,
        _ => facts.cpu != "x86_64" || version.reaches(&Version::major_minor(CXX11_SINCE.0, CXX11_SINCE.1)),
    }
}

/// The CUDA runtime library of the system, which the loader asks only where torch is not installed. Its file name has
/// the version: `libcudart.so.13.2.86`.
pub(super) fn cuda_runtime() -> Option<Version> {
    let directories =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/cuda/lib64"];
    let entries =
        directories.iter().filter_map(|directory| fs_err::read_dir(directory).ok()).flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name();
            Version::release(name.to_str()?.strip_prefix("libcudart.so.")?)
        })
        .filter(|version| version.components().len() >= 2)
        .max()
}
