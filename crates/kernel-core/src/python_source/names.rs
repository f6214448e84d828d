//! What the names in a file stand for: imports under any alias, and the values assigned to variables. One flat table
//! for the whole file; a name with several meanings keeps them all, and whoever asks must accept every one.

use std::collections::BTreeMap;

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};

use super::PythonSource;

/// The meanings of the names of one file.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    imports: BTreeMap<&'a str, String>,
    values: BTreeMap<&'a str, Vec<&'a Expr>>,
}

/// How many assignments are followed from name to name; enough for real code, and an end for `a = b; b = a`.
const DEPTH: usize = 8;

impl<'a> Names<'a> {
    pub(super) fn of(source: &'a PythonSource) -> Self {
        let mut names = Self::default();
        names.visit_body(source.body());
        names
    }

    /// The dotted path an expression names, such as `torch.library.custom_op`; a relative import begins with its dots.
    pub(super) fn path(&self, expression: &Expr) -> Option<String> {
        self.path_within(expression, DEPTH)
    }

    fn path_within(&self, expression: &Expr, depth: usize) -> Option<String> {
        match expression {
            Expr::Attribute(attribute) => {
                Some(format!("{}.{}", self.path_within(&attribute.value, depth)?, attribute.attr.as_str()))
            }
            Expr::Name(name) => match self.imports.get(name.id.as_str()) {
                Some(path) => Some(path.clone()),
                None if depth > 0 => {
                    self.values(name.id.as_str()).iter().find_map(|value| self.path_within(value, depth - 1))
                }
                None => None,
            },
            _ => None,
        }
    }

    /// Everything that is assigned to a variable anywhere in the file.
    pub(super) fn values(&self, name: &str) -> &[&'a Expr] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    fn assign(&mut self, target: &'a Expr, value: &'a Expr) {
        if let Expr::Name(name) = target {
            self.values.entry(name.id.as_str()).or_default().push(value);
        }
    }
}

/// The names that an import binds, with what they stand for; of `from a import *` the name is `*`.
pub(super) fn imported(statement: &Stmt) -> Vec<(&str, String)> {
    match statement {
        Stmt::Import(import) => {
            let bound = import.names.iter().map(|alias| {
                // `import a.b` binds `a`; `import a.b as c` binds `c` to `a.b`.
                let full = alias.name.as_str();
                let first = full.split('.').next().unwrap_or(full);
                let (name, path) = alias.asname.as_ref().map_or((first, first), |name| (name.as_str(), full));
                (name, path.to_owned())
            });
            bound.collect()
        }
        Stmt::ImportFrom(import) => {
            let dots = ".".repeat(import.level as usize);
            let module = import.module.as_ref().map_or("", |module| module.as_str());
            let separator = if module.is_empty() { "" } else { "." };
            let bound = import.names.iter().map(|alias| {
                let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                (name, format!("{dots}{module}{separator}{}", alias.name.as_str()))
            });
            bound.collect()
        }
        _ => Vec::new(),
    }
}

impl<'a> Visitor<'a> for Names<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.imports.extend(imported(statement)),
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.assign(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.assign(&assign.target, value);
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }
}
