//! The tools that matter here: programs by their own words, Python packages by their files.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::report::ToolState;

use crate::Context;
use crate::engine::local::{self, sandbox};
use crate::host::PythonEnvironment;
use crate::process::{Command, ProcessError};
use crate::toolchain::compiler::{self, in_path};

/// A program that does not tell its version in this time is as good as missing.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program and how it is looked for.
struct Program {
    name: &'static str,
    /// Other names it has, in the order in which they are tried.
    also: &'static [&'static str],
}

const fn program(name: &'static str, also: &'static [&'static str]) -> Program {
    Program { name, also }
}

/// In the order in which they are shown.
static PROGRAMS: &[Program] = &[
    program("git", &[]),
    program("nix", &[]),
    program("nvcc", &["/usr/local/cuda/bin/nvcc"]),
    program("hipcc", &["/opt/rocm/bin/hipcc"]),
    program("icpx", &["/opt/intel/oneapi/compiler/latest/bin/icpx"]),
];

/// The programs of this machine: those of the local engine as the engine itself finds them, then the others.
pub(super) fn programs(context: &Context, python: Option<&PythonEnvironment>) -> Vec<ToolState> {
    let interpreter = python.map_or(Utf8Path::new("python3"), |python| &python.interpreter);
    let ninja = local::ninja(context, interpreter);
    let mut states = vec![
        compiler(context),
        found(context, "ninja", ninja.map_err(|_| "not found".to_owned())),
        found(context, "bwrap", sandbox::find(context)),
    ];
    states.extend(PROGRAMS.iter().map(|program| {
        match (program.name, context.environment.get("CUDA_HOME")) {
            ("nvcc", Some(home)) => {
                let nvcc = context.resolve(Utf8Path::new(home)).join("bin/nvcc");
                let named = if nvcc.is_file() { Ok(nvcc) } else { Err("not in `CUDA_HOME`".to_owned()) };
                found(context, "nvcc", named)
            }
            _ => state(context, program),
        }
    }));
    states
}

/// The C++ compiler that a build would use.
fn compiler(context: &Context) -> ToolState {
    let memory =
        context.environment.cache_directory().unwrap_or_else(|| "/nonexistent".into()).join("compiler.json");
    match compiler::discover(context, &memory) {
        Ok(compiler) => tool("c++", Some(compiler.identity.version), Some(compiler.cxx.into_string()), None),
        Err(error) => tool("c++", None, None, Some(error.to_string())),
    }
}

/// A program the engine looked for: it is there, or the engine says why it cannot be used.
fn found(context: &Context, name: &str, program: Result<Utf8PathBuf, String>) -> ToolState {
    match program {
        Ok(path) => tool(name, version(context, &path).ok(), Some(path.into_string()), None),
        Err(problem) => tool(name, None, None, Some(problem)),
    }
}

fn state(context: &Context, program: &Program) -> ToolState {
    let names = [program.name].into_iter().chain(program.also.iter().copied());
    let mut problem = "not found".to_owned();
    for name in names {
        let path = if name.starts_with('/') { Some(name.into()) } else { in_path(context, name) };
        match path.map(|path: Utf8PathBuf| (version(context, &path), path)) {
            Some((Ok(version), path)) => {
                return tool(program.name, Some(version), Some(path.into_string()), None);
            }
            None | Some((Err(ProcessError::Missing { .. }), _)) => {}
            Some((Err(error), _)) => problem = error.to_string(),
        }
    }
    tool(program.name, None, None, Some(problem))
}

fn version(context: &Context, program: &Utf8Path) -> Result<String, ProcessError> {
    let command = Command::new(program).argument("--version").directory("/").timeout(PATIENCE);
    let finished = command.capture(context)?.require_success()?;
    Ok(number(&finished.text()))
}

/// The first version number in a program's words, with what it calls itself before it where that is short.
fn number(text: &str) -> String {
    let is_version = |word: &&str| {
        let word = word.trim_start_matches(['V', 'v']);
        word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.')
    };
    // `nvcc` gives its release in a later line than its copyright.
    let line = text.lines().find(|line| line.contains("release ")).or_else(|| text.lines().next());
    let words: Vec<&str> = line.unwrap_or_default().split([' ', ',', '(', ')']).collect();
    let version = words.into_iter().rev().find(is_version).unwrap_or("unknown");
    version.trim_start_matches(['V', 'v']).to_owned()
}

/// Python and the packages that a build or a test needs.
pub(super) fn packages(environment: &PythonEnvironment) -> Vec<ToolState> {
    let path = Some(environment.interpreter.to_string());
    let header = environment.include.join("Python.h");
    let problem = (!header.is_file()).then(|| "not found".to_owned());
    let mut states = vec![
        tool("python", Some(environment.version.to_string()), path, None),
        tool("Python.h", None, Some(header.into_string()), problem),
    ];
    let torch = environment.torch.as_ref();
    states.push(match torch {
        Some(torch) => tool("torch", Some(torch.full_version.clone()), Some(torch.root.to_string()), None),
        None => absent(environment, "torch"),
    });
    states.push(match &environment.tvm_ffi {
        Some(tvm) => tool("apache-tvm-ffi", Some(tvm.version.to_string()), Some(tvm.root.to_string()), None),
        None => absent(environment, "apache-tvm-ffi"),
    });
    for name in ["kernels", "pytest"] {
        states.push(match environment.package(name) {
            Some(root) => tool(name, distribution(&root, name), Some(root.into_string()), None),
            None => absent(environment, name),
        });
    }
    states
}

fn absent(environment: &PythonEnvironment, name: &str) -> ToolState {
    let problem = format!("not installed: `{} -m pip install {name}`", environment.interpreter);
    tool(name, None, None, Some(problem))
}

/// The version that the record of an installed package has in its directory's name.
fn distribution(package: &Utf8Path, name: &str) -> Option<String> {
    let entries = package.parent()?.read_dir_utf8().ok()?;
    let mut versions: Vec<String> = entries
        .filter_map(|entry| {
            let record = entry.ok()?.file_name().strip_suffix(".dist-info")?.to_owned();
            record.strip_prefix(name)?.strip_prefix('-').map(str::to_owned)
        })
        .collect();
    versions.sort();
    versions.pop()
}

fn tool(name: &str, version: Option<String>, path: Option<String>, problem: Option<String>) -> ToolState {
    ToolState { name: name.to_owned(), version, path, problem }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn the_version_is_found_in_every_tools_own_words() {
        for (text, version) in [
            ("c++ (Debian 12.2.0-3) 12.2.0\nCopyright (C) 2022", "12.2.0"),
            ("Debian clang version 14.0.6\nTarget: x86_64", "14.0.6"),
            ("1.11.1\n", "1.11.1"),
            ("git version 2.39.5\n", "2.39.5"),
            ("nix (Nix) 2.24.10\n", "2.24.10"),
            (
                "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.6, V12.6.85\n",
                "12.6.85",
            ),
            ("bubblewrap 0.8.0\n", "0.8.0"),
            ("", "unknown"),
        ] {
            assert_eq!(number(text), version, "{text}");
        }
    }
}
