//! The front-matter: a template's own keys stay as they are, and ours are added where it has none.

use std::fmt::Write;

use serde_json::{Value, json};

use super::built::BuiltModel;
use super::licence;
use super::model::Model;
use crate::front_matter::{FENCE, Unread, entries};

/// The whole front-matter with its fences: what the template has, then what it lacks.
pub(super) fn merge(own: &str, model: &Model) -> Result<String, Unread> {
    let entries = entries(own)?;
    let mut text = format!("{FENCE}\n{own}");
    for (key, value) in keys(model) {
        if !entries.iter().any(|entry| entry.key == key) {
            yaml(&mut text, 0, key, &value);
        }
    }
    text.push_str(FENCE);
    text.push('\n');
    Ok(text)
}

/// What a card says of itself; keys with an empty value are left out.
fn keys(model: &Model) -> Vec<(&'static str, Value)> {
    let tags: Vec<&str> =
        ["kernel"].into_iter().chain(model.backends.iter().map(|backend| backend.as_str())).collect();
    let variants: Vec<Value> = model.variants.iter().map(variant).collect();
    let functions: Vec<Value> = model
        .api
        .functions
        .iter()
        .map(|function| json!({ "name": function.name, "signature": function.signature, "summary": function.summary }))
        .collect();
    let block = json!({
        "name": model.name,
        "version": model.version,
        "framework": model.framework,
        "backends": model.backends,
        "python-depends": model.python_depends,
        "kernel-depends": model.kernel_depends,
        "functions": functions,
        "layers": model.layers,
        "only-known-at-run-time": model.api.unknown,
        "variants": variants,
    });
    let mut keys = vec![("library_name", json!("kernels"))];
    match licence::of_the_hub(&model.license) {
        Some(known) => keys.push(("license", json!(known))),
        None => keys.extend([("license", json!("other")), ("license_name", json!(model.license))]),
    }
    keys.extend([("tags", json!(tags)), ("kernel-builder", block)]);
    keys
}

fn variant(variant: &BuiltModel) -> Value {
    let build = variant.build.as_ref();
    json!({
        "name": variant.name,
        "backend": variant.backend,
        "framework": variant.framework,
        "compute": variant.compute,
        "system": variant.system,
        "python-floor": variant.python,
        "architectures": variant.architectures,
        "state": if variant.damage.is_some() { "damaged" } else { "as built" },
        "commit": variant.commit,
        "dirty": variant.dirty,
        "builder": variant.builder,
        "engine": build.map(|build| &build.engine),
        "sandbox": build.map(|build| &build.sandbox),
        "policy": build.and_then(|build| build.policy.as_ref()),
        "signed": variant.signed,
        "tests": variant.tests.as_ref().map(|tests| json!(tests.counts)),
        "benchmark": variant.benchmark.as_ref().map(|benchmark| json!(benchmark)),
    })
}

/// Block style for what has content; everything else is a scalar of JSON, which is one of YAML too.
fn yaml(text: &mut String, indent: usize, key: &str, value: &Value) {
    write!(text, "{:indent$}{key}:", "").expect("writing to a string cannot fail");
    content(text, indent, value);
}

fn content(text: &mut String, indent: usize, value: &Value) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('\n');
            map.iter().for_each(|(key, value)| yaml(text, indent + 2, key, value));
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            for item in items {
                item_of(text, indent, item);
            }
        }
        scalar => writeln!(text, " {scalar}").expect("writing to a string cannot fail"),
    }
}

/// An item of a list: a mapping begins on the dash's own line.
fn item_of(text: &mut String, indent: usize, item: &Value) {
    let Value::Object(map) = item else {
        write!(text, "{:indent$}-", "").expect("writing to a string cannot fail");
        return content(text, indent, item);
    };
    for (at, (key, value)) in map.iter().enumerate() {
        if at == 0 {
            write!(text, "{:indent$}- {key}:", "").expect("writing to a string cannot fail");
            content(text, indent + 2, value);
        } else {
            yaml(text, indent + 2, key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_values_are_written_in_block_style() {
        let mut text = String::new();
        yaml(
            &mut text,
            0,
            "k",
            &json!({"a": [{"b": "x: y", "c": []}, {"b": null}], "d": {"e": true}, "f": ["g"]}),
        );
        let expected =
            "k:\n  a:\n  - b: \"x: y\"\n    c: []\n  - b: null\n  d:\n    e: true\n  f:\n  - \"g\"\n";
        assert_eq!(text, expected);
    }
}
