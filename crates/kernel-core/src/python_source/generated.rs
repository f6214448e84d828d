//! Which builds the generated module speaks of: those whose library it imports, whose operators it asks for, and under whose
//! name it puts others. Comments and documentation do not count, for nothing comes of them.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, InterpolatedStringElement, Stmt};

use super::PythonSource;
use super::package::{At, GENERATED, Package};
use super::registration::is_of_torch;
use super::value::Evaluator;

/// The names of builds that the generated module of a package names where it runs. `is_id` tells which words are such names.
pub fn builds(generated: PythonSource, package: &str, is_id: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    let files = BTreeMap::from([(format!("{GENERATED}.py"), generated)]);
    let package = Package::new(package, &files);
    let mut words = Words { is_id, found: BTreeSet::new() };
    for (at, module) in package.modules.iter().enumerate() {
        words.visit_body(module.source.body());
        for (named, scope) in module.scopes.chains.iter().chain(&module.scopes.calls) {
            for path in Evaluator::new(&package).paths(named, At { module: at, scope: *scope }) {
                let namespace = path.strip_prefix("torch.ops.").and_then(|path| path.split('.').next());
                let is_build = |name: &&str| !is_of_torch(name) && *name != "load_library";
                words.found.extend(namespace.filter(is_build).map(str::to_owned));
            }
        }
    }
    words.found
}

struct Words<'w> {
    is_id: &'w dyn Fn(&str) -> bool,
    found: BTreeSet<String>,
}

impl Words<'_> {
    fn text(&mut self, text: &str) {
        let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        self.found.extend(words.filter(|word| (self.is_id)(word)).map(str::to_owned));
        // What stands before an operator's name is a namespace, whatever it looks like.
        if let Some((before, _)) = text.split_once("::")
            && !before.is_empty()
            && !is_of_torch(before)
        {
            self.found.insert(before.to_owned());
        }
    }
}

impl<'a> Visitor<'a> for Words<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Expr(expression) if expression.value.is_string_literal_expr() => return,
            Stmt::ImportFrom(import) if import.level > 0 => {
                let module = import.module.iter().flat_map(|module| module.split('.'));
                let names = import.names.iter().map(|alias| alias.name.as_str()).chain(module);
                self.found.extend(names.filter(|name| name.starts_with('_')).map(str::to_owned));
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::StringLiteral(literal) => self.text(literal.value.to_str()),
            Expr::FString(string) => {
                for literal in string.value.elements().filter_map(InterpolatedStringElement::as_literal) {
                    self.text(&literal.value);
                }
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}
