//! The names that each module of a package has after it was imported: its own, and those that it takes over from others by
//! `from … import *`. All modules are asked about together, because such imports may go in circles.

use std::collections::{BTreeMap, BTreeSet};

use super::listed::{STEPS, exports_of};
use super::package::{At, Module, Package};
use super::scopes::MODULE;
use super::standing::Event;
use super::value::Evaluator;

/// By which functions a module gets names that are nowhere in it.
const HIDDEN: &[&str] =
    &["builtins.exec", "builtins.globals", "builtins.locals", "builtins.vars", "builtins.setattr"];

/// The names of all modules.
pub(super) struct Visible<'a> {
    /// By module; `None` where only running it could tell.
    names: Vec<Option<BTreeSet<&'a str>>>,
    /// The names that each module binds and takes away again.
    gone: Vec<BTreeSet<&'a str>>,
}

impl<'a> Visible<'a> {
    pub(super) fn of(package: &Package<'a>) -> Self {
        let count = package.modules.len();
        // Which modules import everything of each.
        let mut importers: Vec<Vec<usize>> = vec![Vec::new(); count];
        for at in 0..count {
            package.stars(at).modules.iter().for_each(|other| importers[*other].push(at));
        }
        let unclear = (0..count).filter(|at| is_unclear(package, *at)).collect();
        let unclear = reached(unclear, &importers, |_| true);
        let mut own: BTreeMap<&'a str, BTreeSet<usize>> = BTreeMap::new();
        let mut gone = Vec::new();
        for (at, module) in package.modules.iter().enumerate() {
            let (kept, lost) = own_names(module);
            // Who is imported in between gets them all the same.
            let inner = if lost.is_empty() { BTreeSet::new() } else { package.reached([at], |_| true) };
            let between = importers[at].iter().copied().filter(|importer| inner.contains(importer));
            for name in &lost {
                own.entry(*name).or_default().extend(between.clone());
            }
            for name in kept {
                own.entry(name).or_default().extend([at]);
            }
            gone.push(lost);
        }
        let listed: Vec<Option<BTreeSet<String>>> = (0..count)
            .map(|at| exports_of(package, at, STEPS).names.map(|names| names.into_iter().collect()))
            .collect();
        let mut names = vec![BTreeSet::new(); count];
        for (name, binding) in own {
            let hands_on = |at: usize| match &listed[at] {
                Some(listed) => listed.contains(name),
                None => !name.starts_with('_'),
            };
            let having = reached(binding.into_iter().collect(), &importers, hands_on);
            having.into_iter().enumerate().filter(|(_, has)| *has).for_each(|(at, _)| {
                names[at].insert(name);
            });
        }
        let names = names.into_iter().zip(unclear).map(|(names, is_unclear)| (!is_unclear).then_some(names));
        Self { names: names.collect(), gone }
    }

    /// Whether a module binds a name and takes it away again.
    pub(super) fn had(&self, at: usize, name: &str) -> bool {
        self.gone[at].contains(name)
    }

    /// The names of a module; `None` where only running it could tell.
    pub(super) fn names(&self, at: usize) -> Option<&BTreeSet<&'a str>> {
        self.names[at].as_ref()
    }
}

/// The names that a module has in the end, and those that it had before.
fn own_names<'a>(module: &Module<'a>) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
    let mut kept = BTreeSet::new();
    let mut gone = BTreeSet::new();
    for event in &module.events {
        match event {
            Event::Bound(name) => {
                kept.insert(*name);
            }
            Event::Gone(name) => {
                kept.remove(name);
                gone.insert(*name);
            }
            Event::Import(..) => {}
        }
    }
    // When a function binds its names, nobody can say.
    kept.extend(module.scopes.globals());
    gone.retain(|name| !kept.contains(name));
    (kept, gone)
}

/// Whether each module is among the first ones, or gets what they have from one that hands it on.
fn reached(mut first: Vec<usize>, importers: &[Vec<usize>], hands_on: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut seen = vec![false; importers.len()];
    for at in &first {
        seen[*at] = true;
    }
    while let Some(at) = first.pop() {
        let new: &[usize] = if hands_on(at) { &importers[at] } else { &[] };
        for importer in new {
            if !std::mem::replace(&mut seen[*importer], true) {
                first.push(*importer);
            }
        }
    }
    seen
}

/// Whether a module may have names of which nothing in it tells.
fn is_unclear(package: &Package<'_>, at: usize) -> bool {
    let module = &package.modules[at];
    let place = At { module: at, scope: MODULE };
    let is_hidden = module.scopes.calls.iter().any(|(call, _)| {
        let function = call.as_call_expr().map(|call| &*call.func);
        let paths = function.map(|function| Evaluator::new(package).paths(function, place));
        paths.is_some_and(|paths| HIDDEN.iter().any(|path| paths.contains(*path)))
    });
    // Another object may stand in the module's place, or somebody may write into its names.
    let is_replaced = || {
        module.scopes.chains.iter().any(|(chain, _)| {
            let written = module.source.slice(chain);
            written.ends_with("sys.modules")
                || written.ends_with(".__dict__")
                || written.contains(".__dict__.")
        })
    };
    module.scopes.own_meaning(MODULE, "__getattr__").is_some()
        || !package.stars(at).others.is_empty()
        || is_hidden
        || is_replaced()
        // Then a function may be one of those without being known as it.
        || package.is_exhausted()
}
