//! What can be done with the tools that are there. One table says what each ability needs.

use kernel_spec::report::{Ability, ToolState};

/// An ability and the tools it needs.
struct Needs {
    what: &'static str,
    tools: &'static [&'static str],
    /// Set where no tool would help, because this version of the program cannot do it.
    not_yet: bool,
}

const fn needs(what: &'static str, tools: &'static [&'static str]) -> Needs {
    Needs { what, tools, not_yet: false }
}

const fn not_yet(what: &'static str, tools: &'static [&'static str]) -> Needs {
    Needs { what, tools, not_yet: true }
}

/// What is said of a backend that no tool makes buildable.
const NOT_YET: &str = "this version of kernel-builder does not compile for it; `variants`, `check`, `plan` and Python-only kernels work";

static ABILITIES: &[Needs] = &[
    needs("build for the CPU with torch", &["c++", "ninja", "python", "Python.h", "torch"]),
    needs("build for the CPU with tvm-ffi", &["c++", "ninja", "python", "apache-tvm-ffi"]),
    needs("build for CUDA with torch", &["c++", "ninja", "python", "Python.h", "torch", "nvcc"]),
    needs("build for CUDA with tvm-ffi", &["c++", "ninja", "python", "apache-tvm-ffi", "nvcc"]),
    needs("build for ROCm", &["c++", "ninja", "python", "hipcc"]),
    not_yet("build for XPU", &["icpx"]),
    not_yet("build for Metal", &[]),
    needs("build without network access, as a release needs", &["bwrap"]),
    needs("test and bench", &["python", "torch", "kernels", "pytest"]),
];

/// How each tool is had.
static REMEDIES: &[(&str, &str)] = &[
    ("c++", "install GCC or Clang (Debian: `apt-get install g++`), or name one in `CXX`"),
    (
        "ninja",
        "install it (Debian: `apt-get install ninja-build`), or `pip install ninja` in the environment",
    ),
    ("bwrap", "install bubblewrap (Debian: `apt-get install bubblewrap`), or build with `--sandbox off`"),
    (
        "nvcc",
        "install CUDA's toolkit and name its directory in `CUDA_HOME`; from 13.0 on, a build fetches it by itself with uv",
    ),
    ("hipcc", "install ROCm (Debian: `apt-get install hipcc libamdhip64-dev rocm-device-libs`)"),
    ("Python.h", "install Python's development files (Debian: `apt-get install python3-dev`)"),
    ("python", "install Python 3.9 or newer, or activate an environment"),
];

pub(super) fn judge(tools: &[ToolState]) -> Vec<Ability> {
    let missing = |name: &&&str| {
        // Without an interpreter its packages are not looked for, and saying so would only hide what matters.
        let problem = tools.iter().find(|tool| tool.name == **name)?.problem.clone()?;
        let remedy = REMEDIES.iter().find(|(tool, _)| tool == *name).map_or("", |(_, remedy)| *remedy);
        Some(if remedy.is_empty() {
            format!("`{name}`: {problem}")
        } else {
            format!("`{name}`: {problem}; {remedy}")
        })
    };
    ABILITIES
        .iter()
        .map(|needs| Ability {
            what: needs.what.to_owned(),
            missing: if needs.not_yet {
                vec![NOT_YET.to_owned()]
            } else {
                needs.tools.iter().filter_map(|name| missing(&name)).collect()
            },
        })
        .collect()
}
