//! What is to be said about a finished link: what it took from the static libstdc++, and what it left undefined.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_abi::{Image, ImageError};
use kernel_spec::arch::Cpu;
use kernel_spec::{Finding, code};
use miette::Diagnostic;
use object::{Object as _, ObjectSymbol as _, ReadCache};
use thiserror::Error;

use super::link_map;
use super::member::MemberError;
use super::policy::Policy;
use super::runtime::{Exports, Runtime};
use super::undefined::{self, Definitions, TorchNames};
use crate::check::library;

/// A finished link and where it left its traces.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    /// The systems the kernel must load on.
    pub policy: Policy,
    /// The architecture.
    pub cpu: Cpu,
    /// Libraries of the kernel's process.
    pub runtimes: &'a [&'static Runtime],
    /// The linked library.
    pub library: &'a Utf8Path,
    /// The linker's map.
    pub map: &'a Utf8Path,
    /// The static libstdc++ that was offered to the linker.
    pub archive: Option<&'a Utf8Path>,
    /// The folder of the libraries of the Torch that the kernel was compiled for, where there is one.
    pub torch: Option<&'a Utf8Path>,
}

/// Why nothing can be said.
#[derive(Debug, Error, Diagnostic)]
pub enum ReviewError {
    /// A file is not there.
    #[error("a file of the link cannot be read")]
    #[diagnostic(code("link/unreadable"), help("build again; the cause names the file"))]
    File(#[from] std::io::Error),
    /// The static library is damaged, or not the one that was linked.
    #[error("what the linker took from `{archive}` cannot be judged")]
    #[diagnostic(
        code("link/unreadable"),
        help("install the compiler's C++ library again, or build with `--policy host`")
    )]
    Member {
        /// The archive.
        archive: Utf8PathBuf,
        /// What is wrong with it.
        #[source]
        source: MemberError,
    },
    /// A library of Torch is none.
    #[error("the exports of `{library}` cannot be read")]
    #[diagnostic(code("link/unreadable"), help("install Torch again"))]
    Torch {
        /// The library.
        library: Utf8PathBuf,
        /// What is wrong with it.
        #[source]
        source: object::read::Error,
    },
    /// The linked library is none.
    #[error("`{library}` cannot be judged")]
    #[diagnostic(code("link/unreadable"), help("build again"))]
    Library {
        /// The library.
        library: Utf8PathBuf,
        /// What is wrong with it.
        #[source]
        source: ImageError,
    },
}

impl Review<'_> {
    /// Everything to say, errors and notes.
    pub fn findings(&self) -> Result<Vec<Finding>, ReviewError> {
        let mut findings = Vec::new();
        // Under the host's own policy the compiler links its libraries as it likes.
        if let Some(archive) = self.archive.filter(|_| self.policy != Policy::Host) {
            let map = String::from_utf8_lossy(&fs_err::read(self.map)?).into_owned();
            let content = fs_err::read(archive)?;
            let found = link_map::check(&map, &content)
                .map_err(|source| ReviewError::Member { archive: archive.to_owned(), source })?;
            findings.extend(found);
        }
        let torch = self.torch.map(|folder| self.torch_exports(folder)).transpose()?.flatten();
        let image = self.image()?;
        let needed: Vec<String> = image.objects.iter().flat_map(|object| object.needed.clone()).collect();
        let definitions = Definitions {
            code: &code::link::UNDEFINED,
            manylinux: self.policy.manylinux(),
            cpu: self.cpu,
            runtimes: self.runtimes,
            needed: &needed,
            strings: None,
            torch: torch.as_ref().map_or(TorchNames::OfHeaders, TorchNames::AtHand),
            others: image.objects.iter().any(|object| undefined::needs_others(object, self.cpu, &[])),
            static_libstdcxx: self.archive.is_some(),
        };
        let names = image.objects.iter().flat_map(undefined::names).collect();
        findings.extend(undefined::check(&names, &definitions));
        Ok(findings)
    }

    /// Every name that the libraries of a Torch export; nothing where one of those that the kernel needs is not at hand,
    /// as with headers alone or with a Torch for another backend. All that are there count, since the one that a
    /// kernel names brings the others.
    fn torch_exports(&self, folder: &Utf8Path) -> Result<Option<BTreeSet<String>>, ReviewError> {
        let is_torch = |runtime: &&Runtime| matches!(runtime.exports(), Exports::Torch);
        let mut needed = self.runtimes.iter().copied().filter(is_torch).peekable();
        if needed.peek().is_none() || !needed.all(|runtime| folder.join(runtime.soname).is_file()) {
            return Ok(None);
        }
        let libraries = Runtime::ALL.iter().filter(is_torch).map(|runtime| folder.join(runtime.soname));
        let mut names = BTreeSet::new();
        for path in libraries.filter(|path| path.is_file()) {
            let file = fs_err::File::open(&path)?;
            let exported = exports(file).map_err(|source| ReviewError::Torch { library: path, source })?;
            names.extend(exported);
        }
        Ok(Some(names))
    }

    fn image(&self) -> Result<Image, ReviewError> {
        let library = self.library;
        library::read(library).map_err(|source| ReviewError::Library { library: library.to_owned(), source })
    }
}

/// The names that a library exports, and nothing else: the judge's reading would go through all of Torch's data.
fn exports(library: fs_err::File) -> object::read::Result<BTreeSet<String>> {
    let cache = ReadCache::new(library);
    let file = object::File::parse(&cache)?;
    let exported = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    exported.map(|symbol| Ok(symbol.name()?.to_owned())).collect()
}
