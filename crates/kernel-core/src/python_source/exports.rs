//! The value of `__all__`, as far as the text tells it: lists and tuples, annotated, added to, extended, joined, and
//! the `__all__` of a module of the same package.

use std::collections::BTreeMap;

use kernel_spec::Span;
use ruff_python_ast::{Expr, ExprCall, Operator, Stmt};

use super::PythonSource;

/// What a file says about its public names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exports {
    /// The names, in the order in which they are listed. `None` where the file has no `__all__`.
    pub(super) names: Option<Vec<String>>,
    /// Parts of the list that only running the file could tell, as they are written.
    pub(super) unknown: Vec<String>,
    /// Where each name is written, as far as that is in this file.
    pub(super) places: BTreeMap<String, Span>,
}

/// Answers the `__all__` of another module of the package, by the name it has in this file.
pub(super) type Sibling<'a> = &'a dyn Fn(&str) -> Option<Vec<String>>;

/// Reads `__all__` of a file.
pub(super) fn exports(source: &PythonSource, sibling: Sibling<'_>) -> Exports {
    let mut exports = Exports::default();
    let mut reader = Reader { source, sibling, exports: &mut exports, in_branch: false };
    reader.body(source.body());
    if let Some(names) = &mut exports.names {
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
    }
    exports
}

struct Reader<'a, 'e> {
    source: &'a PythonSource,
    sibling: Sibling<'a>,
    exports: &'e mut Exports,
    /// Whether the statement may not run at all, so that it takes nothing away.
    in_branch: bool,
}

impl Reader<'_, '_> {
    /// Top level only, with both branches of an `if` and the body of a `try`: which of them runs is not known, and a
    /// name that may be public belongs in the documentation.
    fn body(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Assign(assign) if assign.targets.iter().any(is_all) => self.set(&assign.value),
                Stmt::AnnAssign(assign) if is_all(&assign.target) => {
                    if let Some(value) = &assign.value {
                        self.set(value);
                    }
                }
                Stmt::AugAssign(assign) if is_all(&assign.target) && assign.op == Operator::Add => {
                    self.add(&assign.value);
                }
                Stmt::Expr(expression) => self.method(&expression.value),
                Stmt::If(branch) => {
                    self.branch(&branch.body);
                    branch.elif_else_clauses.iter().for_each(|clause| self.branch(&clause.body));
                }
                Stmt::Try(attempt) => self.branch(&attempt.body),
                _ => {}
            }
        }
    }

    fn branch(&mut self, statements: &[Stmt]) {
        let outer = std::mem::replace(&mut self.in_branch, true);
        self.body(statements);
        self.in_branch = outer;
    }

    /// `__all__.append(…)` and `__all__.extend(…)`.
    fn method(&mut self, expression: &Expr) {
        let Expr::Call(ExprCall { func, arguments, .. }) = expression else { return };
        let Expr::Attribute(attribute) = &**func else { return };
        let ([argument], true) = (&*arguments.args, is_all(&attribute.value)) else { return };
        match attribute.attr.as_str() {
            "append" => self.element(argument),
            "extend" => self.add(argument),
            _ => self.unknown(expression),
        }
    }

    fn set(&mut self, value: &Expr) {
        if !self.in_branch {
            self.exports.names = Some(Vec::new());
        }
        self.names();
        self.add(value);
    }

    fn add(&mut self, value: &Expr) {
        match value {
            Expr::List(list) => list.elts.iter().for_each(|element| self.element(element)),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| self.element(element)),
            Expr::BinOp(sum) if sum.op == Operator::Add => {
                self.add(&sum.left);
                self.add(&sum.right);
            }
            Expr::Attribute(attribute) if attribute.attr.as_str() == "__all__" => match &*attribute.value {
                Expr::Name(module) => match (self.sibling)(module.id.as_str()) {
                    Some(names) => self.names().extend(names),
                    None => self.unknown(value),
                },
                _ => self.unknown(value),
            },
            _ if is_all(value) => {}
            _ => self.unknown(value),
        }
    }

    fn element(&mut self, element: &Expr) {
        match element {
            Expr::StringLiteral(literal) => {
                let name = literal.value.to_str().to_owned();
                self.exports.places.insert(name.clone(), self.source.span(element));
                self.names().push(name);
            }
            Expr::Starred(starred) => self.add(&starred.value),
            _ => self.unknown(element),
        }
    }

    fn names(&mut self) -> &mut Vec<String> {
        self.exports.names.get_or_insert_default()
    }

    fn unknown(&mut self, expression: &Expr) {
        let written = self.source.slice(expression);
        self.exports.unknown.push(written);
    }
}

fn is_all(expression: &Expr) -> bool {
    matches!(expression, Expr::Name(name) if name.id.as_str() == "__all__")
}
