//! Torch's stable ABI: the C functions that a library may use, and since which Torch.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use kernel_spec::Version;

/// When a function came into the stable ABI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Introduced {
    /// With its first release.
    Always,
    /// With this Torch.
    Since(Version),
}

static TABLE: LazyLock<BTreeMap<&'static str, Introduced>> = LazyLock::new(|| {
    let text = include_str!("../data/torch_stable_abi.tsv");
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

fn row(line: &'static str) -> Option<(&'static str, Introduced)> {
    let mut fields = line.split('\t');
    let (name, introduced) = (fields.next()?, fields.next()?);
    let introduced = match introduced {
        "base" => Introduced::Always,
        version => Introduced::Since(version.parse().ok()?),
    };
    Some((name, introduced))
}

/// When a function came in; `None` for functions outside the stable ABI.
pub fn introduced(symbol: &str) -> Option<&'static Introduced> {
    TABLE.get(symbol)
}

/// Whether a name belongs to the C interface of Torch.
pub fn is_c_function(symbol: &str) -> bool {
    symbol.starts_with("aoti_") || symbol.starts_with("torch_")
}

/// Whether a mangled name belongs to Torch's C++ interface, which changes with every release.
pub fn is_cxx(symbol: &str) -> bool {
    let Some(rest) = symbol.strip_prefix("_Z") else { return false };
    let rest = rest.strip_prefix('T').map_or(rest, |rest| rest.get(1..).unwrap_or_default());
    let Some(rest) = rest.strip_prefix('N') else { return false };
    let rest = rest.trim_start_matches(['r', 'V', 'K', 'R', 'O']);
    ["2at", "3c10", "5torch", "6caffe2"].iter().any(|namespace| rest.starts_with(namespace))
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
        assert!(
            is_cxx("_ZN2at4_ops3add4callEv")
                && is_cxx("_ZNK3c1010TensorImpl5sizesEv")
                && is_cxx("_ZTIN3c105ErrorE")
        );
        assert!(!is_cxx("_ZN3foo3barEv") && !is_cxx("_ZSt4cout") && !is_cxx("aoti_torch_abi_version"));
    }
}
