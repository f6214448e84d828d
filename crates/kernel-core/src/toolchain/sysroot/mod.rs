//! The link sysroot: how a kernel compiled on any Linux machine is linked so that an old system can load it.
//!
//! Objects are linked against stub libraries that hold only the symbol versions which the policy allows. Calls that a
//! newer compiler makes beyond them come from the compatibility members in `compat/`, and the few newer functions of
//! libstdc++ from the compiler's own static archive, hidden; libstdc++ itself stays the shared one of the process.

pub mod compat;
pub mod link;
pub mod link_map;
pub mod member;
pub mod policy;
pub mod review;
pub mod runtime;
pub mod stub;
pub mod table;
pub mod torch_names;
pub mod undefined;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::arch::Cpu;
use miette::Diagnostic;
use sha2::{Digest, Sha256};
use thiserror::Error;

pub use policy::Policy;
use runtime::Runtime;
use table::{Library, Symbol, Table};

/// Stub libraries on disk, ready for a linker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sysroot {
    /// The folder that holds them. Its name changes with its content.
    pub directory: Utf8PathBuf,
    /// The policy they were made for.
    pub policy: Policy,
    /// The architecture they were made for.
    pub cpu: Cpu,
}

/// Why there is no sysroot.
#[derive(Debug, Error, Diagnostic)]
pub enum SysrootError {
    /// The cache could not be written.
    #[error("could not write the link sysroot `{directory}`")]
    #[diagnostic(
        code("link/sysroot"),
        help("make the cache directory writable, or name another in `KERNEL_BUILDER_CACHE_DIR`")
    )]
    Write {
        /// Where it belongs.
        directory: Utf8PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
}

impl Sysroot {
    /// The stub libraries of a policy and an architecture, written into the cache where they are missing.
    pub fn ensure(cache: &Utf8Path, policy: Policy, cpu: Cpu) -> Result<Self, SysrootError> {
        let directory =
            cache.join("sysroot").join(format!("{policy}-{}-{}", cpu.as_str(), digest(policy, cpu)));
        let sysroot = Self { directory, policy, cpu };
        if !sysroot.directory.is_dir() {
            sysroot
                .write()
                .map_err(|source| SysrootError::Write { directory: sysroot.directory.clone(), source })?;
        }
        Ok(sysroot)
    }

    /// Writes beside the final place and renames, so that a directory under its name is complete by definition.
    fn write(&self) -> std::io::Result<()> {
        let parent = self.directory.parent().unwrap_or(Utf8Path::new("."));
        fs_err::create_dir_all(parent)?;
        let partial = tempfile::Builder::new().prefix(".partial-").tempdir_in(parent)?;
        for (soname, bytes) in libraries(self.policy, self.cpu)? {
            fs_err::write(partial.path().join(soname), bytes)?;
        }
        match fs_err::rename(partial.path(), &self.directory) {
            Ok(()) => {
                let _ = partial.keep();
                Ok(())
            }
            // Another process was faster; its bytes are the same.
            Err(_) if self.directory.is_dir() => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Every stub library of a sysroot: file name and bytes. Without system libraries for the host's own policy, where the
/// compiler's own are linked.
fn libraries(policy: Policy, cpu: Cpu) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let system = system_libraries(policy, cpu);
    let named = Runtime::named().map(|runtime| (runtime.soname, Vec::new()));
    system
        .iter()
        .map(|(library, symbols)| (library.soname, symbols.clone()))
        .chain(named)
        .map(|(soname, symbols)| {
            let bytes = stub::library(cpu, soname, &symbols).map_err(std::io::Error::other)?;
            Ok((soname.to_owned(), bytes))
        })
        .collect()
}

/// The system libraries of a policy with what may be linked from each, in link order. A library that the policy's
/// systems have only for old programs is left out.
pub fn system_libraries(policy: Policy, cpu: Cpu) -> Vec<(&'static Library, Vec<Symbol>)> {
    let Some(glibc) = policy.glibc() else { return Vec::new() };
    let table = Table::of(cpu);
    let release = table.release_for(glibc);
    let allows = |version: &str| policy.allows(cpu, version);
    table
        .libraries
        .iter()
        .map(|library| (library, library.linkable(release, &allows)))
        .filter(|(_, symbols)| !symbols.is_empty())
        .collect()
}

fn digest(policy: Policy, cpu: Cpu) -> String {
    let mut digest = Sha256::new();
    digest.update(stub::FORMAT.to_le_bytes());
    digest.update(Table::packed(cpu));
    for (library, symbols) in system_libraries(policy, cpu) {
        digest.update(library.soname);
        for symbol in symbols {
            digest.update(symbol.name);
            digest.update(symbol.version);
        }
    }
    for runtime in Runtime::named() {
        digest.update(runtime.soname);
    }
    let first = digest.finalize()[..8].try_into().expect("a digest is longer");
    format!("{:016x}", u64::from_be_bytes(first))
}
