//! The loader imports a kernel under its id, so a package that imports itself by its own name finds nothing, or worse,
//! another installed version of itself.

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use ruff_python_ast::Stmt;
use ruff_python_ast::visitor::{Visitor, walk_stmt};

use super::PythonSource;

/// One finding for each absolute import of the package itself.
pub(super) fn of_itself(source: &PythonSource, package: &str) -> Vec<Finding> {
    let mut imports = Imports { package, found: Vec::new() };
    imports.visit_body(source.body());
    imports.found.into_iter().map(|(statement, name)| finding(source, statement, &name)).collect()
}

fn finding(source: &PythonSource, statement: &Stmt, name: &str) -> Finding {
    Finding::error(&python::SELF_IMPORT, format!("the package imports itself by its own name, as `{name}`"))
        .cause("the loader imports the package under the kernel's id, not under this name")
        .help("make the import relative, for example `from . import layers`")
        .at(source.span(statement))
        .about(Subject { file: Some(source.path().to_owned()), ..Subject::default() })
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

impl<'a> Visitor<'a> for Imports<'a, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
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
