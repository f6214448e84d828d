//! What the files in `src` are, by their ending: one table for every backend. A backend row says which languages its
//! components may hold, so adding a GPU language is a row here and a set of flags beside it.

use kernel_spec::Backend;
use kernel_spec::plan::Language;

/// What a listed file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Compiled.
    Source(Language),
    /// Read by sources; never compiled on its own.
    Header,
    /// Of no language we know.
    Unknown,
}

/// Endings of sources and what they are written in. `.C` is C++ by the compilers' own convention.
static SOURCES: &[(&str, Language)] = &[
    ("c", Language::C),
    ("C", Language::Cxx),
    ("cc", Language::Cxx),
    ("cpp", Language::Cxx),
    ("cxx", Language::Cxx),
    ("cu", Language::Cuda),
    ("hip", Language::Hip),
    ("metal", Language::Metal),
    ("mm", Language::ObjectiveCxx),
];

/// Endings of files that are only ever included.
static HEADERS: &[&str] =
    &["cuh", "def", "h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tpp", "txx", "cuinc", "hip.h"];

/// The languages each backend compiles.
static COMPILED: &[(Backend, &[Language])] = &[
    (Backend::Cpu, &[Language::C, Language::Cxx]),
    (Backend::Cuda, &[Language::C, Language::Cxx, Language::Cuda]),
    (Backend::Metal, &[Language::C, Language::Cxx, Language::ObjectiveCxx, Language::Metal]),
    (Backend::Rocm, &[Language::C, Language::Cxx, Language::Cuda, Language::Hip]),
    (Backend::Xpu, &[Language::C, Language::Cxx, Language::Sycl]),
];

/// What a file is, by its ending.
pub fn kind(path: &str) -> FileKind {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, ending)) = name.rsplit_once('.') else {
        return FileKind::Unknown;
    };
    if let Some((_, language)) = SOURCES.iter().find(|(known, _)| *known == ending) {
        return FileKind::Source(*language);
    }
    if HEADERS.contains(&ending) { FileKind::Header } else { FileKind::Unknown }
}

/// Whether a component of this backend may hold sources of this language.
pub fn compiles(backend: Backend, language: Language) -> bool {
    COMPILED.iter().any(|(known, languages)| *known == backend && languages.contains(&language))
}
