//! Imports that go in a circle and ask a module for what it does not have yet: what is imported first is known, so such an
//! import fails whenever the package is loaded.

use std::collections::BTreeSet;

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use kernel_spec::suggest::listed;
use ruff_python_ast::{Alias, Expr, Stmt, StmtImportFrom};
use ruff_text_size::Ranged;

use super::package::{GENERATED, Package, inside};
use super::standing::{Event, Standing};

/// How many modules may be imported from within each other; Python's own limit on calls ends it not much later.
const DEEPEST: usize = 150;

/// The first import that asks too early, where there is one; those behind it do not run.
pub(super) fn too_early(package: &Package<'_>, paths: &BTreeSet<String>) -> Option<Finding> {
    let root = package.place("")?;
    // Who imports by a call may do so in any order.
    let by_call = package.modules.iter().any(|module| {
        module.scopes.calls.iter().filter_map(|(call, _)| call.as_call_expr()).any(|call| match &*call.func {
            Expr::Name(name) => ["import_module", "__import__"].contains(&name.id.as_str()),
            Expr::Attribute(name) => ["import_module", "__import__"].contains(&name.attr.as_str()),
            _ => false,
        })
    });
    if by_call {
        return None;
    }
    let count = package.modules.len();
    let mut unsure = BTreeSet::new();
    for (at, module) in package.modules.iter().enumerate() {
        for (statement, standing) in module.imports() {
            if let (Stmt::ImportFrom(import), true) = (statement, standing != Standing::Always) {
                unsure.extend(package.imported(at, import));
            }
        }
    }
    let unsure = package.reached(unsure, |_| true);
    let mut run = Run {
        package,
        paths,
        unsure,
        states: vec![State::New; count],
        bound: vec![BTreeSet::new(); count],
        running: Vec::new(),
        found: None,
        is_lost: false,
    };
    run.start(root);
    run.found.filter(|_| !run.is_lost)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Running,
    Done,
}

/// The import of the package, as far as it certainly happens.
struct Run<'p, 'a> {
    package: &'p Package<'a>,
    paths: &'p BTreeSet<String>,
    /// Modules that may be imported at another time than it seems.
    unsure: BTreeSet<usize>,
    states: Vec<State>,
    /// The names that each module may have by now.
    bound: Vec<BTreeSet<&'a str>>,
    running: Vec<usize>,
    found: Option<Finding>,
    /// Whether there is too much to follow.
    is_lost: bool,
}

impl<'a> Run<'_, 'a> {
    fn start(&mut self, at: usize) {
        if self.states[at] != State::New || self.found.is_some() {
            return;
        }
        if self.running.len() >= DEEPEST {
            self.is_lost = true;
            return;
        }
        self.states[at] = State::Running;
        self.running.push(at);
        let package = self.package;
        self.bound[at].extend(package.modules[at].scopes.globals());
        for event in &package.modules[at].events {
            match event {
                Event::Bound(name) => {
                    self.bound[at].insert(*name);
                }
                Event::Gone(name) => {
                    self.bound[at].remove(name);
                }
                Event::Import(Stmt::ImportFrom(import), Standing::Always) => self.import(at, import),
                Event::Import(..) => {}
            }
            if self.found.is_some() || self.is_lost {
                return;
            }
        }
        self.running.pop();
        self.states[at] = State::Done;
    }

    fn import(&mut self, at: usize, import: &'a StmtImportFrom) {
        let name = import.module.as_ref().map_or("", |name| name.as_str());
        let level = import.level as usize;
        let target = (level > 0).then(|| self.package.relative(at, level, name)).flatten();
        let Some(target) = target else { return };
        let parts: Vec<usize> = import
            .names
            .iter()
            .filter_map(|alias| self.package.place(&inside(&target, alias.name.as_str())))
            .collect();
        // First those around it, then itself; what it holds only where it does not bind the name.
        for module in self.package.imported(at, import) {
            if !parts.contains(&module) || self.package.modules[module].name == target {
                self.start(module);
            }
        }
        let Some(module) = self.package.place(&target) else { return };
        for alias in &import.names {
            let name = alias.name.as_str();
            if name == "*" {
                // Also what it has for a while only.
                let now = self.bound[module].clone();
                let theirs = self.package.visible().names(module);
                self.bound[at].extend(theirs.into_iter().flatten().copied().chain(now));
            } else if !self.bound[module].contains(name) {
                if let Some(part) = self.package.place(&inside(&target, name)) {
                    self.start(part);
                } else if self.states[module] == State::Running && self.found.is_none() {
                    self.missing(at, module, alias);
                }
            }
        }
    }

    /// A name that a module does not have yet, though it has it in the end; what it never has is told elsewhere.
    fn missing(&mut self, at: usize, module: usize, alias: &Alias) {
        let (package, name) = (self.package, alias.name.as_str());
        let is_bound_later = package.visible().names(module).is_some_and(|names| names.contains(name));
        let is_unsure = self.unsure.contains(&at) || self.unsure.contains(&module);
        let path = inside(&package.modules[module].name, name).replace('.', "/");
        let is_file = self
            .paths
            .iter()
            .any(|other| other.strip_prefix(&path).is_some_and(|rest| rest.starts_with(['.', '/'])));
        let is_given = package.modules.iter().any(|module| !module.scopes.attribute(name).is_empty());
        // The build puts these there.
        let is_built = name == GENERATED || package.is_id(name);
        if !is_bound_later || is_unsure || is_file || is_given || is_built {
            return;
        }
        let shown = |at: usize| package.modules[at].source.path();
        let circle = self.running.iter().skip_while(|running| **running != module).map(|at| shown(*at));
        let message = if at == module {
            format!("`{}` imports `{name}` from itself before it has it", shown(at))
        } else {
            format!("`{}` has no `{name}` yet when `{}` imports it", shown(module), shown(at))
        };
        let finding = Finding::error(&python::NOT_THERE, message)
            .cause(format!(
                "each of these files imports the next, and the last the first: {}",
                listed(circle)
            ))
            .help("import it in the function that uses it, or move it to a file that imports none of them");
        let about = Subject { file: Some(shown(at).to_owned()), ..Subject::default() };
        self.found = Some(finding.at(package.modules[at].source.span(&alias.range())).about(about));
    }
}
