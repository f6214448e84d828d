//! Checks what the linker left undefined. It has to leave something, since Torch and the run times of the GPUs are linked
//! by name only; but what no library of the target systems defines would only fail when the kernel is loaded.
//!
//! Only names without a version are judged here. A name with a version was found in a stub, and its version is the
//! judge's business.

use std::collections::BTreeSet;

use kernel_abi::image::{Binding, Object};
use kernel_abi::policy::Manylinux;
use kernel_abi::policy::manylinux::is_loader;
use kernel_abi::policy::python::is_python;
use kernel_spec::arch::Cpu;
use kernel_spec::finding::Subject;
use kernel_spec::variant::CxxAbi;
use kernel_spec::{Code, Finding, code};

use super::link::CXX_LIBRARY;
use super::policy::allows;
use super::runtime::{Exports, Runtime};
use super::table::{Table, numbers};

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
    /// Exports of the Torch that the kernel was compiled for, where its libraries are at hand.
    pub torch: Option<&'a BTreeSet<String>>,
    /// Whether the library needs one that is none of these and none of the system's tables, and may define anything.
    pub others: bool,
    /// Whether the compiler had a static libstdc++ to take newer functions from.
    pub static_libstdcxx: bool,
}

/// Namespaces of Torch's C++ interface. Without its libraries, a name in one of them is taken to be exported: it comes
/// from Torch's own headers, so it cannot be misspelled.
const TORCH_NAMESPACES: &[&str] = &["at", "c10", "c10d", "caffe2", "torch"];

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

/// The names without a version that a library needs and does not only wish for, sorted.
pub fn names(library: &Object) -> BTreeSet<String> {
    library
        .undefined()
        .filter(|symbol| symbol.binding != Binding::Weak && symbol.version.is_none())
        .map(|symbol| symbol.name.into_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Whether a library needs another one whose exports are not known here.
pub fn needs_others(library: &Object, cpu: Cpu) -> bool {
    let known = |name: &String| {
        let tables = Table::of(cpu).libraries.iter().any(|library| library.soname == name);
        tables || Runtime::find(name).is_some() || is_loader(library.machine, name)
    };
    !library.needed.iter().all(known)
}

/// One finding per name that nothing defines.
pub fn check(names: &BTreeSet<String>, definitions: &Definitions) -> Vec<Finding> {
    names.iter().filter(|name| !definitions.has(name)).map(|name| definitions.explain(name)).collect()
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
        there && self.torch.map_or_else(|| C10_LIBSTDCXX.contains(&name), |exports| exports.contains(name))
    }

    fn allows(&self, version: &str) -> bool {
        allows(self.manylinux, self.cpu, version)
    }

    fn torch_has(&self, name: &str) -> bool {
        if let Some(exports) = self.torch {
            return exports.contains(name);
        }
        let c_shim = name.starts_with("aoti_torch_") || name.starts_with("torch_");
        let is_cxx = namespace(name).is_some_and(|outer| TORCH_NAMESPACES.contains(&outer));
        c_shim || is_cxx && !self.takes_other_strings(name)
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

/// The outermost namespace or class of a mangled C++ name (Itanium C++ ABI, section 5.1); none for a function outside all.
fn namespace(name: &str) -> Option<&str> {
    let mut rest = name.strip_prefix("_Z")?;
    // Type information, tables and guards of something; thunks start with their offsets.
    for special in ["TV", "TI", "TS", "TT", "TW", "TH", "GV", "GR"] {
        if let Some(after) = rest.strip_prefix(special) {
            rest = after;
            break;
        }
    }
    for thunk in ["Th", "Tv", "Tc"] {
        if rest.starts_with(thunk) {
            rest = &rest[rest.find("_N")? + 1..];
        }
    }
    let rest = match rest.strip_prefix('N') {
        Some(nested) => nested.trim_start_matches(['r', 'V', 'K', 'R', 'O']),
        None if rest.starts_with("St") => rest,
        None => return None,
    };
    if rest.starts_with("St") || rest.starts_with("Sa") || rest.starts_with("Ss") {
        return Some("std");
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = rest[..digits].parse().ok()?;
    rest.get(digits..digits + length)
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
            torch: None,
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

    #[test]
    fn namespaces_are_found_in_mangled_names() {
        for (name, outer) in [
            ("_ZNK2at10TensorBase8data_ptrEv", Some("at")),
            ("_ZN3c106detail14torchCheckFailEPKcS2_jS2_", Some("c10")),
            ("_ZTIN3c105ErrorE", Some("c10")),
            ("_ZTVN5torch8autograd4NodeE", Some("torch")),
            ("_ZThn16_N3c105ErrorD0Ev", Some("c10")),
            ("_ZN3c10lsERSoNS_6DeviceE", Some("c10")),
            ("_ZNSt10filesystem4pathD1Ev", Some("std")),
            ("_ZSt28__throw_bad_array_new_lengthv", Some("std")),
            ("_ZTISt9exception", Some("std")),
            ("_Z6launchPfi", None),
            ("_ZN9999at", None),
            ("launch", None),
        ] {
            assert_eq!(namespace(name), outer, "{name}");
        }
    }
}
