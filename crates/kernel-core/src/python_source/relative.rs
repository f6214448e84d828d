//! Relative imports of what is not there: every file of the package is known, so such an import fails wherever the package
//! is loaded.

use std::collections::BTreeSet;

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use kernel_spec::path::join;
use kernel_spec::suggest::closest;
use ruff_python_ast::{Stmt, StmtImportFrom};
use ruff_text_size::{Ranged, TextRange};

use super::PythonSource;
use super::listed::OF_MODULES;
use super::package::{GENERATED, GENERATED_NAMES, Package};
use super::standing::Standing;

/// One finding for each relative import that finds nothing. `paths` are those of everything in the package.
pub(super) fn missing(package: &Package<'_>, paths: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, module) in package.modules.iter().enumerate() {
        for (statement, standing) in module.imports() {
            let Stmt::ImportFrom(import) = statement else { continue };
            // What a branch imports may be there where it is taken.
            if import.level == 0 || matches!(standing, Standing::Guarded | Standing::InBranch) {
                continue;
            }
            let wrong = wrong(package, paths, at, import);
            findings.extend(wrong.into_iter().map(|wrong| wrong.finding(module.source, standing)));
        }
    }
    findings
}

/// Something that an import does not find.
struct Wrong {
    message: String,
    help: Option<String>,
    place: TextRange,
}

impl Wrong {
    fn finding(self, source: &PythonSource, standing: Standing) -> Finding {
        let finding = match standing {
            Standing::Always => Finding::error(&python::NOT_THERE, self.message),
            _ => Finding::warning(&python::NOT_THERE, self.message),
        };
        let finding = match self.help {
            Some(help) => finding.help(help),
            None => finding,
        };
        let about = Subject { file: Some(source.path().to_owned()), ..Subject::default() };
        finding.at(source.span(&self.place)).about(about)
    }
}

fn wrong(package: &Package<'_>, paths: &BTreeSet<String>, at: usize, import: &StmtImportFrom) -> Vec<Wrong> {
    let level = import.level as usize;
    let name = import.module.as_ref().map_or("", |name| name.as_str());
    let written = format!("{}{name}", ".".repeat(level));
    let Some(target) = package.relative(at, level, name) else {
        let message = format!("`{written}` leads out of the package, which the loader imports alone");
        let help = "a kernel has no package above it: import from inside of it".to_owned();
        return vec![Wrong { message, help: Some(help), place: import.range() }];
    };
    let names = import.names.iter().filter(|alias| alias.name.as_str() != "*");
    let folder = target.replace('.', "/");
    let (nothing, generated) = (BTreeSet::new(), GENERATED_NAMES.iter().copied().collect());
    let known: &BTreeSet<&str> = match package.place(&target) {
        Some(module) => match package.visible().names(module) {
            Some(known) => known,
            None => return Vec::new(),
        },
        None if target == GENERATED => &generated,
        // Its first file is told of elsewhere.
        None if target.is_empty() => return Vec::new(),
        // Its files are not Python text, or it is a folder alone.
        None if is_module(paths, &target) || package.is_id(&target) => {
            let is_folder = paths.contains(&folder) && !paths.iter().any(|path| is_file_of(path, &folder));
            if is_folder { &nothing } else { return Vec::new() }
        }
        None => {
            let message = format!("`{written}` is no module of the package");
            let modules = package.modules.iter().map(|module| module.name.as_str());
            let near = closest(&target, modules.filter(|name| !name.is_empty()));
            let help = near.map(|near| format!("did you mean the module `{near}`?"));
            return vec![Wrong { message, help, place: import.range() }];
        }
    };
    let is_there = |name: &str| {
        known.contains(name)
            || is_there_for_a_while(package, at, &target, name)
            || OF_MODULES.contains(&name)
            || is_module(paths, &join(&folder, name))
            || (target.is_empty() && (name == GENERATED || package.is_id(name)))
            || (target == GENERATED && package.is_id(name))
            // Somebody else gives it to the module.
            || package.modules.iter().any(|module| !module.scopes.attribute(name).is_empty())
    };
    let missing = names.filter(|alias| !is_there(alias.name.as_str()));
    let wrong = missing.map(|alias| {
        let name = alias.name.as_str();
        let near = closest(name, known.iter().copied());
        Wrong {
            message: format!("`{written}` has no `{name}`"),
            help: near.map(|near| format!("did you mean `{near}`?")),
            place: alias.range(),
        }
    });
    wrong.collect()
}

/// Whether a module has a name that it takes away again, and imports the module that asks for it: maybe in between.
fn is_there_for_a_while(package: &Package<'_>, at: usize, target: &str, name: &str) -> bool {
    package.place(target).is_some_and(|target| {
        package.visible().had(target, name) && package.reached([target], |_| true).contains(&at)
    })
}

/// Whether a module, by its name or its path from the root, is a file or a folder.
fn is_module(paths: &BTreeSet<String>, module: &str) -> bool {
    let path = module.replace('.', "/");
    let mut following = paths.range(path.clone()..).take_while(|other| other.starts_with(&path));
    following.any(|other| *other == path || is_file_of(other, &path))
}

/// Whether a file is that of a module: a source, byte code or a library, or a package's first.
fn is_file_of(file: &str, module: &str) -> bool {
    let is_python = [".py", ".pyc", ".pyd", ".so"].iter().any(|ending| file.ends_with(ending));
    let rest = file.strip_prefix(module).filter(|_| is_python);
    rest.is_some_and(|rest| (rest.starts_with('.') && !rest.contains('/')) || rest.starts_with("/__init__."))
}
