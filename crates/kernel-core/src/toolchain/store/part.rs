//! Parts of toolchains that are fetched: one row says which wheels make a part, and what is taken out of each.

use std::fmt;
use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Version;
use kernel_spec::plan::Profile;

/// A part of a version, such as `cuda-13.2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    row: &'static Row,
    version: Version,
}

/// One kind of part.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    name: &'static str,
    /// What the resolver is asked for, up to the version.
    requirement: &'static str,
    /// Whether what it depends on is resolved too.
    with_dependencies: bool,
    /// The packages that matter, and what of them.
    packages: &'static [Package],
    /// The part's own directory in the unpacked wheels; `#` stands for the major version.
    root: &'static str,
    /// The lowest version there is.
    since: (u64, u64),
    /// Major version from which on another row holds.
    until: Option<u64>,
    /// What the resolver is asked for besides.
    besides: &'static [&'static str],
    /// Whether each wheel has a directory of its own, whose contents belong together in the root.
    is_merged: bool,
}

/// A package of a part.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::toolchain) struct Package {
    pub(in crate::toolchain) name: &'static str,
    pub(super) taken: Taken,
}

/// What is taken out of a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::toolchain) enum Taken {
    All,
    /// Members whose path has one of these in it or begins with it.
    Within(&'static [&'static str]),
}

const fn all(name: &'static str) -> Package {
    Package { name, taken: Taken::All }
}

/// Libraries of which torch's own CUDA headers include theirs: megabytes of headers in hundreds of megabytes.
const fn headers(name: &'static str) -> Package {
    Package { name, taken: Taken::Within(&["/include/"]) }
}

/// What most rows have.
const ROW: Row = Row {
    name: "",
    requirement: "",
    with_dependencies: false,
    packages: &[],
    root: "",
    since: (0, 0),
    until: None,
    besides: &[],
    is_merged: false,
};

static ROWS: &[Row] = &[
    Row {
        name: "cuda",
        requirement: "cuda-toolkit[nvcc,cudart,cccl,cublas,cusparse,cusolver]",
        with_dependencies: true,
        packages: &[
            all("nvidia-cuda-nvcc"),
            all("nvidia-nvvm"),
            all("nvidia-cuda-crt"),
            all("nvidia-cuda-runtime"),
            all("nvidia-cuda-cccl"),
            headers("nvidia-cublas"),
            headers("nvidia-cusparse"),
            headers("nvidia-cusolver"),
        ],
        root: "nvidia/cu#",
        since: (13, 0),
        ..ROW
    },
    // The wheels of CUDA 12 hold no nvcc. clang compiles with the rest; what packs code comes from CUDA 13.
    Row {
        name: "cuda",
        requirement: "cuda-toolkit[nvcc,cudart,cccl,cublas,cusparse,cusolver]",
        besides: &["nvidia-cuda-nvcc==13.2.*"],
        with_dependencies: true,
        packages: &[
            Package {
                name: "nvidia-cuda-nvcc-cu12",
                taken: Taken::Within(&["/bin/ptxas", "/nvvm/libdevice/", "/include/"]),
            },
            headers("nvidia-cuda-runtime-cu12"),
            headers("nvidia-cuda-cccl-cu12"),
            headers("nvidia-cublas-cu12"),
            headers("nvidia-cusparse-cu12"),
            headers("nvidia-cusolver-cu12"),
            Package { name: "nvidia-cuda-nvcc", taken: Taken::Within(&["/bin/fatbinary"]) },
        ],
        root: "nvidia/cu#",
        since: (12, 6),
        until: Some(13),
        is_merged: true,
    },
    Row {
        name: "torch",
        requirement: "torch",
        with_dependencies: false,
        packages: &[Package { name: "torch", taken: Taken::Within(&["torch/include/", "torch/version.py"]) }],
        root: "torch",
        since: (2, 7),
        ..ROW
    },
    Row {
        name: "tvm-ffi",
        requirement: "apache-tvm-ffi",
        with_dependencies: false,
        packages: &[Package {
            name: "apache-tvm-ffi",
            taken: Taken::Within(&["tvm_ffi/include/", "tvm_ffi/_version.py"]),
        }],
        root: "tvm_ffi",
        since: (0, 1),
        ..ROW
    },
    Row {
        name: "cutlass",
        requirement: "nvidia-cutlass",
        with_dependencies: false,
        packages: &[Package {
            name: "nvidia-cutlass",
            taken: Taken::Within(&["cutlass_library/source/include/"]),
        }],
        root: "cutlass_library/source",
        since: (3, 5),
        ..ROW
    },
];

/// A text that names no part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no part: `cuda-13.2`, `torch-2.13` or `tvm-ffi-0.1` would be")]
pub struct PartError(String);

impl Part {
    /// The CUDA toolkit of a version, where there are wheels of it.
    pub fn cuda(version: &Version) -> Option<Self> {
        Self::new("cuda", version)
    }

    /// The same as far as a profile can use it: a release is compiled by nvcc, and of some versions there is none in wheels.
    pub fn cuda_for(version: &Version, profile: Profile) -> Option<Self> {
        Self::cuda(version).filter(|part| part.has_nvcc() || profile == Profile::Dev)
    }

    /// Whether a toolkit's own compiler is in it.
    pub fn has_nvcc(&self) -> bool {
        self.row.packages.iter().any(|package| package.name == "nvidia-nvvm")
    }

    /// The headers of torch.
    pub fn torch(version: &Version) -> Option<Self> {
        Self::new("torch", version)
    }

    /// The headers of TVM-FFI.
    pub fn tvm_ffi(version: &Version) -> Option<Self> {
        Self::new("tvm-ffi", version)
    }

    /// CUTLASS's headers.
    pub fn cutlass(version: &Version) -> Option<Self> {
        Self::new("cutlass", version)
    }

    /// Its kind: `cuda`.
    pub fn name(&self) -> &'static str {
        self.row.name
    }

    /// Major and minor version.
    pub fn version(&self) -> &Version {
        &self.version
    }

    fn new(name: &str, version: &Version) -> Option<Self> {
        let holds = |row: &&Row| {
            row.name == name
                && version.reaches(&Version::major_minor(row.since.0, row.since.1))
                && row.until.is_none_or(|until| version.major() < until)
        };
        ROWS.iter().find(holds).map(|row| Self { row, version: version.truncated() })
    }

    /// What the resolver is asked for.
    pub(super) fn requirement(&self) -> String {
        let own = format!("{}=={}.*", self.row.requirement, self.version);
        let lines = std::iter::once(own).chain(self.row.besides.iter().map(|&line| line.to_owned()));
        lines.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn with_dependencies(&self) -> bool {
        self.row.with_dependencies
    }

    pub(in crate::toolchain) fn packages(&self) -> &'static [Package] {
        self.row.packages
    }

    /// Its own directory among the unpacked files.
    pub(super) fn root(&self) -> String {
        self.row.root.replace('#', &self.version.major().to_string())
    }

    /// Whether a member of a wheel is taken. What makes directories Python packages says nothing where they are merged.
    pub(super) fn takes(&self, taken: Taken, member: &str) -> bool {
        taken.takes(member) && !(self.row.is_merged && member.ends_with("/__init__.py"))
    }

    /// Where a member of a wheel belongs: as it lies there, or below the root without the two directories that are the
    /// wheel's own.
    pub(super) fn place(&self, member: &Utf8Path) -> Utf8PathBuf {
        if !self.row.is_merged {
            return member.to_owned();
        }
        Utf8PathBuf::from(self.root()).join(member.components().skip(2).collect::<Utf8PathBuf>())
    }
}

impl Taken {
    fn takes(self, path: &str) -> bool {
        match self {
            Self::All => !path.contains(".dist-info/"),
            Self::Within(places) => places
                .iter()
                .any(|place| path.starts_with(place) || place.starts_with('/') && path.contains(place)),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.row.name, self.version)
    }
}

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || PartError(text.escape_debug().to_string());
        let (name, version) = text.rsplit_once('-').ok_or_else(wrong)?;
        let version: Version = version.parse().map_err(|_| wrong())?;
        Self::new(name, &version).ok_or_else(wrong)
    }
}
