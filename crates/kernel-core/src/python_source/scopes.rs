//! What the names in a file are bound to, by scope, and every call it makes: what it takes to follow a value that is no
//! literal to where it was written. The order in which statements run is not looked at; a name that is bound twice in one
//! scope may be either.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{
    Visitor, walk_comprehension, walk_except_handler, walk_expr, walk_pattern, walk_stmt,
};
use ruff_python_ast::{
    AnyParameterRef, Comprehension, ExceptHandler, Expr, Identifier, Operator, Parameters, Pattern, Stmt,
    StmtClassDef, StmtFunctionDef,
};
use ruff_text_size::{Ranged, TextRange};

use super::PythonSource;
use super::captured::captured;
use super::names::imported;

/// A scope of a file; that of the module is the first.
pub(super) type ScopeId = usize;

/// The scope of the module.
pub(super) const MODULE: ScopeId = 0;

/// What a name is bound to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding<'a> {
    /// The value of an assignment.
    Value(&'a Expr),
    /// What `+=` puts behind what it was.
    Added(&'a Expr),
    /// An element of what a loop runs over, or so many steps into one.
    Element(&'a Expr, Option<usize>),
    /// A function.
    Function(&'a StmtFunctionDef),
    /// A class, with its scope.
    Class(&'a StmtClassDef, ScopeId),
    /// Something that only running the file could tell.
    Other,
}

#[derive(Debug, Default)]
struct Scope<'a> {
    parent: Option<ScopeId>,
    is_class: bool,
    bindings: BTreeMap<&'a str, Vec<Binding<'a>>>,
    /// Paths, relative ones with their dots.
    imports: BTreeMap<&'a str, Vec<String>>,
    globals: BTreeSet<&'a str>,
}

/// Everything a name may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaning<'s, 'a> {
    /// The scope that binds it.
    pub(super) scope: ScopeId,
    pub(super) bindings: &'s [Binding<'a>],
    pub(super) imports: &'s [String],
}

/// The scopes of a file.
#[derive(Debug, Default)]
pub(super) struct Scopes<'a> {
    all: Vec<Scope<'a>>,
    /// The scopes of the bodies of functions and lambdas.
    bodies: BTreeMap<(u32, u32), ScopeId>,
    /// The classes, by their scopes.
    classes: BTreeMap<ScopeId, &'a StmtClassDef>,
    /// What is assigned to attributes, by their name.
    attributes: BTreeMap<&'a str, Vec<(&'a Expr, ScopeId)>>,
    /// Modules of which everything is imported.
    pub(super) stars: Vec<String>,
    /// Every call, decorators included.
    pub(super) calls: Vec<(&'a Expr, ScopeId)>,
    /// Every chain of attributes, whole.
    pub(super) chains: Vec<(&'a Expr, ScopeId)>,
    current: ScopeId,
}

impl<'a> Scopes<'a> {
    pub(super) fn of(source: &'a PythonSource) -> Self {
        let mut scopes = Self { all: vec![Scope::default()], ..Self::default() };
        scopes.visit_body(source.body());
        scopes
    }

    /// What a name means in a scope; `None` where the file does not bind it.
    pub(super) fn meaning(&self, scope: ScopeId, name: &str) -> Option<Meaning<'_, 'a>> {
        let mut next = Some(scope);
        while let Some(id) = next {
            let here = &self.all[id];
            if here.globals.contains(name) && id != MODULE {
                return self.meaning(MODULE, name);
            }
            // The names of a class are not seen by its methods.
            if (!here.is_class || id == scope) && here.binds(name) {
                let bindings = here.bindings.get(name).map_or(&[][..], Vec::as_slice);
                let imports = here.imports.get(name).map_or(&[][..], Vec::as_slice);
                return Some(Meaning { scope: id, bindings, imports });
            }
            next = here.parent;
        }
        None
    }

    /// What a name means in this very scope.
    pub(super) fn own_meaning(&self, scope: ScopeId, name: &str) -> Option<Meaning<'_, 'a>> {
        self.all[scope].binds(name).then(|| self.meaning(scope, name)).flatten()
    }

    /// Every name that the module binds.
    pub(super) fn module_names(&self) -> impl Iterator<Item = &'a str> {
        let module = &self.all[MODULE];
        module.bindings.keys().chain(module.imports.keys()).copied().chain(self.globals())
    }

    /// The names that functions and classes bind in the module.
    pub(super) fn globals(&self) -> impl Iterator<Item = &'a str> {
        self.all.iter().flat_map(|scope| scope.globals.iter()).copied()
    }

    /// What is assigned to an attribute of this name of anything, with the scope of the assignment.
    pub(super) fn attribute(&self, name: &str) -> &[(&'a Expr, ScopeId)] {
        self.attributes.get(name).map_or(&[], Vec::as_slice)
    }

    /// The scope of the body of a function or lambda.
    pub(super) fn body(&self, function: TextRange) -> Option<ScopeId> {
        self.bodies.get(&key(function)).copied()
    }

    /// The innermost class around a scope, and the scope that it stands in.
    pub(super) fn class_around(&self, scope: ScopeId) -> Option<(&'a StmtClassDef, ScopeId)> {
        let mut next = Some(scope);
        while let Some(id) = next {
            next = self.all[id].parent;
            if let (Some(class), Some(outer)) = (self.classes.get(&id), next) {
                return Some((class, outer));
            }
        }
        None
    }

    fn bind(&mut self, name: &'a str, binding: Binding<'a>) {
        if let (Binding::Value(value), true) = (binding, self.all[self.current].is_class) {
            self.attributes.entry(name).or_default().push((value, self.current));
        }
        let scope = if self.all[self.current].globals.contains(name) { MODULE } else { self.current };
        self.all[scope].bindings.entry(name).or_default().push(binding);
    }

    fn assign(&mut self, target: &'a Expr, value: Option<&'a Expr>) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str(), value.map_or(Binding::Other, Binding::Value)),
            Expr::Attribute(attribute) => {
                let known = self.attributes.entry(attribute.attr.as_str()).or_default();
                known.extend(value.map(|value| (value, self.current)));
            }
            Expr::Starred(starred) => self.assign(&starred.value, None),
            Expr::Tuple(_) | Expr::List(_) => {
                let targets = sequence(target);
                let values = value.map(sequence).filter(|values| {
                    values.len() == targets.len()
                        && !targets.iter().chain(values.iter()).any(Expr::is_starred_expr)
                });
                for (at, target) in targets.iter().enumerate() {
                    self.assign(target, values.and_then(|values| values.get(at)));
                }
            }
            _ => {}
        }
    }

    fn run_over(&mut self, target: &'a Expr, iterable: &'a Expr) {
        if let Expr::Name(name) = target {
            return self.bind(name.id.as_str(), Binding::Element(iterable, None));
        }
        for (at, target) in sequence(target).iter().enumerate() {
            match target {
                Expr::Name(name) => self.bind(name.id.as_str(), Binding::Element(iterable, Some(at))),
                other => self.assign(other, None),
            }
        }
    }

    fn within(&mut self, is_class: bool, range: TextRange, visit: impl FnOnce(&mut Self)) -> ScopeId {
        let id = self.all.len();
        self.all.push(Scope { parent: Some(self.current), is_class, ..Scope::default() });
        self.bodies.insert(key(range), id);
        let outer = std::mem::replace(&mut self.current, id);
        visit(self);
        self.current = outer;
        id
    }

    fn parameters(&mut self, parameters: &'a Parameters) {
        for parameter in parameters {
            let name = match parameter {
                AnyParameterRef::NonVariadic(parameter) => &parameter.parameter.name,
                AnyParameterRef::Variadic(parameter) => &parameter.name,
            };
            self.bind(name.as_str(), Binding::Other);
            // A function or a module that is the default is hardly ever anything else.
            if let Some(default) =
                parameter.default().filter(|it| it.is_attribute_expr() || it.is_name_expr())
            {
                self.bind(name.as_str(), Binding::Value(default));
            }
        }
    }
}

impl Scope<'_> {
    fn binds(&self, name: &str) -> bool {
        self.bindings.contains_key(name) || self.imports.contains_key(name)
    }
}

fn key(range: TextRange) -> (u32, u32) {
    (range.start().into(), range.end().into())
}

/// The elements of a list or tuple that is written out.
pub(super) fn sequence(expression: &Expr) -> &[Expr] {
    match expression {
        Expr::List(list) => &list.elts,
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::Set(set) => &set.elts,
        _ => &[],
    }
}

impl<'a> Visitor<'a> for Scopes<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                self.bind(function.name.as_str(), Binding::Function(function));
                function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                self.visit_parameters(&function.parameters);
                function.returns.iter().for_each(|returns| self.visit_annotation(returns));
                self.within(false, function.range(), |scopes| {
                    scopes.parameters(&function.parameters);
                    scopes.visit_body(&function.body);
                });
                return;
            }
            Stmt::ClassDef(class) => {
                class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                class.arguments.iter().for_each(|arguments| self.visit_arguments(arguments));
                let scope = self.within(true, class.range(), |scopes| scopes.visit_body(&class.body));
                self.classes.insert(scope, class);
                self.bind(class.name.as_str(), Binding::Class(class, scope));
                return;
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                for (name, path) in imported(statement) {
                    let Some(module) = path.strip_suffix('*') else {
                        let is_global = self.all[self.current].globals.contains(name);
                        let scope = if is_global { MODULE } else { self.current };
                        self.all[scope].imports.entry(name).or_default().push(path);
                        continue;
                    };
                    // `from . import *` is all dots.
                    let named = module.strip_suffix('.').filter(|named| named.ends_with(|last| last != '.'));
                    self.stars.push(named.unwrap_or(module).to_owned());
                }
            }
            Stmt::Assign(assign) => {
                assign.targets.iter().for_each(|target| self.assign(target, Some(&assign.value)));
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.assign(&assign.target, Some(value));
                }
            }
            Stmt::AugAssign(assign) => match &*assign.target {
                Expr::Name(name) if assign.op == Operator::Add => {
                    self.bind(name.id.as_str(), Binding::Added(&assign.value));
                }
                target => self.assign(target, None),
            },
            Stmt::TypeAlias(alias) => self.assign(&alias.name, None),
            Stmt::For(statement) => self.run_over(&statement.target, &statement.iter),
            Stmt::With(with) => {
                for item in &with.items {
                    // What is made for the block is, but for a few, what it is called in it.
                    let made = Some(&item.context_expr).filter(|made| made.is_call_expr());
                    item.optional_vars.iter().for_each(|name| self.assign(name, made));
                }
            }
            Stmt::Global(global) => {
                let names = global.names.iter().map(Identifier::as_str);
                self.all[self.current].globals.extend(names);
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                self.within(false, lambda.range(), |scopes| {
                    if let Some(parameters) = &lambda.parameters {
                        scopes.parameters(parameters);
                    }
                    scopes.visit_expr(&lambda.body);
                });
                return;
            }
            Expr::Named(named) => self.assign(&named.target, Some(&named.value)),
            Expr::Call(call) => {
                self.calls.push((expression, self.current));
                if let (Expr::Name(function), [_, Expr::StringLiteral(name), value]) =
                    (&*call.func, &*call.arguments.args)
                    && function.id.as_str() == "setattr"
                {
                    let known = self.attributes.entry(name.value.to_str()).or_default();
                    known.push((value, self.current));
                }
            }
            Expr::Attribute(_) => {
                self.chains.push((expression, self.current));
                let mut base = expression;
                while let Expr::Attribute(attribute) = base {
                    base = &attribute.value;
                }
                return self.visit_expr(base);
            }
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.run_over(&comprehension.target, &comprehension.iter);
        walk_comprehension(self, comprehension);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(handled) = handler;
        if let Some(name) = &handled.name {
            self.bind(name.as_str(), Binding::Other);
        }
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Some(name) = captured(pattern) {
            self.bind(name.as_str(), Binding::Other);
        }
        walk_pattern(self, pattern);
    }
}
