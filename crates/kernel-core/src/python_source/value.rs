//! What an expression is worth as a text, as far as the files of the package tell: every text it may be, with the parts
//! that only running it could tell marked as such.

use std::cell::Cell;
use std::collections::BTreeMap;

use ruff_python_ast::{Expr, InterpolatedStringElement, Number, Operator};

use super::format;
use super::package::{At, Package, is_generated};
use super::scopes::{Binding, MODULE, Meaning, ScopeId, sequence};
use super::text::{MOST, Texts, either, joined, known, own, unknown};

/// How deep expressions are followed; enough for real code, and an end for `a = b; b = a`.
pub(super) const DEPTH: usize = 24;

/// How many expressions are looked at for one answer.
const STEPS: u32 = 4000;

/// The texts of the parameters of the function that is being followed.
pub(super) type Given<'a> = BTreeMap<&'a str, Texts>;

/// Answers one question about a package.
pub(super) struct Evaluator<'p, 'a> {
    pub(super) package: &'p Package<'a>,
    steps: Cell<u32>,
}

impl<'p, 'a> Evaluator<'p, 'a> {
    pub(super) fn new(package: &'p Package<'a>) -> Self {
        Self { package, steps: Cell::new(package.allowance(STEPS)) }
    }

    pub(super) fn may_go_on(&self, depth: usize) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        self.package.step();
        left > 0 && depth > 0
    }

    /// A name that is bound ever again is not followed.
    pub(super) fn meaning(&self, at: At, name: &str) -> Option<Meaning<'p, 'a>> {
        let meaning = self.package.modules[at.module].scopes.meaning(at.scope, name)?;
        let bindings = if meaning.bindings.len() > MOST { &[Binding::Other][..] } else { meaning.bindings };
        Some(Meaning { bindings, ..meaning })
    }

    /// Every text that an expression may be.
    pub(super) fn texts(&self, expression: &'a Expr, at: At) -> Texts {
        self.texts_within(expression, at, &Given::new(), DEPTH)
    }

    pub(super) fn texts_within(
        &self,
        expression: &'a Expr,
        at: At,
        given: &Given<'a>,
        depth: usize,
    ) -> Texts {
        if !self.may_go_on(depth) {
            return unknown();
        }
        let next = |expression: &'a Expr| self.texts_within(expression, at, given, depth - 1);
        match expression {
            Expr::StringLiteral(literal) => known(literal.value.to_str()),
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(value) => known(value.to_string()),
                _ => unknown(),
            },
            Expr::FString(string) => {
                let mut texts = known("");
                for part in &string.value {
                    let pieces: &mut dyn Iterator<Item = Texts> = match part {
                        ruff_python_ast::FStringPart::Literal(literal) => {
                            &mut std::iter::once(known(literal.as_str()))
                        }
                        ruff_python_ast::FStringPart::FString(string) => {
                            &mut string.elements.iter().map(|element| match element {
                                InterpolatedStringElement::Literal(literal) => known(&*literal.value),
                                InterpolatedStringElement::Interpolation(inner) => {
                                    let texts = next(&inner.expression);
                                    let plain = inner.format_spec.is_none() && inner.conversion.is_none();
                                    if plain { texts } else { unknown() }
                                }
                            })
                        }
                    };
                    for piece in pieces {
                        texts = joined(&texts, &piece);
                    }
                }
                texts
            }
            Expr::BinOp(operation) if operation.op == Operator::Add => {
                joined(&next(&operation.left), &next(&operation.right))
            }
            Expr::BinOp(operation) if operation.op == Operator::Mod => {
                let values = match &*operation.right {
                    Expr::Tuple(tuple) => tuple.elts.iter().map(next).collect(),
                    one => vec![next(one)],
                };
                format::percent(&next(&operation.left), &values)
            }
            Expr::If(choice) => either([next(&choice.body), next(&choice.orelse)]),
            Expr::BoolOp(choice) => either(choice.values.iter().map(next)),
            Expr::Named(named) => next(&named.value),
            Expr::Name(name) => self.name(name.id.as_str(), at, given, depth),
            Expr::Attribute(attribute) => {
                let named = self.named(expression, at, depth);
                if !named.is_empty() {
                    return either(named);
                }
                let module = &self.package.modules[at.module];
                let assigned = module.scopes.attribute(attribute.attr.as_str()).iter();
                either(assigned.map(|(value, scope)| {
                    let at = At { scope: *scope, ..at };
                    self.texts_within(value, at, &Given::new(), depth - 1)
                }))
            }
            Expr::Subscript(subscript) => self.element(subscript, at, given, depth),
            Expr::Call(call) => self.call(expression, call, at, given, depth),
            _ => unknown(),
        }
    }

    fn name(&self, name: &str, at: At, given: &Given<'a>, depth: usize) -> Texts {
        let Some(meaning) = self.meaning(at, name) else {
            // The name under which a loader keeps the module: no operator is under it, and it differs from loader to loader.
            let is_of_loader = matches!(name, "__name__" | "__package__" | "__spec__");
            return if is_of_loader { unknown() } else { either(self.starred(name, at, depth)) };
        };
        if let (Some(texts), true) = (given.get(name), meaning.scope == at.scope) {
            return texts.clone();
        }
        let imported =
            meaning.imports.iter().map(|path| self.named_by(&self.package.canonical(at.module, path), depth));
        let inside = At { scope: meaning.scope, ..at };
        let nothing = Given::new();
        let given = if meaning.scope == at.scope { given } else { &nothing };
        self.all_bound(imported.collect(), meaning.bindings, inside, given, depth)
    }

    /// Every text that a name may be which is bound so, with what `+=` adds.
    fn all_bound(
        &self,
        mut first: Vec<Texts>,
        bindings: &[Binding<'a>],
        at: At,
        given: &Given<'a>,
        depth: usize,
    ) -> Texts {
        let (added, bound): (Vec<Binding<'a>>, Vec<Binding<'a>>) =
            bindings.iter().partition(|binding| matches!(binding, Binding::Added(_)));
        first.extend(bound.into_iter().map(|binding| self.bound(binding, at, given, depth)));
        added.into_iter().fold(either(first), |texts, binding| {
            let longer = joined(&texts, &self.bound(binding, at, given, depth));
            either([texts, longer])
        })
    }

    fn bound(&self, binding: Binding<'a>, at: At, given: &Given<'a>, depth: usize) -> Texts {
        match binding {
            Binding::Value(value) | Binding::Added(value) => self.texts_within(value, at, given, depth - 1),
            Binding::Element(iterable, place) => match self.elements(iterable, at, depth - 1) {
                Some(elements) => either(elements.into_iter().map(|(element, at)| match place {
                    None => self.texts_within(element, at, given, depth - 1),
                    Some(place) => match sequence(element).get(place) {
                        Some(element) => self.texts_within(element, at, given, depth - 1),
                        None => unknown(),
                    },
                })),
                None => unknown(),
            },
            // An operator that is passed on as it is carries its own name.
            Binding::Function(_) => own(),
            Binding::Class(..) | Binding::Other => unknown(),
        }
    }

    /// The texts that a path of the package, or of Torch's operators, stands for; none where it is neither.
    fn named(&self, expression: &'a Expr, at: At, depth: usize) -> Vec<Texts> {
        let paths = self.paths_within(expression, at, depth - 1);
        let known = paths.iter().filter(|path| {
            is_generated(path) || path.starts_with("torch.ops.") || self.package.split(path).is_some()
        });
        let texts: Vec<Texts> = known.map(|path| self.named_by(path, depth)).collect();
        texts.into_iter().filter(|texts| *texts != unknown()).collect()
    }

    pub(super) fn named_by(&self, path: &str, depth: usize) -> Texts {
        if is_generated(path) {
            // `ops.__name__` is Torch's name of the table, not the namespace.
            return if path.ends_with(".__name__") { unknown() } else { own() };
        }
        if let Some(operator) = path.strip_prefix("torch.ops.") {
            return known(operator.replacen('.', "::", 1));
        }
        let Some((module, names)) = self.package.split(path) else { return unknown() };
        let scopes = &self.package.modules[module].scopes;
        let class = |name: &str| -> Option<ScopeId> {
            scopes.own_meaning(MODULE, name)?.bindings.iter().find_map(|binding| match binding {
                Binding::Class(_, scope) => Some(*scope),
                _ => None,
            })
        };
        let (scope, name) = match *names.as_slice() {
            [name] => (MODULE, name),
            [outer, name] => match class(outer) {
                Some(scope) => (scope, name),
                None => return unknown(),
            },
            _ => return unknown(),
        };
        let Some(meaning) = scopes.own_meaning(scope, name) else { return unknown() };
        self.all_bound(Vec::new(), meaning.bindings, At { module, scope }, &Given::new(), depth)
    }

    /// What a name that the file does not bind may be by `from … import *`.
    fn starred(&self, name: &str, at: At, depth: usize) -> Vec<Texts> {
        self.star_paths(name, at).iter().map(|path| self.named_by(path, depth)).collect()
    }
}
