//! `metadata.json` of a built variant: what the loader reads, in the loader's key order (formats, section 3.3), and
//! what we add under one key of our own. The same value always gives the same bytes, because those are signed.

mod json;
mod read;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::manifest::{KernelDependency, KernelReference, Manifest};
use crate::{Backend, KernelName};

/// The key that holds [`BuildRecord`]. No key of the loader's begins like it.
pub const OUR_KEY: &str = "x-kernel-builder";

/// The key that holds [`PublicationRecord`].
pub const PUBLICATION_KEY: &str = "x-kernel-builder-publication";

/// The first loader that knows `kernel-depends`.
const KERNEL_DEPENDS_SINCE: LoaderVersion = LoaderVersion(0, 17, 0);

/// A whole `metadata.json`. Keys that are not known here are kept, after the known ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Metadata {
    /// The kernel's name.
    pub name: KernelName,
    /// Python module and operator namespace.
    pub id: String,
    /// Major version.
    pub version: u64,
    /// Licence, as in the manifest.
    pub license: String,
    /// Origin of the algorithm or code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Repository of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Names from the allow-list.
    pub python_depends: Vec<String>,
    /// Other kernels.
    #[serde(serialize_with = "json::dependencies")]
    pub kernel_depends: Vec<KernelDependency>,
    /// The oldest loader that may load it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels_minver: Option<LoaderVersion>,
    /// What it runs on.
    pub backend: BackendRecord,
    /// Digests of every other file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestRecord>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// What we add.
    #[serde(rename = "x-kernel-builder", skip_serializing_if = "Option::is_none")]
    pub build: Option<BuildRecord>,
    /// What it was signed for.
    #[serde(rename = "x-kernel-builder-publication", skip_serializing_if = "Option::is_none")]
    pub publication: Option<PublicationRecord>,
    /// Keys of others.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A version of the loader: exactly three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoaderVersion(pub u64, pub u64, pub u64);

impl Serialize for LoaderVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}.{}.{}", self.0, self.1, self.2))
    }
}

/// `backend`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BackendRecord {
    /// Which.
    #[serde(rename = "type")]
    pub backend: Backend,
    /// GPU architectures that are really in the library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archs: Option<Vec<String>>,
    /// Keys of others.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// `digest`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DigestRecord {
    /// How it was made.
    pub algorithm: DigestAlgorithm,
    /// Base 64 by path, with `/`.
    pub files: BTreeMap<String, String>,
    /// Keys of others.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

impl DigestRecord {
    /// A digest by SHA-256, the only algorithm that is written.
    pub fn sha256(files: BTreeMap<String, String>) -> Self {
        Self { algorithm: DigestAlgorithm::Sha256, files, others: Map::new() }
    }
}

/// Algorithms of digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum DigestAlgorithm {
    Sha256,
    Sha512,
}

/// `provenance`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Provenance {
    /// The tool that built it.
    pub kernel_builder: ToolRecord,
    /// The sources; absent where it is not known which they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<GitState>,
    /// Keys of others.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// `provenance.kernel-builder`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolRecord {
    /// Version of the tool.
    pub version: String,
    /// The tool's own sources: both keys or neither.
    #[serde(flatten)]
    pub git: Option<GitState>,
    /// Keys of others.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// The state of a repository. Commit and dirty flag always come together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GitState {
    /// Object id of the commit: 40 or 64 lower-case hexadecimal digits.
    pub commit: String,
    /// Whether the working tree differed from it.
    pub dirty: bool,
}

/// What the loader does not ask for: how the variant was built, and what that allows to promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BuildRecord {
    /// The variant's name, so that a moved directory is noticed.
    pub variant: String,
    /// `release` or `dev`.
    pub profile: String,
    /// `local` or `nix`.
    pub engine: String,
    /// What kept the compiler from other files: `bubblewrap`, `nix` or `off`.
    pub sandbox: String,
    /// The toolchain; absent where nothing is compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolchain: Option<ToolchainRecord>,
    /// Oldest systems it runs on: a manylinux policy, or `host`; absent where nothing is compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Whether everything that was used can be fetched again by hash, so that others can build the same bytes.
    pub rebuildable: bool,
    /// Version of the rule the id was made by.
    pub id_rule: u32,
    /// Why `provenance.kernel` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance_unknown: Option<String>,
    /// Keys of later versions.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A toolchain, as far as it decides the bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolchainRecord {
    /// For people: `gcc 12.2.0`.
    pub compiler: String,
    /// SHA-256 over everything of it that decides the bytes, in hexadecimal.
    pub identity: String,
    /// SHA-256 of the project's `kernel-builder.lock`, in hexadecimal, where everything was as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// Keys of later versions.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// The one place that signed metadata belong to. It is signed with them, so that they are worth nothing elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PublicationRecord {
    /// `OWNER/NAME` on the Hub.
    pub repository: String,
    /// The branch there.
    pub branch: String,
    /// The variant's name.
    pub variant: String,
    /// What it was signed together with: SHA-256 in hexadecimal over the place and the unsigned metadata of all of it.
    pub set: String,
    /// SHA-256 of the `kernel-builder.lock` that it was compiled by; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// Keys of later versions.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// Reads JSON in which no object may have a key twice, because two readers may take different ones of the two.
pub fn strict_json(text: &[u8]) -> Result<Value, serde_json::Error> {
    json::strict(text)
}

impl Metadata {
    /// SHA-256 of the project's lock in hexadecimal, where everything was as that says.
    pub fn lock(&self) -> Option<&str> {
        self.build.as_ref()?.toolchain.as_ref()?.lock.as_deref()
    }

    /// What a manifest says of a variant; how it was built is still missing.
    pub fn of(manifest: &Manifest, backend: Backend, id: String, archs: Option<Vec<String>>) -> Self {
        let general = &manifest.general;
        let special = general.by_backend.get(&backend);
        let mut python_depends: Vec<String> = Vec::new();
        let more = special.map(|special| special.python_depends.as_slice()).unwrap_or_default();
        for name in general.python_depends.iter().chain(more) {
            if !python_depends.contains(&name.value) {
                python_depends.push(name.value.clone());
            }
        }
        let mut kernel_depends: Vec<KernelDependency> = Vec::new();
        let more = special.map(|special| special.kernel_depends.as_slice()).unwrap_or_default();
        for dependency in general.kernel_depends.iter().chain(more) {
            if !kernel_depends.contains(&dependency.value) {
                kernel_depends.push(dependency.value.clone());
            }
        }
        Self {
            name: general.name.value.clone(),
            id,
            version: general.version.value,
            license: general.license.value.clone(),
            upstream: general.upstream.as_ref().map(|url| url.value.clone()),
            source: general.source.as_ref().map(|url| url.value.clone()),
            python_depends,
            kernels_minver: (!kernel_depends.is_empty()).then_some(KERNEL_DEPENDS_SINCE),
            kernel_depends,
            backend: BackendRecord { backend, archs, others: Map::new() },
            digest: None,
            provenance: None,
            build: None,
            publication: None,
            others: Map::new(),
        }
    }

    /// The same without what signing added: what the build sealed.
    #[must_use]
    pub fn unsigned(&self) -> Self {
        Self { publication: None, ..self.clone() }
    }

    /// The bytes of the file: indented by two, with a newline at the end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("no map of it has keys that are not text");
        text.push('\n');
        text
    }
}

impl KernelReference {
    /// Its key and value in JSON.
    fn entry(&self) -> (&'static str, Value) {
        match self {
            KernelReference::Version(version) => ("version", Value::from(*version)),
            KernelReference::Revision(revision) => ("revision", Value::from(revision.as_str())),
        }
    }
}

#[cfg(test)]
mod tests;
