//! Headers that components depend on besides torch's: from a source tree that the user names, else from the store.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Version;
use sha2::{Digest, Sha256};

use super::fingerprint::{hash_tree, hexadecimal};
use super::parts::{Machine, ToolchainError};
use super::store::{Part, StoreError};
use crate::Context;
use crate::plan::dependencies::{HIPIFY, cutlass};

/// The headers of a build dependency: from the source tree that the user names, else from the store.
pub(super) fn dependency(
    context: &Context,
    token: &str,
    machine: &Machine,
    name: &str,
) -> Result<(Utf8PathBuf, String), ToolchainError> {
    let missing = |seen: String, store| {
        let (token, variant) = (token.to_owned(), name.to_owned());
        ToolchainError::NoDependency { token, variant, seen, store }
    };
    if token == HIPIFY {
        return hipify(machine, name);
    }
    let Some(wanted) = cutlass(token) else {
        return Err(missing("the local engine knows no place for them".to_owned(), None));
    };
    let part = Part::cutlass(&wanted);
    if !machine.locks(part.as_ref())
        && let Some(named) = context.environment.get("CUTLASS_SRC_DIR")
    {
        let root = context.resolve(Utf8Path::new(named));
        return match cutlass_version(&root) {
            Some(version) if version == wanted => {
                let mut hasher = Sha256::new();
                hash_tree(&root.join("include"), &mut hasher)?;
                Ok((root, hexadecimal(hasher)))
            }
            Some(version) => Err(missing(format!("`CUTLASS_SRC_DIR` is CUTLASS {version}"), None)),
            None => Err(missing(format!("`CUTLASS_SRC_DIR` (`{root}`) holds none"), None)),
        };
    }
    match machine.part(context, part) {
        Ok(Ok(fetched)) => Ok((fetched.root, fetched.digest)),
        Ok(Err(store)) => Err(missing("`CUTLASS_SRC_DIR` is not set".to_owned(), store)),
        // Of most versions there are no wheels.
        Err(ToolchainError::Store(error @ StoreError::Unresolved { .. })) => {
            Err(missing("`CUTLASS_SRC_DIR` is not set".to_owned(), Some(Box::new(error))))
        }
        Err(error) => Err(error),
    }
}

/// Torch's hipify in the chosen environment: a few files that need nothing of torch.
fn hipify(machine: &Machine, name: &str) -> Result<(Utf8PathBuf, String), ToolchainError> {
    let directory = machine.python.torch.as_ref().map(|torch| torch.root.join("utils/hipify"));
    let directory = directory.filter(|directory| directory.join("hipify_python.py").is_file());
    let interpreter = &machine.python.interpreter;
    let Some(directory) = directory else {
        return Err(ToolchainError::NoHipify { interpreter: interpreter.clone(), variant: name.to_owned() });
    };
    let mut hasher = Sha256::new();
    for file in ["__init__.py", "constants.py", "cuda_to_hip_mappings.py", "hipify_python.py", "version.py"] {
        hasher.update(fs_err::read(directory.join(file))?);
    }
    Ok((directory, hexadecimal(hasher)))
}

/// The version that CUTLASS's own header states.
fn cutlass_version(root: &Utf8Path) -> Option<Version> {
    let header = fs_err::read_to_string(root.join("include/cutlass/version.h")).ok()?;
    let number = |name: &str| {
        header
            .lines()
            .find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name)?.trim().parse::<u64>().ok())
    };
    Some(Version::major_minor(number("CUTLASS_MAJOR ")?, number("CUTLASS_MINOR ")?))
}
