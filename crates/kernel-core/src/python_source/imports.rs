//! The loader imports a kernel under its id, so a package that imports itself by its own name finds nothing, or worse,
//! another installed version of itself.

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use super::PythonSource;
use super::package::{At, Package};
use super::siblings::{self, Siblings};
use super::text::{Piece, Text, whole};
use super::value::Evaluator;

/// Functions that take the name of a module, or that of a package's files, as their first argument.
const BY_NAME: &[&str] = &[
    "builtins.__import__",
    "importlib.import_module",
    "importlib.resources.files",
    "importlib.util.find_spec",
    "pkgutil.get_data",
];

/// One finding for each import of the package by its own name, and a note for each of which that cannot be said.
pub(super) fn of_itself(package: &Package<'_>, siblings: &Siblings<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, module) in package.modules.iter().enumerate() {
        for (statement, _) in module.imports() {
            let name = absolute(statement).into_iter().find(|name| first_name(name) == package.name);
            findings.extend(name.map(|name| own(module.source, statement, name)));
        }
        for (call, scope) in &module.scopes.calls {
            findings.extend(by_call(
                package,
                siblings,
                module.source,
                call,
                At { module: at, scope: *scope },
            ));
        }
    }
    findings
}

/// The modules that a statement imports by their whole names.
pub(super) fn absolute(statement: &Stmt) -> Vec<&str> {
    match statement {
        Stmt::Import(import) => import.names.iter().map(|alias| alias.name.as_str()).collect(),
        Stmt::ImportFrom(import) if import.level == 0 => {
            import.module.iter().map(ruff_python_ast::Identifier::as_str).collect()
        }
        _ => Vec::new(),
    }
}

/// The name that is looked for on the module path.
pub(super) fn first_name(module: &str) -> &str {
    module.split('.').next().unwrap_or(module)
}

fn own(source: &PythonSource, place: &impl Ranged, name: &str) -> Finding {
    let message = format!("the package imports itself by its own name, as `{name}`");
    let finding = Finding::error(&python::SELF_IMPORT, message)
        .cause("the loader imports the package under the kernel's id, not under this name")
        .help("make the import relative, for example `from . import layers`");
    about(finding, source, place)
}

fn about(finding: Finding, source: &PythonSource, place: &impl Ranged) -> Finding {
    let subject = Subject { file: Some(source.path().to_owned()), ..Subject::default() };
    finding.at(source.span(place)).about(subject)
}

/// An import that is a call.
fn by_call<'a>(
    package: &Package<'a>,
    siblings: &Siblings<'_>,
    source: &PythonSource,
    call: &'a Expr,
    at: At,
) -> Option<Finding> {
    let Expr::Call(parts) = call else { return None };
    let evaluator = Evaluator::new(package);
    let paths = evaluator.paths(&parts.func, at);
    let function = BY_NAME.iter().find(|path| paths.contains(**path))?;
    let argument = |place: usize, keyword: &str| {
        let named = parts.arguments.keywords.iter();
        let named = named.filter(|given| given.arg.as_ref().is_some_and(|name| name.as_str() == keyword));
        parts.arguments.args.get(place).or_else(|| named.map(|given| &given.value).next())
    };
    let name = argument(0, "name").or_else(|| argument(0, "package"))?;
    let texts = evaluator.texts(name, at);
    let imports = ["builtins.__import__", "importlib.import_module"].contains(function);
    for text in &texts {
        let relative = matches!(text.first(), Some(Piece::Known(text)) if text.starts_with('.'));
        let base = argument(1, "package").filter(|_| relative);
        let bases = base.map(|base| evaluator.texts(base, at));
        let named = match &bases {
            Some(bases) => bases.iter().find_map(|base| first(base)),
            None => first(text),
        };
        if named.is_some_and(|named| named == package.name && !named.is_empty()) {
            let written = whole(text).map_or_else(|| source.slice(name), str::to_owned);
            return Some(self::own(source, call, &written));
        }
        if let (Some(named), true, false) = (named, imports, relative)
            && let Some(sibling) = siblings.of(package, at.module, named)
        {
            return Some(siblings::by_call(source, call, &sibling));
        }
    }
    let hidden = texts.iter().any(|text| matches!(text.first(), Some(Piece::Unknown)));
    (imports && hidden).then(|| {
        let written = source.slice(name);
        let message = format!("the module that `{written}` names is known only when the file runs");
        let finding = Finding::note(&python::UNJUDGED, message);
        about(finding.help("it must not be the package itself, by its own name"), source, call)
    })
}

/// The first part of a module's name, where it is known.
fn first(text: &Text) -> Option<&str> {
    let Some(Piece::Known(start)) = text.first() else { return None };
    let (first, is_ended) = match start.split_once('.') {
        Some((first, _)) => (first, true),
        None => (start.as_str(), text.len() == 1),
    };
    is_ended.then_some(first)
}
