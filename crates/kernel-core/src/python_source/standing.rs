//! The import statements of a file, and how sure it is that each of them runs: one that fails in a `try` is what its
//! handler is for, and one in a branch may be for another machine.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, Stmt, StmtIf, StmtTry};

use super::PythonSource;

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

/// Every import statement that runs where the package is imported, in the order of the file.
pub(super) fn imports(source: &PythonSource) -> Vec<(&Stmt, Standing)> {
    let mut imports = Imports { standing: Standing::Always, found: Vec::new() };
    imports.visit_body(source.body());
    imports.found
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
    test.as_compare_expr()
        .is_some_and(|comparison| is_name(&comparison.left) || comparison.comparators.iter().any(is_name))
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

struct Imports<'a> {
    standing: Standing,
    found: Vec<(&'a Stmt, Standing)>,
}

impl Imports<'_> {
    fn within(&mut self, standing: Standing, visit: impl FnOnce(&mut Self)) {
        let outer = self.standing;
        self.standing = outer.max(standing);
        visit(self);
        self.standing = outer;
    }
}

impl<'a> Visitor<'a> for Imports<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.found.push((statement, self.standing)),
            Stmt::If(branch) => self.within(Standing::InBranch, |imports| {
                if !never_runs(branch) {
                    imports.visit_body(&branch.body);
                }
                branch.elif_else_clauses.iter().for_each(|clause| imports.visit_elif_else_clause(clause));
            }),
            Stmt::Match(_) | Stmt::For(_) | Stmt::While(_) => {
                self.within(Standing::InBranch, |imports| walk_stmt(imports, statement));
            }
            Stmt::Try(attempt) if catches(attempt) => {
                self.within(Standing::Guarded, |imports| {
                    imports.visit_body(&attempt.body);
                    attempt.handlers.iter().for_each(|handler| imports.visit_except_handler(handler));
                });
                self.within(Standing::InBranch, |imports| imports.visit_body(&attempt.orelse));
                self.visit_body(&attempt.finalbody);
            }
            Stmt::Try(attempt) => {
                self.visit_body(&attempt.body);
                self.within(Standing::InBranch, |imports| {
                    attempt.handlers.iter().for_each(|handler| imports.visit_except_handler(handler));
                });
                self.visit_body(&attempt.orelse);
                self.visit_body(&attempt.finalbody);
            }
            // `contextlib.suppress(ImportError)` and its like.
            Stmt::With(_) => self.within(Standing::Guarded, |imports| walk_stmt(imports, statement)),
            Stmt::FunctionDef(_) => {
                self.within(Standing::InFunction, |imports| walk_stmt(imports, statement));
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}
