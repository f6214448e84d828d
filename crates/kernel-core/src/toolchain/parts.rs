//! Everything one variant is compiled with: the compiler, the framework's headers, the link files and stubs; each under
//! a name in `tc/`, so that no command has to name a directory of this machine.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::arch::{Os, System};
use kernel_spec::matrix::Matrix;
use kernel_spec::plan::Profile;
use kernel_spec::variant::{ArchVariant, FrameworkAbi, ToolkitVersion};
use kernel_spec::{Backend, Version};

use super::compiler::{self, Compiler};
use super::cuda::{self, CudaError};
use super::cuda_clang::CudaClang;
use super::dependency::dependency;
pub use super::error::ToolchainError;
use super::framework::{Frame, PythonHeaders, framework};
use super::lock::{Differences, Lock, Used};
use super::rocm::{Rocm, RocmError};
use super::store::{Fetched, Part, Store, StoreError};
use super::sysroot::{Policy, Sysroot};
use crate::Context;
use crate::engine::Engine;
use crate::host::PythonEnvironment;
use crate::plan::ToolchainFacts;
use crate::plan::dependencies::{HIPIFY, cutlass};
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
    /// Python's headers, where they are read.
    pub python: Option<PythonHeaders>,
    /// The clang that compiles CUDA in nvcc's place.
    pub cuda_clang: Option<CudaClang>,
    /// The Python that translates sources, where that is needed.
    pub translator: Option<Utf8PathBuf>,
    /// How it differs from the project's lock, where there is one.
    pub lock: Option<Differences>,
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
    /// Release or dev.
    pub profile: Profile,
    /// Where parts and facts are kept between builds.
    pub cache: &'a Utf8Path,
    /// Whether what is missing may be fetched.
    pub fetches: bool,
    /// The project's lock, where it has one that is used.
    pub lock: Option<&'a Lock>,
    /// What builds, and so whose compiler it is.
    pub engine: &'a Engine,
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
        let locked = self.lock.and_then(|lock| lock.part(&part));
        let there = locked.map_or_else(|| store.find(&part), |locked| store.find_locked(locked));
        if let Some(found) = there {
            return Ok(Ok(found));
        }
        if !self.fetches {
            return Ok(Err(None));
        }
        let python = &self.python.interpreter;
        let fetched = match locked {
            Some(locked) => store.ensure_locked(context, locked, python),
            None => store.ensure(context, &part, python),
        };
        match fetched {
            Ok(fetched) => Ok(Ok(fetched)),
            Err(lacking @ (StoreError::Offline { .. } | StoreError::NoResolver { .. })) => {
                Ok(Err(Some(Box::new(lacking))))
            }
            Err(failed) => Err(failed.into()),
        }
    }

    /// Whether a part is taken as the lock says, whatever else the machine has.
    pub(super) fn locks(&self, part: Option<&Part>) -> bool {
        part.is_some_and(|part| self.lock.is_some_and(|lock| lock.part(part).is_some()))
    }
}

/// Finds or makes everything that a variant is compiled with.
pub fn assemble(
    context: &Context,
    variant: &ArchVariant,
    depends: &BTreeSet<String>,
    machine: &Machine,
) -> Result<Toolchain, ToolchainError> {
    let Machine { matrix, policy, cache, profile, .. } = *machine;
    let name = kernel_spec::variant::Variant::Arch(*variant).to_string();
    let Frame { mut parts, torch, python, mut stamp } = framework(context, variant, machine, &name)?;
    let toolkit = backend(context, variant, machine, &name)?;
    for token in depends {
        let (root, proof) = dependency(context, token, machine, &name)?;
        stamp.push(format!("{token} {proof}"));
        parts.insert(token.clone(), root);
    }
    let compiler = match machine.engine {
        Engine::Local => compiler::discover(context, &cache.join("compiler.json"))?,
        Engine::Nix(nix) => nix.compiler(context)?,
        Engine::Inside(inside) => inside.compiler()?,
    };
    let sysroot = Sysroot::ensure(cache, policy, variant.system.cpu)?;
    parts.insert("sysroot".into(), sysroot.directory);
    parts.extend(compiler.files.clone());
    let mut cuda_clang = None;
    match toolkit {
        Some(Toolkit::CudaHeaders { version, root, proof, seen }) => {
            let clang = CudaClang::find(context, &compiler, cache).map_err(|clang| CudaError::NoClang {
                wanted: version,
                variant: name.clone(),
                seen,
                clang,
            })?;
            stamp.push(format!("cuda {proof}"));
            stamp.push(format!("cuda-clang {} {}", clang.vendor, clang.arguments.join(" ")));
            stamp.extend(clang.parts(cache)?.iter().map(|(part, hash)| format!("cuda-clang {part} {hash}")));
            parts.insert("cuda".into(), root);
            parts.insert("cuda-clang".into(), clang.stand_ins.clone());
            cuda_clang = Some(clang);
        }
        Some(Toolkit::Cuda(version, root)) => {
            cuda::accept(&compiler.identity, version, matrix)?;
            let toolkit = cuda::describe(root, cache)?;
            stamp.extend(toolkit.parts.iter().map(|(part, hash)| format!("cuda {part} {hash}")));
            parts.insert("cuda".into(), toolkit.root);
        }
        Some(Toolkit::Rocm(rocm)) => {
            stamp.extend(rocm.parts(cache)?.iter().map(|(part, hash)| format!("rocm {part} {hash}")));
            let named = [("hip", rocm.root), ("hip-clang", rocm.llvm), ("hip-libraries", rocm.libraries)];
            parts.extend(named.map(|(name, path)| (name.to_owned(), path)));
        }
        None => {}
    }
    let interpreter = &machine.python.interpreter;
    let translator = depends.contains(HIPIFY).then(|| interpreter.canonicalize_utf8()).transpose()?;
    stamp.push(format!("policy {policy}"));
    stamp.push(format!("compiler {} {}", compiler.identity.vendor, compiler.identity.machine));
    if !compiler.arguments.is_empty() {
        stamp.push(format!("arguments {}", compiler.arguments.join(" ")));
    }
    stamp.extend(compiler.identity.parts.iter().map(|(part, hash)| format!("{part} {hash}")));
    let lock = machine.lock.map(|lock| {
        let (parts, others) = needed(variant, depends, profile);
        let compiler = &compiler.identity;
        lock.differences(Used { parts: &parts, others: &others, compiler, python: python.as_ref() })
    });
    let stamp = stamp.join("\n") + "\n";
    Ok(Toolchain { compiler, parts, torch, stamp, python, cuda_clang, translator, lock })
}

/// What a variant needs of the store, wherever this machine has its own of it; and in words what the store has not got.
pub fn needed(
    variant: &ArchVariant,
    depends: &BTreeSet<String>,
    profile: Profile,
) -> (Vec<Part>, Vec<String>) {
    let framework = match variant.framework {
        FrameworkAbi::TvmFfi(version) => (Part::tvm_ffi(&version.version()), format!("tvm-ffi {version}")),
        FrameworkAbi::Torch { version, .. } | FrameworkAbi::TorchStableAbi(version) => {
            (Part::torch(&version.version()), format!("torch {version}"))
        }
    };
    let toolkit = variant.compute.toolkit().map(|version| {
        let is_cuda = variant.compute.backend() == Backend::Cuda;
        let part = if is_cuda { Part::cuda_for(&version.version(), profile) } else { None };
        (part, format!("{} {version}", variant.compute.backend().row().title))
    });
    let depends = depends
        .iter()
        .map(|token| (cutlass(token).and_then(|version| Part::cutlass(&version)), format!("`{token}`")));
    let (mut parts, mut others) = (Vec::new(), Vec::new());
    for (part, name) in std::iter::once(framework).chain(toolkit).chain(depends) {
        match part {
            Some(part) => parts.push(part),
            None => others.push(name),
        }
    }
    (parts, others)
}

/// Whether a plan can be made for a variant on any machine.
pub fn can_plan(variant: &ArchVariant) -> bool {
    match variant.system.os {
        Os::Linux => variant.compute.backend() != Backend::Metal,
        Os::Darwin => matches!(variant.compute.backend(), Backend::Cpu | Backend::Metal),
        Os::Windows => false,
    }
}

impl Toolchain {
    /// What a plan's flags depend on.
    pub fn facts(&self) -> ToolchainFacts {
        ToolchainFacts {
            link_files: self.compiler.files.keys().cloned().collect(),
            family: self.compiler.identity.family,
            torch: self.torch.clone(),
            cuda_clang: self.cuda_clang.as_ref().map(|clang| clang.major),
        }
    }

    /// What `toolchain.ninja` says.
    pub fn tools(&self) -> Tools {
        let prefix = self.prefix();
        Tools {
            cxx: std::iter::once(self.compiler.cxx.to_string())
                .chain(self.compiler.arguments.clone())
                .collect(),
            ar: self.compiler.ar.to_string(),
            cuda_clang: self
                .cuda_clang
                .as_ref()
                .map(|clang| std::iter::once(clang.cxx.to_string()).chain(clang.arguments.clone()).collect()),
            python: self.translator.as_ref().map(ToString::to_string),
            prefix_map: vec![format!("-ffile-prefix-map={prefix}/=/toolchain/")],
        }
    }

    /// Directories that the tools live in and read from.
    pub fn directories(&self) -> Vec<Utf8PathBuf> {
        let mut directories = vec![self.prefix().to_owned()];
        directories.extend(self.compiler.ar.parent().map(Utf8Path::to_owned));
        directories.extend(self.compiler.headers.iter().cloned());
        let translator = self.translator.as_ref().and_then(|python| python.parent()?.parent());
        directories.extend(translator.map(Utf8Path::to_owned));
        let clang = self.cuda_clang.as_ref().and_then(|clang| clang.cxx.parent()?.parent());
        directories.extend(clang.map(Utf8Path::to_owned));
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

/// What compiles for a GPU.
enum Toolkit {
    Cuda(ToolkitVersion, Utf8PathBuf),
    /// Headers and what makes machine code, for clang; and where no toolkit was found.
    CudaHeaders {
        version: ToolkitVersion,
        root: Utf8PathBuf,
        proof: String,
        seen: String,
    },
    Rocm(Rocm),
}

/// The toolkit of the variant's backend, where it has one.
fn backend(
    context: &Context,
    variant: &ArchVariant,
    machine: &Machine,
    name: &str,
) -> Result<Option<Toolkit>, ToolchainError> {
    let Some(version) = variant.compute.toolkit() else { return Ok(None) };
    if variant.compute.backend() == Backend::Rocm {
        let missing = |seen| RocmError::Missing { wanted: version, variant: name.to_owned(), seen };
        return Ok(Some(Toolkit::Rocm(Rocm::find(context, version).map_err(missing)?)));
    }
    let part = Part::cuda_for(&version.version(), machine.profile);
    let own = if machine.locks(part.as_ref()) {
        Err("the lock names its own".to_owned())
    } else {
        cuda::find(context, version)
    };
    let seen = match own {
        Ok(root) => return Ok(Some(Toolkit::Cuda(version, root))),
        Err(seen) => seen,
    };
    let by_clang = part.as_ref().is_some_and(|part| !part.has_nvcc());
    let part = part.filter(|_| !by_clang || matches!(machine.engine, Engine::Local));
    let (wanted, variant) = (version, name.to_owned());
    Ok(Some(match machine.part(context, part)? {
        Ok(Fetched { root, digest: proof }) if by_clang => {
            Toolkit::CudaHeaders { version, root, proof, seen }
        }
        Ok(fetched) => Toolkit::Cuda(version, fetched.root),
        Err(store) => return Err(CudaError::Missing { wanted, variant, seen, store }.into()),
    }))
}

pub(super) fn refuse_foreign(variant: &ArchVariant, name: &str) -> Result<(), ToolchainError> {
    let missing = |what: String| Err(ToolchainError::NoBackend { what, variant: name.to_owned() });
    if host() != Some(variant.system) {
        return missing(format!("cross compiler for {}", variant.system));
    }
    match variant.compute.backend() {
        Backend::Cpu | Backend::Cuda | Backend::Rocm => Ok(()),
        backend => missing(format!("{} compiler", backend.row().title)),
    }
}

/// The system this program runs on, where kernels can be made for it.
pub fn host() -> Option<System> {
    let os = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    format!("{}-{os}", std::env::consts::ARCH).parse().ok()
}
