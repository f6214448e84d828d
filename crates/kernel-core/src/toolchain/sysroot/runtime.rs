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
    /// The list of its exports in the embedded data, where there is one.
    exports: Option<&'static str>,
}

const fn named(soname: &'static str) -> Runtime {
    Runtime { soname, exports: None }
}

const fn listed(soname: &'static str, exports: &'static str) -> Runtime {
    Runtime { soname, exports: Some(exports) }
}

impl Runtime {
    /// Every library for which there is a stub.
    pub const ALL: &[Runtime] = &[
        named("libtorch.so"),
        named("libtorch_cpu.so"),
        named("libtorch_cuda.so"),
        named("libtorch_hip.so"),
        named("libtorch_xpu.so"),
        named("libc10.so"),
        named("libc10_cuda.so"),
        named("libc10_hip.so"),
        named("libc10_xpu.so"),
        listed("libtvm_ffi.so", "libtvm_ffi.so"),
        listed("libcudart.so.12", "libcudart.so.12"),
        listed("libcudart.so.13", "libcudart.so.13"),
        named("libcuda.so.1"),
        listed("libamdhip64.so.6", "libamdhip64.so"),
        listed("libamdhip64.so.7", "libamdhip64.so"),
        listed("libgomp.so.1", "libgomp.so.1"),
    ];

    /// The runtime with this SONAME.
    pub fn find(soname: &str) -> Option<&'static Runtime> {
        Self::ALL.iter().find(|runtime| runtime.soname == soname)
    }

    /// The names it exports, as far as the embedded data lists them.
    pub fn exports(&self) -> Option<&'static BTreeSet<&'static str>> {
        let list = self.exports?;
        lists().iter().find(|(soname, _)| *soname == list).map(|(_, names)| names)
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
