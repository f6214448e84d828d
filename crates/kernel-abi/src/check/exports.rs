//! What a library shows to the others of its process.

use kernel_spec::code::abi;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, Framework, Severity};

use super::{Case, finding, fitting, some};
use crate::Policy;
use crate::image::{Binding, Format, Image, LAST_WORDS, MarkKind, Symbol, SymbolKind};

/// Names that only libstdc++ itself defines; a library that exports one carries a copy of it.
const LIBSTDCXX: &[&str] = &[
    "_ZSt4cout",
    "_ZSt4cerr",
    "_ZNSt8ios_base4InitC1Ev",
    "_ZNSt6localeC1Ev",
    "_ZSt9terminatev",
    "__cxa_throw",
    "__cxa_get_globals",
    "__gxx_personality_v0",
];

/// Functions of glibc for the locales of libstdc++; everybody else calls them without underscores.
const LOCALES: &[&str] = &["__duplocale", "__freelocale", "__newlocale"];

/// Names that linkers themselves export.
const LINKER: &[&str] = &["_init", "_fini", "__bss_start", "_edata", "_end", "__start___llvm_prf_cnts"];

impl Case<'_> {
    pub(super) fn exports(&mut self) {
        let object = self.object;
        let exported: Vec<Symbol<'_>> =
            object.symbols().filter(|symbol| symbol.is_exported() && !is_node(symbol)).collect();
        self.static_libstdcxx(&exported);
        let extra =
            exported.iter().filter(|symbol| !self.is_entry(&symbol.name) && !LINKER.contains(&&*symbol.name));
        let (unique, rest): (Vec<_>, Vec<_>) = extra.partition(|symbol| symbol.binding == Binding::Unique);
        let is_data = |symbol: &&&Symbol<'_>| {
            matches!(symbol.kind, SymbolKind::Data | SymbolKind::ThreadLocal) && !is_constant(&symbol.name)
        };
        let data: Vec<_> = rest.iter().filter(is_data).collect();
        if let Some(first) = unique.first() {
            let message = format!("exports {} with unique binding", count(unique.len(), "variable"));
            let cause = format!(
                "the loader keeps one instance per process, even among libraries loaded privately: {}",
                some(unique.iter().map(|symbol| &*symbol.name))
            );
            self.error(&abi::SHARED_STATE, message, cause, about(first));
        }
        if let Some(first) = data.first() {
            let message = format!("exports {}", count(data.len(), "variable"));
            let cause = format!(
                "where two kernels are loaded for all to see, they share it: {}",
                some(data.iter().map(|symbol| &*symbol.name))
            );
            let finding = finding(&abi::SHARED_STATE, Severity::Warning, message).cause(cause);
            self.add(finding, about(first));
        }
        let functions: Vec<_> = rest.iter().filter(|symbol| !is_data(symbol)).collect();
        if let Some(first) = functions.first() {
            let message = format!("exports {} beyond the entry points", count(functions.len(), "name"));
            let cause = some(functions.iter().map(|symbol| &*symbol.name));
            let finding = finding(&abi::EXPORTS, Severity::Warning, message).cause(cause);
            self.add(finding, about(first));
        }
    }

    /// Whether a name is what the framework's loader asks for.
    fn is_entry(&self, name: &str) -> bool {
        match self.policy.framework {
            Framework::TvmFfi => name.starts_with("__tvm_ffi_") || name.starts_with("TVMFFI"),
            Framework::Torch | Framework::TorchNoarch => name.starts_with("PyInit_"),
        }
    }

    /// A copy of libstdc++: exported, or hidden and given away by what only its own code does. Names of types do not count,
    /// for compilers write them wherever a type is thrown or caught without RTTI.
    fn static_libstdcxx(&mut self, exported: &[Symbol<'_>]) {
        if self.format != Format::Elf {
            return;
        }
        let names: Vec<&str> =
            exported.iter().map(|symbol| &*symbol.name).filter(|name| LIBSTDCXX.contains(name)).collect();
        let marks = |kind| self.object.marks.iter().filter(move |mark| mark.kind == kind);
        let locale = self.object.undefined().find(|symbol| LOCALES.contains(&&*symbol.name));
        let cause = if !names.is_empty() {
            format!("it exports {}", some(names.iter().copied()))
        } else if marks(MarkKind::Exceptions).next().is_some() && self.object.can_throw_itself() {
            // The mark alone does not tell: whoever handles exceptions of several languages compares with it.
            "it throws exceptions by code of its own: it holds the mark that `__cxa_throw` writes, and takes what raises them"
                .to_owned()
        } else if marks(MarkKind::LastWords).count() == LAST_WORDS.len() {
            let words = marks(MarkKind::LastWords).map(|mark| mark.text.trim_end());
            format!("it holds all that only `std::terminate` of libstdc++ prints: {}", some(words))
        } else if let Some(locale) = locale {
            format!("it takes `{}` from glibc, which only the locales of libstdc++ do", locale.name)
        } else {
            return;
        };
        let subject = Subject { symbol: names.first().map(|name| (*name).to_owned()), ..Subject::default() };
        self.error(&abi::STATIC_LIBSTDCXX, "carries its own copy of libstdc++".to_owned(), cause, subject);
    }
}

/// Says where a library does not export the function that the framework asks for first; `module` is its name without
/// endings. A library that is none of the policy's, or of Windows, is not judged: others tell of it.
pub fn entry_point(module: &str, image: &Image, policy: &Policy) -> Option<Finding> {
    let object = fitting(image, policy).filter(|_| image.format != Format::Pe)?;
    let is_wanted = |name: &str| match policy.framework {
        Framework::TvmFfi => name.starts_with("__tvm_ffi_"),
        Framework::Torch | Framework::TorchNoarch => name.strip_prefix("PyInit_") == Some(module),
    };
    let is_data = |symbol: &Symbol<'_>| matches!(symbol.kind, SymbolKind::Data | SymbolKind::ThreadLocal);
    let is_found = |symbol: &Symbol<'_>| symbol.callable && !symbol.superseded && !is_data(symbol);
    let exported = || object.symbols().filter(Symbol::is_exported);
    if exported().any(|symbol| is_wanted(&symbol.name) && is_found(&symbol)) {
        return None;
    }
    let (wanted, loader) = match policy.framework {
        Framework::TvmFfi => ("no function `__tvm_ffi_…`".to_owned(), "tvm-ffi finds nothing to call in it"),
        Framework::Torch | Framework::TorchNoarch => {
            (format!("no function `PyInit_{module}`"), "Python refuses to import it")
        }
    };
    let finding = Finding::error(&abi::ENTRY_POINT, format!("exports {wanted}")).cause(loader);
    let near = exported().find(|symbol| symbol.name.starts_with("PyInit_") || is_wanted(&symbol.name));
    Some(match near {
        Some(symbol) if is_data(&symbol) => finding.cause(format!("`{}` is a variable", symbol.name)),
        Some(symbol) if is_wanted(&symbol.name) && symbol.superseded => finding
            .cause(format!("`{}` is there for old programs only, under a version of its own", symbol.name)),
        Some(symbol) if is_wanted(&symbol.name) => {
            finding.cause(format!("`{}` does not lead to code of the library", symbol.name))
        }
        Some(symbol) => finding.cause(format!("it exports `{}`", symbol.name)),
        None => finding,
    })
}

/// Whether it only stands for a version that the library defines, under the version's name.
fn is_node(symbol: &Symbol<'_>) -> bool {
    symbol.version.is_some_and(|node| node.library.is_none() && node.name == symbol.name)
}

/// Tables of virtual functions and descriptions of types: data for a linker, but nothing changes it.
fn is_constant(name: &str) -> bool {
    ["_ZTV", "_ZTI", "_ZTS", "_ZTT"].iter().any(|prefix| name.starts_with(prefix))
}

fn about(symbol: &Symbol<'_>) -> Subject {
    Subject { symbol: Some(symbol.name.to_string()), ..Subject::default() }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("one {what}") } else { format!("{number} {what}s") }
}
