//! Rules of Python's compiler that `ruff_python_parser` does not have, each as a question about one part of a file.

use ruff_python_ast::{
    ExceptHandler, Expr, ExprContext, FStringPart, InterpolatedStringElement, InterpolatedStringElements,
    Keyword, Number, Pattern, PythonVersion, Stmt, StmtTry,
};
use ruff_text_size::{Ranged, TextRange};

/// A place, and why the compiler refuses it.
pub(super) type Refusal = (TextRange, &'static str);

/// How many decimal digits a number may have (`sys.int_info.default_max_str_digits`).
const MOST_DIGITS: usize = 4300;

/// How deep formats may lie in one another: `f"{a:{b}}"` is the first level (`MAXLEVEL` of the parser for strings until 3.11).
const fn most_formats(version: PythonVersion) -> usize {
    if version.minor < PythonVersion::PY312.minor { 1 } else { 2 }
}

/// What is wrong with a statement itself.
pub(super) fn statement(statement: &Stmt) -> Option<Refusal> {
    match statement {
        Stmt::Expr(alone) => starred(&alone.value),
        Stmt::AugAssign(assign) => starred(&assign.value),
        Stmt::AnnAssign(assign) => assign.value.as_deref().and_then(starred),
        Stmt::Delete(delete) => {
            let targets = delete.targets.iter().flat_map(|target| match target {
                Expr::Tuple(tuple) => &tuple.elts[..],
                Expr::List(list) => &list.elts[..],
                other => std::slice::from_ref(other),
            });
            targets.into_iter().find_map(starred)
        }
        Stmt::With(with) => {
            with.items.iter().filter_map(|item| item.optional_vars.as_deref()).find_map(starred)
        }
        Stmt::ClassDef(class) => class.arguments.as_ref().and_then(|given| debug_given(&given.keywords)),
        Stmt::Try(attempt) => catches_the_rest(attempt),
        _ => None,
    }
}

fn starred(expression: &Expr) -> Option<Refusal> {
    expression.is_starred_expr().then(|| (expression.range(), "a starred expression cannot stand here"))
}

fn debug_given(keywords: &[Keyword]) -> Option<Refusal> {
    let is_debug = |keyword: &&Keyword| keyword.arg.as_ref().is_some_and(|name| name.as_str() == "__debug__");
    keywords.iter().find(is_debug).map(|keyword| (keyword.range(), CONSTANT))
}

const CONSTANT: &str = "cannot assign to `__debug__`";

/// `except:` has to be the last.
fn catches_the_rest(attempt: &StmtTry) -> Option<Refusal> {
    let (_, before) = attempt.handlers.split_last()?;
    let bare = before.iter().find(|ExceptHandler::ExceptHandler(handler)| handler.type_.is_none());
    bare.map(|handler| (handler.range(), "an `except:` for everything must be the last"))
}

/// What is wrong with an expression itself.
pub(super) fn expression(expression: &Expr, text: &str, version: PythonVersion) -> Option<Refusal> {
    match expression {
        Expr::Attribute(attribute) => {
            let is_written = attribute.ctx == ExprContext::Store && attribute.attr.as_str() == "__debug__";
            is_written.then(|| (attribute.range(), CONSTANT))
        }
        Expr::Call(call) => debug_given(&call.arguments.keywords),
        Expr::NumberLiteral(number) if matches!(number.value, Number::Int(_)) => {
            let digits = &text[number.range()];
            let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
            let is_long = digits.bytes().filter(u8::is_ascii_digit).count() > MOST_DIGITS;
            (is_decimal && is_long).then(|| (number.range(), "a number has more than 4300 digits"))
        }
        Expr::FString(string) => {
            let formatted = string.value.iter().filter_map(FStringPart::as_f_string);
            formatted
                .filter_map(|part| interpolations(&part.elements, 0, most_formats(version)))
                .min_by_key(|(range, _)| range.start())
        }
        _ => None,
    }
}

/// What is wrong with the parts of a formatted text; `depth` formats are around them already.
fn interpolations(parts: &InterpolatedStringElements, depth: usize, most: usize) -> Option<Refusal> {
    parts.iter().filter_map(InterpolatedStringElement::as_interpolation).find_map(|part| {
        if depth > most {
            return Some((part.range(), "formats of texts are nested too deeply"));
        }
        let inner = part.format_spec.as_ref();
        starred(&part.expression)
            .or_else(|| inner.and_then(|inner| interpolations(&inner.elements, depth + 1, most)))
    })
}

/// What is wrong with a pattern itself.
pub(super) fn pattern(pattern: &Pattern) -> Option<Refusal> {
    let Pattern::MatchValue(value) = pattern else { return None };
    value.value.is_f_string_expr().then(|| (value.range(), "a pattern cannot be a formatted text"))
}
