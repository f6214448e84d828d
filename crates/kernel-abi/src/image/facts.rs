//! The facts about a library, the same for every object format.

use std::borrow::Cow;
use std::fmt;

use kernel_spec::Version;

use super::provenance::Provenance;

/// A parsed library.
#[derive(Debug)]
pub struct Image {
    /// Its object format.
    pub format: Format,
    /// One object; several in a fat Mach-O.
    pub objects: Vec<Object>,
}

/// Object formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Format {
    Elf,
    MachO,
    Pe,
}

/// What an object is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Can be loaded into a running process.
    SharedLibrary,
    /// A program, position-independent or not.
    Program,
    /// Input of a linker.
    Relocatable,
    /// Anything else.
    Other,
}

/// The processor an object was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Machine {
    Aarch64,
    Armv7l,
    I686,
    Loongarch64,
    Ppc64,
    Ppc64le,
    Riscv64,
    S390x,
    X86_64,
    /// The format's own number.
    Other(u32),
}

impl fmt::Display for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Aarch64 => "aarch64",
            Self::Armv7l => "armv7l",
            Self::I686 => "i686",
            Self::Loongarch64 => "loongarch64",
            Self::Ppc64 => "ppc64",
            Self::Ppc64le => "ppc64le",
            Self::Riscv64 => "riscv64",
            Self::S390x => "s390x",
            Self::X86_64 => "x86_64",
            Self::Other(number) => return write!(formatter, "machine {number}"),
        })
    }
}

/// Whether loading the library makes the stack executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutableStack {
    /// The header says no.
    No,
    /// The header says yes.
    Yes,
    /// There is no header: glibc takes the processor's default, which is yes on x86 and no on 64-bit Arm.
    Unstated,
}

/// How much is made read-only after relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Relro {
    None,
    Partial,
    Full,
}

/// A directory that the loader is told to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPath {
    /// `RPATH`, `RUNPATH` or `LC_RPATH`.
    pub tag: &'static str,
    /// The directories, as written.
    pub path: String,
}

/// The system that a library says it is for (`.note.ABI-tag`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct System {
    /// Whether that is Linux.
    pub is_linux: bool,
    /// The oldest kernel: major, minor, patch.
    pub kernel: [u32; 3],
}

/// What a library asks of the loader beyond loading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Load or read a file too: the tag (`AUDIT`, `FILTER`, …) and the file's name.
    File(&'static str, String),
    /// Show its symbols to every library of the process.
    Global,
    /// Put its symbols before those of others.
    Interpose,
    /// Look for what it needs nowhere but in its own search paths.
    OwnPathsOnly,
    /// Refuse programs that load it while they run.
    NotByPrograms,
}

/// Bindings of dynamic symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Binding {
    Local,
    Global,
    Weak,
    /// One instance per process, even among libraries loaded privately.
    Unique,
    Other,
}

/// Kinds of dynamic symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum SymbolKind {
    Function,
    Data,
    ThreadLocal,
    Other,
}

/// Visibility of dynamic symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Visibility {
    Default,
    Protected,
    Hidden,
}

/// A dynamic symbol as it is kept: no larger than in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) name: u32,
    /// Index of a version node; 0 and 1 mean none.
    pub(super) version: u16,
    pub(super) binding: Binding,
    pub(super) kind: SymbolKind,
    pub(super) visibility: Visibility,
    pub(super) defined: bool,
    /// Whether it is there for programs linked long ago only: who asks for the name without a version does not get it.
    pub(super) superseded: bool,
    /// Whether it leads to code of the library.
    pub(super) callable: bool,
}

impl Record {
    pub(super) fn is_exported(&self) -> bool {
        is_exported(self.defined, self.binding, self.visibility)
    }

    /// Whether the loader looks for it in the library itself, which does not have it.
    pub(super) fn is_nowhere(&self) -> bool {
        let looked_up = self.visibility == Visibility::Default && self.binding != Binding::Local;
        !self.defined && self.name != 0 && !looked_up
    }

    /// Whether nothing is said of it, as of the one that every table begins with.
    pub(super) fn is_empty(&self) -> bool {
        !self.defined && self.name == 0 && self.binding == Binding::Local && self.kind == SymbolKind::Other
    }
}

/// A dynamic symbol.
#[derive(Clone, Debug)]
pub struct Symbol<'o> {
    /// Its name without version.
    pub name: Cow<'o, str>,
    /// The version node it needs or defines.
    pub version: Option<&'o VersionNode>,
    /// How it binds.
    pub binding: Binding,
    /// Function or data.
    pub kind: SymbolKind,
    /// Who may see it.
    pub visibility: Visibility,
    /// Defined here rather than expected from elsewhere.
    pub defined: bool,
    /// Whether it is there for programs linked long ago only (`name@V_1`): `dlsym` does not find it.
    pub superseded: bool,
    /// Whether it leads to code of the library.
    pub callable: bool,
}

impl Symbol<'_> {
    /// Whether other libraries can bind to it.
    pub fn is_exported(&self) -> bool {
        is_exported(self.defined, self.binding, self.visibility)
    }
}

fn is_exported(defined: bool, binding: Binding, visibility: Visibility) -> bool {
    let binds = matches!(binding, Binding::Global | Binding::Weak | Binding::Unique);
    defined && binds && visibility != Visibility::Hidden
}

/// A version of symbols (`GLIBC_2.17`), needed from a library or defined here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionNode {
    /// The library it is needed from; `None` for a version that this library defines.
    pub library: Option<String>,
    /// Its name.
    pub name: String,
}

/// A section and its size in bytes, for showing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub struct Section {
    pub name: String,
    pub size: u64,
}

/// Kinds of embedded GPU code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GpuKind {
    /// CUDA machine code for one generation.
    Cubin,
    /// CUDA intermediate code, compiled by the driver.
    Ptx,
    /// CUDA code of a kind that is not known here.
    Unknown,
    /// AMD machine code for one generation.
    Hip,
    /// SYCL image: machine code or SPIR-V.
    Sycl,
}

/// One piece of embedded GPU code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GpuCode {
    /// What it is.
    pub kind: GpuKind,
    /// `sm_90a`, `compute_90`, `gfx942`, `spir64_gen`.
    pub architecture: String,
    /// Bytes in the file.
    pub size: u64,
}

/// Something that gives itself away by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// A path in a Nix store.
    NixStore,
    /// The path of a source on the machine that built the library.
    BuildPath,
    /// Code that marks exceptions as those of GNU C++, or compares with that mark.
    Exceptions,
    /// What the C++ run time itself prints when it ends the process.
    LastWords,
}

/// A text found in read-only data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// What it gives away.
    pub kind: MarkKind,
    /// The text.
    pub text: String,
}

/// The facts about one object.
#[derive(Debug)]
pub struct Object {
    /// Processor.
    pub machine: Machine,
    /// Library, program, or input of a linker.
    pub kind: Kind,
    /// `SONAME` or install name.
    pub name: Option<String>,
    /// Libraries that the loader loads first.
    pub needed: Vec<String>,
    /// Directories that the loader is told to search.
    pub search_paths: Vec<SearchPath>,
    /// Version nodes needed from libraries, in the order of the file.
    pub version_needs: Vec<VersionNode>,
    /// Version nodes defined here.
    pub version_definitions: Vec<VersionNode>,
    /// Whether it makes the stack executable.
    pub executable_stack: ExecutableStack,
    /// What it asks of the loader beyond loading it.
    pub requests: Vec<Request>,
    /// Why the system's loader refuses it, whatever it holds.
    pub refusals: Vec<&'static str>,
    /// Whether its segments cannot be shown on pages of 64 KiB, which 64-bit Arm may have.
    pub small_pages: bool,
    /// Bytes of storage that each thread has for it.
    pub thread_storage: u64,
    /// What that storage is aligned to, in bytes.
    pub thread_alignment: u64,
    /// Whether that storage has to be in what is set aside when the process starts.
    pub static_thread_storage: bool,
    /// Whether exceptions find their way out of its functions; they end the process otherwise.
    pub unwinds: bool,
    /// Whether loading writes pointers where none stands by itself.
    pub odd_pointers: bool,
    /// Whether the file ends before its table of sections does.
    pub cut: bool,
    /// Whether some of its code can be written to.
    pub writable_code: bool,
    /// Whether it has relative relocations in the packed form, which a loader that does not know them skips.
    pub packed_relocations: bool,
    /// Whether loading writes into code.
    pub text_relocations: bool,
    /// What is protected after relocation.
    pub relro: Relro,
    /// Instruction set level it says it needs (`x86-64-v3` is 3); 1 is the baseline.
    pub isa_level: u8,
    /// The system that it says it is for.
    pub system: Option<System>,
    /// The linker's identity of the code, in hexadecimal.
    pub build_id: Option<String>,
    /// What the provenance notes hold; a good library of ours has exactly one.
    pub provenance: Vec<Provenance>,
    /// Oldest macOS it runs on.
    pub minimum_macos: Option<Version>,
    /// Sections, where the file still lists them.
    pub sections: Vec<Section>,
    /// Embedded GPU code.
    pub gpu: Vec<GpuCode>,
    /// What read-only data gives away.
    pub marks: Vec<Mark>,
    pub(super) records: Vec<Record>,
    pub(super) strings: Vec<u8>,
    /// Index of a symbol's version to its node: needs first, then definitions. Sorted by index.
    pub(super) version_index: Vec<(u16, VersionAt)>,
}

/// Where a version index leads.
#[derive(Clone, Copy, Debug)]
pub(super) enum VersionAt {
    Need(usize),
    Definition(usize),
}

impl Object {
    pub(super) fn new(machine: Machine, kind: Kind) -> Self {
        Self {
            machine,
            kind,
            name: None,
            needed: Vec::new(),
            search_paths: Vec::new(),
            version_needs: Vec::new(),
            version_definitions: Vec::new(),
            executable_stack: ExecutableStack::No,
            requests: Vec::new(),
            refusals: Vec::new(),
            small_pages: false,
            thread_storage: 0,
            thread_alignment: 1,
            static_thread_storage: false,
            unwinds: true,
            odd_pointers: false,
            cut: false,
            writable_code: false,
            packed_relocations: false,
            text_relocations: false,
            relro: Relro::None,
            isa_level: 1,
            system: None,
            build_id: None,
            provenance: Vec::new(),
            minimum_macos: None,
            sections: Vec::new(),
            gpu: Vec::new(),
            marks: Vec::new(),
            records: Vec::new(),
            strings: Vec::new(),
            version_index: Vec::new(),
        }
    }

    /// The dynamic symbols, in the order of the file.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.records.iter().map(|record| self.symbol(record))
    }

    /// Those that it expects from elsewhere: of a large library a small part, so that names are looked at no more than needed.
    pub fn undefined(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.records.iter().filter(|record| !record.defined).map(|record| self.symbol(record))
    }

    fn symbol(&self, record: &Record) -> Symbol<'_> {
        Symbol {
            name: readable(text_at(&self.strings, record.name)),
            version: self.version(record.version),
            binding: record.binding,
            kind: record.kind,
            visibility: record.visibility,
            defined: record.defined,
            superseded: record.superseded,
            callable: record.callable,
        }
    }

    /// Whether a symbol that others see has the index of a version that there is not, or that is of the other side: one that is
    /// defined here has a version of this library, another one of others. 0 and 1 mean none. A program has data of others itself,
    /// as copies, and under their versions.
    pub(super) fn lacks_version(&self, record: &Record) -> bool {
        let is_own = self.version(record.version).map(|node| node.library.is_none());
        let is_copy = self.kind == Kind::Program && record.defined && is_own == Some(false);
        record.binding != Binding::Local && record.version > 1 && is_own != Some(record.defined) && !is_copy
    }

    /// Whether exceptions may be thrown by its own code: it does not take that from libstdc++, but what that builds on from
    /// libgcc, or nothing at all. Compilers for old systems put a part of libstdc++ that only marks exceptions, for
    /// `std::make_exception_ptr`, into libraries; those go on taking the rest from the shared library.
    pub(crate) fn may_throw_itself(&self) -> bool {
        let (mut throw, mut raise, mut allocate) = (false, false, false);
        for record in self.records.iter().filter(|record| !record.defined) {
            match text_at(&self.strings, record.name) {
                b"__cxa_throw" => throw = true,
                b"_Unwind_RaiseException" => raise = true,
                b"__cxa_allocate_exception" => allocate = true,
                _ => {}
            }
        }
        !throw && (raise || !allocate)
    }

    /// Whether code of its own can throw: it takes from libgcc what throws, or from glibc what a libgcc of its own needs for
    /// that, and not from libstdc++ what a thrower defines.
    pub(crate) fn can_throw_itself(&self) -> bool {
        const BELOW: &[&str] =
            &["_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow", "dl_iterate_phdr", "_dl_find_object"];
        let takes = |names: &[&str]| self.undefined().any(|symbol| names.contains(&&*symbol.name));
        takes(BELOW) && !takes(&["__cxa_throw"])
    }

    fn version(&self, index: u16) -> Option<&VersionNode> {
        let at = self.version_index.binary_search_by_key(&index, |(index, _)| *index).ok()?;
        Some(match self.version_index[at].1 {
            VersionAt::Need(at) => &self.version_needs[at],
            VersionAt::Definition(at) => &self.version_definitions[at],
        })
    }
}

/// The text at an offset of a string table; empty where the offset lies outside.
pub(super) fn text_at(strings: &[u8], offset: u32) -> &[u8] {
    let rest = strings.get(offset as usize..).unwrap_or_default();
    let end = memchr::memchr(0, rest).unwrap_or(rest.len());
    &rest[..end]
}

/// A name as text. Nearly all are, and that is seen faster than others are made readable.
fn readable(name: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(name).map_or_else(|_| String::from_utf8_lossy(name), Cow::Borrowed)
}
