//! Operators must be registered under the kernel's own namespace, which is its id: two versions of a kernel in one
//! process would otherwise claim the same name, and the second would fail to load. The namespace comes from
//! `add_op_namespace_prefix` in the generated `_ops.py`, so a name written out as a literal is a fault.

use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Arguments, Expr, ExprCall, ExprStringLiteral, Operator};

use super::PythonSource;
use super::names::Names;

/// The functions of `torch.library` that take an operator's qualified name, or a namespace, with the keyword by which
/// it can be passed (its first parameter in torch 2.15).
const REGISTERING: &[(&str, &str)] = &[
    ("Library", "ns"),
    ("custom_op", "name"),
    ("define", "qualname"),
    ("fallthrough_kernel", "op"),
    ("impl", "qualname"),
    ("impl_abstract", "qualname"),
    ("register_autocast", "op"),
    ("register_autograd", "op"),
    ("register_fake", "op"),
    ("register_kernel", "op"),
    ("register_torch_dispatch", "op"),
    ("register_vmap", "op"),
    ("triton_op", "name"),
];

/// The functions of `_ops.py` that add the kernel's namespace.
const PREFIXING: &[&str] = &["add_op_namespace_prefix", "torch_add_op_namespace_prefix"];

/// One finding for each operator or namespace that is written out.
pub(super) fn unprefixed<'a>(source: &'a PythonSource, names: &Names<'a>) -> Vec<Finding> {
    let mut calls = Calls::default();
    calls.visit_body(source.body());
    let registrations = calls.found.into_iter().filter_map(|call| {
        let path = names.path(&call.func)?;
        let function = path.strip_prefix("torch.library.")?;
        let (function, keyword) = REGISTERING.iter().find(|(name, _)| *name == function)?;
        let name = argument(&call.arguments, keyword)?;
        (origin(name, names, 8) == Origin::Literal).then(|| finding(source, function, name))
    });
    registrations.collect()
}

fn finding(source: &PythonSource, function: &str, name: &Expr) -> Finding {
    let written = source.slice(name);
    let (what, help) = if function == "Library" {
        (
            "the namespace",
            "use `ops` of `._ops` for what is registered in C++, and its helper for the rest".to_owned(),
        )
    } else {
        (
            "the operator",
            format!("write `add_op_namespace_prefix({})`, imported from `._ops`", bare(name, &written)),
        )
    };
    Finding::error(
        &python::UNPREFIXED,
        format!("`{function}` is given {what} {written} without the kernel's namespace"),
    )
    .cause("two versions of the kernel in one process would register the same name")
    .help(help)
    .at(source.span(name))
    .about(Subject { file: Some(source.path().to_owned()), ..Subject::default() })
}

/// The operator's name alone, quoted, where it is a plain literal.
fn bare(name: &Expr, written: &str) -> String {
    match name {
        Expr::StringLiteral(ExprStringLiteral { value, .. }) => {
            let name = value.to_str();
            format!("\"{}\"", name.rsplit("::").next().unwrap_or(name))
        }
        _ => written.to_owned(),
    }
}

fn argument<'a>(arguments: &'a Arguments, keyword: &str) -> Option<&'a Expr> {
    let named = || {
        let keywords = arguments.keywords.iter();
        keywords
            .filter(|given| given.arg.as_ref().is_some_and(|name| name.as_str() == keyword))
            .map(|it| &it.value)
    };
    arguments.args.first().filter(|first| !first.is_starred_expr()).or_else(|| named().next())
}

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// From the helper, at least in part.
    Prefixed,
    /// Written out in this file.
    Literal,
    /// From elsewhere.
    Unknown,
}

impl Origin {
    fn join(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Prefixed, _) | (_, Origin::Prefixed) => Origin::Prefixed,
            (Origin::Literal, Origin::Literal) => Origin::Literal,
            _ => Origin::Unknown,
        }
    }
}

fn origin(expression: &Expr, names: &Names<'_>, depth: usize) -> Origin {
    match expression {
        Expr::StringLiteral(_) => Origin::Literal,
        Expr::FString(string) => string
            .value
            .elements()
            .filter_map(|element| element.as_interpolation())
            .map(|interpolation| origin(&interpolation.expression, names, depth))
            .fold(Origin::Literal, Origin::join),
        Expr::BinOp(operation) if operation.op == Operator::Add => {
            origin(&operation.left, names, depth).join(origin(&operation.right, names, depth))
        }
        Expr::Call(call) => of_call(call, names, depth),
        Expr::Name(name) if depth > 0 => {
            let values = names.values(name.id.as_str()).iter();
            values
                .map(|value| origin(value, names, depth - 1))
                .reduce(Origin::join)
                .unwrap_or(Origin::Unknown)
        }
        _ => Origin::Unknown,
    }
}

/// A call of the helper, or of anything with the helper's result among its arguments, as in `str(helper("f"))`.
fn of_call(call: &ExprCall, names: &Names<'_>, depth: usize) -> Origin {
    let helper = names.path(&call.func).is_some_and(|path| {
        path.starts_with('.') && path.rsplit('.').next().is_some_and(|name| PREFIXING.contains(&name))
    });
    let passed = call.arguments.args.iter().any(|given| origin(given, names, depth) == Origin::Prefixed);
    if helper || passed { Origin::Prefixed } else { Origin::Unknown }
}

/// Every call of a file, decorators included.
#[derive(Default)]
struct Calls<'a> {
    found: Vec<&'a ExprCall>,
}

impl<'a> Visitor<'a> for Calls<'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            self.found.push(call);
        }
        walk_expr(self, expression);
    }
}
