//! The type stub of the generated `_ops.py`: the operators that the binding's sources define, with the types of their
//! schemas. Definitions are read as text; one that a macro or a program makes is not seen, so every other name stays allowed.

use std::fmt::Write;

use kernel_spec::Framework;

use crate::inputs::OPERATORS_MARK;

/// The text of the stub, from the texts of the binding's sources.
pub(super) fn stub<'a>(framework: Framework, sources: impl Iterator<Item = &'a str>) -> String {
    let mut methods: Vec<String> = match framework {
        Framework::TvmFfi => sources.flat_map(exported).collect(),
        Framework::Torch | Framework::TorchNoarch => {
            sources.flat_map(defined).filter_map(|schema| method(&schema)).collect()
        }
    };
    methods.sort();
    methods.dedup();
    let mut text = format!("{OPERATORS_MARK}from typing import Any\n\n");
    if framework != Framework::TvmFfi {
        text.push_str("import torch\n\n");
    }
    text.push_str("class _Operators:\n");
    for method in methods {
        let _ = writeln!(text, "    {method}");
    }
    text.push_str("    def __getattr__(self, name: str) -> Any: ...\n\nops: _Operators\n");
    text.push_str(match framework {
        Framework::TvmFfi => "\ndef __getattr__(name: str) -> Any: ...\n",
        Framework::Torch | Framework::TorchNoarch => {
            "\ndef add_op_namespace_prefix(op_name: str) -> str: ...\n"
        }
    });
    text
}

/// The schemas in `.def("...")`, adjacent literals joined.
fn defined(source: &str) -> Vec<String> {
    source.split(".def(").skip(1).filter_map(|rest| literals(rest.trim_start())).collect()
}

/// The text of the string literals that a text begins with.
fn literals(mut rest: &str) -> Option<String> {
    let mut text = String::new();
    while let Some(inner) = rest.strip_prefix('"') {
        let (literal, after) = inner.split_once('"')?;
        text.push_str(literal);
        rest = after.trim_start();
    }
    Some(text).filter(|text| !text.is_empty())
}

/// The functions in `TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, ...)`.
fn exported(source: &str) -> Vec<String> {
    let names =
        source.split("TVM_FFI_DLL_EXPORT_TYPED_FUNC(").skip(1).filter_map(|rest| rest.split(',').next());
    let names = names.map(str::trim).filter(|name| is_name(name));
    names.map(|name| format!("def {name}(self, *arguments: Any) -> Any: ...")).collect()
}

/// `silu(Tensor! out, Tensor x, float eps=1e-5) -> ()` as a method.
fn method(schema: &str) -> Option<String> {
    let (name, rest) = schema.split_once('(')?;
    let (arguments, returned) = rest.rsplit_once("->")?;
    let arguments = arguments.trim().strip_suffix(')')?;
    // Overloads share one name in Python.
    let name = name.trim().split('.').next().filter(|name| is_name(name))?;
    let mut words = vec!["self".to_owned()];
    for argument in separate(arguments) {
        words.push(parameter(argument)?);
    }
    Some(format!("def {name}({}) -> {}: ...", words.join(", "), returns(returned.trim())))
}

fn parameter(text: &str) -> Option<String> {
    if text == "*" {
        return Some("*".to_owned());
    }
    let (declared, default) = text.split_once('=').map_or((text, ""), |(declared, _)| (declared, " = ..."));
    let (kind, name) = declared.trim().rsplit_once(' ')?;
    is_name(name).then(|| format!("{name}: {}{default}", python_type(kind.trim())))
}

fn returns(text: &str) -> String {
    match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some("") => "None".to_owned(),
        Some(inner) => {
            let types = separate(inner).into_iter().map(|one| python_type(without_name(one)));
            format!("tuple[{}]", types.collect::<Vec<_>>().join(", "))
        }
        None => python_type(without_name(text)),
    }
}

/// A result may have a name behind its type.
fn without_name(text: &str) -> &str {
    text.split_once(' ').map_or(text, |(kind, _)| kind)
}

/// A type of torch's schema language (`torch/csrc/jit/frontend/schema_type_parser.cpp`) in Python's words.
fn python_type(text: &str) -> String {
    // What a function may change, `Tensor(a!)` or `Tensor!`, is no part of the type.
    let plain = match text.split_once('(') {
        Some((before, rest)) => format!("{before}{}", rest.split_once(')').map_or("", |(_, after)| after)),
        None => text.to_owned(),
    };
    let plain = plain.replace('!', "");
    if let Some(inner) = plain.strip_suffix('?') {
        return format!("{} | None", python_type(inner));
    }
    if let Some((inner, _)) = plain.strip_suffix(']').and_then(|inner| inner.rsplit_once('[')) {
        return format!("list[{}]", python_type(inner));
    }
    match plain.as_str() {
        "Tensor" => "torch.Tensor",
        "int" | "SymInt" => "int",
        "float" => "float",
        "bool" => "bool",
        "str" => "str",
        "ScalarType" => "torch.dtype",
        "Device" => "torch.device",
        "Scalar" => "int | float | complex | bool",
        _ => "Any",
    }
    .to_owned()
}

/// The parts between commas that are in no brackets.
fn separate(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_become_methods() {
        let source = "ops.def(\"silu(Tensor! out, Tensor(a) x, float eps=1e-5) -> ()\");\n\
            m.def(\n  \"two.out(Tensor[] xs, *, int[2] sizes=[1, 2], Scalar? s=None)\"\n  \" -> (Tensor, Tensor)\", &two);\n\
            m.def(broken); m.def(\"no schema\"); m.def(\"evil(Tensor x): import os -> Tensor\");";
        let text = stub(Framework::Torch, std::iter::once(source));
        for line in [
            "    def silu(self, out: torch.Tensor, x: torch.Tensor, eps: float = ...) -> None: ...",
            "    def two(self, xs: list[torch.Tensor], *, sizes: list[int] = ..., \
             s: int | float | complex | bool | None = ...) -> tuple[torch.Tensor, torch.Tensor]: ...",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("evil") && !text.contains("os"), "{text}");
        ruff_python_parser::parse_module(&text).expect("Python");
    }

    #[test]
    fn functions_of_tvm_ffi_are_named() {
        let text = stub(Framework::TvmFfi, std::iter::once("TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, Run);"));
        assert!(
            text.contains("def run(self, *arguments: Any) -> Any: ...") && !text.contains("torch"),
            "{text}"
        );
        ruff_python_parser::parse_module(&text).expect("Python");
    }
}
