//! What a call is worth as a text: the helper's, that of a method of a text, or what a function of the package returns.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Arguments, Expr, ExprCall, ExprLambda, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::format;
use super::package::{At, is_generated};
use super::paths::PREFIXING;
use super::scopes::{Binding, MODULE, Meaning};
use super::text::{Texts, either, has_own, own, unknown};
use super::value::{Evaluator, Given};

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

impl<'p, 'a> Evaluator<'p, 'a> {
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
        let prefixed = functions.iter().any(|path| is_prefixing(path)).then(own);
        // Also where one of them takes the helper's name.
        let followed = self.functions(&call.func, at, depth - 1);
        if prefixed.is_some() || !followed.is_empty() {
            let followed = followed
                .into_iter()
                .map(|(function, place)| self.follow(function, place, call, at, given, depth));
            return either(prefixed.into_iter().chain(followed));
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
            if has_own(&receiver) {
                return own();
            }
        }
        // Anything that is made of the helper's result, as in `make(helper("f"))`.
        let passed = arguments.args.iter().chain(arguments.keywords.iter().map(|keyword| &keyword.value));
        if passed.map(next).any(|texts| has_own(&texts)) { own() } else { unknown() }
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
        if let Expr::Name(name) = expression
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
        let returned = match function {
            Function::Defined(function) => {
                let mut returns = Returns::default();
                returns.visit_body(&function.body);
                returns.found
            }
            Function::Lambda(lambda) => vec![&*lambda.body],
        };
        either(returned.into_iter().map(|value| self.texts_within(value, body, &inside, depth - 1)))
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
