//! The loader imports a kernel under its id, so a package that imports itself by its own name finds nothing, or worse,
//! another installed version of itself.

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt, StmtIf};
use ruff_text_size::Ranged;

use super::PythonSource;
use super::package::{At, Package};
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
pub(super) fn of_itself(package: &Package<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, module) in package.modules.iter().enumerate() {
        let mut imports = Imports { package: package.name, found: Vec::new() };
        imports.visit_body(module.source.body());
        findings
            .extend(imports.found.into_iter().map(|(statement, name)| own(module.source, statement, &name)));
        for (call, scope) in &module.scopes.calls {
            findings.extend(by_call(package, module.source, call, At { module: at, scope: *scope }));
        }
    }
    findings
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
fn by_call<'a>(package: &Package<'a>, source: &PythonSource, call: &'a Expr, at: At) -> Option<Finding> {
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
    }
    let imports = ["builtins.__import__", "importlib.import_module"].contains(function);
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

struct Imports<'a, 'p> {
    package: &'p str,
    found: Vec<(&'a Stmt, String)>,
}

impl Imports<'_, '_> {
    fn is_own(&self, module: &str) -> bool {
        module.split('.').next() == Some(self.package)
    }
}

/// Whether the body of a branch never runs where the package is imported: it is for type checkers, or for the file as a
/// program.
fn never_runs(branch: &StmtIf) -> bool {
    match &*branch.test {
        Expr::Name(name) => name.id.as_str() == "TYPE_CHECKING",
        Expr::Attribute(attribute) => attribute.attr.as_str() == "TYPE_CHECKING",
        Expr::Compare(comparison) => {
            let is_main =
                |side: &Expr| matches!(side, Expr::StringLiteral(text) if text.value.to_str() == "__main__");
            is_main(&comparison.left) || comparison.comparators.iter().any(is_main)
        }
        _ => false,
    }
}

impl<'a> Visitor<'a> for Imports<'a, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::If(branch) if never_runs(branch) => {
                branch.elif_else_clauses.iter().for_each(|clause| self.visit_elif_else_clause(clause));
                return;
            }
            Stmt::Import(import) => {
                let own = import.names.iter().find(|alias| self.is_own(alias.name.as_str()));
                if let Some(alias) = own {
                    self.found.push((statement, alias.name.to_string()));
                }
            }
            Stmt::ImportFrom(import) if import.level == 0 => {
                let module = import.module.as_ref().filter(|module| self.is_own(module.as_str()));
                if let Some(module) = module {
                    self.found.push((statement, module.to_string()));
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }
}
