//! Imports of installed packages that nothing asks for: the loader looks for what the metadata depend on before it imports a
//! kernel, and whoever lacks anything else learns it from a failed import.

use std::collections::BTreeSet;

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::dependency::PYTHON;
use kernel_spec::finding::Subject;
use kernel_spec::suggest::listed;

use super::imports::{absolute, first_name};
use super::package::Package;
use super::siblings::{STANDARD_LIBRARY, Siblings};
use super::standing::{Standing, is_program};

/// What is there wherever a kernel is loaded: the frameworks, the loader, and what these depend on.
const BROUGHT: &[&str] = &[
    "cuda",
    "filelock",
    "fsspec",
    "huggingface_hub",
    "jax",
    "jax_tvm_ffi",
    "jinja2",
    "kernels",
    "networkx",
    "numpy",
    "packaging",
    "setuptools",
    "sympy",
    "triton",
    "tvm_ffi",
    "typing_extensions",
];

/// One warning for each package that is imported whenever the kernel is loaded, and is neither brought nor among the names of
/// `python-depends` in `declared`.
pub(super) fn imports(package: &Package<'_>, siblings: &Siblings<'_>, declared: &[String]) -> Vec<Finding> {
    let loaded = package.reached(package.place(""), |standing| standing == Standing::Always);
    let declared: BTreeSet<&str> = PYTHON
        .iter()
        .filter(|known| declared.iter().any(|name| name == known.name))
        .map(|known| known.import)
        .collect();
    let mut told = BTreeSet::new();
    let mut findings = Vec::new();
    for at in loaded {
        let module = &package.modules[at];
        if is_program(module.source) {
            continue;
        }
        for (statement, _) in module.imports().filter(|(_, standing)| *standing == Standing::Always) {
            for name in absolute(statement).into_iter().map(first_name) {
                let is_known = STANDARD_LIBRARY.lines().any(|known| known == name)
                    || name.starts_with("torch")
                    || name == package.name
                    || package.is_id(name)
                    || BROUGHT.contains(&name)
                    || declared.contains(name)
                    || siblings.of(package, at, name).is_some();
                if is_known || !told.insert(name) {
                    continue;
                }
                let about = Subject { file: Some(module.source.path().to_owned()), ..Subject::default() };
                let message =
                    format!("`{name}` is imported whenever the kernel is loaded, and nothing asks for it");
                let finding = Finding::warning(&python::UNDECLARED, message)
                    .cause("where it is not installed, the kernel cannot be loaded")
                    .help(advice(name));
                findings.push(finding.at(module.source.span(statement)).about(about));
            }
        }
    }
    findings
}

fn advice(name: &str) -> String {
    if let Some(known) = PYTHON.iter().find(|known| known.import == name) {
        let table =
            known.backend.map_or_else(|| "general".to_owned(), |backend| format!("general.{backend}"));
        format!("add `python-depends = [\"{}\"]` to `[{table}]` of `build.toml`", known.name)
    } else {
        let names = listed(PYTHON.iter().map(|known| known.name));
        format!("a kernel can ask for {names} only: import it in the function that needs it")
    }
}
