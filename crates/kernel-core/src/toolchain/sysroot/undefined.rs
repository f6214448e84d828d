//! Checks what the linker left undefined. It has to leave something, since Torch and the run times of the GPUs are linked
//! by name only; but what no library of the target systems defines would only fail when the kernel is loaded.
//!
//! Only names without a version are judged here. A name with a version was found in a stub, and its version is the
//! judge's business.

use std::collections::BTreeSet;

use kernel_abi::image::{Binding, Object};
use kernel_abi::policy::Manylinux;
use kernel_abi::policy::manylinux::is_loader;
use kernel_spec::arch::Cpu;
use kernel_spec::finding::Subject;
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
        let mut rows = Table::of(self.cpu).versions_of(name).peekable();
        if rows.peek().is_some() {
            // The loader gives a name without a version what a link would take today.
            return rows.any(|(_, symbol)| symbol.is_default() && self.allows(symbol.version));
        }
        // Which of Python's functions may be used is the judge's question.
        self.others
            || name.starts_with("Py")
            || name.starts_with("_Py")
            || self.runtimes.iter().any(|runtime| match runtime.exports() {
                Exports::Listed(exports) => exports.contains(name),
                Exports::Prefixed(prefix) => name.starts_with(prefix),
                Exports::Torch => self.torch_has(name),
            })
    }

    fn allows(&self, version: &str) -> bool {
        allows(self.manylinux, self.cpu, version)
    }

    fn torch_has(&self, name: &str) -> bool {
        if let Some(exports) = self.torch {
            return exports.contains(name);
        }
        let c_shim = name.starts_with("aoti_torch_") || name.starts_with("torch_");
        c_shim || namespace(name).is_some_and(|outer| TORCH_NAMESPACES.contains(&outer))
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

#[cfg(test)]
mod tests {
    use super::namespace;

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
