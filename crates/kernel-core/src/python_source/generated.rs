//! Which builds the generated module speaks of: those whose library it imports, whose operators it asks for, and under whose
//! name it puts others. Comments and documentation do not count, for nothing comes of them.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, InterpolatedStringElement, Stmt};
use ruff_text_size::Ranged;

use super::PythonSource;
use super::package::{At, GENERATED, Package};
use super::paths::PREFIXING;
use super::registries::is_of_torch;
use super::scopes::{Binding, MODULE};
use super::text::{known, whole};
use super::value::{Evaluator, Given};

/// What a generated module says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// The names of builds that it names where it runs.
    pub builds: BTreeSet<String>,
    /// What its helper makes of the operator's name `f`, as far as that can be told.
    pub names: BTreeSet<String>,
}

/// Reads the generated module of a package. `is_id` tells which words are names of builds.
pub fn generated(generated: PythonSource, package: &str, is_id: &dyn Fn(&str) -> bool) -> Generated {
    let files = BTreeMap::from([(format!("{GENERATED}.py"), generated)]);
    let package = Package::new(package, &files);
    let mut words = Words { is_id, found: BTreeSet::new() };
    let names = (0..package.modules.len()).flat_map(|module| names(&package, module)).collect();
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
    Generated { builds: words.found, names }
}

/// The results of the helper for `f`; none that has more than one namespace, which was not understood.
fn names(package: &Package<'_>, module: usize) -> BTreeSet<String> {
    let scopes = &package.modules[module].scopes;
    let mut found = BTreeSet::new();
    for name in PREFIXING {
        let Some(meaning) = scopes.own_meaning(MODULE, name) else { continue };
        for binding in meaning.bindings {
            let Binding::Function(function) = binding else { continue };
            let (Some(scope), Some(parameter)) =
                (scopes.body(function.range()), function.parameters.iter_non_variadic_params().next())
            else {
                continue;
            };
            let given = Given::from([(parameter.name().as_str(), known("f"))]);
            let results = Evaluator::new(package).results(function, At { module, scope }, &given);
            let results = results.iter().filter_map(|text| whole(text));
            found.extend(results.filter(|text| text.matches("::").count() < 2).map(str::to_owned));
        }
    }
    found
}

struct Words<'w> {
    is_id: &'w dyn Fn(&str) -> bool,
    found: BTreeSet<String>,
}

impl Words<'_> {
    fn text(&mut self, text: &str) {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let words = text.split(|letter: char| !is_part(letter));
        self.found.extend(words.filter(|word| (self.is_id)(word)).map(str::to_owned));
        // What stands before an operator's name is a namespace, whatever it looks like; but for a place to fill in.
        if let Some((before, _)) = text.split_once("::")
            && !before.is_empty()
            && before.chars().all(is_part)
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
