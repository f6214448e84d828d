//! State in members of a static archive. A kernel may carry code of its own libstdc++, never a second copy of state that
//! the process has once: two sets of locale tables or standard streams corrupt `std::regex` and everything that prints.

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind, elf};

/// How an own copy of a piece of state matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nobody can tell: a cache of what the kernel of the system offers, a constant that is written nowhere, or state of
    /// objects that never leave the library.
    None,
    /// Works, and differs from one shared copy in the way that the text says.
    Own(&'static str),
    /// Two copies break what relies on one, or nobody has looked yet.
    Shared,
}

/// State that was looked at, by a part of its mangled name. Everything else counts as shared.
const KNOWN: &[(&str, Effect)] = &[
    // Whether the system's futex call knows a clock.
    ("futex_clock_", Effect::None),
    // A number that is only read, made volatile so that the compiler does not compute with it.
    ("fast_float6detail", Effect::None),
    // Threads that wait for an atomic object. Headers before GCC 16 keep the same table in every library.
    ("__waitable_state", Effect::None),
    // The identity of a facet that is only looked for in locales made by the same function.
    ("_ZNSt8__format12_GLOBAL__N_1", Effect::None),
    (
        "_ZNSt3pmr12_GLOBAL__N_1",
        Effect::Own(
            "`std::pmr::set_default_resource` of another library does not change this kernel's default",
        ),
    ),
    (
        "__syncbuf_get_mutex",
        Effect::Own("a `std::osyncstream` here and one in another library do not wait for each other"),
    ),
];

/// A piece of state in a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    /// The symbol's mangled name.
    pub symbol: String,
    /// Its size in bytes.
    pub size: u64,
}

impl State {
    /// How an own copy of it matters.
    pub fn effect(&self) -> Effect {
        KNOWN
            .iter()
            .find(|(part, _)| self.symbol.contains(part))
            .map_or(Effect::Shared, |(_, effect)| *effect)
    }
}

/// Why a member's state is not known.
#[derive(Debug, thiserror::Error)]
pub enum MemberError {
    /// The archive or the member cannot be parsed.
    #[error("the archive cannot be read")]
    Unreadable(#[from] object::read::Error),
    /// The archive has no such member.
    #[error("the archive has no member `{0}`")]
    Missing(String),
}

/// The writable data that a member of an archive defines, sorted.
pub fn state(archive: &[u8], member: &str) -> Result<Vec<State>, MemberError> {
    for entry in ArchiveFile::parse(archive)?.members() {
        let entry = entry?;
        if entry.name() == member.as_bytes() {
            return Ok(state_of(&object::File::parse(entry.data(archive)?)?));
        }
    }
    Err(MemberError::Missing(member.to_owned()))
}

fn state_of(file: &object::File) -> Vec<State> {
    let mut state: Vec<State> = file
        .symbols()
        .filter(|symbol| symbol.is_definition() && symbol.size() > 0 && symbol.kind() != SymbolKind::Section)
        .filter(|symbol| match symbol.section_index().map(|index| file.section_by_index(index)) {
            Some(Ok(section)) => is_writable(&section),
            // A definition without a section is a common block, unless it is a bare number.
            _ => symbol.is_common(),
        })
        .filter_map(|symbol| Some(State { symbol: symbol.name().ok()?.to_owned(), size: symbol.size() }))
        .filter(|found| !is_reference(&found.symbol))
        .collect();
    state.sort();
    state.dedup();
    state
}

/// Whether the section can change after loading: data that is only relocated is read-only from then on.
fn is_writable(section: &object::Section) -> bool {
    let SectionFlags::Elf { sh_flags, .. } = section.flags() else { return false };
    let name = section.name().unwrap_or_default();
    sh_flags.contains(elf::SHF_WRITE) && !name.starts_with(".data.rel.ro")
}

/// Pointers by which exception tables reach what they name. Compilers put them among writable data, nothing writes them.
fn is_reference(symbol: &str) -> bool {
    symbol.starts_with("DW.ref.")
}
