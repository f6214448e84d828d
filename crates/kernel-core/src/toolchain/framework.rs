//! The framework's part of a toolchain: headers of the chosen Python environment where its version fits, else of the store.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::variant::{ArchVariant, FrameworkAbi};
use kernel_spec::{Backend, Version};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::fingerprint::{hexadecimal, sha256};
use super::parts::{Machine, ToolchainError, refuse_foreign};
use super::store::{Fetched, Part};
use crate::Context;
use crate::host::TorchInstallation;

/// The framework's part of a toolchain.
#[derive(Debug)]
pub(super) struct Frame {
    /// Parts by name.
    pub parts: BTreeMap<String, Utf8PathBuf>,
    /// The torch whose headers they are.
    pub torch: Option<Version>,
    /// Python's headers, where they are read.
    pub python: Option<PythonHeaders>,
    /// What objects depend on.
    pub stamp: Vec<String>,
}

/// Python's headers, known by what decides them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PythonHeaders {
    /// The interpreter's version.
    pub version: String,
    /// SHA-256 of `pyconfig.h`, how it was configured.
    pub configuration: String,
}

/// The framework's part of a toolchain.
pub(super) fn framework(
    context: &Context,
    variant: &ArchVariant,
    machine: &Machine,
    name: &str,
) -> Result<Frame, ToolchainError> {
    refuse_foreign(variant, name)?;
    match variant.framework {
        FrameworkAbi::TvmFfi(wanted) => {
            let wanted = wanted.version();
            let part = Part::tvm_ffi(&wanted);
            let installed = machine.python.tvm_ffi.as_ref().filter(|_| !machine.locks(part.as_ref()));
            let (version, root, proof) =
                if let Some(fits) = installed.filter(|installed| installed.version.truncated() == wanted) {
                    (fits.version.clone(), fits.root.clone(), record(&fits.root, "apache_tvm_ffi")?)
                } else {
                    let found = installed.map(|other| format!("tvm-ffi {}", other.version));
                    let missing = Lacking { wanted: format!("tvm-ffi {wanted}"), found, variant: name };
                    let fetched = missing.fetched(context, machine, part)?;
                    (wanted, fetched.root, fetched.digest)
                };
            let parts = BTreeMap::from([("tvm-ffi".into(), root)]);
            Ok(Frame { parts, torch: None, python: None, stamp: vec![format!("tvm-ffi {version} {proof}")] })
        }
        FrameworkAbi::Torch { version, .. } | FrameworkAbi::TorchStableAbi(version) => {
            torch(context, variant, machine, (&version.version(), name))
        }
    }
}

/// Torch's headers and Python's: of the chosen environment where its torch fits, else of a torch from the store.
fn torch(
    context: &Context,
    variant: &ArchVariant,
    machine: &Machine,
    (wanted, name): (&Version, &str),
) -> Result<Frame, ToolchainError> {
    let python = machine.python;
    let stable = matches!(variant.framework, FrameworkAbi::TorchStableAbi(_));
    let on_cuda = variant.compute.backend() == Backend::Cuda;
    let has_headers = |installed: &TorchInstallation| {
        !on_cuda || installed.root.join("include/c10/cuda/CUDAStream.h").is_file()
    };
    let fits = |installed: &&TorchInstallation| {
        let version = &installed.version;
        has_headers(installed)
            && if stable { version.reaches(wanted) } else { version.truncated() == *wanted }
    };
    let part = Part::torch(wanted);
    let installed = python.torch.as_ref().filter(|_| !machine.locks(part.as_ref()));
    let (version, root, proof) = if let Some(installed) = installed.filter(fits) {
        let proof = format!("torch {} {}", installed.full_version, record(&installed.root, "torch")?);
        (installed.version.clone(), installed.root.clone(), proof)
    } else {
        let found = installed.map(|other| {
            let without = if has_headers(other) { "" } else { " without CUDA's headers" };
            format!("torch {}{without}", other.full_version)
        });
        let wanted_text = format!("torch {wanted}{}", if stable { " or newer" } else { "" });
        let missing = Lacking { wanted: wanted_text, found, variant: name };
        let fetched = missing.fetched(context, machine, part)?;
        (wanted.clone(), fetched.root, format!("torch {wanted} {}", fetched.digest))
    };
    if !python.include.join("Python.h").is_file() {
        return Err(ToolchainError::NoPythonHeaders { directory: python.include.clone() });
    }
    let parts = BTreeMap::from([("torch".into(), root), ("python".into(), python.include.clone())]);
    let configuration = sha256(&python.include.join("pyconfig.h"))?;
    let python = PythonHeaders { version: python.version.to_string(), configuration };
    let stamp = vec![proof, format!("python {} {}", python.version, python.configuration)];
    Ok(Frame { parts, torch: Some(version), python: Some(python), stamp })
}

/// A framework that the chosen environment has not got.
struct Lacking<'a> {
    wanted: String,
    found: Option<String>,
    variant: &'a str,
}

impl Lacking<'_> {
    /// The same from the store, else what to say.
    fn fetched(
        self,
        context: &Context,
        machine: &Machine,
        part: Option<Part>,
    ) -> Result<Fetched, ToolchainError> {
        let store = match machine.part(context, part)? {
            Ok(fetched) => return Ok(fetched),
            Err(store) => store,
        };
        let (interpreter, variant) = (machine.python.interpreter.clone(), self.variant.to_owned());
        Err(match self.found {
            None => ToolchainError::NoFramework { interpreter, framework: self.wanted, variant, store },
            Some(installed) => {
                ToolchainError::OtherFramework { interpreter, installed, wanted: self.wanted, variant, store }
            }
        })
    }
}

/// A digest of an installed package: of the list of its files and their hashes that its installer left, which changes
/// with every upgrade in place and is a thousand times smaller than the package.
fn record(root: &Utf8Path, distribution: &str) -> std::io::Result<String> {
    let site = root.parent().unwrap_or(root);
    let mut records: Vec<Utf8PathBuf> = fs_err::read_dir(site)?
        .filter_map(|entry| Utf8PathBuf::try_from(entry.ok()?.path()).ok())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default();
            let rest = name.strip_prefix(distribution).and_then(|rest| rest.strip_prefix('-'));
            rest.is_some_and(|rest| rest.ends_with(".dist-info"))
        })
        .map(|path| path.join("RECORD"))
        .filter(|path| path.is_file())
        .collect();
    records.sort();
    let versions = ["version.py", "_version.py"].map(|name| root.join(name));
    records.extend(versions.into_iter().filter(|path| path.is_file()));
    let mut hasher = Sha256::new();
    for path in records {
        hasher.update(fs_err::read(path)?);
    }
    Ok(hexadecimal(hasher))
}
