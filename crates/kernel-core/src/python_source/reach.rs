//! What a file names outside itself, by the full path of each name: whatever runs other code, opens connections or compiles
//! has to be named somewhere. A name that is put together while the program runs is not seen; the built-in functions by
//! which that is done are.

use kernel_spec::Span;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use super::PythonSource;
use super::names::Names;

/// Something that is named, such as `subprocess.run`.
#[derive(Clone, Debug)]
pub struct Use {
    /// The path; of a built-in function its bare name.
    pub path: String,
    /// Where.
    pub span: Span,
}

impl PythonSource {
    /// Everything that the file names, in its order.
    pub fn uses(&self) -> Vec<Use> {
        let names = Names::of(self);
        let mut uses = Uses { source: self, names: &names, found: Vec::new() };
        uses.visit_body(self.body());
        uses.found
    }
}

struct Uses<'a, 'n> {
    source: &'a PythonSource,
    names: &'n Names<'a>,
    found: Vec<Use>,
}

impl Uses<'_, '_> {
    fn add(&mut self, path: String, node: &impl Ranged) {
        // What belongs to the package itself begins with a dot.
        if !path.starts_with('.') {
            self.found.push(Use { path, span: self.source.span(node) });
        }
    }
}

impl<'a> Visitor<'a> for Uses<'a, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.add(alias.name.to_string(), alias);
                }
            }
            Stmt::ImportFrom(import) if import.level == 0 => {
                let module = import.module.as_ref().map(ToString::to_string).unwrap_or_default();
                for alias in &import.names {
                    self.add(format!("{module}.{}", alias.name), alias);
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match (self.names.path(expression), expression) {
            (Some(path), _) => return self.add(path, expression),
            (None, Expr::Name(name)) if self.names.values(name.id.as_str()).is_empty() => {
                self.add(name.id.to_string(), expression);
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}
