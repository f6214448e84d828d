//! A CUDA toolkit on this machine: found where the user says or where installers put it, known by its own headers, and
//! described by its bytes like the host's compiler.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Version;
use kernel_spec::matrix::Matrix;
use kernel_spec::plan::CompilerFamily;
use kernel_spec::variant::ToolkitVersion;
use miette::Diagnostic;
use thiserror::Error;

use super::compiler::{CompilerIdentity, in_path};
use super::store::StoreError;
use super::toolkit::{self, Contents};
use crate::Context;

/// A toolkit, ready to be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaToolkit {
    /// Its directory, with `bin`, `nvvm` and `include` in it.
    pub root: Utf8PathBuf,
    /// SHA-256 of what objects depend on, by path in it.
    pub parts: BTreeMap<String, String>,
}

/// Why there is none.
#[derive(Debug, Error, Diagnostic)]
pub enum CudaError {
    /// None of the version.
    #[error("there is no CUDA {wanted} toolkit for `{variant}`: {seen}")]
    #[diagnostic(
        code("environment/cuda-toolkit"),
        help(
            "install CUDA {wanted} and name its directory in `CUDA_HOME`; where there are uv and a network, a build \
             fetches it by itself from 13.0 on, and its headers for `--dev` from 12.6 on"
        )
    )]
    Missing {
        /// The version.
        wanted: ToolkitVersion,
        /// The variant.
        variant: String,
        /// What was looked at instead.
        seen: String,
        /// Why it was not fetched.
        #[source]
        store: Option<Box<StoreError>>,
    },
    /// Neither is there a clang.
    #[error(
        "there is no CUDA {wanted} toolkit for `{variant}` ({seen}), and no clang to compile with its headers: {clang}"
    )]
    #[diagnostic(
        code("environment/cuda-toolkit"),
        help(
            "install Clang {oldest} or newer (`apt install clang-19`), or name one in `CUDACXX`; or install CUDA {wanted} \
             and name its directory in `CUDA_HOME`",
            oldest = crate::plan::OLDEST_CUDA_CLANG
        )
    )]
    NoClang {
        /// The version.
        wanted: ToolkitVersion,
        /// The variant.
        variant: String,
        /// What was looked at instead of a toolkit.
        seen: String,
        /// What was looked at instead of a clang.
        clang: String,
    },
    /// The host compiler is too new for it.
    #[error("CUDA {toolkit} accepts {family} up to {newest}, and the host compiler is {version}")]
    #[diagnostic(
        code("environment/host-compiler"),
        help("install {family} {newest} beside it and name it in `CXX`")
    )]
    HostCompiler {
        /// The toolkit.
        toolkit: ToolkitVersion,
        /// `GCC` or `Clang`.
        family: &'static str,
        /// The newest that is accepted.
        newest: u32,
        /// The compiler's version.
        version: String,
    },
    /// A part of it cannot be read.
    #[error("a part of the CUDA toolkit in `{root}` cannot be read")]
    #[diagnostic(code("environment/file"), help("install the toolkit again; the cause names the file"))]
    Part {
        /// Its directory.
        root: Utf8PathBuf,
        /// The file.
        #[source]
        source: std::io::Error,
    },
}

/// What decides the bytes of objects, besides the headers. `nvcc` alone makes no code, it knows who does.
static PROGRAMS: &[&str] = &[
    "bin/nvcc",
    "bin/nvcc.profile",
    "bin/cudafe++",
    "bin/ptxas",
    "bin/fatbinary",
    "nvvm/bin/cicc",
    "nvvm/libdevice/libdevice.10.bc",
];

/// The directory of the toolkit of a version, or what was found instead.
pub fn find(context: &Context, wanted: ToolkitVersion) -> Result<Utf8PathBuf, String> {
    let mut seen = Vec::new();
    for (origin, root) in candidates(context, wanted) {
        match version(&root) {
            Some(version) if version == wanted.version() && root.join("bin/nvcc").is_file() => {
                return Ok(root);
            }
            Some(version) => seen.push(format!("{origin} is CUDA {version}")),
            None => seen.push(format!("{origin} (`{root}`) holds none")),
        }
    }
    if seen.is_empty() {
        return Err("`CUDA_HOME` is not set, and `PATH` has no `nvcc`".to_owned());
    }
    Err(seen.join(", "))
}

/// Where a toolkit may be, the user's word first. Only that word is taken for a claim that there is one.
fn candidates(context: &Context, wanted: ToolkitVersion) -> Vec<(String, Utf8PathBuf)> {
    let mut candidates = Vec::new();
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(named) = context.environment.get(variable) {
            candidates.push((format!("`{variable}`"), context.resolve(Utf8Path::new(named))));
        }
    }
    let above = |nvcc: Utf8PathBuf| Some(nvcc.canonicalize_utf8().ok()?.parent()?.parent()?.to_owned());
    if let Some(root) = in_path(context, "nvcc").and_then(above).filter(|root| version(root).is_some()) {
        candidates.push(("`nvcc` in `PATH`".to_owned(), root));
    }
    for place in [format!("/usr/local/cuda-{wanted}"), "/usr/local/cuda".to_owned()] {
        let root = Utf8PathBuf::from(&place);
        if version(&root).is_some() {
            candidates.push((format!("`{place}`"), root));
        }
    }
    candidates
}

/// The version that a toolkit's header states: `#define CUDA_VERSION 13020` is 13.2.
fn version(root: &Utf8Path) -> Option<Version> {
    let header = fs_err::read_to_string(root.join("include/cuda.h")).ok()?;
    let number: u64 = header.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let defines = words.next() == Some("#define") && words.next() == Some("CUDA_VERSION");
        defines.then(|| words.next()?.parse().ok()).flatten()
    })?;
    Some(Version::major_minor(number / 1000, number % 1000 / 10))
}

/// The toolkit in a directory with its identity: from the cache where nothing it was drawn from has changed.
pub fn describe(root: Utf8PathBuf, cache: &Utf8Path) -> Result<CudaToolkit, CudaError> {
    let files: Vec<(&str, Utf8PathBuf)> = PROGRAMS.iter().map(|&name| (name, root.join(name))).collect();
    let trees = [("include", root.join("include"), "cuda_runtime.h")];
    match toolkit::describe("cuda", &root, Contents { files: &files, trees: &trees }, cache) {
        Ok(parts) => Ok(CudaToolkit { root, parts }),
        Err(source) => Err(CudaError::Part { root, source }),
    }
}

/// Refuses a host compiler that the toolkit's own headers refuse, before anything is compiled.
pub fn accept(host: &CompilerIdentity, toolkit: ToolkitVersion, matrix: &Matrix) -> Result<(), CudaError> {
    let Some(limits) = matrix.cuda_host_compilers(&toolkit.version()) else { return Ok(()) };
    let (family, newest) = match host.family {
        CompilerFamily::Gcc => ("GCC", limits.gcc),
        CompilerFamily::Clang => ("Clang", limits.clang),
    };
    let major = host.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major > newest => {
            Err(CudaError::HostCompiler { toolkit, family, newest, version: host.version.clone() })
        }
        _ => Ok(()),
    }
}
