//! The plan: everything one variant's build will do, decided before anything runs. It has no holes to fill later, so
//! that printing it, rendering it and building it speak of the same thing.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Backend, Finding, Framework, KernelName};

/// Version of the plan as JSON; raised when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// The plan of one variant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Plan {
    /// `SCHEMA`.
    pub schema: u32,
    /// What is built.
    pub kernel: KernelIdentity,
    /// The variant's name.
    pub variant: String,
    /// Its backend.
    pub backend: Backend,
    /// What the kernel binds to.
    pub framework: Framework,
    /// How it is compiled.
    pub profile: Profile,
    /// Oldest systems it must run on: a manylinux policy, or `host`.
    pub policy: String,
    /// GPU architectures, as the metadata lists them; empty where the backend has none.
    pub archs: Vec<String>,
    /// The closed set of files of the project that the build reads, by path.
    pub inputs: Vec<Input>,
    /// What is compiled; absent in variants of Python alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<Library>,
    /// Files of the project that ship, by destination.
    pub package: Vec<PackageFile>,
    /// What was left out, and other things worth knowing.
    pub findings: Vec<Finding>,
}

/// Which kernel, and which state of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KernelIdentity {
    /// Its name.
    pub name: KernelName,
    /// Major version.
    pub version: u64,
    /// Python module and operator namespace: `_<python name>_<backend>_<unique>`.
    pub id: String,
}

/// How a variant is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// For this machine while writing: debug info, nothing stripped. Never published.
    Dev,
    /// For others.
    Release,
}

/// A file of the project that the build reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Input {
    /// Relative to the project, with `/`.
    pub path: String,
    /// SHA-256 of its content in hexadecimal.
    pub sha256: String,
}

/// A file that ships.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct PackageFile {
    /// Relative to the variant's directory.
    pub destination: String,
    /// Relative to the project.
    pub source: String,
}

/// The native part of a variant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Library {
    /// Name of the finished library in the variant's directory.
    pub file_name: String,
    /// Compiler and parts that the steps were written for.
    pub toolchain: ToolchainPlan,
    /// The translation of sources of CUDA to HIP, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hipify: Option<HipifyStep>,
    /// One for each source of each component.
    pub compile: Vec<CompileStep>,
    /// The library of Metal's shaders, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metal: Option<MetalStep>,
    /// The unit that holds the id and the provenance note.
    pub identity: IdentityUnit,
    /// The last step.
    pub link: LinkStep,
}

/// What the steps expect of the toolchain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolchainPlan {
    /// Whose options the flags are.
    pub family: CompilerFamily,
    /// Whose options those for CUDA are, where it is not nvcc that compiles it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<CompilerFamily>,
    /// Parts that flags reach as `tc/<name>`, in order.
    pub parts: Vec<String>,
}

/// Whose options a compiler takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum CompilerFamily {
    Clang,
    Gcc,
}

/// What a source is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Language {
    C,
    #[serde(rename = "c++")]
    Cxx,
    Cuda,
    Hip,
    Metal,
    #[serde(rename = "objective-c++")]
    ObjectiveCxx,
    Sycl,
}

/// How much memory a compile is likely to need; decides how many run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Below 300 MB.
    Light,
    /// Up to 1.5 GB, as with all of torch's headers.
    Heavy,
}

/// One compilation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CompileStep {
    /// The source, relative to the project.
    pub source: String,
    /// The object, relative to the variant's build directory.
    pub object: String,
    /// The section of the manifest that lists it: `torch` or `kernel.<name>`.
    pub component: String,
    /// What is compiled in its place: the same translated, relative to the variant's build directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translated: Option<String>,
    /// What it is written in.
    pub language: Language,
    /// Its likely need of memory.
    pub weight: Weight,
    /// Every flag, in order. Paths that begin with `tc/` or `include` are relative to the variant's build directory.
    pub flags: Vec<Flag>,
}

impl CompileStep {
    /// What it does, in a line for people.
    pub fn title(&self) -> String {
        format!("compile {} ({})", self.source, self.component)
    }
}

/// The translation of sources of CUDA to HIP: one step for all of them, since it follows their includes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HipifyStep {
    /// Every source and header that may be read, relative to the project.
    pub inputs: Vec<String>,
    /// Sources of CUDA, relative to the project.
    pub sources: Vec<String>,
    /// Copies of the inputs and what they are translated to, relative to the variant's build directory.
    pub outputs: Vec<String>,
    /// Directories in which headers are looked for, relative to the project.
    pub include: Vec<String>,
}

/// From compiled shaders to an object that holds their library. Paths are relative to the variant's build directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MetalStep {
    /// The compiled shaders, in order.
    pub shaders: Vec<String>,
    /// The library made of them.
    pub output: String,
    /// The generated unit that embeds it.
    pub source: String,
    /// The object of that unit.
    pub object: String,
    /// Every flag of the unit.
    pub flags: Vec<Flag>,
}

/// One argument of a compiler or linker.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Flag {
    /// As it stands.
    Plain(String),
    /// An option followed by a path inside the variant's build directory.
    InBuild {
        /// `-I`, `-isystem `, …: a final space makes two arguments.
        option: String,
        /// Relative to the variant's build directory.
        build_path: String,
    },
}

/// The generated unit that holds all that is about *which* build this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IdentityUnit {
    /// Relative to the variant's build directory.
    pub source: String,
    /// Relative to the variant's build directory.
    pub object: String,
    /// Every flag.
    pub flags: Vec<Flag>,
}

/// The link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkStep {
    /// The library, relative to the variant's build directory; takes its final name when it is imported.
    pub output: String,
    /// What the linker took from where, relative to the variant's build directory.
    pub map: String,
    /// Objects in order, relative to the variant's build directory.
    pub objects: Vec<String>,
    /// Libraries of the framework that it must name as needed.
    pub runtimes: Vec<String>,
    /// The version script, relative to the variant's build directory.
    pub version_script: String,
    /// Steps that make the archive of compatibility members; none where the policy is the host's own.
    pub compatibility: Vec<CompatibilityStep>,
    /// Every argument after the C++ driver's name; paths are relative to the project.
    pub arguments: Vec<String>,
}

/// One step towards the archive of compatibility members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum CompatibilityStep {
    /// A generated C source becomes an object.
    Compile {
        /// Relative to the variant's build directory.
        source: String,
        /// Relative to the variant's build directory.
        object: String,
        /// Every flag.
        flags: Vec<String>,
    },
    /// Objects become an archive.
    Archive {
        /// Relative to the variant's build directory.
        objects: Vec<String>,
        /// Relative to the variant's build directory.
        archive: String,
    },
}

impl Flag {
    /// A flag as it stands.
    pub fn plain(text: impl Into<String>) -> Self {
        Flag::Plain(text.into())
    }

    /// An option with a path inside the variant's build directory.
    pub fn in_build(option: impl Into<String>, build_path: impl Into<String>) -> Self {
        Flag::InBuild { option: option.into(), build_path: build_path.into() }
    }

    /// The arguments a compiler gets, where the variant's build directory is `build`.
    pub fn arguments(&self, build: &str) -> Vec<String> {
        match self {
            Flag::Plain(text) => vec![text.clone()],
            Flag::InBuild { option, build_path } => {
                let path =
                    if build.is_empty() { build_path.clone() } else { format!("{build}/{build_path}") };
                match option.strip_suffix(' ') {
                    Some(option) => vec![option.to_owned(), path],
                    None => vec![format!("{option}{path}")],
                }
            }
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.arguments("").join(" "))
    }
}

impl fmt::Display for CompilerFamily {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            CompilerFamily::Clang => "clang",
            CompilerFamily::Gcc => "gcc",
        })
    }
}

impl Language {
    /// Its name as people write it.
    pub fn title(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cxx => "C++",
            Language::Cuda => "CUDA",
            Language::Hip => "HIP",
            Language::Metal => "Metal",
            Language::ObjectiveCxx => "Objective-C++",
            Language::Sycl => "SYCL",
        }
    }
}

impl Profile {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Dev => "dev",
            Profile::Release => "release",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A text that names no profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a profile: `release` or `dev` is expected")]
pub struct ProfileError(String);

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Profile::Dev, Profile::Release]
            .into_iter()
            .find(|profile| profile.as_str() == text)
            .ok_or_else(|| ProfileError(text.to_owned()))
    }
}
