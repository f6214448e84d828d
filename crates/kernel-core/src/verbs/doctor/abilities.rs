//! What can be done with the tools that are there. One table says what each ability needs.

use kernel_spec::report::{Ability, ToolState};

/// An ability and the tools it needs.
struct Needs {
    what: &'static str,
    tools: &'static [&'static str],
}

static ABILITIES: &[Needs] = &[
    Needs { what: "build for the CPU with torch", tools: &["c++", "ninja", "python", "Python.h", "torch"] },
    Needs { what: "build for the CPU with tvm-ffi", tools: &["c++", "ninja", "python", "apache-tvm-ffi"] },
    Needs {
        what: "build for CUDA with torch",
        tools: &["c++", "ninja", "python", "Python.h", "torch", "nvcc"],
    },
    Needs { what: "build without network access, as a release needs", tools: &["bwrap"] },
    Needs { what: "test", tools: &["python", "torch", "kernels", "pytest"] },
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
            missing: needs.tools.iter().filter_map(|name| missing(&name)).collect(),
        })
        .collect()
}
