//! The modules of a package together, so that a name can be followed from the file that imports it to the one that
//! defines it.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, Stmt, StmtImportFrom};

use super::PythonSource;
use super::exports::Exports;
use super::scopes::{MODULE, ScopeId, Scopes};
use super::standing::{Event, Standing, events};
use super::visible::Visible;

/// The module that the build generates.
pub(super) const GENERATED: &str = "_ops";

/// The public names of the generated module, of every framework.
pub(super) const GENERATED_NAMES: &[&str] = &[
    "COMMIT",
    "DIRTY",
    "add_op_namespace_prefix",
    "backend",
    "get_backend",
    "has_jax",
    "has_torch",
    "jax_add_ffi_target_name_prefix",
    "jax_ffi_call",
    "jax_register_ffi_target",
    "ops",
    "torch_add_op_namespace_prefix",
];

/// A file of a package.
pub(super) struct Module<'a> {
    pub(super) source: &'a PythonSource,
    pub(super) scopes: Scopes<'a>,
    /// What happens while it is imported.
    pub(super) events: Vec<Event<'a>>,
    /// Its name in the package, which is empty for that of the package itself.
    pub(super) name: String,
    pub(super) is_package: bool,
}

impl<'a> Module<'a> {
    /// Every import statement that runs where the package is imported, in the order of the file.
    pub(super) fn imports(&self) -> impl Iterator<Item = (&'a Stmt, Standing)> {
        self.events.iter().filter_map(|event| match event {
            Event::Import(statement, standing) => Some((*statement, *standing)),
            _ => None,
        })
    }
}

/// A place in which a name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) module: usize,
    pub(super) scope: ScopeId,
}

/// The modules of a package.
pub(super) struct Package<'a> {
    pub(super) name: &'a str,
    pub(super) modules: Vec<Module<'a>>,
    by_name: BTreeMap<String, usize>,
    /// The modules that bind a name themselves.
    bound_by: BTreeMap<&'a str, Vec<usize>>,
    /// What each module imports everything of.
    stars: Vec<Stars>,
    /// How many steps may still be made to follow names, in answer to all questions together.
    steps: Cell<u32>,
    /// The paths that were found already, by their expressions.
    paths: RefCell<BTreeMap<(*const Expr, At), BTreeSet<String>>>,
    pub(super) lists: RefCell<BTreeMap<usize, Exports>>,
    visible: OnceCell<Visible<'a>>,
}

/// What a module imports everything of.
#[derive(Default)]
pub(super) struct Stars {
    /// Modules of the package, but for the generated one.
    pub(super) modules: BTreeSet<usize>,
    /// The paths of everything else.
    pub(super) others: BTreeSet<String>,
}

/// How many imports of imports are followed; an end for those that run in a circle.
const STEPS: usize = 8;

/// How many expressions are looked at for one package before its questions get short answers: about a second's work.
const LONG_STEPS: u32 = 500_000;

/// How many more there are for short answers.
const SHORT_STEPS: u32 = 4_000_000;

/// How many expressions are looked at for a short answer: enough for what is written where it is asked about.
const SHORT: u32 = 60;

impl<'a> Package<'a> {
    /// The package of this name, by the paths of its files in it, such as `layers/__init__.py`.
    pub(super) fn new(name: &'a str, files: &'a BTreeMap<String, PythonSource>) -> Self {
        let module = |(path, source): (&String, &'a PythonSource)| {
            let path = path.strip_suffix(".py").unwrap_or(path);
            let inside = path.strip_suffix("__init__").map(|path| path.trim_end_matches('/'));
            let name = inside.unwrap_or(path).replace('/', ".");
            Module {
                source,
                scopes: Scopes::of(source),
                events: events(source),
                name,
                is_package: inside.is_some(),
            }
        };
        let modules: Vec<Module<'a>> = files.iter().map(module).collect();
        let by_name = modules.iter().enumerate().map(|(at, module)| (module.name.clone(), at)).collect();
        let mut bound_by: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, module) in modules.iter().enumerate() {
            let names: BTreeSet<&str> = module.scopes.module_names().collect();
            for name in names {
                bound_by.entry(name).or_default().push(at);
            }
        }
        let mut package = Self {
            name,
            modules,
            by_name,
            bound_by,
            stars: Vec::new(),
            steps: Cell::new(LONG_STEPS + SHORT_STEPS),
            paths: RefCell::default(),
            lists: RefCell::default(),
            visible: OnceCell::new(),
        };
        package.stars = (0..package.modules.len()).map(|at| package.stars_of(at)).collect();
        package
    }

    fn stars_of(&self, at: usize) -> Stars {
        let mut stars = Stars::default();
        for star in &self.modules[at].scopes.stars {
            let path = self.canonical(at, star);
            match self.split(&path) {
                Some((module, rest)) if rest.is_empty() && !is_generated(&path) => {
                    stars.modules.insert(module);
                }
                _ => {
                    stars.others.insert(path);
                }
            }
        }
        stars
    }

    /// What a module imports everything of.
    pub(super) fn stars(&self, at: usize) -> &Stars {
        &self.stars[at]
    }

    /// The modules that bind a name themselves.
    pub(super) fn bound_by(&self, name: &str) -> &[usize] {
        self.bound_by.get(name).map_or(&[], Vec::as_slice)
    }

    /// The names that the modules have.
    pub(super) fn visible(&self) -> &Visible<'a> {
        self.visible.get_or_init(|| Visible::of(self))
    }

    /// How many expressions may be looked at for one more question, of at most so many.
    pub(super) fn allowance(&self, most: u32) -> u32 {
        match self.steps.get() {
            0 => 0,
            _ if self.is_exhausted() => SHORT.min(most),
            _ => most,
        }
    }

    /// Takes one of the steps that may be made for the whole package.
    pub(super) fn step(&self) {
        self.steps.set(self.steps.get().saturating_sub(1));
    }

    /// Whether there was more to follow than may be.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() <= SHORT_STEPS
    }

    /// The paths of an expression, which are looked for once.
    pub(super) fn remembered(
        &self,
        expression: &'a Expr,
        at: At,
        find: impl FnOnce() -> BTreeSet<String>,
    ) -> BTreeSet<String> {
        let key = (std::ptr::from_ref(expression), at);
        if let Some(known) = self.paths.borrow().get(&key) {
            return known.clone();
        }
        let found = find();
        self.paths.borrow_mut().insert(key, found.clone());
        found
    }

    /// A path as one from the package's root, which begins with one dot, after every import of an import was followed.
    /// A path that leads out of the package stays as it is.
    pub(super) fn canonical(&self, module: usize, path: &str) -> String {
        self.followed(self.rooted(module, path))
    }

    /// The same of a path from the root.
    pub(super) fn followed(&self, mut path: String) -> String {
        for _ in 0..STEPS {
            let Some((module, names)) = self.split(&path) else { break };
            let [name, rest @ ..] = names.as_slice() else { break };
            let meaning = self.modules[module].scopes.own_meaning(MODULE, name);
            let Some(import) = meaning.and_then(|meaning| meaning.imports.last()) else { break };
            let whole = [&[import.as_str()], rest].concat().join(".");
            path = self.rooted(module, &whole);
        }
        // The module that `torch.ops` comes from.
        match path.strip_prefix("torch._ops.ops") {
            Some(rest) if rest.is_empty() || rest.starts_with('.') => format!("torch.ops{rest}"),
            _ => path,
        }
    }

    /// A path in a module as one from the package's root, or as it is where it leads out of the package.
    pub(super) fn rooted(&self, module: usize, path: &str) -> String {
        let dots = path.len() - path.trim_start_matches('.').len();
        if dots == 0 {
            return match path.strip_prefix(self.name) {
                Some("") if !self.name.is_empty() => ".".to_owned(),
                Some(rest) if !self.name.is_empty() && rest.starts_with('.') => rest.to_owned(),
                _ => path.to_owned(),
            };
        }
        let module = &self.modules[module];
        let mut parents: Vec<&str> = module.name.split('.').filter(|part| !part.is_empty()).collect();
        let up = if module.is_package { dots - 1 } else { dots };
        if up > parents.len() {
            return path.to_owned();
        }
        parents.truncate(parents.len() - up);
        parents.extend(path[dots..].split('.').filter(|part| !part.is_empty()));
        format!(".{}", parents.join("."))
    }

    /// The module that a relative import in a module names, from the package's root and without a leading dot; `None` where
    /// it leads out of the package.
    pub(super) fn relative(&self, module: usize, level: usize, name: &str) -> Option<String> {
        let path = self.rooted(module, &format!("{}{name}", ".".repeat(level)));
        path.strip_prefix('.').filter(|path| !path.starts_with('.')).map(str::to_owned)
    }

    /// The modules of the package that a relative import runs, with those they are in, and then those of which it takes
    /// the whole. The package's own is not among them: it runs before all others.
    pub(super) fn imported(&self, module: usize, import: &StmtImportFrom) -> Vec<usize> {
        let name = import.module.as_ref().map_or("", |name| name.as_str());
        let level = import.level as usize;
        let Some(target) = (level > 0).then(|| self.relative(module, level, name)).flatten() else {
            return Vec::new();
        };
        let ends = target.match_indices('.').map(|(at, _)| at).chain([target.len()]);
        let around = ends.map(|end| target[..end].to_owned()).filter(|name| !name.is_empty());
        let parts = import.names.iter().map(|alias| inside(&target, alias.name.as_str()));
        let mut modules: Vec<usize> = around.chain(parts).filter_map(|name| self.place(&name)).collect();
        modules.dedup();
        modules
    }

    /// The modules that come to be imported where the first ones are, by imports of these standings.
    pub(super) fn reached(
        &self,
        first: impl IntoIterator<Item = usize>,
        follows: impl Fn(Standing) -> bool,
    ) -> BTreeSet<usize> {
        let mut next: Vec<usize> = first.into_iter().collect();
        let mut reached: BTreeSet<usize> = next.iter().copied().collect();
        while let Some(at) = next.pop() {
            for (statement, standing) in self.modules[at].imports() {
                let Stmt::ImportFrom(import) = statement else { continue };
                let imported = if follows(standing) { self.imported(at, import) } else { Vec::new() };
                next.extend(imported.into_iter().filter(|module| reached.insert(*module)));
            }
        }
        reached
    }

    /// Whether a name is that of the library of a build of the kernel.
    pub(super) fn is_id(&self, name: &str) -> bool {
        !self.name.is_empty() && name.starts_with(&format!("_{}_", self.name))
    }

    /// The place of a module in `modules`, by its name from the root.
    pub(super) fn place(&self, module: &str) -> Option<usize> {
        self.by_name.get(module).copied()
    }

    /// A path from the root as the longest module of it and the names in that.
    pub(super) fn split<'p>(&self, path: &'p str) -> Option<(usize, Vec<&'p str>)> {
        let parts: Vec<&str> = path.strip_prefix('.')?.split('.').filter(|part| !part.is_empty()).collect();
        (0..=parts.len()).rev().find_map(|length| {
            let module = self.by_name.get(&parts[..length].join("."))?;
            Some((*module, parts[length..].to_vec()))
        })
    }
}

/// The name of a module in another, from the root.
pub(super) fn inside(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") }
}

/// Whether a path from the root is of the generated module.
pub(super) fn is_generated(path: &str) -> bool {
    path.strip_prefix('.').is_some_and(|path| path.split('.').next() == Some(GENERATED))
}
