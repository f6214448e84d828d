//! What a call is worth as a text: the helper's, that of a method of a text, or what a function of the package returns.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Arguments, Expr, ExprCall, ExprLambda, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::format;
use super::package::{At, GENERATED, is_generated};
use super::paths::PREFIXING;
use super::scopes::{Binding, MODULE, Meaning};
use super::text::{Texts, either, has_own, prefixed, unknown};
use super::value::{DEPTH, Evaluator, Given};

/// Whether a path is of the generated module's function that adds the kernel's namespace.
pub(super) fn is_prefixing(path: &str) -> bool {
    is_generated(path) && path.rsplit('.').next().is_some_and(|name| PREFIXING.contains(&name))
}

/// A function that can be followed.
#[derive(Clone, Copy)]
enum Function<'a> {
    Defined(&'a StmtFunctionDef),
    Lambda(&'a ExprLambda),
}

impl<'a> Function<'a> {
    /// Everything that it may return.
    fn returned(self) -> Vec<&'a Expr> {
        match self {
            Function::Defined(function) => {
                let mut returns = Returns::default();
                returns.visit_body(&function.body);
                returns.found
            }
            Function::Lambda(lambda) => vec![&*lambda.body],
        }
    }
}

impl<'p, 'a> Evaluator<'p, 'a> {
    /// What the functions of the package that an expression names return, each with the place of its body.
    pub(super) fn returned(&self, function: &'a Expr, at: At, depth: usize) -> Vec<(&'a Expr, At)> {
        let functions = self.functions(function, at, depth).into_iter();
        functions
            .flat_map(|(function, body)| function.returned().into_iter().map(move |value| (value, body)))
            .collect()
    }

    pub(super) fn call(
        &self,
        expression: &'a Expr,
        call: &'a ExprCall,
        at: At,
        given: &Given<'a>,
        depth: usize,
    ) -> Texts {
        let next = |expression: &'a Expr| self.texts_within(expression, at, given, depth - 1);
        let functions = self.paths_within(&call.func, at, depth - 1);
        let is = |path: &str| functions.contains(path);
        let prefixed = functions
            .iter()
            .any(|path| is_prefixing(path))
            .then(|| prefixed(&argument(&call.arguments, 0, "op_name").map_or_else(unknown, next)));
        // Also where one of them takes the helper's name.
        let followed = self.functions(&call.func, at, depth - 1);
        if prefixed.is_some() || !followed.is_empty() {
            let may_be_other = self.may_be_other(&call.func, at, depth - 1).then(unknown);
            let followed = followed
                .into_iter()
                .map(|(function, place)| self.follow(function, place, call, at, given, depth));
            return either(prefixed.into_iter().chain(followed).chain(may_be_other));
        }
        let arguments = &call.arguments;
        if let ([argument], true) = (&*arguments.args, is("builtins.str")) {
            return next(argument);
        }
        if is("builtins.getattr") {
            let texts = self.paths_within(expression, at, depth - 1);
            let texts: Vec<Texts> = texts.iter().map(|path| self.named_by(path, depth)).collect();
            return either(texts);
        }
        if let Expr::Attribute(method) = &*call.func {
            let receiver = next(&method.value);
            let texts = match method.attr.as_str() {
                "join" => arguments.args.first().and_then(|parts| self.elements(parts, at, depth - 1)).map(
                    |parts| {
                        let parts: Vec<Texts> = parts
                            .into_iter()
                            .map(|(part, at)| self.texts_within(part, at, given, depth - 1))
                            .collect();
                        format::join(&receiver, &parts)
                    },
                ),
                "format" => {
                    let values: Vec<Texts> = arguments.args.iter().map(next).collect();
                    let named = arguments
                        .keywords
                        .iter()
                        .filter_map(|keyword| Some((keyword.arg.as_ref()?.as_str(), next(&keyword.value))));
                    Some(format::braces(&receiver, &values, &named.collect()))
                }
                name => {
                    let values: Vec<Texts> = arguments.args.iter().map(next).collect();
                    format::method(name, &receiver, &values)
                }
            };
            if let Some(texts) = texts {
                return texts;
            }
            // A name in small letters without spaces around it, such as that of a build, is what it was.
            let keeps = matches!(method.attr.as_str(), "lower" | "casefold" | "strip" | "lstrip" | "rstrip");
            if keeps && arguments.is_empty() && has_own(&receiver) {
                return receiver;
            }
        }
        unknown()
    }

    /// What a function returns for these texts of its parameters; `body` is the place of its body.
    pub(super) fn results(&self, function: &'a StmtFunctionDef, body: At, given: &Given<'a>) -> Texts {
        let returned = Function::Defined(function).returned().into_iter();
        either(returned.map(|value| self.texts_within(value, body, given, DEPTH)))
    }

    /// Whether a function that is known may have been replaced by one that is not: its name is bound again, it is decorated,
    /// or somebody gives the helper's name to something else.
    fn may_be_other(&self, function: &'a Expr, at: At, depth: usize) -> bool {
        let is_known = |path: &str| {
            is_prefixing(path)
                || self.package.split(path).is_some_and(|(module, names)| {
                    let scopes = &self.package.modules[module].scopes;
                    names.first().is_some_and(|name| scopes.own_meaning(MODULE, name).is_some())
                })
        };
        let is_other = |binding: &Binding<'a>, at: At| match binding {
            Binding::Function(function) => {
                function.decorator_list.iter().any(|decorator| !self.keeps(&decorator.expression, at, depth))
            }
            Binding::Value(Expr::Lambda(_)) => false,
            Binding::Value(value) => {
                let paths = self.paths_within(value, at, depth);
                paths.is_empty() || !paths.iter().all(|path| is_known(path))
            }
            Binding::Element(..) | Binding::Class(..) | Binding::Added(_) | Binding::Other => true,
        };
        let by_name = function.as_name_expr().and_then(|name| self.meaning(at, name.id.as_str()));
        let by_name = by_name.map(|meaning| (meaning, At { scope: meaning.scope, ..at }));
        let paths = self.paths_within(function, at, depth);
        let by_path = paths.iter().filter(|path| !is_generated(path)).filter_map(|path| {
            let (module, names) = self.package.split(path)?;
            let [name] = names.as_slice() else { return None };
            let meaning = self.package.modules[module].scopes.own_meaning(MODULE, name)?;
            Some((meaning, At { module, scope: MODULE }))
        });
        let is_replaced = paths.iter().any(|path| is_prefixing(path))
            && self.package.modules.iter().enumerate().any(|(module, own)| {
                let assigned = PREFIXING.iter().flat_map(|name| own.scopes.attribute(name));
                let mut assigned = assigned.map(|(value, scope)| (value, At { module, scope: *scope }));
                assigned.any(|(value, place)| {
                    let paths = self.paths_within(value, place, depth);
                    paths.is_empty() || !paths.iter().all(|path| is_prefixing(path))
                })
            });
        is_replaced
            || paths.iter().any(|path| !is_known(path))
            || by_name
                .into_iter()
                .chain(by_path)
                .any(|(meaning, place)| meaning.bindings.iter().any(|binding| is_other(binding, place)))
    }

    /// Whether a decorator leaves the results of a function as they are.
    fn keeps(&self, decorator: &'a Expr, at: At, depth: usize) -> bool {
        const KEEPING: &[&str] = &[
            "builtins.staticmethod",
            "functools.cache",
            "functools.lru_cache",
            "functools.wraps",
            "torch.compiler.allow_in_graph",
            "torch.compiler.disable",
            "typing.no_type_check",
            "typing.overload",
        ];
        let function = decorator.as_call_expr().map_or(decorator, |call| &*call.func);
        let paths = self.paths_within(function, at, depth);
        !paths.is_empty() && paths.iter().all(|path| KEEPING.contains(&path.as_str()))
    }

    /// The functions of the package that an expression names, each with the place of its body.
    fn functions(&self, expression: &'a Expr, at: At, depth: usize) -> Vec<(Function<'a>, At)> {
        let mut found = Vec::new();
        let mut add = |meaning: Meaning<'p, 'a>, module: usize| {
            for binding in meaning.bindings {
                let function = match binding {
                    Binding::Function(function) => Function::Defined(function),
                    Binding::Value(Expr::Lambda(lambda)) => Function::Lambda(lambda),
                    _ => continue,
                };
                let range = match function {
                    Function::Defined(function) => function.range(),
                    Function::Lambda(lambda) => lambda.range(),
                };
                if let Some(scope) = self.package.modules[module].scopes.body(range) {
                    found.push((function, At { module, scope }));
                }
            }
        };
        // What the generated helper makes of a name is known, and the same in its own module.
        let is_helper =
            |name: &str| self.package.modules[at.module].name == GENERATED && PREFIXING.contains(&name);
        if let Expr::Name(name) = expression
            && !is_helper(name.id.as_str())
            && let Some(meaning) = self.meaning(at, name.id.as_str())
        {
            add(meaning, at.module);
        }
        for path in self.paths_within(expression, at, depth) {
            let Some((module, names)) = self.package.split(&path) else { continue };
            let ([name], false) = (names.as_slice(), is_generated(&path)) else { continue };
            if let Some(meaning) = self.package.modules[module].scopes.own_meaning(MODULE, name) {
                add(meaning, module);
            }
        }
        found
    }

    /// What a function of the package returns for these arguments.
    fn follow(
        &self,
        function: Function<'a>,
        body: At,
        call: &'a ExprCall,
        at: At,
        given: &Given<'a>,
        depth: usize,
    ) -> Texts {
        let parameters = match function {
            Function::Defined(function) => Some(&*function.parameters),
            Function::Lambda(lambda) => lambda.parameters.as_deref(),
        };
        let mut inside = Given::new();
        for (place, parameter) in parameters
            .iter()
            .flat_map(|all| all.posonlyargs.iter().chain(&all.args).chain(&all.kwonlyargs))
            .enumerate()
        {
            let name = parameter.parameter.name.as_str();
            let passed = argument(&call.arguments, place, name);
            let texts = match (passed, &parameter.default) {
                (Some(passed), _) => self.texts_within(passed, at, given, depth - 1),
                (None, Some(default)) => self.texts_within(default, body, &Given::new(), depth - 1),
                (None, None) => unknown(),
            };
            inside.insert(name, texts);
        }
        either(
            function.returned().into_iter().map(|value| self.texts_within(value, body, &inside, depth - 1)),
        )
    }
}

fn argument<'a>(arguments: &'a Arguments, place: usize, name: &str) -> Option<&'a Expr> {
    let positional = arguments.args.get(place).filter(|given| !given.is_starred_expr());
    let named =
        || arguments.keywords.iter().find(|given| given.arg.as_ref().is_some_and(|it| it.as_str() == name));
    positional.or_else(|| named().map(|keyword| &keyword.value))
}

/// What a function returns, but not those inside it.
#[derive(Default)]
struct Returns<'a> {
    found: Vec<&'a Expr>,
}

impl<'a> Visitor<'a> for Returns<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Return(returned) => self.found.extend(returned.value.as_deref()),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}
