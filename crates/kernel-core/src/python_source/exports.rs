//! The value of `__all__`, as far as the text tells it: lists and tuples, annotated, added to, extended, joined, and
//! the `__all__` of a module of the same package.

use std::collections::{BTreeMap, BTreeSet};

use kernel_spec::Span;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, ExprCall, ExprContext, Operator, Stmt};

use super::PythonSource;

/// What a file says about its public names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exports {
    /// The names, in the order in which they are listed. `None` where the file has no `__all__`.
    pub(super) names: Option<Vec<String>>,
    /// Those that are in the list whichever branches are taken, and that nothing takes out of it again.
    pub(super) sure: BTreeSet<String>,
    /// Parts of the list that only running the file could tell, as they are written.
    pub(super) unknown: Vec<String>,
    /// Where each name is written, as far as that is in this file.
    pub(super) places: BTreeMap<String, Span>,
    /// What is no list, or no name in one: where, and what it is.
    pub(super) wrong: Vec<(Span, String)>,
    /// Variables that are listed in place of their names.
    pub(super) variables: Vec<(Span, String)>,
}

/// Answers the `__all__` of another module of the package, by the name it has in this file.
pub(super) type Sibling<'a> = &'a dyn Fn(&str) -> Option<Exports>;

/// Reads `__all__` of a file.
pub(super) fn exports(source: &PythonSource, sibling: Sibling<'_>) -> Exports {
    let mut exports = Exports::default();
    let mut reader = Reader { source, sibling, exports: &mut exports, in_branch: false };
    reader.body(source.body());
    if let Some(names) = &mut exports.names {
        let mut seen = BTreeSet::new();
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
                Stmt::Expr(expression) if self.method(&expression.value) => {}
                Stmt::If(branch) => {
                    self.branch(&branch.body);
                    branch.elif_else_clauses.iter().for_each(|clause| self.branch(&clause.body));
                }
                Stmt::Try(attempt) => {
                    self.branch(&attempt.body);
                    self.doubt(|changes| {
                        let handlers = attempt.handlers.iter();
                        handlers.for_each(|handler| changes.visit_except_handler(handler));
                        changes.visit_body(&attempt.orelse);
                        changes.visit_body(&attempt.finalbody);
                    });
                }
                Stmt::With(with) => self.branch(&with.body),
                other => self.doubt(|changes| changes.visit_stmt(other)),
            }
        }
    }

    fn branch(&mut self, statements: &[Stmt]) {
        let outer = std::mem::replace(&mut self.in_branch, true);
        self.body(statements);
        self.in_branch = outer;
    }

    /// Where the list may be changed in a way that is not followed, nothing is in it for sure.
    fn doubt(&mut self, look: impl FnOnce(&mut Changes)) {
        let mut changes = Changes { found: false };
        look(&mut changes);
        if changes.found {
            self.exports.sure.clear();
            self.exports.variables.clear();
            self.exports.wrong.clear();
        }
    }

    /// `__all__.append(…)`, `__all__.extend(…)` and `__all__.remove(…)`; `false` where it is something else.
    fn method(&mut self, expression: &Expr) -> bool {
        let Expr::Call(ExprCall { func, arguments, .. }) = expression else { return false };
        let Expr::Attribute(attribute) = &**func else { return false };
        if !is_all(&attribute.value) {
            return false;
        }
        match (attribute.attr.as_str(), &*arguments.args) {
            ("append", [name]) | ("insert", [_, name]) => self.element(name),
            ("extend", [names]) => self.add(names),
            ("remove", [Expr::StringLiteral(name)]) => {
                let name = name.value.to_str();
                self.exports.sure.remove(name);
                if !self.in_branch {
                    self.names().retain(|listed| listed != name);
                }
            }
            ("sort" | "reverse", _) => {}
            _ => {
                self.unknown(expression);
                return false;
            }
        }
        true
    }

    fn set(&mut self, value: &Expr) {
        if !self.in_branch {
            self.exports.names = Some(Vec::new());
        }
        // In a branch, it may take the place of what was there.
        self.exports.sure.clear();
        self.exports.wrong.clear();
        self.exports.variables.clear();
        self.names();
        if let (Some(kind), false) = (no_list(value), self.in_branch) {
            self.exports.wrong.push((self.source.span(value), format!("is {kind}")));
        } else {
            self.add(value);
        }
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
                    Some(Exports { names: Some(names), sure, .. }) => {
                        self.names().extend(names);
                        if !self.in_branch {
                            self.exports.sure.extend(sure);
                        }
                    }
                    _ => self.unknown(value),
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
                if !self.in_branch {
                    self.exports.sure.insert(name.clone());
                }
                self.names().push(name);
            }
            Expr::Starred(starred) => self.add(&starred.value),
            _ => {
                if !self.in_branch {
                    let place = (self.source.span(element), self.source.slice(element));
                    match element {
                        Expr::Name(_) => self.exports.variables.push(place),
                        _ if no_name(element) => {
                            let said = format!("lists `{}`, which is no name", place.1);
                            self.exports.wrong.push((place.0, said));
                        }
                        _ => {}
                    }
                }
                self.unknown(element);
            }
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

/// What a value is from which `from … import *` gets no names, as it goes by places.
fn no_list(value: &Expr) -> Option<&'static str> {
    match value {
        // A single letter is the list of that letter.
        Expr::StringLiteral(text) if text.value.to_str().chars().nth(1).is_some() => {
            Some("a text, of which each letter would be a name")
        }
        Expr::Set(_) | Expr::SetComp(_) => Some("a set, which has no order"),
        Expr::Dict(_) | Expr::DictComp(_) => Some("a table"),
        Expr::Generator(_) => Some("a generator"),
        Expr::NumberLiteral(_) | Expr::BooleanLiteral(_) | Expr::NoneLiteral(_) => Some("no list"),
        _ => None,
    }
}

/// Whether an element is certainly no text.
fn no_name(element: &Expr) -> bool {
    element.is_number_literal_expr()
        || element.is_boolean_literal_expr()
        || element.is_none_literal_expr()
        || element.is_bytes_literal_expr()
        || element.is_lambda_expr()
}

fn is_all(expression: &Expr) -> bool {
    matches!(expression, Expr::Name(name) if name.id.as_str() == "__all__")
}

/// Looks for what may change the list: a method that takes something out, an assignment or a deletion.
struct Changes {
    found: bool,
}

impl<'a> Visitor<'a> for Changes {
    fn visit_expr(&mut self, expression: &'a Expr) {
        self.found |= match expression {
            Expr::Name(name) => is_all(expression) && name.ctx != ExprContext::Load,
            Expr::Subscript(part) => is_all(&part.value) && part.ctx != ExprContext::Load,
            Expr::Call(call) => call.func.as_attribute_expr().is_some_and(|method| {
                is_all(&method.value) && ["clear", "pop", "remove"].contains(&method.attr.as_str())
            }),
            _ => false,
        };
        walk_expr(self, expression);
    }
}
