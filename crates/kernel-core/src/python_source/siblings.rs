//! Absolute imports of a module of the package itself. The loader puts no directory of a kernel on the module path, so
//! `import layers` finds nothing, or a stranger of that name.

use std::collections::BTreeSet;

use kernel_spec::code::python;
use kernel_spec::dependency::PYTHON;
use kernel_spec::finding::{Fix, Subject};
use kernel_spec::path::{join, parent};
use kernel_spec::{Finding, Severity};
use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use super::PythonSource;
use super::imports::{absolute as imported, first_name};
use super::package::{GENERATED, Package};
use super::standing::{Standing, is_program};

/// `sys.stdlib_module_names` of Python 3.9 to 3.15 together: these are found before anything beside the file would be.
pub(super) const STANDARD_LIBRARY: &str = include_str!("standard_library.txt");

/// What is there wherever a kernel is loaded, or what a kernel's neighbours have; a module of the package by such a name is
/// not what is meant.
const INSTALLED: &[&str] = &[
    "cuda",
    "flash_attn",
    "jax",
    "jax_tvm_ffi",
    "kernels",
    "neuronxcc",
    "numpy",
    "packaging",
    "pytest",
    "scipy",
    "setuptools",
    "tilelang",
    "torch",
    "torchvision",
    "transformers",
    "triton",
    "typing_extensions",
];

/// The files among which a module may be.
pub(super) struct Siblings<'a> {
    /// The paths of everything in the package.
    pub(super) paths: &'a BTreeSet<String>,
}

/// A module of the package that is imported as if it were on the module path.
pub(super) struct Sibling {
    name: String,
    /// Its name from the root.
    target: String,
    /// The dots that lead from the importing file to the folder of the module.
    dots: String,
    is_library: bool,
}

impl Siblings<'_> {
    /// The module of the package that an absolute name means in a file: one beside the file, or at the root.
    pub(super) fn of(&self, package: &Package<'_>, module: usize, name: &str) -> Option<Sibling> {
        let is_known = STANDARD_LIBRARY.lines().any(|known| known == name)
            || INSTALLED.contains(&name)
            || PYTHON.iter().any(|dependency| dependency.import == name);
        if is_known || name.is_empty() || name == package.name {
            return None;
        }
        let module = &package.modules[module];
        let inside = module.name.split('.').filter(|part| !part.is_empty()).count();
        let depth = if module.is_package { inside } else { inside.saturating_sub(1) };
        let path = module.name.replace('.', "/");
        let folder = if module.is_package { path.as_str() } else { parent(&path) };
        let is_generated = name == GENERATED || package.is_id(name);
        let (dots, target) = if is_module(self.paths, folder, name) {
            (1, join(folder, name).replace('/', "."))
        } else if is_module(self.paths, "", name) || is_generated {
            (depth + 1, name.to_owned())
        } else {
            return None;
        };
        // A module that imports its own name means a library of that name.
        let is_library = package.is_id(name);
        let sibling = Sibling { name: name.to_owned(), target, dots: ".".repeat(dots), is_library };
        (sibling.target != module.name).then_some(sibling)
    }
}

impl Sibling {
    /// Whether the module has what a statement takes from it; otherwise a library of its name is meant.
    fn offers(&self, package: &Package<'_>, paths: &BTreeSet<String>, statement: &Stmt) -> bool {
        let Some(module) = package.place(&self.target) else { return true };
        let folder = self.target.replace('.', "/");
        let known = package.visible().names(module);
        let has = |name: &str| {
            name == "*" || known.is_none_or(|known| known.contains(name)) || is_module(paths, &folder, name)
        };
        let below = |name: &str| {
            let rest = name.strip_prefix(self.name.as_str())?.strip_prefix('.')?;
            rest.split('.').next().map(str::to_owned)
        };
        match statement {
            Stmt::ImportFrom(import) => {
                match import.module.as_ref().and_then(|module| below(module.as_str())) {
                    Some(inner) => is_module(paths, &folder, &inner),
                    None => import.names.iter().any(|alias| has(alias.name.as_str())),
                }
            }
            Stmt::Import(import) => {
                let inner = import.names.iter().filter_map(|alias| below(alias.name.as_str()));
                inner.into_iter().all(|inner| is_module(paths, &folder, &inner))
            }
            _ => true,
        }
    }
}

/// Whether a folder holds a module of a name: a source, a library for Python, or a folder that has one.
pub(super) fn is_module(paths: &BTreeSet<String>, folder: &str, name: &str) -> bool {
    let path = join(folder, name);
    let mut following = paths.range(path.clone()..).take_while(|other| other.starts_with(&path));
    following.any(|other| {
        let rest = &other[path.len()..];
        let is_python = |end: &str| [".py", ".so", ".pyd"].iter().any(|known| end.ends_with(known));
        (rest.starts_with('.') && !rest.contains('/') && is_python(rest))
            || (rest.starts_with('/') && is_python(rest))
    })
}

/// One finding for each absolute import of a module of the package.
pub(super) fn absolute(package: &Package<'_>, siblings: &Siblings<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Whoever changes the module path may put the package on it.
    let changes_path = |chain: &str| chain == "sys.path" || chain.starts_with("sys.path.");
    let is_changed = package.modules.iter().any(|module| {
        module.scopes.chains.iter().any(|(chain, _)| changes_path(&module.source.slice(chain)))
    });
    if is_changed {
        return findings;
    }
    for (at, module) in package.modules.iter().enumerate() {
        let is_program = is_program(module.source);
        for (statement, standing) in module.imports() {
            let severity = match standing {
                Standing::Guarded => continue,
                Standing::Always if !is_program => Severity::Error,
                Standing::Always | Standing::InFunction | Standing::InBranch => Severity::Warning,
            };
            let names = imported(statement);
            let sibling = names.iter().find_map(|name| siblings.of(package, at, first_name(name)));
            let Some(sibling) = sibling else { continue };
            if !sibling.offers(package, siblings.paths, statement) {
                continue;
            }
            let found = finding(module.source, statement, &sibling, severity);
            findings.push(match fix(module.source, statement, &sibling) {
                Some(fix) => found.fixed_by(fix),
                None => found,
            });
        }
    }
    findings
}

/// An import of a sibling that is a call.
pub(super) fn by_call(source: &PythonSource, call: &impl Ranged, sibling: &Sibling) -> Finding {
    finding(source, call, sibling, Severity::Warning)
}

fn finding(source: &PythonSource, place: &impl Ranged, sibling: &Sibling, severity: Severity) -> Finding {
    let Sibling { name, dots, is_library, .. } = sibling;
    let message = format!("`{name}` is a module of the package, and is imported as if it were installed");
    let finding = match severity {
        Severity::Error => Finding::error(&python::SELF_IMPORT, message),
        _ => Finding::warning(&python::SELF_IMPORT, message),
    };
    let help = if *is_library {
        format!("write `from {dots}{GENERATED} import ops`: `{GENERATED}.py` imports the library")
    } else {
        format!("make the import relative: `from {dots} import {name}`, or `from {dots}{name} import …`")
    };
    let about = Subject { file: Some(source.path().to_owned()), ..Subject::default() };
    finding
        .cause("the loader does not put the package's folder on the module path")
        .help(help)
        .at(source.span(place))
        .about(about)
}

/// The edit that makes an import relative, where one edit does.
fn fix(source: &PythonSource, statement: &Stmt, sibling: &Sibling) -> Option<Fix> {
    if sibling.is_library {
        return None;
    }
    let bytes =
        |start: ruff_text_size::TextSize, end: ruff_text_size::TextSize| (start.to_usize(), end.to_usize());
    let (bytes, text) = match statement {
        Stmt::ImportFrom(import) => {
            let start = import.module.as_ref()?.range.start();
            (bytes(start, start), sibling.dots.clone())
        }
        Stmt::Import(import) => {
            let [alias] = &*import.names else { return None };
            if alias.name.as_str() != sibling.name {
                return None;
            }
            let (start, end) = (import.range.start(), alias.range.start());
            (bytes(start, end), format!("from {} import ", sibling.dots))
        }
        _ => return None,
    };
    Some(Fix { file: source.path().to_owned(), bytes, text })
}
