//! Reading how an operation is called, with which arguments, and the functions beside it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toml::de::DeValue;

use super::parse::{is_name, wrong};
use super::{Call, Function, Role, Tensor};
use crate::manifest::reader::{Reader, Section};
use crate::suggest::listed;

pub(super) fn arguments(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    tensors: &[Tensor],
) -> BTreeMap<String, Value> {
    let Some(table) = reader.bare_table(section, "arguments") else { return BTreeMap::new() };
    let mut arguments = BTreeMap::new();
    for (name, place, value) in table.entries() {
        if !is_name(name) || tensors.iter().any(|tensor| tensor.name == name) {
            wrong(
                reader,
                &place,
                format!("`{}` cannot be the name of an argument", name.escape_debug()),
                "use a name that no tensor has",
            );
        }
        let scalar = match value.get_ref() {
            DeValue::Boolean(flag) => Some(Value::from(*flag)),
            DeValue::Integer(integer) => integer.as_str().parse::<i64>().ok().map(Value::from),
            DeValue::Float(float) => {
                float.as_str().parse::<f64>().ok().filter(|float| float.is_finite()).map(Value::from)
            }
            // TOML has no word for Python's None.
            DeValue::String(text) if text.as_ref() == "None" => Some(Value::Null),
            DeValue::String(text) => Some(Value::from(text.as_ref())),
            _ => None,
        };
        match scalar {
            Some(scalar) => drop(arguments.insert(name.to_owned(), scalar)),
            None => wrong(
                reader,
                &value.span(),
                format!("the argument `{name}` is no scalar"),
                "write a number, a truth value, a string or \"None\"",
            ),
        }
    }
    arguments
}

pub(super) fn call(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    name: &str,
    tensors: &[Tensor],
    arguments: &BTreeMap<String, Value>,
) -> Option<Call> {
    let Some(text) = reader.text(section, "call") else {
        let passed = tensors.iter().filter(|tensor| tensor.role != Role::Output);
        let positional = passed.map(|tensor| tensor.name.clone()).collect();
        let keyword = arguments.keys().map(|name| (name.clone(), name.clone())).collect();
        return section.get("call").is_none().then(|| Call {
            function: vec![name.to_owned()],
            positional,
            keyword,
        });
    };
    let Some(call) = parse_call(&text.value) else {
        wrong(
            reader,
            &text.bytes,
            format!("`{}` is no call", text.value.escape_debug()),
            "write it as in `rms_norm(out, x, eps=eps)`: names of tensors and arguments only",
        );
        return None;
    };
    let passed: Vec<&str> = call
        .positional
        .iter()
        .chain(call.keyword.iter().map(|(_, passed)| passed))
        .map(String::as_str)
        .collect();
    let known: BTreeSet<&str> = tensors
        .iter()
        .map(|tensor| tensor.name.as_str())
        .chain(arguments.keys().map(String::as_str))
        .collect();
    for unknown in passed.iter().filter(|passed| !known.contains(**passed)) {
        wrong(
            reader,
            &text.bytes,
            format!("the call passes `{unknown}`, which is no tensor and no argument"),
            format!("there are {}", listed(known.iter().copied())),
        );
    }
    for unused in arguments.keys().filter(|name| !passed.contains(&name.as_str())) {
        wrong(
            reader,
            &text.bytes,
            format!("the call does not pass the argument `{unused}`"),
            format!("add `{unused}={unused}`"),
        );
    }
    Some(call)
}

/// Reads `a.b(x, y, key=z)`.
fn parse_call(text: &str) -> Option<Call> {
    let (function, rest) = text.trim().split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    let function: Vec<String> = function.split('.').map(|part| part.trim().to_owned()).collect();
    let mut call = Call { function, positional: Vec::new(), keyword: Vec::new() };
    for argument in inside.split(',').map(str::trim).filter(|argument| !argument.is_empty()) {
        match argument.split_once('=') {
            Some((key, value)) => call.keyword.push((key.trim().to_owned(), value.trim().to_owned())),
            None if call.keyword.is_empty() => call.positional.push(argument.to_owned()),
            None => return None,
        }
    }
    let pairs = call.keyword.iter().flat_map(|(key, value)| [key, value]);
    let are_names = call.function.iter().chain(&call.positional).chain(pairs).all(|name| is_name(name));
    are_names.then_some(call)
}

pub(super) fn function(reader: &mut Reader<'_>, section: &Section<'_>, key: &str) -> Option<Function> {
    let text = reader.text(section, key)?;
    let parsed = text.value.split_once(':').filter(|(file, name)| {
        let stem = file.strip_suffix(".py").unwrap_or_default();
        is_name(stem) && is_name(name)
    });
    let Some((file, name)) = parsed else {
        wrong(
            reader,
            &text.bytes,
            format!("`{}` names no function", text.value.escape_debug()),
            "write a Python file beside this one and a function in it, as in `\"reference.py:relu\"`",
        );
        return None;
    };
    Some(Function { file: file.to_owned(), name: name.to_owned() })
}
