//! Torch's stable ABI: the C functions that a library may use, and since which Torch.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use kernel_spec::{Backend, Version};

use super::mangled::namespace;

/// When a function came into the stable ABI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Introduced {
    /// With its first release.
    Always,
    /// With this Torch.
    Since(Version),
}

/// A function of the stable ABI.
struct Shim {
    introduced: Introduced,
    /// The library that exports it in a build for CUDA; none where only builds for other devices have it.
    library: Option<&'static str>,
}

/// Namespaces of Torch's C++ interface.
const NAMESPACES: &[&str] = &["at", "c10", "c10d", "caffe2", "torch"];

static TABLE: LazyLock<BTreeMap<&'static str, Shim>> = LazyLock::new(|| {
    let text = include_str!("../data/torch_stable_abi.tsv");
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

fn row(line: &'static str) -> Option<(&'static str, Shim)> {
    let mut fields = line.split('\t');
    let (name, introduced, _header, library) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let introduced = match introduced {
        "base" => Introduced::Always,
        version => Introduced::Since(version.parse().ok()?),
    };
    Some((name, Shim { introduced, library: Some(library).filter(|library| *library != "-") }))
}

/// When a function came in; `None` for functions outside the stable ABI.
pub fn introduced(symbol: &str) -> Option<&'static Introduced> {
    TABLE.get(symbol).map(|shim| &shim.introduced)
}

/// Whether Torch for a backend exports a function of the stable ABI.
pub fn is_exported(symbol: &str, backend: Backend) -> bool {
    TABLE.get(symbol).is_some_and(|shim| match shim.library {
        // Builds for ROCm have the functions for CUDA under their names.
        Some("torch_cuda") => matches!(backend, Backend::Cuda | Backend::Rocm),
        Some(_) => true,
        None => !matches!(backend, Backend::Cpu | Backend::Cuda),
    })
}

/// Whether a name belongs to the C interface of Torch.
pub fn is_c_function(symbol: &str) -> bool {
    symbol.starts_with("aoti_") || symbol.starts_with("torch_")
}

/// Whether a mangled name belongs to Torch's C++ interface, which changes with every release.
pub fn is_cxx(symbol: &str) -> bool {
    namespace(symbol).is_some_and(|outer| NAMESPACES.contains(&outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        let rows = include_str!("../data/torch_stable_abi.tsv").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(TABLE.len(), rows.count());
        assert_eq!(introduced("aoti_torch_abi_version"), Some(&Introduced::Always));
        assert!(introduced("torch_nothing").is_none());
        let exported = |symbol| Backend::all().filter(|backend| is_exported(symbol, *backend)).count();
        assert_eq!(exported("aoti_torch_abi_version"), Backend::all().count());
        assert_eq!(exported("aoti_torch_create_cuda_guard"), 2);
        assert!(!is_exported("aoti_torch_create_cuda_guard", Backend::Cpu));
        assert_eq!(exported("torch_nothing"), 0);
        assert!(
            is_cxx("_ZN2at4_ops3add4callEv")
                && is_cxx("_ZNK3c1010TensorImpl5sizesEv")
                && is_cxx("_ZTIN3c105ErrorE")
                && is_cxx("_ZThn16_N3c105ErrorD0Ev")
        );
        assert!(!is_cxx("_ZN3foo3barEv") && !is_cxx("_ZSt4cout") && !is_cxx("aoti_torch_abi_version"));
    }
}
