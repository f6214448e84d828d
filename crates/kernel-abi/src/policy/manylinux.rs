//! The manylinux policies: which versions of system libraries, and which libraries, a system of an age has.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::image::{Binding, Machine, Object};

/// One policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Manylinux(usize);

/// A text that names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no manylinux policy")]
pub struct UnknownManylinux(pub String);

#[derive(Deserialize)]
struct Row {
    name: String,
    aliases: Vec<String>,
    architectures: Vec<String>,
}

/// The file as it is written.
#[derive(Deserialize)]
struct File {
    policies: Vec<Row>,
    libraries: BTreeMap<String, String>,
    versions: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>,
    forbidden: BTreeMap<String, BTreeMap<String, Option<String>>>,
}

static FILE: LazyLock<File> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/manylinux.json"))
        .expect("the file is made by a script and tested")
});

/// The version that a linker makes a library need that has packed relative relocations: loaders before it skip those
/// without a word.
pub(crate) const PACKED_RELOCATIONS: &str = "GLIBC_ABI_DT_RELR";

/// The policy that Hub kernels are held to.
const DEFAULT: &str = "manylinux_2_28";

/// Why a library is outside a policy, or from which policy on it is inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Since {
    /// This policy and every later one allow it; `None` where no policy does.
    Policy(Option<Manylinux>),
    /// Policies do not speak of it.
    NotJudged,
}

impl Manylinux {
    /// Every policy, oldest first.
    pub fn all() -> impl Iterator<Item = Manylinux> {
        (0..FILE.policies.len()).map(Manylinux)
    }

    /// Its name, without architecture.
    pub fn name(self) -> &'static str {
        &FILE.policies[self.0].name
    }

    /// When a version node of a library (`GLIBC_2.17`) came in. Nodes whose first word is not a system library's are
    /// not judged. Membership is exact: versions that no release has are in no policy.
    pub fn of_version(machine: Machine, node: &str) -> Since {
        let (prefix, version) = node.split_once('_').unwrap_or((node, ""));
        let Some(versions) = FILE.versions.get(&machine.to_string()).and_then(|all| all.get(prefix)) else {
            return Since::NotJudged;
        };
        Since::Policy(
            versions.get(version).and_then(|policy| named(policy)).map(|since| since.at_least(machine)),
        )
    }

    /// When a library came on the list of system libraries.
    pub fn of_library(machine: Machine, library: &str) -> Option<Manylinux> {
        if is_loader(machine, library) {
            return Some(Self(0).at_least(machine));
        }
        FILE.libraries.get(library).and_then(|policy| named(policy)).map(|since| since.at_least(machine))
    }

    /// When a library's symbol ceased to be forbidden; `NotJudged` where it never was.
    pub fn of_symbol(machine: Machine, library: &str, symbol: &str) -> Since {
        match FILE.forbidden.get(library).and_then(|symbols| symbols.get(symbol)) {
            None => Since::NotJudged,
            Some(since) => {
                Since::Policy(since.as_deref().and_then(named).map(|since| since.at_least(machine)))
            }
        }
    }

    /// The newest version of a prefix that this policy allows, by number: `GLIBC_2.28` for `GLIBC`.
    pub fn newest(self, machine: Machine, node: &str) -> Option<String> {
        let (prefix, _) = node.split_once('_')?;
        let versions = FILE.versions.get(&machine.to_string())?.get(prefix)?;
        let allowed = versions.iter().filter(|(_, policy)| named(policy).is_some_and(|since| since <= self));
        let newest = allowed.map(|(version, _)| version).max_by(|one, other| by_number(one, other))?;
        Some(format!("{prefix}_{newest}"))
    }

    /// The kernel of its oldest systems, where their loader compares it with what libraries ask for: that of RHEL 8, or of
    /// RHEL 9; since 2.36 glibc does not ask.
    pub(crate) fn oldest_kernel(self) -> Option<[u32; 3]> {
        let is_before = |name| named(name).is_some_and(|other| self < other);
        match (is_before("manylinux_2_31"), is_before("manylinux_2_36")) {
            (true, _) => Some([4, 18, 0]),
            (false, true) => Some([5, 4, 0]),
            (false, false) => None,
        }
    }

    /// The oldest policy whose systems have every version, library and symbol that an object takes from the system;
    /// `foreign` says which needed libraries come with the framework and are not the system's.
    pub fn floor(object: &Object, foreign: impl Fn(&str) -> bool) -> Option<Manylinux> {
        let machine = object.machine;
        let mut floor = Self(0).at_least(machine);
        let mut raise = |since: Option<Manylinux>| match since {
            Some(since) => {
                floor = floor.max(since);
                true
            }
            None => false,
        };
        let packed = object.packed_relocations.then_some(PACKED_RELOCATIONS);
        let mut versions = object.version_needs.iter().map(|need| need.name.as_str()).chain(packed);
        let needs = versions.all(|version| match Self::of_version(machine, version) {
            Since::NotJudged => true,
            Since::Policy(since) => raise(since),
        });
        let libraries =
            object.needed.iter().all(|library| foreign(library) || raise(Self::of_library(machine, library)));
        let symbols = forbidden(object).into_iter().all(|(_, _, since)| raise(since));
        let baseline = object.isa_level <= 1;
        let known = FILE.versions.contains_key(&machine.to_string());
        (needs && libraries && symbols && baseline && known).then_some(floor)
    }

    fn at_least(self, machine: Machine) -> Self {
        let name = machine.to_string();
        let first = FILE.policies.iter().position(|row| row.architectures.contains(&name));
        Self(self.0.max(first.unwrap_or(0)))
    }
}

/// Symbols that a needed library may not provide everywhere: name, library, and since when it may.
pub(crate) fn forbidden(object: &Object) -> Vec<(String, &str, Option<Manylinux>)> {
    let lists: Vec<_> =
        object.needed.iter().filter(|library| FILE.forbidden.contains_key(*library)).collect();
    if lists.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for symbol in object.undefined().filter(|symbol| symbol.binding != Binding::Weak) {
        for library in &lists {
            if let Since::Policy(since) = Manylinux::of_symbol(object.machine, library, &symbol.name) {
                found.push((symbol.name.to_string(), library.as_str(), since));
            }
        }
    }
    found
}

/// Whether a library is the processor's own loader, which is always there.
pub fn is_loader(machine: Machine, library: &str) -> bool {
    let loader = match machine {
        Machine::Aarch64 => "ld-linux-aarch64.so.1",
        Machine::Armv7l => "ld-linux-armhf.so.3",
        Machine::I686 => "ld-linux.so.2",
        Machine::Loongarch64 => "ld-linux-loongarch-lp64d.so.1",
        Machine::Ppc64 | Machine::S390x => "ld64.so.1",
        Machine::Ppc64le => "ld64.so.2",
        Machine::Riscv64 => "ld-linux-riscv64-lp64d.so.1",
        Machine::X86_64 => "ld-linux-x86-64.so.2",
        Machine::Other(_) => return false,
    };
    library == loader
}

fn named(name: &str) -> Option<Manylinux> {
    let known = |row: &Row| row.name == name || row.aliases.iter().any(|alias| alias == name);
    FILE.policies.iter().position(known).map(Manylinux)
}

fn by_number(one: &str, other: &str) -> Ordering {
    let numbers = |text: &str| text.split('.').map(|part| part.parse::<u64>().ok()).collect::<Vec<_>>();
    numbers(one).cmp(&numbers(other))
}

impl Default for Manylinux {
    fn default() -> Self {
        named(DEFAULT).expect("the default is in the table, as a test shows")
    }
}

impl FromStr for Manylinux {
    type Err = UnknownManylinux;

    /// Takes names and aliases (`manylinux2014`), with or without architecture.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let architectures = FILE.versions.keys().map(|name| format!("_{name}"));
        let bare =
            architectures.into_iter().find_map(|suffix| text.strip_suffix(suffix.as_str())).unwrap_or(text);
        named(bare).ok_or_else(|| UnknownManylinux(text.to_owned()))
    }
}

impl fmt::Display for Manylinux {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_table_is_a_policy() {
        let libraries = FILE.libraries.values();
        let versions = FILE.versions.values().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
        let forbidden = FILE.forbidden.values().flat_map(BTreeMap::values).flatten();
        for name in libraries.chain(versions).chain(forbidden) {
            assert!(named(name).is_some(), "{name}");
        }
        assert_eq!(Manylinux::default().name(), DEFAULT);
        assert_eq!("manylinux2014_x86_64".parse::<Manylinux>().expect("an alias").name(), "manylinux_2_17");
        assert!("manylinux_9_9".parse::<Manylinux>().is_err());
    }

    #[test]
    fn versions_are_members_not_numbers() {
        let since = |node| Manylinux::of_version(Machine::X86_64, node);
        let policy = |name: &str| Since::Policy(named(name));
        assert_eq!(since("GLIBC_2.28"), policy("manylinux_2_28"));
        assert_eq!(since("GLIBC_2.21"), Since::Policy(None));
        assert_eq!(since("GLIBC_PRIVATE"), Since::Policy(None));
        assert_eq!(since("CXXABI_TM_1"), policy("manylinux_2_17"));
        assert_eq!(since("OPENSSL_1_1_0"), Since::NotJudged);
        let default = Manylinux::default();
        assert_eq!(default.newest(Machine::X86_64, "GLIBC_2.34").as_deref(), Some("GLIBC_2.28"));
        assert_eq!(default.newest(Machine::X86_64, "GLIBCXX_3.4.30").as_deref(), Some("GLIBCXX_3.4.24"));
    }
}
