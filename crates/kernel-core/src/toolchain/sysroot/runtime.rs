//! Libraries that are in the process before a kernel is loaded: Torch, TVM FFI and the run times of the GPUs. A kernel
//! needs them by name only, so it is linked to stubs that are nothing but a name, and a build needs no gigabytes.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::table::unpack;

/// A library that the process brings.
#[derive(Debug, PartialEq, Eq)]
pub struct Runtime {
    /// Its SONAME, which is also the stub's file name.
    pub soname: &'static str,
    source: Source,
}

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

const fn torch(soname: &'static str) -> Runtime {
    Runtime { soname, source: Source::Torch }
}

const fn listed(soname: &'static str, list: &'static str) -> Runtime {
    Runtime { soname, source: Source::List(list) }
}

impl Runtime {
    /// Every library for which there is a stub.
    pub const ALL: &[Runtime] = &[
        torch("libtorch.so"),
        torch("libtorch_cpu.so"),
        torch("libtorch_cuda.so"),
        torch("libtorch_hip.so"),
        torch("libtorch_xpu.so"),
        torch("libc10.so"),
        torch("libc10_cuda.so"),
        torch("libc10_hip.so"),
        torch("libc10_xpu.so"),
        listed("libtvm_ffi.so", "libtvm_ffi.so"),
        listed("libcudart.so.12", "libcudart.so.12"),
        listed("libcudart.so.13", "libcudart.so.13"),
        Runtime { soname: "libcuda.so.1", source: Source::Prefix("cu") },
        listed("libamdhip64.so.6", "libamdhip64.so"),
        listed("libamdhip64.so.7", "libamdhip64.so"),
        listed("libgomp.so.1", "libgomp.so.1"),
    ];

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
