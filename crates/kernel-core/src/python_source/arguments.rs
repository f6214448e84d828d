//! Which function a call calls and what it hands over, also through `functools.partial`, `getattr`, `*` and `**`.

use ruff_python_ast::{Arguments, Expr};
use ruff_text_size::{Ranged, TextRange};

use super::package::At;
use super::registries::REGISTRIES;
use super::value::Evaluator;

/// Arguments that are given, how many of the first are not meant, and where they are.
pub(super) type Given<'a> = (&'a Arguments, usize, At);

/// A function that is called, with what `functools.partial` has given it already.
pub(super) struct Callee<'a> {
    pub(super) path: String,
    pub(super) given: Vec<Given<'a>>,
}

/// Stands for a name that only running the file could tell.
pub(super) const UNNAMED: &str = "?";

pub(super) fn callees<'a>(
    evaluator: &Evaluator<'_, 'a>,
    function: &'a Expr,
    at: At,
    depth: usize,
) -> Vec<Callee<'a>> {
    let mut found: Vec<Callee<'a>> = Vec::new();
    for path in evaluator.paths(function, at) {
        found.push(Callee { path, given: Vec::new() });
    }
    if depth == 0 {
        return found;
    }
    for (call, at) in evaluator.containers(function, at, 4) {
        let Expr::Call(call) = call else { continue };
        let first = call.arguments.args.first();
        if let (Some(inner), true) = (first, is_partial(evaluator, &call.func, at)) {
            for mut callee in callees(evaluator, inner, at, depth - 1) {
                callee.given.push((&call.arguments, 1, at));
                found.push(callee);
            }
        } else if let (Some(of), true) =
            (first, found.is_empty() && evaluator.paths(&call.func, at).contains("builtins.getattr"))
        {
            let modules = evaluator.paths(of, at).into_iter().filter(|path| {
                let inside = path.strip_prefix("torch.").map(|inside| inside.rsplit('.').next());
                inside.flatten().is_some_and(|module| REGISTRIES.contains(&module))
            });
            found.extend(
                modules.map(|module| Callee { path: format!("{module}.{UNNAMED}"), given: Vec::new() }),
            );
        }
    }
    found
}

pub(super) fn is_partial<'a>(evaluator: &Evaluator<'_, 'a>, function: &'a Expr, at: At) -> bool {
    let paths = evaluator.paths(function, at);
    ["functools.partial", "functools.partialmethod"].iter().any(|path| paths.contains(*path))
}

/// An argument of a call.
pub(super) enum Argument<'a> {
    Given(&'a Expr, At),
    /// Among those that `*` or `**` hands over, where that is not written out.
    Hidden(TextRange),
    Absent,
}

/// The argument at a place, or by a keyword; what lies behind `*` and `**` counts.
pub(super) fn argument<'a>(
    evaluator: &Evaluator<'_, 'a>,
    given: &[Given<'a>],
    place: usize,
    keyword: &str,
) -> Argument<'a> {
    let mut hidden = None;
    let mut positional = Vec::new();
    'all: for (arguments, skipped, at) in given {
        for argument in arguments.args.iter().skip(*skipped) {
            let Expr::Starred(starred) = argument else {
                positional.push((argument, *at));
                continue;
            };
            let Some(elements) = evaluator.elements(&starred.value, *at, 8) else {
                hidden = Some(argument.range());
                break 'all;
            };
            positional.extend(elements);
        }
    }
    if let Some((argument, at)) = positional.get(place) {
        return Argument::Given(argument, *at);
    }
    for (arguments, _, at) in given {
        for passed in &arguments.keywords {
            match &passed.arg {
                Some(name) if name.as_str() == keyword => return Argument::Given(&passed.value, *at),
                Some(_) => {}
                None => match of_table(evaluator, &passed.value, *at, keyword) {
                    Argument::Absent => {}
                    Argument::Hidden(range) => hidden = hidden.or(Some(range)),
                    given @ Argument::Given(..) => return given,
                },
            }
        }
    }
    hidden.map_or(Argument::Absent, Argument::Hidden)
}

/// What a table that is written out has under a key.
fn of_table<'a>(evaluator: &Evaluator<'_, 'a>, table: &'a Expr, at: At, key: &str) -> Argument<'a> {
    let hidden = Argument::Hidden(table.range());
    let tables = evaluator.containers(table, at, 8);
    let mut found = if tables.is_empty() { Argument::Hidden(table.range()) } else { Argument::Absent };
    for (table, at) in tables {
        match table {
            Expr::Dict(dict) => {
                for item in &dict.items {
                    let Some(Expr::StringLiteral(name)) = &item.key else { return hidden };
                    if name.value.to_str() == key {
                        found = Argument::Given(&item.value, at);
                    }
                }
            }
            Expr::Call(call) if evaluator.paths(&call.func, at).contains("builtins.dict") => {
                for keyword in &call.arguments.keywords {
                    let Some(name) = &keyword.arg else { return hidden };
                    if name.as_str() == key {
                        found = Argument::Given(&keyword.value, at);
                    }
                }
            }
            _ => return hidden,
        }
    }
    found
}
