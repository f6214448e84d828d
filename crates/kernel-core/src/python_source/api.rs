//! The public API of a package, for its card: the functions with their signatures, the layers, and what cannot be told
//! without running the package.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, ParameterWithDefault, Parameters, Stmt, StmtClassDef, StmtFunctionDef};
use serde::Serialize;

use super::PythonSource;
use super::exports::{Exports, exports};
use super::parameters::Parameters as Accepted;

/// What a package offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PublicApi {
    /// Whether the package lists its public names in `__all__`.
    pub declared: bool,
    /// Public functions, in the order of `__all__`.
    pub functions: Vec<Function>,
    /// Layers: the classes of the `layers` module, where that is public.
    pub layers: Vec<Layer>,
    /// Public names that are neither: constants, modules, classes.
    pub others: Vec<String>,
    /// What only running the package would tell, as it is written in the source.
    pub unknown: Vec<String>,
    /// Everything of these that is called: functions by their name, methods of layers as `Layer.forward`.
    #[serde(skip)]
    pub callables: BTreeMap<String, Callable>,
    /// Layers that may have methods of other classes than torch's `Module`.
    #[serde(skip)]
    pub heirs: BTreeSet<String>,
}

/// What is called, and with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callable {
    /// Parameters and result as written.
    pub signature: String,
    /// The parameters as callers have to do with them.
    pub parameters: Accepted,
}

/// A public function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Parameters and result as written: `(x: Tensor, *, scale: float = 1.0) -> Tensor`.
    pub signature: String,
    /// How it is called with what it cannot do without: `(x, scale=scale)`.
    pub call: String,
    /// First line of its documentation; empty where it has none.
    pub summary: String,
}

/// A public layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layer {
    /// Name of the class.
    pub name: String,
    /// Parameters and result of its `forward` as written, where it has one of its own.
    pub forward: Option<String>,
    /// First line of its documentation; empty where it has none.
    pub summary: String,
}

/// The name of the module that holds layers.
const LAYERS: &str = "layers";

/// The API of the package whose files are given by their path inside it, such as `layers/__init__.py`.
pub fn public_api(files: &BTreeMap<String, PythonSource>) -> PublicApi {
    let Some(root) = files.get("__init__.py") else { return PublicApi::default() };
    let package = Package { files, lists: RefCell::default() };
    let Exports { names, unknown, .. } = package.exports(root, 4);
    let mut api = PublicApi { declared: names.is_some(), unknown, ..PublicApi::default() };
    for name in names.unwrap_or_default() {
        if name == LAYERS {
            if let Some(module) = package.module(LAYERS) {
                for class in classes_of(module) {
                    api.add_layer(class.name.to_string(), module, class);
                }
            }
            continue;
        }
        match package.definition(root, &name, 4, &mut BTreeSet::new()) {
            // Users know it by its public name.
            Some(Definition::Function(source, function)) => {
                api.callables.insert(name.clone(), callable(source, function));
                api.functions.push(Function { name, ..describe(source, function) });
            }
            Some(Definition::Class(source, class)) => api.add_layer(name, source, class),
            None => api.others.push(name),
        }
    }
    api
}

impl PublicApi {
    fn add_layer(&mut self, name: String, source: &PythonSource, class: &StmtClassDef) {
        let is_public = |method: &&StmtFunctionDef| {
            let name = method.name.as_str();
            !name.starts_with('_') || matches!(name, "__init__" | "__call__")
        };
        for method in methods(class).filter(is_public) {
            self.callables.insert(format!("{name}.{}", method.name), callable(source, method));
        }
        if class.bases().iter().any(|base| !is_module(base)) {
            self.heirs.insert(name.clone());
        }
        self.layers.push(Layer { name, ..layer(source, class) });
    }
}

struct Package<'a> {
    files: &'a BTreeMap<String, PythonSource>,
    /// The lists that were read already, by file.
    lists: RefCell<BTreeMap<String, Exports>>,
}

enum Definition<'a> {
    Function(&'a PythonSource, &'a StmtFunctionDef),
    Class(&'a PythonSource, &'a StmtClassDef),
}

impl<'a> Package<'a> {
    /// A module of the package, by its name relative to the package.
    fn module(&self, name: &str) -> Option<&'a PythonSource> {
        let path = name.replace('.', "/");
        self.files.get(&format!("{path}.py")).or_else(|| self.files.get(&format!("{path}/__init__.py")))
    }

    /// `depth` bounds how far one module's list is followed into another's.
    fn exports(&self, source: &PythonSource, depth: usize) -> Exports {
        if let Some(known) = self.lists.borrow().get(source.path()) {
            return known.clone();
        }
        self.lists.borrow_mut().insert(source.path().to_owned(), Exports::default());
        let sibling = |module: &str| {
            let module = (depth > 0).then(|| self.module(module)).flatten()?;
            Some(self.exports(module, depth - 1))
        };
        let exports = exports(source, &sibling);
        self.lists.borrow_mut().insert(source.path().to_owned(), exports.clone());
        exports
    }

    /// Where a public name is defined: in the file itself, or in the module of the package it is imported from.
    /// `seen` are the names that were looked for already, with their files.
    fn definition(
        &self,
        source: &'a PythonSource,
        name: &str,
        depth: usize,
        seen: &mut BTreeSet<(&'a str, String)>,
    ) -> Option<Definition<'a>> {
        if !seen.insert((source.path(), name.to_owned())) {
            return None;
        }
        let mut found = None;
        for statement in source.body() {
            match statement {
                Stmt::FunctionDef(function) if function.name.as_str() == name => {
                    found = Some(Definition::Function(source, function));
                }
                Stmt::ClassDef(class) if class.name.as_str() == name && is_layer(class) => {
                    found = Some(Definition::Class(source, class));
                }
                Stmt::ImportFrom(import) if import.level == 1 && depth > 0 => {
                    let called = |alias: &ruff_python_ast::Alias| {
                        alias.asname.as_ref().unwrap_or(&alias.name).as_str() == name
                    };
                    let module = import.module.as_ref().and_then(|module| self.module(module.as_str()));
                    if let (Some(alias), Some(module)) =
                        (import.names.iter().find(|alias| called(alias)), module)
                    {
                        found = self.definition(module, alias.name.as_str(), depth - 1, seen).or(found);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

fn classes_of(source: &PythonSource) -> impl Iterator<Item = &StmtClassDef> {
    let classes = source.body().iter().filter_map(|statement| statement.as_class_def_stmt());
    classes.filter(|class| !class.name.starts_with('_'))
}

fn methods(class: &StmtClassDef) -> impl Iterator<Item = &StmtFunctionDef> {
    class.body.iter().filter_map(|statement| statement.as_function_def_stmt())
}

/// A class that derives from something called `Module`, as layers do.
fn is_layer(class: &StmtClassDef) -> bool {
    class.bases().iter().any(is_module)
}

fn is_module(base: &Expr) -> bool {
    match base {
        Expr::Name(name) => name.id.as_str() == "Module",
        Expr::Attribute(attribute) => attribute.attr.as_str() == "Module",
        _ => false,
    }
}

fn layer(source: &PythonSource, class: &StmtClassDef) -> Layer {
    let forward = methods(class).find(|method| method.name.as_str() == "forward");
    Layer {
        name: class.name.to_string(),
        forward: forward.map(|method| signature(source, method)),
        summary: summary(&class.body),
    }
}

fn callable(source: &PythonSource, function: &StmtFunctionDef) -> Callable {
    Callable { signature: signature(source, function), parameters: Accepted::of(&function.parameters) }
}

fn describe(source: &PythonSource, function: &StmtFunctionDef) -> Function {
    Function {
        name: function.name.to_string(),
        signature: signature(source, function),
        call: call(&function.parameters),
        summary: summary(&function.body),
    }
}

/// The arguments that must be given, each under the name of its parameter.
fn call(parameters: &Parameters) -> String {
    let required = |parameter: &&ParameterWithDefault| parameter.default.is_none();
    let positional = parameters.posonlyargs.iter().chain(&parameters.args).filter(required);
    let by_name = parameters.kwonlyargs.iter().filter(required);
    let words = positional
        .map(|parameter| parameter.name().to_string())
        .chain(by_name.map(|parameter| format!("{0}={0}", parameter.name())));
    format!("({})", words.collect::<Vec<_>>().join(", "))
}

/// Parameters and result as written.
fn signature(source: &PythonSource, function: &StmtFunctionDef) -> String {
    let types = function.type_params.as_ref().map(|types| source.slice(&**types)).unwrap_or_default();
    let parameters = source.slice(&*function.parameters);
    let result = function.returns.as_ref().map(|returns| format!(" -> {}", source.slice(&**returns)));
    format!("{types}{parameters}{}", result.unwrap_or_default())
}

/// The first line of a body's documentation.
fn summary(body: &[Stmt]) -> String {
    let documentation = body.first().and_then(|first| match first {
        Stmt::Expr(expression) => expression.value.as_string_literal_expr(),
        _ => None,
    });
    let text = documentation.map(|literal| literal.value.to_str().to_owned()).unwrap_or_default();
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}
