//! What the statements of one scope say of its names: which they bind, and which they declare to be those of another scope.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{Comprehension, ExceptHandler, Expr, ExprContext, Identifier, Pattern, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::captured::captured;
use super::names::imported;

/// The names of one scope; those of scopes inside of it do not count.
#[derive(Default)]
pub(super) struct Declared<'a> {
    /// The last declaration of each name.
    globals: BTreeMap<&'a str, TextRange>,
    nonlocals: BTreeMap<&'a str, TextRange>,
    /// Where each name is bound first, but for imports: those may stand before a declaration.
    bound: BTreeMap<&'a str, TextRange>,
    imports: BTreeSet<&'a str>,
    /// How many comprehensions the walk is in: their own variables are not the scope's.
    inside: usize,
}

impl<'a> Declared<'a> {
    pub(super) fn of(body: &'a [Stmt]) -> Self {
        let mut declared = Self::default();
        declared.visit_body(body);
        declared
    }

    /// Where a name is declared to be of another scope, for the last time.
    pub(super) fn last(&self, name: &str) -> Option<TextRange> {
        self.globals.get(name).or_else(|| self.nonlocals.get(name)).copied()
    }

    pub(super) fn is_nonlocal(&self, name: &str) -> bool {
        self.nonlocals.contains_key(name)
    }

    /// Whether the name is one of the scope's own.
    pub(super) fn binds(&self, name: &str) -> bool {
        self.last(name).is_none() && (self.bound.contains_key(name) || self.imports.contains(name))
    }

    /// Declarations that contradict each other or come too late.
    pub(super) fn faults(&self) -> Vec<(TextRange, String)> {
        let mut faults = Vec::new();
        for (name, range) in &self.nonlocals {
            if self.globals.contains_key(name) {
                faults.push((*range, format!("name `{name}` is nonlocal and global")));
            }
        }
        for (declarations, word) in [(&self.globals, "global"), (&self.nonlocals, "nonlocal")] {
            for (name, declared) in declarations {
                if let Some(bound) = self.bound.get(name).filter(|bound| bound.start() < declared.start()) {
                    faults.push((*bound, format!("name `{name}` is bound before its {word} declaration")));
                }
            }
        }
        faults
    }

    fn bind(&mut self, name: &'a str, range: TextRange) {
        self.bound.entry(name).or_insert(range);
    }

    fn bind_identifier(&mut self, name: &'a Identifier) {
        self.bind(name.as_str(), name.range());
    }
}

impl<'a> Visitor<'a> for Declared<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Global(global) => {
                self.globals.extend(global.names.iter().map(|name| (name.as_str(), global.range())));
            }
            Stmt::Nonlocal(nonlocal) => {
                self.nonlocals.extend(nonlocal.names.iter().map(|name| (name.as_str(), nonlocal.range())));
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                self.imports.extend(imported(statement).into_iter().map(|(name, _)| name));
            }
            Stmt::FunctionDef(function) => {
                self.bind_identifier(&function.name);
                function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                self.visit_parameters(&function.parameters);
                function.returns.iter().for_each(|returns| self.visit_annotation(returns));
            }
            Stmt::ClassDef(class) => {
                self.bind_identifier(&class.name);
                class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                class.arguments.iter().for_each(|arguments| self.visit_arguments(arguments));
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx != ExprContext::Load && self.inside == 0 => {
                self.bind(name.id.as_str(), name.range());
            }
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    self.bind(name.id.as_str(), name.range());
                }
                self.visit_expr(&named.value);
            }
            Expr::Lambda(lambda) => {
                lambda.parameters.iter().for_each(|parameters| self.visit_parameters(parameters));
            }
            _ => walk_expr(self, expression),
        }
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.inside += 1;
        self.visit_expr(&comprehension.target);
        self.inside -= 1;
        self.visit_expr(&comprehension.iter);
        comprehension.ifs.iter().for_each(|condition| self.visit_expr(condition));
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(handled) = handler;
        handled.name.iter().for_each(|name| self.bind_identifier(name));
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Some(name) = captured(pattern) {
            self.bind_identifier(name);
        }
        walk_pattern(self, pattern);
    }
}
