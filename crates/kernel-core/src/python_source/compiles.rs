//! What Python's grammar takes and its compiler refuses: `return` outside of a function, a name that is bound before it is
//! declared global, and their like. The rules are those of `ruff_python_parser`; here stands where in a file each of them
//! is asked, and the few that it leaves to others.

use std::cell::RefCell;

use ruff_python_ast::visitor::{Visitor, walk_comprehension, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{Comprehension, Expr, ModModule, Parameters, Pattern, PythonVersion, Stmt};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError,
    SemanticSyntaxErrorKind,
};
use ruff_text_size::{Ranged, TextRange};

use super::declared::Declared;
use super::rules::{self, Refusal};

/// The first place where the compiler of this version refuses a file, and why.
pub(super) fn refusal(module: &ModModule, text: &str, version: PythonVersion) -> Option<(TextRange, String)> {
    let mut compiler = Compiler {
        rules: SemanticSyntaxChecker::new(),
        first: RefCell::new(None),
        scopes: Vec::new(),
        text,
        version,
    };
    compiler.enter(Kind::Module, None, &module.body, |compiler| compiler.visit_body(&module.body));
    compiler.first.into_inner()
}

/// What a scope is the body of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Module,
    Class,
    Function {
        is_async: bool,
    },
    Lambda,
    /// Anything in brackets but a generator.
    Comprehension {
        is_async: bool,
    },
    Generator,
}

struct Scope<'a> {
    kind: Kind,
    parameters: Option<&'a Parameters>,
    declared: Declared<'a>,
    /// Whether the statement is inside a loop, and no `except*` inside of that.
    in_loop: bool,
    /// Whether it is inside `except*`.
    in_group: bool,
    /// Whether it is inside any part of a `try`.
    in_try: bool,
}

struct Compiler<'a> {
    rules: SemanticSyntaxChecker,
    first: RefCell<Option<(TextRange, String)>>,
    scopes: Vec<Scope<'a>>,
    text: &'a str,
    version: PythonVersion,
}

impl<'a> Compiler<'a> {
    fn tell(&self, range: TextRange, reason: impl Into<String>) {
        let mut first = self.first.borrow_mut();
        if first.as_ref().is_none_or(|(known, _)| range.start() < known.start()) {
            *first = Some((range, reason.into()));
        }
    }

    fn tell_all(&self, refusals: impl IntoIterator<Item = Refusal>) {
        refusals.into_iter().for_each(|(range, reason)| self.tell(range, reason));
    }

    fn ask(&mut self, rule: impl FnOnce(&mut SemanticSyntaxChecker, &Self)) {
        let mut rules = std::mem::take(&mut self.rules);
        rule(&mut rules, self);
        self.rules = rules;
    }

    fn enter(
        &mut self,
        kind: Kind,
        parameters: Option<&'a Parameters>,
        body: &'a [Stmt],
        visit: impl FnOnce(&mut Self),
    ) {
        let declared = Declared::of(body);
        declared.faults().into_iter().for_each(|(range, reason)| self.tell(range, reason));
        let (in_loop, in_group, in_try) = (false, false, false);
        self.scopes.push(Scope { kind, parameters, declared, in_loop, in_group, in_try });
        visit(self);
        self.scopes.pop();
    }

    fn scope(&self) -> Option<&Scope<'a>> {
        self.scopes.last()
    }

    fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.scopes.iter().rev().map(|scope| scope.kind)
    }

    /// Visits statements with some of what is known of where they stand changed.
    fn standing(&mut self, change: impl FnOnce(&mut Scope<'a>), visit: impl FnOnce(&mut Self)) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let before = (scope.in_loop, scope.in_group, scope.in_try);
        change(scope);
        visit(self);
        if let Some(scope) = self.scopes.last_mut() {
            (scope.in_loop, scope.in_group, scope.in_try) = before;
        }
    }

    fn leaves_a_group(&self, statement: &Stmt) -> bool {
        self.scope().is_some_and(|scope| match statement {
            Stmt::Break(_) | Stmt::Continue(_) => scope.in_group && !scope.in_loop,
            Stmt::Return(_) => scope.in_group,
            _ => false,
        })
    }

    fn looping(&mut self, body: &'a [Stmt], otherwise: &'a [Stmt]) {
        self.standing(|scope| scope.in_loop = true, |compiler| compiler.visit_body(body));
        self.visit_body(otherwise);
    }

    /// Only what the first part runs over is evaluated outside.
    fn comprehension(&mut self, parts: &'a [Comprehension], generator: bool, elements: &[&'a Expr]) {
        let Some((first, others)) = parts.split_first() else { return };
        self.visit_expr(&first.iter);
        let is_async = parts.iter().any(|part| part.is_async);
        let kind = if generator { Kind::Generator } else { Kind::Comprehension { is_async } };
        self.enter(kind, None, &[], |compiler| {
            compiler.visit_expr(&first.target);
            for condition in &first.ifs {
                compiler.visit_expr(condition);
            }
            for part in others {
                walk_comprehension(compiler, part);
            }
            for element in elements {
                compiler.visit_expr(element);
            }
        });
    }
}

impl<'a> Visitor<'a> for Compiler<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if self.leaves_a_group(statement) {
            self.tell(statement.range(), "`break`, `continue` and `return` cannot leave an `except*` block");
        }
        self.ask(|rules, context| rules.visit_stmt(statement, context));
        self.tell_all(rules::statement(statement));
        match statement {
            Stmt::FunctionDef(function) => {
                function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                function.type_params.iter().for_each(|types| self.visit_type_params(types));
                self.visit_parameters(&function.parameters);
                function.returns.iter().for_each(|returns| self.visit_annotation(returns));
                let kind = Kind::Function { is_async: function.is_async };
                let body = &function.body;
                self.enter(kind, Some(&function.parameters), body, |compiler| compiler.visit_body(body));
            }
            Stmt::ClassDef(class) => {
                class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                class.type_params.iter().for_each(|types| self.visit_type_params(types));
                class.arguments.iter().for_each(|arguments| self.visit_arguments(arguments));
                self.enter(Kind::Class, None, &class.body, |compiler| compiler.visit_body(&class.body));
            }
            Stmt::For(run) => {
                self.visit_expr(&run.iter);
                self.visit_expr(&run.target);
                self.looping(&run.body, &run.orelse);
            }
            Stmt::While(run) => {
                self.visit_expr(&run.test);
                self.looping(&run.body, &run.orelse);
            }
            Stmt::Try(attempt) => self.standing(
                |scope| scope.in_try = true,
                |compiler| {
                    compiler.visit_body(&attempt.body);
                    compiler.standing(
                        |scope| {
                            scope.in_group |= attempt.is_star;
                            scope.in_loop &= !attempt.is_star;
                        },
                        |compiler| {
                            let handlers = attempt.handlers.iter();
                            handlers.for_each(|handler| compiler.visit_except_handler(handler));
                        },
                    );
                    compiler.visit_body(&attempt.orelse);
                    compiler.visit_body(&attempt.finalbody);
                },
            ),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        self.ask(|rules, context| rules.visit_expr(expression, context));
        self.tell_all(rules::expression(expression, self.text, self.version));
        match expression {
            Expr::Lambda(lambda) => {
                lambda.parameters.iter().for_each(|parameters| self.visit_parameters(parameters));
                let parameters = lambda.parameters.as_deref();
                self.enter(Kind::Lambda, parameters, &[], |compiler| compiler.visit_expr(&lambda.body));
            }
            Expr::ListComp(list) => self.comprehension(&list.generators, false, &[&list.elt]),
            Expr::SetComp(set) => self.comprehension(&set.generators, false, &[&set.elt]),
            Expr::Generator(generator) => self.comprehension(&generator.generators, true, &[&generator.elt]),
            Expr::DictComp(table) => {
                let elements: Vec<&Expr> = table.key.iter().chain([&table.value]).map(|it| &**it).collect();
                self.comprehension(&table.generators, false, &elements);
            }
            _ => walk_expr(self, expression),
        }
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        self.tell_all(rules::pattern(pattern));
        walk_pattern(self, pattern);
    }
}

impl SemanticSyntaxContext for Compiler<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        false
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        match self.scope()? {
            Scope { kind: Kind::Function { .. }, .. } => Some(LazyImportContext::Function),
            Scope { kind: Kind::Class, .. } => Some(LazyImportContext::Class),
            Scope { in_try: true, .. } => Some(LazyImportContext::TryExceptBlocks),
            _ => None,
        }
    }

    fn python_version(&self) -> PythonVersion {
        self.version
    }

    fn source(&self) -> &str {
        self.text
    }

    fn global(&self, name: &str) -> Option<TextRange> {
        self.scope()?.declared.last(name)
    }

    fn has_nonlocal_binding(&self, name: &str) -> bool {
        let outer = self.scopes.iter().rev().skip(1);
        let mut functions = outer.clone().filter(|scope| matches!(scope.kind, Kind::Function { .. }));
        let binds = |scope: &Scope<'_>| {
            scope.declared.binds(name) || scope.parameters.is_some_and(|parameters| parameters.includes(name))
        };
        // A method sees its class under this name.
        name == "__class__" && outer.clone().any(|scope| scope.kind == Kind::Class) || functions.any(binds)
    }

    fn in_async_context(&self) -> bool {
        let passed =
            |kind: &Kind| !matches!(kind, Kind::Comprehension { .. } | Kind::Generator | Kind::Module);
        self.kinds().find(passed) == Some(Kind::Function { is_async: true })
    }

    fn in_await_allowed_context(&self) -> bool {
        let mut kinds = self.kinds().filter(|kind| !matches!(kind, Kind::Comprehension { .. }));
        matches!(kinds.next(), Some(Kind::Function { .. } | Kind::Lambda | Kind::Generator))
    }

    fn in_yield_allowed_context(&self) -> bool {
        self.in_function_scope()
    }

    fn in_sync_comprehension(&self) -> bool {
        let mut around = self.kinds().take_while(|kind| matches!(kind, Kind::Comprehension { .. }));
        around.any(|kind| kind == Kind::Comprehension { is_async: false })
    }

    fn in_class_body_comprehension(&self) -> bool {
        let mut kinds =
            self.kinds().filter(|kind| !matches!(kind, Kind::Comprehension { .. } | Kind::Generator));
        kinds.next() == Some(Kind::Class)
    }

    fn in_module_scope(&self) -> bool {
        self.scope().is_some_and(|scope| scope.kind == Kind::Module)
    }

    fn in_function_scope(&self) -> bool {
        self.scope().is_some_and(|scope| matches!(scope.kind, Kind::Function { .. } | Kind::Lambda))
    }

    fn in_generator_context(&self) -> bool {
        self.kinds().find(|kind| !matches!(kind, Kind::Comprehension { .. })) == Some(Kind::Generator)
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        use SemanticSyntaxErrorKind as Kind;
        let is_nonlocal = |name: &str| self.scope().is_some_and(|scope| scope.declared.is_nonlocal(name));
        // It asks for both kinds of declarations at once.
        let kind = match error.kind {
            Kind::LoadBeforeGlobalDeclaration { name, start } if is_nonlocal(&name) => {
                Kind::LoadBeforeNonlocalDeclaration { name, start }
            }
            Kind::AnnotatedGlobal(name) if is_nonlocal(&name) => Kind::AnnotatedNonlocal(name),
            other => other,
        };
        let range = error.range;
        self.tell(range, SemanticSyntaxError { kind, ..error }.to_string());
    }

    fn in_loop_context(&self) -> bool {
        self.scope().is_some_and(|scope| scope.in_loop)
    }

    fn is_bound_parameter(&self, name: &str) -> bool {
        self.scope().and_then(|scope| scope.parameters).is_some_and(|parameters| parameters.includes(name))
    }
}
