//! The host's C++ compiler: what `CXX` names or `PATH` has, unwrapped, and described by its bytes. Two machines make
//! the same objects exactly when plan and identity are equal, so the identity lists what an object depends on.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::plan::CompilerFamily;
use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::fingerprint::{Witnesses, hash_tree, hexadecimal, sha256};
use crate::process::{Command, ProcessError};
use crate::{Context, atomic};

/// A compiler, ready to be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiler {
    /// The C++ driver itself: no wrapper, no symbolic link.
    pub cxx: Utf8PathBuf,
    /// What it is always given, such as `--sysroot=…`.
    pub arguments: Vec<String>,
    /// The archiver it uses.
    pub ar: Utf8PathBuf,
    /// What objects depend on.
    pub identity: CompilerIdentity,
    /// Files a link by hand needs, by name: `crti.o`, `libgcc.a`, … Absent where the compiler has none.
    pub files: BTreeMap<String, Utf8PathBuf>,
    /// Its own header directories, in order.
    pub headers: Vec<Utf8PathBuf>,
}

/// What the bytes of an object depend on besides the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerIdentity {
    /// Whose options it takes.
    pub family: CompilerFamily,
    /// Its version.
    pub version: String,
    /// What it calls itself; distributions add their own words, and the words end up in objects.
    pub vendor: String,
    /// The processor and system it compiles for.
    pub machine: String,
    /// What it is always given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// SHA-256 of its parts, in hexadecimal.
    pub parts: BTreeMap<String, String>,
}

/// Why there is no compiler.
#[derive(Debug, Error, Diagnostic)]
pub enum CompilerError {
    /// None was found.
    #[error("no C++ compiler was found: there is no `{names}` in `PATH`")]
    #[diagnostic(
        code("environment/compiler"),
        help("install GCC or Clang (`apt install g++`, `dnf install gcc-c++`), or name one in `CXX`")
    )]
    Missing {
        /// What was looked for.
        names: String,
    },
    /// What was found is no compiler whose options we know.
    #[error("`{path}` is neither GCC nor Clang")]
    #[diagnostic(code("environment/compiler"), help("name a GCC or Clang in `CXX`"))]
    Unknown {
        /// The program.
        path: Utf8PathBuf,
    },
    /// It was found and does not answer.
    #[error("the compiler `{path}` does not answer")]
    #[diagnostic(
        code("environment/compiler"),
        help("run it by hand with `--version`; name another one in `CXX`")
    )]
    Silent {
        /// The program.
        path: Utf8PathBuf,
        /// How it ended.
        #[source]
        source: ProcessError,
    },
    /// It is another one than the memory has it.
    #[error("a part of the compiler `{path}` changed, and its date did not")]
    #[diagnostic(
        code("toolchain/changed"),
        help(
            "find out who changed it; `compiler.json` in the cache directory holds what it was, and is made again when it is removed"
        )
    )]
    Changed {
        /// The program.
        path: Utf8PathBuf,
    },
    /// A part of it cannot be read.
    #[error("a part of the compiler `{path}` cannot be read")]
    #[diagnostic(code("environment/compiler"), help("install the compiler again; the cause names the file"))]
    Part {
        /// The program.
        path: Utf8PathBuf,
        /// The file.
        #[source]
        source: std::io::Error,
    },
}

impl Compiler {
    /// Reads every part of it again, whatever is remembered of it.
    pub fn recheck(&self, context: &Context) -> Result<(), CompilerError> {
        let (described, witnesses) = Inspection::of(context)?.finish()?;
        let (now, _) = described.identify(witnesses)?;
        if now.identity == self.identity {
            return Ok(());
        }
        Err(CompilerError::Changed { path: self.cxx.clone() })
    }
}

/// Files that a link by hand may need.
static LINK_FILES: &[&str] =
    &["crti.o", "crtbeginS.o", "crtendS.o", "crtn.o", "libgcc.a", "libstdc++.a", "libc_nonshared.a"];

/// A compiler in its own words: its paths and names, before anything is hashed.
#[derive(Clone, Debug, Deserialize)]
pub struct Description {
    /// The C++ driver.
    pub cxx: Utf8PathBuf,
    /// What it is always given.
    pub arguments: Vec<String>,
    /// The archiver.
    pub ar: Utf8PathBuf,
    /// Whose options it takes.
    pub family: CompilerFamily,
    /// Its version.
    pub version: String,
    /// What it calls itself.
    pub vendor: String,
    /// The processor and system it compiles for.
    pub machine: String,
    /// The programs it runs: `cc1plus`, `as`, `ld`, ….
    pub programs: BTreeMap<String, Utf8PathBuf>,
    /// Where it looks for headers.
    pub headers: Vec<Utf8PathBuf>,
    /// Files a link by hand needs.
    pub files: BTreeMap<String, Utf8PathBuf>,
}

impl Description {
    /// The compiler with its identity, and the files that this was drawn from.
    pub fn identify(self, mut witnesses: Witnesses) -> Result<(Compiler, Witnesses), CompilerError> {
        let unreadable = |source| CompilerError::Part { path: self.cxx.clone(), source };
        let mut parts = BTreeMap::new();
        let driver = [("driver".to_owned(), self.cxx.clone())];
        for (name, path) in
            self.programs.iter().chain(&self.files).map(|(n, p)| (n.clone(), p.clone())).chain(driver)
        {
            parts.insert(name, sha256(&path).map_err(unreadable)?);
            witnesses.add(path);
        }
        // The C library's own are the same everywhere as far as objects go, and thousands.
        let own = |path: &&Utf8PathBuf| {
            path.components().any(|part| matches!(part.as_str(), "c++" | "gcc" | "clang" | "v1"))
        };
        let headers: Vec<Utf8PathBuf> = self.headers.iter().filter(own).cloned().collect();
        let mut hasher = Sha256::new();
        for directory in &headers {
            witnesses.add(directory.clone());
            hash_tree(directory, &mut hasher).map_err(unreadable)?;
        }
        parts.insert("c++ headers".into(), hexadecimal(hasher));
        let Self { cxx, arguments, ar, family, version, vendor, machine, files, .. } = self;
        let identity =
            CompilerIdentity { family, version, vendor, machine, arguments: arguments.clone(), parts };
        Ok((Compiler { cxx, arguments, ar, identity, files, headers }, witnesses))
    }
}

/// What is asked of a compiler once, with the files that the answer was drawn from.
#[derive(Serialize, Deserialize)]
struct Remembered {
    asked: String,
    witnesses: Witnesses,
    compiler: Compiler,
}

/// The host's compiler: from `memory` (a file) where nothing it was drawn from has changed.
pub fn discover(context: &Context, memory: &Utf8Path) -> Result<Compiler, CompilerError> {
    let variable = |name| context.environment.get(name).unwrap_or_default().to_owned();
    let asked = format!("2|{}|{}", variable("CXX"), variable("PATH"));
    let remembered =
        fs_err::read(memory).ok().and_then(|bytes| serde_json::from_slice::<Remembered>(&bytes).ok());
    if let Some(remembered) = remembered.filter(|known| known.asked == asked && known.witnesses.hold()) {
        return Ok(remembered.compiler);
    }
    let (description, witnesses) = Inspection::of(context)?.finish()?;
    let (compiler, witnesses) = description.identify(witnesses)?;
    let remembered = Remembered { asked, witnesses, compiler };
    // A memory that cannot be written costs time, never a build.
    if let Ok(text) = serde_json::to_vec(&remembered)
        && let Err(error) = atomic::write(memory, &text)
    {
        tracing::debug!(%error, file = %memory, "the facts about the compiler were not kept");
    }
    Ok(remembered.compiler)
}

/// A compiler being looked at.
struct Inspection<'a> {
    context: &'a Context,
    cxx: Utf8PathBuf,
    arguments: Vec<String>,
    family: CompilerFamily,
    witnesses: Witnesses,
}

impl<'a> Inspection<'a> {
    fn of(context: &'a Context) -> Result<Self, CompilerError> {
        let (chosen, arguments) = chosen(context);
        let named = chosen.map(Utf8PathBuf::from);
        let named = named.or_else(|| NAMES.iter().find_map(|name| in_path(context, name)));
        let is_there = |path: &Utf8PathBuf| path.is_file() || in_path(context, path.as_str()).is_some();
        let named = named.filter(is_there).ok_or_else(|| CompilerError::Missing {
            names: context.environment.get("CXX").map_or_else(|| NAMES.join("`, `"), str::to_owned),
        })?;
        let mut witnesses = Witnesses::default();
        let cxx = unwrapped(context, &named, &mut witnesses);
        let family = family(context, &cxx, &arguments)?;
        Ok(Self { context, cxx, arguments, family, witnesses })
    }

    fn finish(self) -> Result<(Description, Witnesses), CompilerError> {
        let vendor = self.ask(&["--version"])?.lines().next().unwrap_or_default().to_owned();
        let version = match self.family {
            CompilerFamily::Gcc => self.ask(&["-dumpfullversion"])?,
            CompilerFamily::Clang => self.ask(&["-dumpversion"])?,
        };
        let mut programs = BTreeMap::new();
        for name in ["cc1plus", "cc1", "as", "ld"] {
            let path = self.program(name)?;
            if path.is_absolute() {
                programs.insert(name.to_owned(), path);
            }
        }
        let description = Description {
            version,
            vendor,
            machine: self.ask(&["-dumpmachine"])?,
            ar: self.program("ar")?,
            programs,
            headers: self.headers()?,
            files: self.files()?,
            cxx: self.cxx,
            arguments: self.arguments,
            family: self.family,
        };
        Ok((description, self.witnesses))
    }

    fn ask(&self, arguments: &[&str]) -> Result<String, CompilerError> {
        let finished = Command::new(self.cxx.clone())
            .arguments(&self.arguments)
            .arguments(arguments.iter().copied())
            .capture(self.context)
            .and_then(crate::process::Finished::require_success)
            .map_err(|source| CompilerError::Silent { path: self.cxx.clone(), source })?;
        Ok(finished.text().trim().to_owned())
    }

    /// A program of the compiler's, by its real path where there is one.
    fn program(&self, name: &str) -> Result<Utf8PathBuf, CompilerError> {
        let answer = Utf8PathBuf::from(self.ask(&[&format!("-print-prog-name={name}")])?);
        let found =
            if answer.is_absolute() { Some(answer.clone()) } else { in_path(self.context, answer.as_str()) };
        Ok(found.and_then(|path| path.canonicalize_utf8().ok()).unwrap_or(answer))
    }

    fn files(&self) -> Result<BTreeMap<String, Utf8PathBuf>, CompilerError> {
        let mut files = BTreeMap::new();
        for name in LINK_FILES {
            let answer = Utf8PathBuf::from(self.ask(&[&format!("-print-file-name={name}")])?);
            // A name that comes back without a directory means that there is no such file.
            if let Some(path) = answer.is_absolute().then(|| answer.canonicalize_utf8().ok()).flatten() {
                files.insert((*name).to_owned(), path);
            }
        }
        Ok(files)
    }

    /// The directories that it looks for headers in.
    fn headers(&self) -> Result<Vec<Utf8PathBuf>, CompilerError> {
        let mut lines = Vec::new();
        Command::new(self.cxx.clone())
            .arguments(&self.arguments)
            .arguments(["-E", "-x", "c++", "-v", "/dev/null"])
            .stream(self.context, &mut |line| lines.push(line.text.clone()))
            .map_err(|source| CompilerError::Silent { path: self.cxx.clone(), source })?;
        let listed = lines.iter().skip_while(|line| !line.starts_with("#include <...>")).skip(1);
        let directories =
            listed.take_while(|line| line.starts_with(' ')).map(|line| Utf8PathBuf::from(line.trim()));
        Ok(directories.filter_map(|path| path.canonicalize_utf8().ok()).collect())
    }
}

/// Names of the C++ compiler where `CXX` names none, the usual one first.
static NAMES: &[&str] = &["c++", "g++", "clang++"];

/// Whose options a compiler takes, by what it defines before any source does.
fn family(context: &Context, cxx: &Utf8Path, arguments: &[String]) -> Result<CompilerFamily, CompilerError> {
    let defined = Command::new(cxx)
        .arguments(arguments)
        .arguments(["-E", "-dM", "-x", "c++", "/dev/null"])
        .capture(context)
        .map_err(|source| CompilerError::Silent { path: cxx.to_owned(), source })?;
    let text = defined.text();
    let defines = |name: &str| text.lines().any(|line| line.starts_with(&format!("#define {name} ")));
    match (defines("__clang__"), defines("__GNUC__")) {
        (true, _) => Ok(CompilerFamily::Clang),
        (_, true) => Ok(CompilerFamily::Gcc),
        _ => Err(CompilerError::Unknown { path: cxx.to_owned() }),
    }
}

/// What `CXX` names: a path, or as `make` takes it, a program and arguments.
fn chosen(context: &Context) -> (Option<String>, Vec<String>) {
    let Some(text) = context.environment.get("CXX") else { return (None, Vec::new()) };
    if Utf8Path::new(text).is_file() {
        return (Some(text.to_owned()), Vec::new());
    }
    let mut words = text.split_whitespace().map(str::to_owned);
    (words.next(), words.collect())
}

/// The compiler behind links and compiler caches. A cache answers to the compiler's name and would be an ambient part
/// of the build.
fn unwrapped(context: &Context, named: &Utf8Path, witnesses: &mut Witnesses) -> Utf8PathBuf {
    let name = named.file_name().unwrap_or("c++");
    let first = if named.is_absolute() { Some(named.to_owned()) } else { in_path(context, named.as_str()) };
    let candidates = first.into_iter().chain(all_in_path(context, name));
    for candidate in candidates {
        witnesses.add(candidate.clone());
        let Ok(real) = candidate.canonicalize_utf8() else { continue };
        let is_wrapper =
            real.file_name().is_some_and(|name| ["ccache", "sccache", "distcc", "icecc"].contains(&name));
        if !is_wrapper {
            return real;
        }
    }
    named.to_owned()
}

/// A program by name in the user's `PATH`.
pub fn in_path(context: &Context, name: &str) -> Option<Utf8PathBuf> {
    all_in_path(context, name).next()
}

fn all_in_path<'a>(context: &'a Context, name: &'a str) -> impl Iterator<Item = Utf8PathBuf> + 'a {
    let path = context.environment.get("PATH").unwrap_or_default();
    path.split(':')
        .filter(|directory| directory.starts_with('/'))
        .map(move |directory| Utf8Path::new(directory).join(name))
        .filter(|candidate| candidate.is_file())
}
