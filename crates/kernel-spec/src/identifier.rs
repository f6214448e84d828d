//! The id of a kernel: `_<python name>_<backend>_<unique>`. It names the Python module and the operator namespace of a
//! variant, and two ids that are equal must not meet in one process, so it is made from what the kernel *is*: its own
//! inputs and the part of the manifest that says how they are built. Where the sources came from, which tools build
//! them, and everything written for people is outside.
//!
//! Rule 1, hashed with SHA-256, is a list of records. A record is its tag, a number, a colon and that many bytes, then a
//! newline; a list is a record whose value is the number of elements, and then the elements. In this order:
//!
//! | record | content |
//! |---|---|
//! | `kernel-builder-id` | `1`, the version of this rule |
//! | `name`, `backend`, `version` | Python name, backend, `general.version` |
//! | `framework` | section of the framework, then its records (below) |
//! | `components` | how many `[kernel.*]` of this backend, then each by name: `component`, then its records |
//! | `inputs` | how many, then each by path: `path`, `sha256` (64 hexadecimal digits) |
//!
//! Order is kept where it means something (sources: initialisation; include directories: search; flags) and removed
//! where it does not (tables, dependencies, architectures, extensions). Paths are normalised. A key that is absent has
//! no record, so a new key of the manifest changes only ids of kernels that use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::manifest::{Binding, CompiledBinding, Component, Manifest, NoarchBinding, Target, TorchBinding};
use crate::path::normalised;
use crate::{Backend, Located, Version};

/// Version of the rule by which ids are made; raised when equal inputs may give another id.
pub const RULE: u32 = 1;

/// SHA-256 of one input.
pub type InputDigest = [u8; 32];

/// Characters of the unique part: 65 bits.
const UNIQUE_LENGTH: usize = 13;

/// A kernel's id for one backend.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identifier {
    python_name: String,
    backend: Backend,
    unique: String,
}

impl Identifier {
    /// The id of a kernel for a backend; `inputs` are its files with their digests, by path relative to the project.
    pub fn of(manifest: &Manifest, backend: Backend, inputs: &BTreeMap<String, InputDigest>) -> Self {
        let digest = Sha256::digest(canonical(manifest, backend, inputs).as_bytes());
        let mut unique = base32(&digest);
        unique.truncate(UNIQUE_LENGTH);
        Self { python_name: manifest.general.name.python_name(), backend, unique }
    }

    /// The part that differs between two states of a kernel.
    pub fn unique(&self) -> &str {
        &self.unique
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&prefix(&self.python_name, self.backend))?;
        formatter.write_str(&self.unique)
    }
}

/// What every id of a kernel for a backend begins with.
pub fn prefix(python_name: &str, backend: Backend) -> String {
    format!("_{python_name}_{backend}_")
}

/// Whether a text can be the id of this kernel and backend: ours, or one the peer's tools made.
pub fn belongs_to(id: &str, python_name: &str, backend: Backend) -> bool {
    id.strip_prefix(&prefix(python_name, backend)).is_some_and(|unique| {
        !unique.is_empty() && unique.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// The text that is hashed.
fn canonical(manifest: &Manifest, backend: Backend, inputs: &BTreeMap<String, InputDigest>) -> String {
    let mut records = Records::default();
    records.put("kernel-builder-id", &RULE.to_string());
    records.put("name", &manifest.general.name.python_name());
    records.put("backend", backend.as_str());
    records.put("version", &manifest.general.version.value.to_string());
    records.put("framework", manifest.framework().section());
    match &manifest.binding {
        Binding::Torch(torch) => torch_records(&mut records, torch, manifest.stable_abi(backend)),
        Binding::TvmFfi(tvm_ffi) => compiled(&mut records, &tvm_ffi.common),
        Binding::TorchNoarch(noarch) => noarch_records(&mut records, noarch),
    }
    let mut components: Vec<&Component> = manifest.components_of(backend).collect();
    components.sort_by(|left, right| left.name.value.cmp(&right.name.value));
    records.put("components", &components.len().to_string());
    for component in components {
        component_records(&mut records, component);
    }
    records.put("inputs", &inputs.len().to_string());
    for (path, digest) in inputs {
        records.put("path", path);
        records.put("sha256", &hexadecimal(digest));
    }
    records.0
}

fn torch_records(records: &mut Records, torch: &TorchBinding, stable_abi: Option<&Version>) {
    compiled(records, &torch.common);
    records.version("minver", torch.minimum.as_ref());
    records.version("maxver", torch.maximum.as_ref());
    if let Some(version) = stable_abi {
        records.put("stable-abi", &version.to_string());
    }
}

fn compiled(records: &mut Records, binding: &CompiledBinding) {
    records.paths("src", &binding.sources);
    records.paths("include", &binding.include);
    records.list("cxx-flags", &binding.cxx_flags);
    extensions(records, binding.python_extensions.as_deref());
}

fn noarch_records(records: &mut Records, noarch: &NoarchBinding) {
    extensions(records, noarch.python_extensions.as_deref());
    records.set("cuda-capabilities", &noarch.cuda_capabilities);
    records.set("rocm-archs", &noarch.rocm_archs);
}

/// Extensions decide which files ship, and those are inputs; the key itself adds nothing but is part of the table.
fn extensions(records: &mut Records, extensions: Option<&[Located<String>]>) {
    if let Some(extensions) = extensions {
        records.set("pyext", extensions);
    }
}

fn component_records(records: &mut Records, component: &Component) {
    records.put("component", &component.name.value);
    records.set("depends", &component.depends);
    records.paths("src", &component.sources);
    records.paths("include", &component.include);
    records.list("cxx-flags", &component.cxx_flags);
    match &component.target {
        Target::Cpu | Target::Metal => {}
        Target::Cuda { capabilities, flags, minimum } => {
            if let Some(capabilities) = capabilities {
                records.set("cuda-capabilities", capabilities);
            }
            records.list("cuda-flags", flags);
            records.version("cuda-minver", minimum.as_ref());
        }
        Target::Rocm { architectures, flags } => {
            if let Some(architectures) = architectures {
                records.set("rocm-archs", architectures);
            }
            records.list("hip-flags", flags);
        }
        Target::Xpu { flags } => records.list("sycl-flags", flags),
    }
}

/// Records as they are hashed: each says its length, so that no two lists of records have the same text.
#[derive(Default)]
struct Records(String);

impl Records {
    fn put(&mut self, tag: &str, value: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{tag} {}:{value}", value.len());
    }

    fn version(&mut self, tag: &str, version: Option<&Located<Version>>) {
        if let Some(version) = version {
            self.put(tag, &version.value.to_string());
        }
    }

    /// Elements in order. An empty list is the same as none.
    fn elements<'a>(&mut self, tag: &str, elements: impl ExactSizeIterator<Item = &'a str>) {
        if elements.len() > 0 {
            self.put(tag, &elements.len().to_string());
            elements.for_each(|element| self.put("-", element));
        }
    }

    fn list(&mut self, tag: &str, values: &[Located<String>]) {
        self.elements(tag, values.iter().map(|value| value.value.as_str()));
    }

    /// Paths in order; a repetition means nothing.
    fn paths(&mut self, tag: &str, values: &[Located<String>]) {
        let mut seen = BTreeSet::new();
        let paths: Vec<String> = values.iter().map(|value| normalised(&value.value)).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).filter(|path| seen.insert(*path)).collect();
        self.elements(tag, paths.into_iter());
    }

    /// Values without order or repetitions.
    fn set(&mut self, tag: &str, values: &[Located<String>]) {
        let set: BTreeSet<&str> = values.iter().map(|value| value.value.as_str()).collect();
        self.elements(tag, set.into_iter());
    }
}

/// Lower-case hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Base 32 by RFC 4648, section 6, in lower case and without padding; whole digits only.
fn base32(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    (0..bytes.len() * 8 / 5)
        .map(|digit| (0..5).fold(0, |value, at| value << 1 | bit(digit * 5 + at)))
        .map(|value| char::from(DIGITS[value]))
        .collect()
}

#[cfg(test)]
mod tests;
