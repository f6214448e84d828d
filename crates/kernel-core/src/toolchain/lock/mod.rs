//! `kernel-builder.lock`: what a project is compiled with, for each system: every fetched part by the hashes of its
//! wheels and of the tree that was taken from them, and the compiler by the bytes of what decides its output.

mod compare;
mod error;
mod file;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::arch::System;
use kernel_spec::identifier::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::compiler::CompilerIdentity;
use super::framework::PythonHeaders;
use super::store::Part;
use crate::{atomic, regular};
pub use compare::{Differences, Used};
pub use error::LockError;
use file::File;

/// Name of the file, in the project's directory.
pub const LOCK: &str = "kernel-builder.lock";
/// No lock that we write comes near this size in bytes.
const LARGEST: u64 = 4 << 20;

/// A project's lock, as far as it is about this system.
#[derive(Clone, Debug)]
pub struct Lock {
    /// SHA-256 of the file, in hexadecimal.
    pub digest: String,
    system: System,
    locked: Option<LockedSystem>,
}

/// What is locked for one system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSystem {
    /// The host's compiler.
    pub compiler: CompilerIdentity,
    /// Python's headers, where something was compiled against them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<PythonHeaders>,
    /// Fetched parts, by name.
    #[serde(default, rename = "part", skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<LockedPart>,
}

/// A fetched part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LockedPart {
    /// Its kind: `cuda`.
    pub name: String,
    /// Major and minor version.
    pub version: String,
    /// SHA-256 of the tree that was taken out of its wheels, in hexadecimal.
    pub tree: String,
    /// Wheels of which only some members were read when this was locked, so that the hash of the whole was not seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted_ranges: bool,
    /// The wheels.
    #[serde(rename = "file")]
    pub files: Vec<LockedFile>,
}

/// A wheel of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedFile {
    /// The package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Name of the wheel.
    pub file: String,
    /// SHA-256 of the whole wheel, in hexadecimal.
    pub sha256: String,
}

impl Lock {
    /// The lock of a project, where it has one.
    pub fn read(project: &Utf8Path, system: System) -> Result<Option<Self>, LockError> {
        let path = project.join(LOCK);
        let unreadable = |source| LockError::Unreadable { path: path.clone(), source };
        let Some(text) = regular::text_if_there(&path, LARGEST).map_err(unreadable)? else { return Ok(None) };
        let locked = File::parse(&path, &text)?.systems.remove(&system.to_string());
        let digest = hexadecimal(&Sha256::digest(text.as_bytes()));
        Ok(Some(Self { digest, system, locked }))
    }

    /// What it says of a part.
    pub fn part(&self, part: &Part) -> Option<&LockedPart> {
        self.locked.as_ref()?.parts.iter().find(|locked| locked.part() == *part)
    }
}

impl LockedPart {
    /// The part; a lock that names none was refused when it was read.
    pub(super) fn part(&self) -> Part {
        format!("{}-{}", self.name, self.version).parse().expect("the lock was looked at")
    }
}

/// Writes what a system is compiled with into a project's lock. What the lock says of other systems stays, and so do parts
/// that are not named again. Answers where it is, and whether it changed.
pub fn write(
    project: &Utf8Path,
    system: System,
    locked: LockedSystem,
) -> Result<(Utf8PathBuf, bool), LockError> {
    let path = project.join(LOCK);
    let unreadable = |source| LockError::Unreadable { path: path.clone(), source };
    let before = regular::text_if_there(&path, LARGEST).map_err(unreadable)?;
    let mut file = match &before {
        Some(text) => File::parse(&path, text)?,
        None => File::default(),
    };
    let mut parts: BTreeMap<(String, String), LockedPart> = BTreeMap::new();
    let earlier = file.systems.remove(&system.to_string());
    let (earlier, python) = earlier.map_or((Vec::new(), None), |earlier| (earlier.parts, earlier.python));
    for part in earlier.into_iter().chain(locked.parts) {
        parts.insert((part.name.clone(), part.version.clone()), part);
    }
    let parts = parts.into_values().collect();
    let python = locked.python.or(python);
    file.systems.insert(system.to_string(), LockedSystem { compiler: locked.compiler, python, parts });
    let text = file.render();
    if before.as_ref() == Some(&text) {
        return Ok((path, false));
    }
    atomic::write(&path, text.as_bytes())
        .map_err(|source| LockError::Unwritable { path: path.clone(), source })?;
    Ok((path, true))
}
