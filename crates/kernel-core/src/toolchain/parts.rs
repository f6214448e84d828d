//! Everything one variant is compiled with: the compiler, the framework's headers, the link files and stubs; each under
//! a name in `tc/`, so that no command has to name a directory of this machine.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::arch::{Os, System};
use kernel_spec::matrix::Matrix;
use kernel_spec::variant::{ArchVariant, FrameworkAbi, ToolkitVersion};
use kernel_spec::{Backend, Code, Finding, Version, code};
use miette::Diagnostic;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::compiler::{self, Compiler, CompilerError};
use super::cuda::{self, CudaError};
use super::fingerprint::hexadecimal;
use super::sysroot::{Policy, Sysroot, SysrootError};
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

/// Why there is no toolchain for a variant.
#[derive(Debug, Error, Diagnostic)]
pub enum ToolchainError {
    /// The compiler.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Compiler(#[from] CompilerError),
    /// The stubs.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Sysroot(#[from] SysrootError),
    /// The framework is not there.
    #[error("`{interpreter}` has no {framework}, whose headers `{variant}` needs")]
    #[diagnostic(
        code("environment/framework-part"),
        help("install {framework} in that environment, or choose another interpreter with `--python`")
    )]
    NoFramework {
        /// The chosen interpreter.
        interpreter: Utf8PathBuf,
        /// `torch 2.15`, `tvm-ffi 0.1`.
        framework: String,
        /// The variant.
        variant: String,
    },
    /// The framework is another one.
    #[error("`{interpreter}` has {installed}, `{variant}` needs {wanted}")]
    #[diagnostic(
        code("environment/framework-part"),
        help(
            "install {wanted} in an environment and choose it with `--python`; `variants` lists what this one can build"
        )
    )]
    OtherFramework {
        /// The chosen interpreter.
        interpreter: Utf8PathBuf,
        /// What it has.
        installed: String,
        /// What the variant needs.
        wanted: String,
        /// The variant.
        variant: String,
    },
    /// Python cannot be compiled against.
    #[error("`{directory}` has no `Python.h`")]
    #[diagnostic(
        code("environment/framework-part"),
        help(
            "install Python's development files (`apt install python3-dev`), or choose another interpreter with `--python`"
        )
    )]
    NoPythonHeaders {
        /// Where the interpreter says they are.
        directory: Utf8PathBuf,
    },
    /// No compiler of that backend.
    #[error("the local engine has no {what} for `{variant}`")]
    #[diagnostic(
        code("environment/backend-toolchain"),
        help(
            "build it on a machine or with an engine that has one; `variants` lists what this machine can build"
        )
    )]
    NoBackend {
        /// What is missing.
        what: String,
        /// The variant.
        variant: String,
    },
    /// CUDA.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Cuda(#[from] CudaError),
    /// A file of the toolchain could not be read.
    #[error("a part of the toolchain cannot be read")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    File(#[from] std::io::Error),
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
}

/// Finds or makes everything that a variant is compiled with.
pub fn assemble(
    context: &Context,
    variant: &ArchVariant,
    machine: &Machine,
) -> Result<Toolchain, ToolchainError> {
    let Machine { python, matrix, policy, cache } = *machine;
    let name = kernel_spec::variant::Variant::Arch(*variant).to_string();
    let (mut parts, torch, mut stamp) = framework(variant, python, &name)?;
    let toolkit = backend(context, variant, &name)?;
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

impl ToolchainError {
    /// What keeps a planned variant from being built here.
    pub fn as_note(&self) -> Finding {
        let id = self.code().map(|code| code.to_string()).unwrap_or_default();
        let code = Code::find(&id).unwrap_or(&code::environment::BACKEND_TOOLCHAIN);
        let note = Finding::note(code, "this machine cannot build it").cause(self.to_string());
        match self.help() {
            Some(help) => note.help(help.to_string()),
            None => note,
        }
    }
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
    python: &PythonEnvironment,
) -> Result<(), ToolchainError> {
    let name = kernel_spec::variant::Variant::Arch(*variant).to_string();
    framework(variant, python, &name)?;
    backend(context, variant, &name).map(drop)
}

/// The toolkit of the variant's backend, where it has one.
fn backend(
    context: &Context,
    variant: &ArchVariant,
    name: &str,
) -> Result<Option<(ToolkitVersion, Utf8PathBuf)>, ToolchainError> {
    match (variant.compute.backend(), variant.compute.toolkit()) {
        (Backend::Cuda, Some(version)) => Ok(Some((version, cuda::find(context, version, name)?))),
        _ => Ok(None),
    }
}

fn refuse_foreign(variant: &ArchVariant, name: &str) -> Result<(), ToolchainError> {
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

type Framework = (BTreeMap<String, Utf8PathBuf>, Option<Version>, Vec<String>);

/// The framework's part of a toolchain.
fn framework(
    variant: &ArchVariant,
    python: &PythonEnvironment,
    name: &str,
) -> Result<Framework, ToolchainError> {
    let absent = |framework: String| ToolchainError::NoFramework {
        interpreter: python.interpreter.clone(),
        framework,
        variant: name.to_owned(),
    };
    let other = |installed: String, wanted: String| ToolchainError::OtherFramework {
        interpreter: python.interpreter.clone(),
        installed,
        wanted,
        variant: name.to_owned(),
    };
    refuse_foreign(variant, name)?;
    let mut parts = BTreeMap::new();
    match variant.framework {
        FrameworkAbi::TvmFfi(wanted) => {
            let wanted = wanted.version();
            let installed = python.tvm_ffi.as_ref().ok_or_else(|| absent(format!("tvm-ffi {wanted}")))?;
            if installed.version.truncated() != wanted {
                return Err(other(format!("tvm-ffi {}", installed.version), format!("tvm-ffi {wanted}")));
            }
            parts.insert("tvm-ffi".into(), installed.root.clone());
            let record = record(&installed.root, "apache_tvm_ffi")?;
            Ok((parts, None, vec![format!("tvm-ffi {} {record}", installed.version)]))
        }
        FrameworkAbi::Torch { version, .. } | FrameworkAbi::TorchStableAbi(version) => {
            let wanted = version.version();
            let installed = python.torch.as_ref().ok_or_else(|| absent(format!("torch {wanted}")))?;
            let stable = matches!(variant.framework, FrameworkAbi::TorchStableAbi(_));
            let fits = if stable {
                installed.version.reaches(&wanted)
            } else {
                installed.version.truncated() == wanted
            };
            if !fits {
                let wanted = format!("torch {wanted}{}", if stable { " or newer" } else { "" });
                return Err(other(format!("torch {}", installed.version), wanted));
            }
            if !python.include.join("Python.h").is_file() {
                return Err(ToolchainError::NoPythonHeaders { directory: python.include.clone() });
            }
            let on_cuda = variant.compute.backend() == Backend::Cuda;
            if on_cuda && !installed.root.join("include/c10/cuda/CUDAStream.h").is_file() {
                let installed = format!("torch {} without CUDA's headers", installed.full_version);
                return Err(other(installed, format!("torch {wanted} with them")));
            }
            parts.insert("torch".into(), installed.root.clone());
            parts.insert("python".into(), python.include.clone());
            let record = record(&installed.root, "torch")?;
            let stamp = vec![
                format!("torch {} {record}", installed.full_version),
                format!("python {}", python.version),
            ];
            Ok((parts, Some(installed.version.clone()), stamp))
        }
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
