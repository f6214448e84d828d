//! The embedded link tables: what glibc, libstdc++, libgcc_s and libatomic export, under which versions, in an old
//! system, in a newer one and in the newest. `data/link/README.md` describes the files.

use std::io::Read;
use std::sync::OnceLock;

use kernel_spec::arch::Cpu;

static X86_64: &[u8] = include_bytes!("../../../data/link/x86_64.tsv.zlib");
static AARCH64: &[u8] = include_bytes!("../../../data/link/aarch64.tsv.zlib");

/// What one architecture's libraries export.
#[derive(Debug)]
pub struct Table {
    /// Releases of the operating system the table was made from, oldest first.
    pub releases: Vec<Release>,
    /// Its libraries, in the order in which a linker should see them.
    pub libraries: Vec<Library>,
}

/// A release of the operating system that the table was made from.
#[derive(Debug)]
pub struct Release {
    /// The version of glibc it has.
    pub glibc: (u32, u32),
}

/// One library and everything it exports in any release.
#[derive(Debug)]
pub struct Library {
    /// Its SONAME, which is also its file name.
    pub soname: &'static str,
    /// Its symbols, sorted by name and version.
    pub symbols: Vec<Symbol>,
}

/// One symbol under one version.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: &'static str,
    /// The version node, such as `GLIBC_2.17`.
    pub version: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Whether it is a weak definition.
    pub weak: bool,
    /// The size of data in bytes; 0 for code.
    pub size: u64,
    /// One character per release: `@` what a link takes there, `-` for old programs only, `.` absent.
    presence: &'static str,
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Code.
    Function,
    /// Data.
    Object,
    /// Data that every thread has for itself.
    ThreadLocal,
    /// Not said.
    Untyped,
}

impl Symbol {
    /// Whether this is the version that a link takes in the release.
    pub fn is_default_in(&self, release: usize) -> bool {
        self.presence.as_bytes().get(release) == Some(&b'@')
    }

    /// Whether this is the version that a link takes in any release.
    pub fn is_default(&self) -> bool {
        self.presence.contains('@')
    }

    /// Whether the release has this version at all.
    pub fn is_in(&self, release: usize) -> bool {
        self.presence.as_bytes().get(release).is_some_and(|mark| *mark != b'.')
    }
}

impl Library {
    /// What a link against this library takes when it has to run where only the versions that `allows` accepts exist:
    /// for each symbol that programs still link to in `release`, its highest allowed version.
    pub fn linkable(&self, release: usize, allows: &dyn Fn(&str) -> bool) -> Vec<Symbol> {
        self.symbols
            .chunk_by(|one, other| one.name == other.name)
            .filter(|versions| versions.iter().any(|symbol| symbol.is_default_in(release)))
            .filter_map(|versions| {
                versions
                    .iter()
                    .filter(|symbol| symbol.is_in(release) && allows(symbol.version))
                    .max_by_key(|symbol| numbers(symbol.version))
                    .copied()
            })
            .collect()
    }
}

/// The numbers of a version in order, so that 2.17 comes after 2.4.
pub fn numbers(version: &str) -> Vec<u32> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

impl Table {
    /// The table of an architecture; read once per process.
    pub fn of(cpu: Cpu) -> &'static Table {
        static TABLES: [OnceLock<Table>; 2] = [OnceLock::new(), OnceLock::new()];
        let (packed, table) = match cpu {
            Cpu::X86_64 => (X86_64, &TABLES[0]),
            Cpu::Aarch64 => (AARCH64, &TABLES[1]),
        };
        table.get_or_init(|| Table::parse(unpack(packed)))
    }

    /// The bytes that the table of an architecture is made from, for digests.
    pub fn packed(cpu: Cpu) -> &'static [u8] {
        match cpu {
            Cpu::X86_64 => X86_64,
            Cpu::Aarch64 => AARCH64,
        }
    }

    /// The oldest release whose glibc is at least this new: its libraries are laid out as on the systems meant.
    pub fn release_for(&self, glibc: (u32, u32)) -> usize {
        self.releases.iter().position(|release| release.glibc >= glibc).unwrap_or(self.releases.len() - 1)
    }

    /// Every version under which any library has a symbol of this name, with the library.
    pub fn versions_of<'t>(&'t self, name: &'t str) -> impl Iterator<Item = (&'static str, Symbol)> + 't {
        self.libraries.iter().flat_map(move |library| {
            let from = library.symbols.partition_point(|symbol| symbol.name < name);
            library.symbols[from..]
                .iter()
                .take_while(move |symbol| symbol.name == name)
                .map(|symbol| (library.soname, *symbol))
        })
    }

    fn parse(text: &'static str) -> Table {
        let mut table = Table { releases: Vec::new(), libraries: Vec::new() };
        for line in text.lines() {
            if let Some(release) = line.strip_prefix("# release ") {
                let glibc = release.split("glibc=").nth(1).map(numbers).unwrap_or_default();
                table.releases.push(Release { glibc: (glibc[0], glibc[1]) });
            } else if let Some(soname) = line.strip_prefix("= ") {
                table.libraries.push(Library { soname, symbols: Vec::new() });
            } else if let (false, Some(library)) = (line.starts_with('#'), table.libraries.last_mut()) {
                library.symbols.push(Symbol::parse(line));
            }
        }
        table
    }
}

impl Symbol {
    fn parse(row: &'static str) -> Symbol {
        let mut columns = row.split('\t');
        let mut next = || columns.next().expect("an embedded row has six columns");
        Symbol {
            name: next(),
            version: next(),
            kind: match next() {
                "f" => Kind::Function,
                "o" => Kind::Object,
                "t" => Kind::ThreadLocal,
                _ => Kind::Untyped,
            },
            weak: next() == "w",
            size: next().parse().unwrap_or(0),
            presence: next(),
        }
    }
}

/// An embedded file as text; kept for the life of the process, since its names are borrowed everywhere.
pub(super) fn unpack(packed: &'static [u8]) -> &'static str {
    let mut text = String::new();
    flate2::read::ZlibDecoder::new(packed).read_to_string(&mut text).expect("an embedded table is intact");
    text.leak()
}
