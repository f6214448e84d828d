//! JSON Schema of `build.toml`, editions 4 and 5, for editors and other tools. Tables and keys come from the tables
//! that the parser reads; only the shape of values is said here.

use serde_json::{Map, Value, json};

use super::Edition;
use super::keys::{self, Key};
use crate::Backend;

/// The schema. It is weaker than `kernel-builder check`, which also knows what keys mean together.
pub fn schema() -> Value {
    let mut root = table("The manifest of a compute kernel", keys::ROOT, &|key| match key {
        "general" => general(),
        "torch" => table("A kernel bound to torch", keys::TORCH, &value),
        "torch-noarch" => table("A kernel in Python only", keys::TORCH_NOARCH, &value),
        "tvm-ffi" => table("A kernel bound to tvm-ffi", keys::TVM_FFI, &value),
        _ => json!({ "type": "object", "description": "The compiled components",
                     "additionalProperties": { "oneOf": compiled().map(component).collect::<Vec<_>>() } }),
    });
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["oneOf"] =
        json!([{ "required": ["torch"] }, { "required": ["torch-noarch"] }, { "required": ["tvm-ffi"] }]);
    root
}

fn compiled() -> impl Iterator<Item = Backend> {
    Backend::all().filter(|backend| backend.row().compiles)
}

fn general() -> Value {
    table("What the kernel is", keys::GENERAL, &|key| match key {
        "hub" => table("Where it is published", keys::HUB, &value),
        "cuda" => table("Only for CUDA", keys::GENERAL_CUDA, &value),
        "tpu" => table("Only for TPU", keys::GENERAL_TPU, &value),
        "neuron" | "xpu" => table("Only for this backend", keys::GENERAL_BACKEND, &value),
        "version" => json!({ "type": "integer", "minimum": 0, "description": "Major version" }),
        "edition" => json!({ "const": 5, "description": "Absent in files of edition 4" }),
        "backends" => {
            let names: Vec<&str> = Backend::all().map(Backend::as_str).collect();
            json!({ "type": "array", "items": { "enum": names } })
        }
        other => value(other),
    })
}

fn component(backend: Backend) -> Value {
    let known = keys::component(Some(backend));
    let title = format!("A component compiled for {backend}");
    table(&title, known, &|key| match key {
        "backend" => json!({ "const": backend.as_str() }),
        other => value(other),
    })
}

pub(crate) fn table<'k>(
    description: &str,
    known: impl IntoIterator<Item = &'k Key>,
    value: &dyn Fn(&str) -> Value,
) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in known {
        properties.insert(key.name.to_owned(), value(key.name));
        if key.required.is_some_and(|since| since <= Edition::Four) {
            required.push(key.name);
        }
    }
    json!({ "type": "object", "description": description, "properties": properties, "required": required,
            "additionalProperties": false })
}

/// The shape of a value whose meaning does not depend on its table.
fn value(key: &str) -> Value {
    let version = json!({ "type": "string", "pattern": "^[0-9]+([.][0-9]+)*$" });
    match key {
        "minver" | "maxver" | "cuda-minver" => version,
        "stable-abi" => json!({ "anyOf": [version, { "type": "object", "additionalProperties": version }] }),
        "kernel-depends" => {
            let mut reference = table("A kernel on the Hub", keys::KERNEL_DEPENDENCY, &|key| match key {
                "version" => json!({ "type": "integer", "minimum": 0 }),
                _ => json!({ "type": "string" }),
            });
            reference["oneOf"] = json!([{ "required": ["version"] }, { "required": ["revision"] }]);
            json!({ "type": "array", "items": reference })
        }
        "name" | "license" | "upstream" | "source" | "repo-id" | "branch" => json!({ "type": "string" }),
        _ => json!({ "type": "array", "items": { "type": "string" } }),
    }
}
