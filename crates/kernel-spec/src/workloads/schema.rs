//! JSON Schema of `workloads.toml`. Tables and keys come from the tables that the parser reads.

use serde_json::{Value, json};

use super::tensor::DTYPES;
use super::{Layout, Role, SpecialValues, keys};
use crate::manifest::schema::table;

/// The schema. It is weaker than the parser, which also knows how the parts of an operation belong together.
pub fn schema() -> Value {
    let mut root = table("The operations of a compute kernel", keys::ROOT, &|key| match key {
        "schema" => json!({ "const": 1, "description": "Form of this file" }),
        _ => json!({ "type": "object", "minProperties": 1, "additionalProperties": operation() }),
    });
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root
}

fn operation() -> Value {
    let function = |description: &str| json!({ "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*[.]py:[A-Za-z_][A-Za-z0-9_]*$", "description": description });
    let names = json!({ "type": "array", "items": { "type": "string" } });
    table("A function of the kernel", keys::OPERATION, &|key| match key {
        "call" => {
            json!({ "type": "string", "description": "How it is called, with names of tensors and arguments: `rms_norm(out, x, eps=eps)`" })
        }
        "reference" => function(
            "What it computes, with plain operations of torch: called with what is read and the arguments by name, it returns what is written",
        ),
        "inputs" => function(
            "What makes its inputs: called with `rng`, `dims`, `dtype` and `device`, it returns tensors by name",
        ),
        "dtypes" => dtypes(),
        "dims" => json!({ "type": "object", "additionalProperties": dimension() }),
        "tensors" => json!({ "type": "object", "additionalProperties": tensor() }),
        "arguments" => {
            json!({ "type": "object", "additionalProperties": { "type": ["number", "boolean", "string"] } })
        }
        "special-values" => {
            json!({ "enum": SpecialValues::ALL, "description": "What it does with NaN, infinities and denormal numbers" })
        }
        "deterministic" => {
            json!({ "type": "boolean", "description": "Whether the same inputs give the same bytes" })
        }
        "stochastic" => json!({ "type": "string", "description": "The argument that seeds it" }),
        "terms" => size("How many terms the longest sum in it has"),
        "tolerance" => json!({ "type": "object", "additionalProperties": tolerance() }),
        "unsupported-layouts" => {
            json!({ "type": "array", "items": { "enum": &Layout::ALL[1..] }, "description": "Layouts of inputs that it refuses with an exception" })
        }
        "aliasing" => {
            json!({ "type": "array", "items": { "type": "string" }, "description": "Outputs that may be an input, as `out=x`" })
        }
        "workload" => json!({ "type": "array", "items": workload() }),
        _ => names.clone(),
    })
}

fn dtypes() -> Value {
    json!({ "type": "array", "minItems": 1, "items": { "enum": DTYPES } })
}

fn size(description: &str) -> Value {
    json!({ "type": ["integer", "string"], "description": description })
}

fn dimension() -> Value {
    let count = json!({ "type": "integer", "minimum": 0 });
    table("What a dimension may be", keys::DIMENSION, &|key| match key {
        "in" => json!({ "type": "array", "items": count }),
        _ => count.clone(),
    })
}

fn tensor() -> Value {
    table("A tensor", keys::TENSOR, &|key| match key {
        "shape" => json!({ "type": "array", "items": size("A number, or dimensions: `2*D`, `B+1`, `K/2`") }),
        "role" => json!({ "enum": Role::ALL }),
        "dtype" => json!({ "enum": DTYPES }),
        "low" => json!({ "type": "integer", "description": "Smallest whole number in it" }),
        "high" => size("Whole numbers in it are smaller than this"),
        "metric" => table(
            "Bounds for an output that is only near its reference",
            keys::METRIC,
            &|_| json!({ "type": "number", "minimum": 0 }),
        ),
        _ => json!({ "enum": ["ulp", "exact", "codes", "permutation", "ignore"] }),
    })
}

fn tolerance() -> Value {
    table("How far outputs of a type may be off", keys::TOLERANCE, &|key| match key {
        "reason" => json!({ "type": "string", "description": "Why more than the ordinary is right" }),
        _ => json!({ "type": "number", "minimum": 0 }),
    })
}

fn workload() -> Value {
    table("A shape that matters", keys::WORKLOAD, &|key| match key {
        "name" => json!({ "type": "string" }),
        "sizes" => json!({ "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } }),
        "dtypes" => dtypes(),
        _ => json!({ "type": "number", "minimum": 0 }),
    })
}
