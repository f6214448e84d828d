//! ROCm on this machine: HIP's headers, the clang that compiles them and the device libraries, found where the user says or
//! where installers put them. clang is called directly: `hipcc` is a script that hands its arguments to a shell.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Version;
use kernel_spec::variant::ToolkitVersion;
use miette::Diagnostic;
use thiserror::Error;

use super::toolkit::{self, Contents};
use crate::Context;

/// ROCm, ready to be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rocm {
    /// The directory with `include/hip`.
    pub root: Utf8PathBuf,
    /// The directory of LLVM, with `bin/clang++`.
    pub llvm: Utf8PathBuf,
    /// The directory with the device libraries.
    pub libraries: Utf8PathBuf,
}

/// Why there is none.
#[derive(Debug, Error, Diagnostic)]
pub enum RocmError {
    /// None of the version.
    #[error("there is no ROCm {wanted} for `{variant}`: {seen}")]
    #[diagnostic(
        code("environment/rocm"),
        help(
            "install ROCm {wanted} and name its directory in `ROCM_PATH`; its clang can be named in `HIP_CLANG_PATH`, its \
             device libraries in `HIP_DEVICE_LIB_PATH`"
        )
    )]
    Missing {
        /// The version.
        wanted: ToolkitVersion,
        /// The variant.
        variant: String,
        /// What was looked at instead.
        seen: String,
    },
    /// A part of it cannot be read.
    #[error("a part of ROCm in `{root}` cannot be read")]
    #[diagnostic(code("environment/file"), help("install it again; the cause names the file"))]
    Part {
        /// Its directory.
        root: Utf8PathBuf,
        /// The file.
        #[source]
        source: std::io::Error,
    },
}

/// Where distributions put the device libraries, below the root.
static LIBRARIES: &[&str] =
    &["amdgcn/bitcode", "lib/x86_64-linux-gnu/amdgcn/bitcode", "lib64/amdgcn/bitcode", "lib/amdgcn/bitcode"];

impl Rocm {
    /// ROCm of a version, or what was found instead.
    pub(super) fn find(context: &Context, wanted: ToolkitVersion) -> Result<Self, String> {
        let mut seen = Vec::new();
        for (origin, root) in candidates(context, wanted) {
            match version(&root) {
                Some(version) if version == wanted.version() => return Self::in_root(context, root),
                Some(version) => seen.push(format!("{origin} is ROCm {version}")),
                None => seen.push(format!("{origin} (`{root}`) has no `include/hip/hip_version.h`")),
            }
        }
        if seen.is_empty() {
            return Err("`ROCM_PATH` is not set, and neither `/opt/rocm` nor `/usr` holds HIP".to_owned());
        }
        Err(seen.join(", "))
    }

    fn in_root(context: &Context, root: Utf8PathBuf) -> Result<Self, String> {
        let named =
            |variable| context.environment.get(variable).map(|path| context.resolve(Utf8Path::new(path)));
        let llvm = match named("HIP_CLANG_PATH") {
            Some(programs) => programs.parent().map(Utf8Path::to_owned),
            None => compilers(&root).into_iter().find(|llvm| is_complete(llvm)),
        };
        let llvm = llvm.filter(|llvm| is_complete(llvm)).ok_or_else(|| {
            format!("ROCm in `{root}` has no clang with `clang-offload-bundler` and `ld.lld`")
        })?;
        let libraries = named("HIP_DEVICE_LIB_PATH")
            .or_else(|| {
                LIBRARIES.iter().map(|place| root.join(place)).find(|place| place.join("ockl.bc").is_file())
            })
            .ok_or_else(|| format!("ROCm in `{root}` has no device libraries"))?;
        Ok(Self { root, llvm, libraries })
    }

    /// SHA-256 of what objects depend on, by name.
    pub(super) fn parts(&self, cache: &Utf8Path) -> Result<BTreeMap<String, String>, RocmError> {
        let program = |name: &str| self.llvm.join("bin").join(name);
        let files = [
            ("clang++", program("clang++")),
            ("clang-offload-bundler", program("clang-offload-bundler")),
            ("ld.lld", program("ld.lld")),
        ];
        let headers = self.root.join("include/hip");
        let trees =
            [("include/hip", headers, "hip_version.h"), ("bitcode", self.libraries.clone(), "ockl.bc")];
        toolkit::describe("rocm", &self.root, Contents { files: &files, trees: &trees }, cache)
            .map_err(|source| RocmError::Part { root: self.root.clone(), source })
    }
}

/// Where ROCm may be, the user's word first.
fn candidates(context: &Context, wanted: ToolkitVersion) -> Vec<(String, Utf8PathBuf)> {
    let mut candidates = Vec::new();
    for variable in ["ROCM_PATH", "HIP_PATH"] {
        if let Some(named) = context.environment.get(variable) {
            candidates.push((format!("`{variable}`"), context.resolve(Utf8Path::new(named))));
        }
    }
    for place in [format!("/opt/rocm-{wanted}"), "/opt/rocm".to_owned(), "/usr".to_owned()] {
        let root = Utf8PathBuf::from(&place);
        if version(&root).is_some() {
            candidates.push((format!("`{place}`"), root));
        }
    }
    candidates
}

/// Directories of LLVM that belong to a root: ROCm's own, else a distribution's, newest first.
fn compilers(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = vec![root.join("llvm"), root.join("lib/llvm")];
    let entries = root.join("lib").read_dir_utf8().into_iter().flatten().flatten();
    let number = |path: &Utf8Path| path.file_name()?.strip_prefix("llvm-")?.parse::<u32>().ok();
    let mut versions: Vec<(u32, Utf8PathBuf)> =
        entries.filter_map(|entry| Some((number(entry.path())?, entry.path().to_owned()))).collect();
    versions.sort();
    found.extend(versions.into_iter().rev().map(|(_, path)| path));
    found
}

fn is_complete(llvm: &Utf8Path) -> bool {
    ["clang++", "clang-offload-bundler", "ld.lld"].iter().all(|name| llvm.join("bin").join(name).is_file())
}

/// The version that HIP's header states.
fn version(root: &Utf8Path) -> Option<Version> {
    let header = fs_err::read_to_string(root.join("include/hip/hip_version.h")).ok()?;
    let number = |name: &str| {
        header.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name)?.trim().parse().ok())
    };
    Some(Version::major_minor(number("HIP_VERSION_MAJOR ")?, number("HIP_VERSION_MINOR ")?))
}
