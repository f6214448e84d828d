//! Whether the names in `__all__` are there: one that is not makes `from package import *` fail, and the card promises
//! what nobody can call.

use std::collections::BTreeSet;

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use kernel_spec::suggest::closest;

use super::PythonSource;
use super::exports::{Exports, exports};
use super::package::{GENERATED, Package};
use super::scopes::{Binding, MODULE};

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

/// One finding for each listed name that a file does not have. `others` are the paths of all files, for modules that are
/// not Python text.
pub(super) fn missing(package: &Package<'_>, others: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, module) in package.modules.iter().enumerate() {
        let exports = exports_of(package, at, STEPS);
        let path = module.source.path();
        let about = || Subject { file: Some(path.to_owned()), ..Subject::default() };
        let variables = exports.variables.iter().filter(|(_, name)| is_made(package, at, name));
        let variables =
            variables.map(|(place, name)| (place, format!("lists `{name}` itself, not its name")));
        for (place, what) in exports.wrong.iter().cloned().chain(variables.map(|(p, what)| (p.clone(), what)))
        {
            let finding = Finding::error(&python::NOT_THERE, format!("`__all__` of `{path}` {what}"))
                .cause("`from … import *` fails then")
                .help("list the names as texts: `__all__ = [\"relu\"]`");
            findings.push(finding.at(place).about(about()));
        }
        let Some(there) = package.visible().names(at) else { continue };
        let listed = exports.names.iter().flatten().filter(|name| exports.sure.contains(*name));
        for name in listed {
            let is_there = there.contains(name.as_str())
                || OF_MODULES.contains(&name.as_str())
                || is_module(others, module.source, &module.name, name);
            if is_there {
                continue;
            }
            let message = format!("`__all__` of `{path}` lists `{name}`, which is not there");
            let finding = Finding::error(&python::NOT_THERE, message);
            let finding = match closest(name, there.iter().copied()) {
                Some(near) => {
                    finding.help(format!("did you mean `{near}`? Define or import `{name}`, or take it out"))
                }
                None => finding,
            };
            let finding = match exports.places.get(name) {
                Some(place) => finding.at(place.clone()),
                None => finding,
            };
            findings.push(finding.about(about()));
        }
    }
    findings
}

/// Whether a variable of a module is certainly a function or a class.
fn is_made(package: &Package<'_>, at: usize, name: &str) -> bool {
    let scopes = &package.modules[at].scopes;
    let imports = scopes.own_meaning(MODULE, name).map_or(&[][..], |meaning| meaning.imports);
    let (module, name) = match imports {
        [] => (at, name.to_owned()),
        [import] => match package.split(&package.canonical(at, import)) {
            Some((module, rest)) if rest.len() == 1 => (module, rest[0].to_owned()),
            _ => return false,
        },
        _ => return false,
    };
    let is_made = |binding: &Binding<'_>| matches!(binding, Binding::Function(_) | Binding::Class(..));
    let meaning = package.modules[module].scopes.own_meaning(MODULE, &name);
    meaning.is_some_and(|meaning| {
        meaning.imports.is_empty() && !meaning.bindings.is_empty() && meaning.bindings.iter().all(is_made)
    })
}

/// How far one module's list is followed into another's.
pub(super) const STEPS: usize = 8;

/// The list of a module; that of another is looked for where the module imports it from. Each is read once.
pub(super) fn exports_of(package: &Package<'_>, at: usize, steps: usize) -> Exports {
    if let Some(known) = package.lists.borrow().get(&at) {
        return known.clone();
    }
    // Until it is read, it is unknown to the others: lists that are made of each other have no end.
    let unread = Exports { unknown: vec!["__all__".to_owned()], ..Exports::default() };
    package.lists.borrow_mut().insert(at, unread);
    let sibling = |name: &str| {
        let meaning = package.modules[at].scopes.own_meaning(MODULE, name)?;
        let path = package.canonical(at, meaning.imports.last()?);
        let (other, rest) = package.split(&path).filter(|_| steps > 0)?;
        if rest.is_empty() { Some(exports_of(package, other, steps - 1)) } else { None }
    };
    let exports = exports(package.modules[at].source, &sibling);
    package.lists.borrow_mut().insert(at, exports.clone());
    exports
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
