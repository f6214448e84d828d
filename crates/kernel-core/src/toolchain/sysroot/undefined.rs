//! Checks what the linker left undefined. It has to leave something, since Torch and the run times of the GPUs are linked
//! by name only; but what no library of the target systems defines would only fail when the kernel is loaded.
//!
//! Only names without a version are judged here. A name with a version was found in a stub, and its version is the
//! judge's business.

use std::collections::BTreeSet;

use kernel_abi::image::{Binding, Object};
use kernel_abi::policy::Manylinux;
use kernel_abi::policy::mangled::namespace;
use kernel_abi::policy::manylinux::is_loader;
use kernel_abi::policy::python::is_python;
use kernel_abi::policy::torch;
use kernel_spec::arch::Cpu;
use kernel_spec::finding::Subject;
use kernel_spec::variant::CxxAbi;
use kernel_spec::{Code, Finding, code};

use super::link::CXX_LIBRARY;
use super::policy::allows;
use super::runtime::{Exports, Runtime};
use super::table::{Table, numbers};
use super::torch_names::{self, Answer, Torch};

/// What may define the names.
#[derive(Clone, Copy, Debug)]
pub struct Definitions<'a> {
    /// The oldest systems the kernel must load on; none where only this one counts.
    pub manylinux: Option<Manylinux>,
    /// The architecture.
    pub cpu: Cpu,
    /// The libraries of the kernel's process.
    pub runtimes: &'a [&'static Runtime],
    /// What a name that nothing defines is called: a fault of the link, or of a library that is there.
    pub code: &'static Code,
    /// The libraries that the kernel names as needed.
    pub needed: &'a [String],
    /// The strings of the Torch that the kernel is for, where that is known.
    pub strings: Option<CxxAbi>,
    /// What is known of Torch's names.
    pub torch: TorchNames<'a>,
    /// Whether the library needs one that is none of these and none of the system's tables, and may define anything.
    pub others: bool,
    /// Whether the compiler had a static libstdc++ to take newer functions from.
    pub static_libstdcxx: bool,
}

/// How Torch's names are known.
#[derive(Clone, Copy, Debug)]
pub enum TorchNames<'a> {
    /// Exports of the Torch that the kernel was compiled for: its libraries are at hand.
    AtHand(&'a BTreeSet<String>),
    /// Only its headers are. A name in one of its namespaces is taken to be exported: it comes from the headers, so it cannot
    /// be misspelled.
    OfHeaders,
    /// Those of releases.
    Released(Torch<'a>),
}

/// Libraries of the system that nothing in the process needs, so that their names count only where the kernel names them.
const NOT_BROUGHT: &[&str] = &["libatomic.so.1", "libmvec.so.1"];

/// The library of Torch whose exports hold parts of libstdc++.
const C10: &str = "libc10.so";

/// Parts of libstdc++ that it exports without a version, and that are newer than the oldest systems: those that the wheels
/// of Torch 2.11 and 2.15 have in common. A link that meets them there first takes them from there.
const C10_LIBSTDCXX: &[&str] = &[
    "_ZSt21ios_base_library_initv",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEC1Ev",
    "_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEC2Ev",
    "_ZNSt7__cxx1115basic_stringbufIwSt11char_traitsIwESaIwEEC1Ev",
    "_ZNSt7__cxx1115basic_stringbufIwSt11char_traitsIwESaIwEEC2Ev",
    "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev",
    "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC2Ev",
    "_ZNSt7__cxx1118basic_stringstreamIwSt11char_traitsIwESaIwEEC1Ev",
    "_ZNSt7__cxx1118basic_stringstreamIwSt11char_traitsIwESaIwEEC2Ev",
    "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1Ev",
    "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC2Ev",
    "_ZNSt7__cxx1119basic_istringstreamIwSt11char_traitsIwESaIwEEC1Ev",
    "_ZNSt7__cxx1119basic_istringstreamIwSt11char_traitsIwESaIwEEC2Ev",
    "_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev",
    "_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC2Ev",
    "_ZNSt7__cxx1119basic_ostringstreamIwSt11char_traitsIwESaIwEEC1Ev",
    "_ZNSt7__cxx1119basic_ostringstreamIwSt11char_traitsIwESaIwEEC2Ev",
];

/// How names begin that compilers and run times wish for by themselves, and look before they use them.
const WISHED: &[&str] = &[
    "_ITM_",
    "_Jv_",
    "_ZGTt",
    "_ZTH",
    "__cxa_",
    "__gcov_",
    "__gmon_start__",
    "__llvm_",
    "__pthread_",
    "__sanitizer_",
    "__start_",
    "__stop_",
];

/// A note about the names without a version that a library wishes for (weak) and nothing defines: it loads, and code that uses
/// one without looking ends the process.
pub fn wished(library: &Object, definitions: &Definitions) -> Option<Finding> {
    let weak =
        library.undefined().filter(|symbol| symbol.binding == Binding::Weak && symbol.version.is_none());
    let names: BTreeSet<String> = weak
        .map(|symbol| symbol.name.into_owned())
        .filter(|name| !name.is_empty() && !WISHED.iter().any(|begin| name.starts_with(begin)))
        .filter(|name| !definitions.has(name))
        .collect();
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    let first = names.first()?.clone();
    let message = format!("wishes for {} (weak) that nothing defines", shown.join(", "));
    let finding = Finding::note(definitions.code, message)
        .cause("it loads all the same, and code that uses such a name without looking ends the process");
    Some(finding.about(Subject { symbol: Some(first), ..Subject::default() }))
}

/// The names without a version that a library needs and does not only wish for, sorted.
pub fn names(library: &Object) -> BTreeSet<String> {
    library
        .undefined()
        .filter(|symbol| symbol.binding != Binding::Weak && symbol.version.is_none())
        .map(|symbol| symbol.name.into_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// One finding per name that a library takes under a version, where the library of that version has no such version, or no
/// library such a name in it. A link cannot make one, but nothing else asks: the loader ends the process at the version, or
/// finds the version and then not the name.
pub fn misversioned(library: &Object, cpu: Cpu, code: &'static Code) -> Vec<Finding> {
    let table = Table::of(cpu);
    let symbols = table.libraries.iter().flat_map(|library| &library.symbols);
    let versions: BTreeSet<&str> = symbols.map(|symbol| symbol.version).collect();
    let mut findings = Vec::new();
    let absent = |owner: &str, version: &str| {
        let own = table.libraries.iter().find(|library| library.soname == owner);
        versions.contains(version)
            && own.is_some_and(|own| own.symbols.iter().all(|symbol| symbol.version != version))
    };
    for node in &library.version_needs {
        let Some(owner) = node.library.as_deref() else { continue };
        let cause = if Runtime::find(owner).is_some_and(|runtime| !runtime.is_versioned()) {
            "its symbols have no versions"
        } else if absent(owner, &node.name) {
            "another library has it, and the loader asks this one"
        } else {
            continue;
        };
        let finding = Finding::error(code, format!("`{owner}` has no version `{}`", node.name)).cause(cause);
        let (version, library) = (Some(node.name.clone()), Some(owner.to_owned()));
        findings.push(finding.about(Subject { version, library, ..Subject::default() }));
    }
    for symbol in library.undefined().filter(|symbol| symbol.binding != Binding::Weak) {
        let Some((node, owner)) = symbol.version.and_then(|node| Some((node, node.library.as_deref()?)))
        else {
            continue;
        };
        let is_known = versions.contains(node.name.as_str())
            && table.libraries.iter().any(|library| library.soname == owner);
        // Of the libraries that come with others only the names are known.
        let listed = Runtime::find(owner).map(Runtime::exports);
        let has = match &listed {
            _ if is_known => table.versions_of(&symbol.name).any(|(_, row)| row.version == node.name),
            Some(Exports::Listed(names)) => names.contains(&*symbol.name),
            _ => true,
        };
        if !has {
            let message = format!("nothing defines `{}` of version `{}`", symbol.name, node.name);
            let finding =
                Finding::error(code, message).cause(format!("`{owner}` has no such name in that version"));
            let (version, library) = (Some(node.name.clone()), Some(owner.to_owned()));
            let symbol = Some(symbol.name.into_owned());
            findings.push(finding.about(Subject { symbol, version, library, ..Subject::default() }));
        }
    }
    findings
}

/// Whether a library needs another one whose exports are not known here; those of `known` are.
pub fn needs_others(library: &Object, cpu: Cpu, known: &[&str]) -> bool {
    let known = |name: &String| {
        let tables = known.contains(&name.as_str())
            || Table::of(cpu).libraries.iter().any(|library| library.soname == name);
        tables || Runtime::find(name).is_some() || is_loader(library.machine, name)
    };
    !library.needed.iter().all(known)
}

/// One finding per name that nothing defines.
pub fn check(names: &BTreeSet<String>, definitions: &Definitions) -> Vec<Finding> {
    let missing = names.iter().filter(|name| !definitions.has(name));
    let mut findings: Vec<Finding> = missing.map(|name| definitions.explain(name)).collect();
    let uncompared = definitions.uncompared(names);
    if !uncompared.is_empty() {
        findings.push(definitions.note(&uncompared));
    }
    findings
}

impl Definitions<'_> {
    fn has(&self, name: &str) -> bool {
        let rows: Vec<_> =
            Table::of(self.cpu).versions_of(name).filter(|(library, _)| self.loads(library)).collect();
        if !rows.is_empty() {
            // Old systems give a name without a version what a link took there, and newer ones kept that.
            let linkable = rows.iter().any(|(_, symbol)| symbol.is_default());
            let old = rows.iter().any(|(_, symbol)| self.allows(symbol.version));
            return linkable && old || self.c10_has(name);
        }
        // Which of Python's functions may be used is the judge's question.
        self.others
            || is_python(name)
            || self.runtimes.iter().any(|runtime| match runtime.exports() {
                Exports::Listed(exports) => exports.contains(name),
                Exports::Prefixed(prefix) => name.starts_with(prefix),
                Exports::Torch => self.torch_has(name),
            })
    }

    /// Whether a library of the tables is in the process.
    fn loads(&self, library: &str) -> bool {
        !NOT_BROUGHT.contains(&library) || self.needed.iter().any(|needed| needed == library)
    }

    /// Whether the kernel gets a part of libstdc++ from Torch.
    fn c10_has(&self, name: &str) -> bool {
        let there = self.needed.iter().any(|needed| needed == C10)
            && self.runtimes.iter().any(|runtime| runtime.soname == C10);
        there
            && match self.torch {
                TorchNames::AtHand(exports) => exports.contains(name),
                TorchNames::OfHeaders | TorchNames::Released(_) => C10_LIBSTDCXX.contains(&name),
            }
    }

    fn allows(&self, version: &str) -> bool {
        allows(self.manylinux, self.cpu, version)
    }

    fn torch_has(&self, name: &str) -> bool {
        match self.torch {
            TorchNames::AtHand(exports) => exports.contains(name),
            TorchNames::OfHeaders => {
                torch::is_c_function(name) || torch::is_cxx(name) && !self.takes_other_strings(name)
            }
            TorchNames::Released(release) => {
                !self.takes_other_strings(name)
                    && matches!(release.exports(name), Answer::Exported | Answer::Unknown)
            }
        }
    }

    /// Names of a Torch of which too little is known to say whether it has them.
    fn uncompared<'n>(&self, names: &'n BTreeSet<String>) -> Vec<&'n str> {
        let TorchNames::Released(release) = self.torch else { return Vec::new() };
        let has_torch = self.runtimes.iter().any(|runtime| matches!(runtime.exports(), Exports::Torch));
        let is_unknown = |name: &&str| has_torch && release.exports(name) == Answer::Unknown;
        names.iter().map(String::as_str).filter(is_unknown).collect()
    }

    fn note(&self, names: &[&str]) -> Finding {
        let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
        let message =
            format!("{} of Torch's names were not compared with those that it exports", names.len());
        let finding = Finding::note(self.code, message).cause(shown.join(", "));
        let finding = match torch_names::known() {
            Some((first, last)) => finding.cause(format!(
                "here are the names of Torch {first} to {last} for CPU and CUDA, but not those of all toolkits"
            )),
            None => finding,
        };
        finding.help("load the kernel in the Torch that its variant names, with `kernel-builder test`")
    }

    fn takes_other_strings(&self, name: &str) -> bool {
        self.strings == Some(CxxAbi::Cxx11) && takes_old_strings(name)
    }

    fn explain(&self, name: &str) -> Finding {
        let subject = Subject { symbol: Some(name.to_owned()), ..Subject::default() };
        let mut rows: Vec<_> = Table::of(self.cpu).versions_of(name).collect();
        rows.sort_by_key(|(_, symbol)| numbers(symbol.version));
        let newer = rows.iter().find(|(_, symbol)| !self.allows(symbol.version));
        let is_cxx =
            newer.is_some_and(|(library, _)| *library == CXX_LIBRARY) || namespace(name) == Some("std");
        if let (true, false, Some(policy)) = (is_cxx, self.static_libstdcxx, self.manylinux) {
            let message = format!("`{name}` is newer than the libstdc++ of {policy}");
            return Finding::error(&code::link::ARCHIVE_MISSING, message)
                .cause("the compiler has no `libstdc++.a` to take it from")
                .about(subject);
        }
        let finding = Finding::error(self.code, format!("nothing defines `{name}`"));
        if let (Some((library, symbol)), Some(policy)) = (newer, self.manylinux) {
            let version = symbol.version;
            let cause = format!("it came to `{library}` with {version}, and {policy} does not have that");
            let (version, library) = (Some(version.to_owned()), Some((*library).to_owned()));
            return finding.cause(cause).about(Subject { version, library, ..subject });
        }
        if let Some((library, _)) = rows.iter().find(|(library, _)| !self.loads(library)) {
            let library = (*library).to_owned();
            let cause = format!("it belongs to `{library}`, which the kernel does not name as needed");
            return finding.cause(cause).about(Subject { library: Some(library), ..subject });
        }
        if self.takes_other_strings(name) {
            let cause =
                "it takes a string of the C++ ABI before C++11, and the Torch of this variant has none";
            return finding.cause(cause).about(subject);
        }
        if let Some((library, _)) = rows.first() {
            let library = (*library).to_owned();
            let cause = format!("`{library}` keeps it for old programs only");
            return finding.cause(cause).about(Subject { library: Some(library), ..subject });
        }
        if let (TorchNames::Released(torch), true) =
            (self.torch, torch::is_cxx(name) || torch::is_c_function(name))
        {
            return self.explain_torch(torch, name).about(subject);
        }
        match Runtime::ALL.iter().find(|runtime| runtime.lists(name)) {
            Some(runtime) => {
                let library = runtime.soname.to_owned();
                let cause =
                    format!("it belongs to `{library}`, which is not among the libraries of this variant");
                finding.cause(cause).about(Subject { library: Some(library), ..subject })
            }
            None => finding.about(subject),
        }
    }
}

impl Definitions<'_> {
    /// A name of Torch that it does not export.
    fn explain_torch(&self, release: Torch<'_>, name: &str) -> Finding {
        let message = format!("nothing defines `{name}`");
        // It may be of a Torch that nobody knows here.
        let finding = if release.exports(name) == Answer::Nowhere {
            Finding::warning(self.code, message)
        } else {
            Finding::error(self.code, message)
        };
        match (torch_names::releases(name), torch_names::known()) {
            (Some((first, last)), _) => {
                finding.cause(format!("Torch {first} to {last} export it, but not that of the variant"))
            }
            (None, Some((first, last))) => {
                finding.cause(format!("no Torch from {first} to {last} exports it"))
            }
            (None, None) => finding,
        }
    }
}

/// Whether a mangled C++ name holds the string of the ABI before C++11, which is `Ss` (Itanium C++ ABI, section 5.1.10).
/// Names with literals or numbered parameters of templates are not looked through: in those, numbers are no lengths.
fn takes_old_strings(name: &str) -> bool {
    let mut rest = name.strip_prefix("_Z").unwrap_or_default();
    while let Some(first) = rest.chars().next() {
        let second = rest[first.len_utf8()..].chars().next();
        let skip = match (first, second) {
            ('S', Some('s')) => return true,
            ('S', Some('0'..='9' | 'A'..='Z' | '_')) => rest.find('_').map(|end| end + 1),
            ('L', _) | ('A' | 'T', Some('0'..='9')) => return false,
            ('0'..='9', _) => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                rest[..digits].parse().ok().and_then(|length: usize| digits.checked_add(length))
            }
            _ => Some(first.len_utf8()),
        };
        let Some(after) = skip.and_then(|skip| rest.get(skip..)) else { return false };
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the names nothing defines for a kernel of a variant that names these libraries as needed.
    fn missing(variant: &str, needed: &[&str], names: &[&str]) -> Vec<String> {
        let variant: kernel_spec::Variant = variant.parse().expect("a variant");
        let runtimes = Runtime::of(variant.arch().expect("compiled"));
        let definitions = Definitions {
            manylinux: Some(Manylinux::default()),
            cpu: Cpu::X86_64,
            runtimes: &runtimes,
            code: &code::abi::UNDEFINED,
            needed: &needed.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(),
            strings: Some(CxxAbi::Cxx11),
            torch: TorchNames::OfHeaders,
            others: false,
            static_libstdcxx: true,
        };
        let found = check(&names.iter().map(|&name| name.to_owned()).collect(), &definitions);
        found.into_iter().filter_map(|finding| finding.subject.symbol).collect()
    }

    const TORCH: &str = "torch213-cxx11-cpu-x86_64-linux";

    #[test]
    fn names_count_where_an_old_system_has_them_under_any_version() {
        let names = ["exp", "exp2", "log", "log2", "memcpy", "pow", "regexec"];
        assert_eq!(missing(TORCH, &[], &names), [""; 0]);
        assert_eq!(missing(TORCH, &[], &["arc4random", "gettid"]), ["arc4random", "gettid"]);
    }

    #[test]
    fn names_of_libraries_that_nothing_brings_count_where_those_are_needed() {
        let names = ["_ZGVbN2v_sin", "__atomic_load_16"];
        assert_eq!(missing(TORCH, &["libm.so.6"], &names), names);
        assert_eq!(missing(TORCH, &["libatomic.so.1"], &names), ["_ZGVbN2v_sin"]);
        assert_eq!(missing(TORCH, NOT_BROUGHT, &names), [""; 0]);
    }

    #[test]
    fn parts_of_libstdcxx_come_from_torch_where_it_exports_them() {
        let newer = "_ZNSt10filesystem9canonicalERKNS_4pathE";
        let names = [C10_LIBSTDCXX, &[newer]].concat();
        assert_eq!(missing(TORCH, &[C10], &names), [newer]);
        assert_eq!(missing(TORCH, &[], &names).len(), names.len());
        let stable = "torch-stable-abi211-cpu-x86_64-linux";
        assert_eq!(missing(stable, &[C10], &names).len(), names.len());
    }

    #[test]
    fn names_are_of_python_and_of_torch_only_where_those_can_have_them() {
        let fail = |string: &str| format!("_ZN3c106detail14torchCheckFailEPKcS2_j{string}");
        let (old, new) = (fail("RKSs"), fail("RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"));
        let good = [&new, "PyList_New", "_Py_Dealloc", "_ZN2at8PressSsEv", "_ZN2at1fILi4EEEvSs"];
        assert_eq!(missing(TORCH, &[], &good), [""; 0]);
        let bad = ["Pybind_helper_missing", "_Pyramid", &old];
        let mut named = missing(TORCH, &[], &bad);
        named.sort();
        assert_eq!(named, ["Pybind_helper_missing", "_Pyramid", &old]);
    }
}
