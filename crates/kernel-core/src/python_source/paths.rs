//! Which dotted path an expression names, through imports, variables, `getattr` and tables of modules.

use std::collections::BTreeSet;

use ruff_python_ast::{Expr, ExprCall};

use super::package::{At, GENERATED, GENERATED_NAMES, is_generated};
use super::scopes::{Binding, MODULE, sequence};
use super::text::whole;
use super::value::{DEPTH, Evaluator, Given};

/// The functions of the generated module that add the kernel's namespace.
pub(super) const PREFIXING: &[&str] = &["add_op_namespace_prefix", "torch_add_op_namespace_prefix"];

impl<'a> Evaluator<'_, 'a> {
    /// Every path that an expression may name, such as `torch.library.custom_op`; what belongs to the package begins with
    /// a dot, and a built-in name with `builtins.`.
    pub(super) fn paths(&self, expression: &'a Expr, at: At) -> BTreeSet<String> {
        self.package
            .remembered(expression, at, || Self::new(self.package).paths_within(expression, at, DEPTH))
    }

    pub(super) fn star_paths(&self, name: &str, at: At) -> BTreeSet<String> {
        let stars = self.package.stars(at.module);
        let binding = self.package.bound_by(name).iter().filter(|module| stars.modules.contains(module));
        let binding = binding.map(|module| format!(".{}", self.package.modules[*module].name));
        let mut paths = BTreeSet::new();
        for star in binding.chain(stars.others.iter().cloned()) {
            let path = self.package.followed(dotted(&star, name));
            let is_there = match self.package.split(&path) {
                _ if is_generated(&path) => PREFIXING.contains(&name) || name == "ops",
                Some((other, names)) => names.first().is_some_and(|name| {
                    self.package.modules[other].scopes.own_meaning(MODULE, name).is_some()
                }),
                None => path == format!("torch.library.{name}"),
            };
            if is_there {
                paths.insert(path);
            }
        }
        paths
    }

    pub(super) fn paths_within(&self, expression: &'a Expr, at: At, depth: usize) -> BTreeSet<String> {
        if !self.may_go_on(depth) {
            return BTreeSet::new();
        }
        match expression {
            Expr::Attribute(attribute) => {
                let mut paths = self.paths_of_member(&attribute.value, attribute.attr.as_str(), at, depth);
                if paths.iter().all(|path| path.starts_with('.')) {
                    paths.extend(self.assigned(attribute.attr.as_str(), at, depth));
                }
                paths
            }
            Expr::Named(named) => self.paths_within(&named.value, at, depth - 1),
            Expr::BoolOp(choice) => {
                choice.values.iter().flat_map(|value| self.paths_within(value, at, depth - 1)).collect()
            }
            Expr::Name(name) => self.paths_of(name.id.as_str(), at, depth),
            Expr::Call(call) => self.paths_of_call(call, at, depth),
            Expr::Subscript(subscript) => {
                let keys = self.texts_within(&subscript.slice, at, &Given::new(), depth - 1);
                let keys: Vec<&str> = keys.iter().filter_map(|key| whole(key)).collect();
                let table = match &*subscript.value {
                    // `vars(x)["name"]` and `x.__dict__["name"]`.
                    Expr::Call(call)
                        if self.paths_within(&call.func, at, depth - 1).contains("builtins.vars") =>
                    {
                        call.arguments.args.first()
                    }
                    Expr::Attribute(attribute) if attribute.attr.as_str() == "__dict__" => {
                        Some(&*attribute.value)
                    }
                    other @ (Expr::Name(_) | Expr::Attribute(_))
                        if self.paths_within(other, at, depth - 1).contains("sys.modules") =>
                    {
                        return keys.into_iter().map(str::to_owned).collect();
                    }
                    _ => None,
                };
                if let Some(base) = table {
                    return keys
                        .iter()
                        .flat_map(|name| self.paths_of_member(base, name, at, depth))
                        .collect();
                }
                let mut paths = BTreeSet::new();
                for (container, at) in self.containers(&subscript.value, at, depth - 1) {
                    let of_table = container.as_dict_expr().into_iter().flat_map(|table| &table.items);
                    let values = of_table.map(|item| &item.value).chain(sequence(container));
                    paths.extend(values.flat_map(|value| self.paths_within(value, at, depth - 1)));
                }
                paths
            }
            Expr::If(choice) => {
                let mut paths = self.paths_within(&choice.body, at, depth - 1);
                paths.extend(self.paths_within(&choice.orelse, at, depth - 1));
                paths
            }
            _ => BTreeSet::new(),
        }
    }

    /// What an attribute of a value may be.
    fn paths_of_member(&self, base: &'a Expr, name: &str, at: At, depth: usize) -> BTreeSet<String> {
        let bases = self.paths_within(base, at, depth - 1);
        let member = |base: &String| {
            let path = dotted(base, name);
            if base.starts_with('.') { path } else { self.package.rooted(at.module, &path) }
        };
        bases.iter().flat_map(|base| self.reached(&member(base), depth - 1)).collect()
    }

    /// A path from the root, and whatever the module of the package that it leads to has under that name.
    fn reached(&self, path: &str, depth: usize) -> BTreeSet<String> {
        let mut paths = BTreeSet::from([self.package.followed(path.to_owned())]);
        let Some((module, names)) = self.package.split(path) else { return paths };
        let [name, members @ ..] = names.as_slice() else { return paths };
        let own = &self.package.modules[module].name;
        // What the build generates has rules of its own.
        let is_ours = is_generated(path) && (own != GENERATED || GENERATED_NAMES.contains(name));
        if is_ours || !self.may_go_on(depth) {
            return paths;
        }
        let place = At { module, scope: MODULE };
        let meant = self.bound_paths(name, place, depth).unwrap_or_default();
        let Some(last) = members.last() else {
            paths.extend(meant);
            return paths;
        };
        let itself = dotted(&format!(".{own}"), name);
        for base in meant.into_iter().filter(|base| *base != itself) {
            paths.extend(self.reached(&dotted(&base, &members.join(".")), depth - 1));
        }
        paths.extend(self.assigned(last, place, depth));
        paths
    }

    /// What a call may give: by `super`, by the ways to name a module or an attribute in words, or by what a function returns.
    fn paths_of_call(&self, call: &'a ExprCall, at: At, depth: usize) -> BTreeSet<String> {
        // A method of anything gives no path, so what it is a method of need not be followed.
        let may_lead_on = match &*call.func {
            Expr::Name(_) => true,
            Expr::Attribute(function) => {
                ["import_module", "__import__", "getattr"].contains(&function.attr.as_str())
            }
            _ => false,
        };
        if !may_lead_on {
            return BTreeSet::new();
        }
        let first = call.arguments.args.first();
        let constant = |place: usize| -> BTreeSet<String> {
            let argument = call.arguments.args.get(place);
            let texts = argument.map(|argument| self.texts_within(argument, at, &Given::new(), depth - 1));
            texts.iter().flatten().filter_map(|text| whole(text).map(str::to_owned)).collect()
        };
        let functions = self.paths_within(&call.func, at, depth - 1);
        let is = |path: &str| functions.contains(path);
        if is("builtins.super") {
            let around = self.package.modules[at.module].scopes.class_around(at.scope);
            let bases =
                around.iter().flat_map(|(class, outer)| class.bases().iter().map(|base| (base, *outer)));
            return bases
                .flat_map(|(base, outer)| self.paths_within(base, At { scope: outer, ..at }, depth - 1))
                .collect();
        }
        if is("builtins.getattr") {
            let names = constant(1);
            return first.map_or_else(BTreeSet::new, |base| {
                names.iter().flat_map(|name| self.paths_of_member(base, name, at, depth)).collect()
            });
        }
        if is("importlib.import_module") {
            return constant(0);
        }
        if is("builtins.__import__") {
            let plain = call.arguments.args.len() == 1 && call.arguments.keywords.is_empty();
            let first = |path: String| path.split('.').next().map(str::to_owned).unwrap_or(path.clone());
            return constant(0).into_iter().map(|path| if plain { first(path) } else { path }).collect();
        }
        let returned = self.returned(&call.func, at, depth - 1);
        returned.into_iter().flat_map(|(value, at)| self.paths_within(value, at, depth - 1)).collect()
    }

    /// What is assigned to an attribute of this name of any object of a file.
    fn assigned(&self, name: &str, at: At, depth: usize) -> BTreeSet<String> {
        let values = self.package.modules[at.module].scopes.attribute(name).iter();
        values
            .flat_map(|(value, scope)| self.paths_within(value, At { scope: *scope, ..at }, depth - 1))
            .collect()
    }

    fn paths_of(&self, name: &str, at: At, depth: usize) -> BTreeSet<String> {
        let bound = self.bound_paths(name, at, depth);
        bound.unwrap_or_else(|| BTreeSet::from([format!("builtins.{name}")]))
    }

    /// What a name may be that the file binds, or that it may have by `from … import *`.
    fn bound_paths(&self, name: &str, at: At, depth: usize) -> Option<BTreeSet<String>> {
        let Some(meaning) = self.meaning(at, name) else {
            let starred = self.star_paths(name, at);
            let reached = starred.iter().flat_map(|path| self.reached(path, depth - 1));
            return (!starred.is_empty()).then(|| reached.collect());
        };
        let module = &self.package.modules[at.module];
        let imports = meaning.imports.iter().map(|path| self.package.rooted(at.module, path));
        let mut paths: BTreeSet<String> = imports.flat_map(|path| self.reached(&path, depth - 1)).collect();
        for binding in meaning.bindings {
            match binding {
                Binding::Value(value) => {
                    paths.extend(self.paths_within(value, At { scope: meaning.scope, ..at }, depth - 1));
                }
                Binding::Function(_) if meaning.scope == MODULE => {
                    paths.insert(dotted(&format!(".{}", module.name), name));
                }
                Binding::Element(iterable, None) => {
                    let place = At { scope: meaning.scope, ..at };
                    for (element, at) in self.elements(iterable, place, depth - 1).unwrap_or_default() {
                        paths.extend(self.paths_within(element, at, depth - 1));
                    }
                }
                // Whoever calls a class calls what it derives from, too.
                Binding::Class(class, _) => {
                    let place = At { scope: meaning.scope, ..at };
                    for base in class.bases() {
                        paths.extend(self.paths_within(base, place, depth - 1));
                    }
                    if meaning.scope == MODULE {
                        paths.insert(dotted(&format!(".{}", module.name), name));
                    }
                }
                _ => {}
            }
        }
        Some(paths)
    }
}

fn dotted(base: &str, name: &str) -> String {
    if base.ends_with('.') { format!("{base}{name}") } else { format!("{base}.{name}") }
}
