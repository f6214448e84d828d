//! Whether the names in `__all__` are there: one that is not makes `from package import *` fail, and the card promises
//! what nobody can call.

use std::collections::BTreeSet;

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use kernel_spec::suggest::closest;

use super::PythonSource;
use super::exports::{Exports, exports};
use super::package::{At, GENERATED, Package};
use super::scopes::MODULE;
use super::value::Evaluator;

/// What every module has.
pub(super) const OF_MODULES: &[&str] = &[
    "__all__",
    "__builtins__",
    "__cached__",
    "__dict__",
    "__doc__",
    "__file__",
    "__loader__",
    "__name__",
    "__package__",
    "__path__",
    "__spec__",
];

/// By which functions a module gets names that are nowhere in it.
const HIDDEN: &[&str] =
    &["builtins.exec", "builtins.globals", "builtins.locals", "builtins.vars", "builtins.setattr"];

/// One finding for each listed name that a file does not have. `others` are the paths of all files, for modules that are
/// not Python text.
pub(super) fn missing(package: &Package<'_>, others: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, module) in package.modules.iter().enumerate() {
        let exports = exports_of(package, at, STEPS);
        let Some(names) = exports.names else { continue };
        let Some(there) = names_of(package, at, &mut BTreeSet::new()) else { continue };
        for name in names {
            let is_there = there.contains(name.as_str())
                || OF_MODULES.contains(&name.as_str())
                || is_module(others, module.source, &module.name, &name);
            if is_there {
                continue;
            }
            let path = module.source.path();
            let message = format!("`__all__` of `{path}` lists `{name}`, which is not there");
            let finding = Finding::error(&python::NOT_THERE, message);
            let finding = match closest(&name, there.iter().copied()) {
                Some(near) => {
                    finding.help(format!("did you mean `{near}`? Define or import `{name}`, or take it out"))
                }
                None => finding,
            };
            let finding = match exports.places.get(&name) {
                Some(place) => finding.at(place.clone()),
                None => finding,
            };
            findings.push(finding.about(Subject { file: Some(path.to_owned()), ..Subject::default() }));
        }
    }
    findings
}

/// How far one module's list is followed into another's.
const STEPS: usize = 4;

/// The list of a module; that of another is looked for where the module imports it from.
fn exports_of(package: &Package<'_>, at: usize, steps: usize) -> Exports {
    let sibling = |name: &str| {
        let meaning = package.modules[at].scopes.own_meaning(MODULE, name)?;
        let path = package.canonical(at, meaning.imports.last()?);
        let (other, rest) = package.split(&path).filter(|_| steps > 0)?;
        if rest.is_empty() { exports_of(package, other, steps - 1).names } else { None }
    };
    exports(package.modules[at].source, &sibling)
}

/// Whether the name is that of a module directly in a package.
fn is_module(others: &BTreeSet<String>, source: &PythonSource, module: &str, name: &str) -> bool {
    let is_package = source.path().ends_with("__init__.py");
    let folder = if module.is_empty() { String::new() } else { format!("{}/", module.replace('.', "/")) };
    let inside = |path: &String| {
        path.strip_prefix(&folder)
            .and_then(|path| path.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with(['.', '/']))
    };
    is_package && ((module.is_empty() && name == GENERATED) || others.iter().any(inside))
}

/// The names of a module; `None` where only running it could tell.
pub(super) fn names_of<'a>(
    package: &Package<'a>,
    at: usize,
    seen: &mut BTreeSet<usize>,
) -> Option<BTreeSet<&'a str>> {
    if !seen.insert(at) {
        return Some(BTreeSet::new());
    }
    let module = &package.modules[at];
    let mut names: BTreeSet<&'a str> = module.scopes.module_names().collect();
    let place = At { module: at, scope: MODULE };
    let is_hidden = module.scopes.calls.iter().any(|(call, _)| {
        let function = call.as_call_expr().map(|call| &*call.func);
        let paths = function.map(|function| Evaluator::new(package).paths(function, place));
        paths.is_some_and(|paths| HIDDEN.iter().any(|path| paths.contains(*path)))
    });
    // Another object may stand in the module's place, or somebody may write into its names.
    let is_replaced = module.scopes.chains.iter().any(|(chain, _)| {
        let written = module.source.slice(chain);
        written.ends_with("sys.modules") || written.ends_with(".__dict__") || written.contains(".__dict__.")
    });
    if names.contains("__getattr__") || is_hidden || is_replaced {
        return None;
    }
    for star in &module.scopes.stars {
        let path = package.canonical(at, star);
        let (other, rest) = package.split(&path)?;
        if !rest.is_empty() {
            return None;
        }
        let listed = exports_of(package, other, STEPS).names;
        let theirs = names_of(package, other, seen)?;
        names.extend(theirs.into_iter().filter(|name| match &listed {
            Some(listed) => listed.iter().any(|listed| listed == name),
            None => !name.starts_with('_'),
        }));
    }
    Some(names)
}
