//! Everything one variant is compiled with: the compiler, the framework's headers, the link files and stubs; each under
//! a name in `tc/`, so that no command has to name a directory of this machine.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::arch::{Os, System};
use kernel_spec::matrix::Matrix;
use kernel_spec::variant::{ArchVariant, ToolkitVersion};
use kernel_spec::{Backend, Version};

use super::compiler::{self, Compiler};
use super::cuda::{self, CudaError};
use super::dependency::dependency;
pub use super::error::ToolchainError;
use super::framework::framework;
use super::store::{Fetched, Part, Store, StoreError};
use super::sysroot::{Policy, Sysroot};
use crate::Context;
use crate::host::PythonEnvironment;
use crate::plan::ToolchainFacts;
use crate::render::ninja::Tools;

/// What a variant is compiled with on this machine.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The compiler.
    pub compiler: Compiler,
    /// What is reached as `tc/<name>`.
    pub parts: BTreeMap<String, Utf8PathBuf>,
    /// The torch whose headers are read.
    pub torch: Option<Version>,
    /// What objects depend on, one line each; two builds with equal plans and equal lines make equal objects.
    pub stamp: String,
}

/// What decides a toolchain besides the variant.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// The Python whose framework is used.
    pub python: &'a PythonEnvironment,
    /// What torch and toolkits need and build.
    pub matrix: &'a Matrix,
    /// Oldest systems the result must run on.
    pub policy: Policy,
    /// Where parts and facts are kept between builds.
    pub cache: &'a Utf8Path,
    /// Whether what is missing may be fetched.
    pub fetches: bool,
}

impl Machine<'_> {
    /// A part of the store, fetched where that is meant; else why it is not there. What went wrong while fetching is an
    /// error of its own.
    pub(super) fn part(
        &self,
        context: &Context,
        part: Option<Part>,
    ) -> Result<Result<Fetched, Option<Box<StoreError>>>, ToolchainError> {
        let Some(part) = part else { return Ok(Err(None)) };
        let store = Store::new(self.cache);
        if let Some(found) = store.find(&part) {
            return Ok(Ok(found));
        }
        if !self.fetches {
            return Ok(Err(None));
        }
        match store.ensure(context, &part, &self.python.interpreter) {
            Ok(fetched) => Ok(Ok(fetched)),
            Err(lacking @ (StoreError::Offline { .. } | StoreError::NoResolver { .. })) => {
                Ok(Err(Some(Box::new(lacking))))
            }
            Err(failed) => Err(failed.into()),
        }
    }
}

/// Finds or makes everything that a variant is compiled with.
pub fn assemble(
    context: &Context,
    variant: &ArchVariant,
    depends: &BTreeSet<String>,
    machine: &Machine,
) -> Result<Toolchain, ToolchainError> {
    let Machine { matrix, policy, cache, .. } = *machine;
    let name = kernel_spec::variant::Variant::Arch(*variant).to_string();
    let (mut parts, torch, mut stamp) = framework(context, variant, machine, &name)?;
    let toolkit = backend(context, variant, machine, &name)?;
    for token in depends {
        let (root, proof) = dependency(context, token, machine, &name)?;
        stamp.push(format!("{token} {proof}"));
        parts.insert(token.clone(), root);
    }
    let compiler = compiler::discover(context, &cache.join("compiler.json"))?;
    let sysroot = Sysroot::ensure(cache, policy, variant.system.cpu)?;
    parts.insert("sysroot".into(), sysroot.directory);
    parts.extend(compiler.files.clone());
    if let Some((version, root)) = toolkit {
        cuda::accept(&compiler.identity, version, matrix)?;
        let toolkit = cuda::describe(root, cache)?;
        stamp.extend(toolkit.parts.iter().map(|(part, hash)| format!("cuda {part} {hash}")));
        parts.insert("cuda".into(), toolkit.root);
    }
    stamp.push(format!("policy {policy}"));
    stamp.push(format!("compiler {} {}", compiler.identity.vendor, compiler.identity.machine));
    stamp.extend(compiler.identity.parts.iter().map(|(part, hash)| format!("{part} {hash}")));
    Ok(Toolchain { compiler, parts, torch, stamp: stamp.join("\n") + "\n" })
}

/// Whether a plan can be made for a variant on any machine.
pub fn can_plan(variant: &ArchVariant) -> bool {
    variant.system.os == Os::Linux && matches!(variant.compute.backend(), Backend::Cpu | Backend::Cuda)
}

impl Toolchain {
    /// What a plan's flags depend on.
    pub fn facts(&self) -> ToolchainFacts {
        ToolchainFacts {
            link_files: self.compiler.files.keys().cloned().collect(),
            family: self.compiler.identity.family,
            torch: self.torch.clone(),
        }
    }

    /// What `toolchain.ninja` says.
    pub fn tools(&self) -> Tools {
        let prefix = self.prefix();
        Tools {
            cxx: self.compiler.cxx.to_string(),
            ar: self.compiler.ar.to_string(),
            prefix_map: vec![format!("-ffile-prefix-map={prefix}/=/toolchain/")],
        }
    }

    /// Directories that the tools live in and read from.
    pub fn directories(&self) -> Vec<Utf8PathBuf> {
        let mut directories = vec![self.prefix().to_owned()];
        directories.extend(self.compiler.ar.parent().map(Utf8Path::to_owned));
        directories.extend(self.compiler.headers.iter().cloned());
        directories
    }

    /// Where the compiler is installed: above its `bin`.
    fn prefix(&self) -> &Utf8Path {
        self.compiler.cxx.parent().and_then(Utf8Path::parent).unwrap_or(Utf8Path::new("/usr"))
    }
}

/// Whether a variant can be made here, as far as that shows without looking at the compiler.
pub fn require(
    context: &Context,
    variant: &ArchVariant,
    depends: &BTreeSet<String>,
    machine: &Machine,
) -> Result<(), ToolchainError> {
    let name = kernel_spec::variant::Variant::Arch(*variant).to_string();
    framework(context, variant, machine, &name)?;
    backend(context, variant, machine, &name)?;
    depends.iter().try_for_each(|token| dependency(context, token, machine, &name).map(drop))
}

/// The toolkit of the variant's backend, where it has one.
fn backend(
    context: &Context,
    variant: &ArchVariant,
    machine: &Machine,
    name: &str,
) -> Result<Option<(ToolkitVersion, Utf8PathBuf)>, ToolchainError> {
    let (Backend::Cuda, Some(version)) = (variant.compute.backend(), variant.compute.toolkit()) else {
        return Ok(None);
    };
    let root = match cuda::find(context, version) {
        Ok(root) => root,
        Err(seen) => machine
            .part(context, Part::cuda(&version.version()))?
            .map(|fetched| fetched.root)
            .map_err(|store| CudaError::Missing { wanted: version, variant: name.to_owned(), seen, store })?,
    };
    Ok(Some((version, root)))
}

pub(super) fn refuse_foreign(variant: &ArchVariant, name: &str) -> Result<(), ToolchainError> {
    let missing = |what: String| Err(ToolchainError::NoBackend { what, variant: name.to_owned() });
    if host() != Some(variant.system) {
        return missing(format!("cross compiler for {}", variant.system));
    }
    match variant.compute.backend() {
        Backend::Cpu | Backend::Cuda => Ok(()),
        backend => missing(format!("{} compiler", backend.row().title)),
    }
}

/// The system this program runs on, where kernels can be made for it.
pub fn host() -> Option<System> {
    let os = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    format!("{}-{os}", std::env::consts::ARCH).parse().ok()
}
