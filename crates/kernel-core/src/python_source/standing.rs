//! What the statements of a file bind, take away and import, in the order in which they run where the package is imported, and
//! how sure it is that each import runs: one that fails in a `try` is what its handler is for, and one in a branch may be
//! for another machine.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{
    CmpOp, Comprehension, ExceptHandler, Expr, ExprContext, Pattern, Stmt, StmtFunctionDef, StmtIf, StmtTry,
};

use super::PythonSource;
use super::captured::captured;
use super::names::imported;

/// How sure it is that a statement runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// Whenever the file is imported.
    Always,
    /// When somebody calls the function that it is in.
    InFunction,
    /// In a branch, which may not be taken.
    InBranch,
    /// The file goes on where it fails.
    Guarded,
}

/// Something that happens while a file runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event<'a> {
    /// A statement that may run binds a name of the module.
    Bound(&'a str),
    /// A name is certainly gone.
    Gone(&'a str),
    /// An import statement. Of the names that it binds the next events tell.
    Import(&'a Stmt, Standing),
}

/// What happens while a file runs. What is for type checkers, or for the file as a program, does not.
pub(super) fn events(source: &PythonSource) -> Vec<Event<'_>> {
    let mut events = Events {
        standing: Standing::Always,
        is_tried: false,
        is_inside: false,
        bound: BTreeSet::new(),
        found: Vec::new(),
    };
    events.visit_body(source.body());
    events.found
}

/// Whether a file is run as a program, too: it then finds its neighbours by their bare names.
pub(super) fn is_program(source: &PythonSource) -> bool {
    source.body().iter().any(|statement| matches!(statement, Stmt::If(branch) if is_main(&branch.test)))
}

/// Whether the body of a branch never runs where the package is imported: it is for type checkers, or for the file as a
/// program.
fn never_runs(branch: &StmtIf) -> bool {
    match &*branch.test {
        Expr::Name(name) => name.id.as_str() == "TYPE_CHECKING",
        Expr::Attribute(attribute) => attribute.attr.as_str() == "TYPE_CHECKING",
        test => is_main(test),
    }
}

fn is_main(test: &Expr) -> bool {
    let is_name =
        |side: &Expr| matches!(side, Expr::StringLiteral(text) if text.value.to_str() == "__main__");
    test.as_compare_expr().is_some_and(|comparison| {
        matches!(&*comparison.ops, [CmpOp::Eq])
            && (is_name(&comparison.left) || comparison.comparators.iter().any(is_name))
    })
}

/// Whether an import that fails in the body of an attempt is caught.
fn catches(attempt: &StmtTry) -> bool {
    const CATCHING: &[&str] = &["BaseException", "Exception", "ImportError", "ModuleNotFoundError"];
    fn is_caught(kind: &Expr) -> bool {
        match kind {
            Expr::Name(name) => CATCHING.contains(&name.id.as_str()),
            Expr::Attribute(attribute) => CATCHING.contains(&attribute.attr.as_str()),
            Expr::Tuple(kinds) => kinds.elts.iter().any(is_caught),
            // Only running the file could tell.
            _ => true,
        }
    }
    attempt
        .handlers
        .iter()
        .any(|ExceptHandler::ExceptHandler(handler)| handler.type_.as_deref().is_none_or(is_caught))
}

struct Events<'a> {
    standing: Standing,
    /// Whether the statement may be left by an exception that is caught.
    is_tried: bool,
    /// Whether names are those of a function or a class.
    is_inside: bool,
    /// The names that the module may have so far.
    bound: BTreeSet<&'a str>,
    found: Vec<Event<'a>>,
}

impl<'a> Events<'a> {
    fn within(&mut self, standing: Standing, visit: impl FnOnce(&mut Self)) {
        let outer = self.standing;
        self.standing = outer.max(standing);
        visit(self);
        self.standing = outer;
    }

    fn inside(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_inside, true);
        visit(self);
        self.is_inside = outer;
    }

    fn bind(&mut self, name: &'a str) {
        if !self.is_inside {
            self.bound.insert(name);
            self.found.push(Event::Bound(name));
        }
    }

    fn unbind(&mut self, name: &'a str) {
        if !self.is_inside {
            self.bound.remove(name);
            self.found.push(Event::Gone(name));
        }
    }

    fn delete(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => self.unbind(name.id.as_str()),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.delete(target)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.delete(target)),
            _ => {}
        }
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
        self.visit_parameters(&function.parameters);
        function.returns.iter().for_each(|returns| self.visit_annotation(returns));
        self.bind(function.name.as_str());
        self.within(Standing::InFunction, |events| {
            events.inside(|events| events.visit_body(&function.body));
        });
    }
}

impl<'a> Visitor<'a> for Events<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                self.found.push(Event::Import(statement, self.standing));
                let names = imported(statement).into_iter().map(|(name, _)| name);
                names.filter(|name| *name != "*").for_each(|name| self.bind(name));
            }
            Stmt::If(branch) => {
                self.visit_expr(&branch.test);
                self.within(Standing::InBranch, |events| {
                    if !never_runs(branch) {
                        events.visit_body(&branch.body);
                    }
                    branch.elif_else_clauses.iter().for_each(|clause| events.visit_elif_else_clause(clause));
                });
            }
            Stmt::Match(_) | Stmt::For(_) | Stmt::While(_) => {
                self.within(Standing::InBranch, |events| walk_stmt(events, statement));
            }
            Stmt::Try(attempt) if catches(attempt) => {
                self.within(Standing::Guarded, |events| {
                    events.visit_body(&attempt.body);
                    attempt.handlers.iter().for_each(|handler| events.visit_except_handler(handler));
                });
                self.within(Standing::InBranch, |events| events.visit_body(&attempt.orelse));
                self.visit_body(&attempt.finalbody);
            }
            Stmt::Try(attempt) => {
                let outer = self.is_tried;
                self.is_tried |= !attempt.handlers.is_empty();
                self.visit_body(&attempt.body);
                self.is_tried = outer;
                self.within(Standing::InBranch, |events| {
                    attempt.handlers.iter().for_each(|handler| events.visit_except_handler(handler));
                });
                self.visit_body(&attempt.orelse);
                self.visit_body(&attempt.finalbody);
            }
            // `contextlib.suppress(ImportError)` and its like.
            Stmt::With(_) => self.within(Standing::Guarded, |events| walk_stmt(events, statement)),
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => {
                class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                class.arguments.iter().for_each(|arguments| self.visit_arguments(arguments));
                self.inside(|events| events.visit_body(&class.body));
                self.bind(class.name.as_str());
            }
            // Without a value nothing is bound.
            Stmt::AnnAssign(assign) if assign.value.is_none() => {}
            Stmt::Delete(deletion) if self.standing == Standing::Always && !self.is_tried => {
                deletion.targets.iter().for_each(|target| self.delete(target));
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx == ExprContext::Store => self.bind(name.id.as_str()),
            Expr::Lambda(lambda) => {
                lambda.parameters.iter().for_each(|parameters| self.visit_parameters(parameters));
            }
            _ => walk_expr(self, expression),
        }
    }

    // Its variables are its own.
    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.visit_expr(&comprehension.iter);
        comprehension.ifs.iter().for_each(|condition| self.visit_expr(condition));
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(handler) = handler;
        handler.type_.iter().for_each(|kind| self.visit_expr(kind));
        let name = handler.name.as_ref().map(ruff_python_ast::Identifier::as_str);
        let was_bound = name.is_some_and(|name| self.bound.contains(name));
        if let Some(name) = name {
            self.bind(name);
        }
        self.visit_body(&handler.body);
        // Python takes it away at the end; what was there before stays where nothing is caught.
        if let Some(name) = name.filter(|_| !was_bound) {
            self.unbind(name);
        }
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Some(name) = captured(pattern) {
            self.bind(name.as_str());
        }
        walk_pattern(self, pattern);
    }
}
