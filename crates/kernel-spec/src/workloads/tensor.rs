//! Reading the tensors of an operation.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::dims::size;
use super::parse::{choice, is_name, wrong};
use super::{Compare, Dimension, Metric, Role, Tensor, keys};
use crate::manifest::reader::{Reader, Section};
use crate::suggest::listed;

/// Types that inputs can be made of and outputs judged in.
pub(super) const DTYPES: &[&str] = &[
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "complex64",
    "complex128",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
];

pub(super) fn tensors(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    dims: &BTreeMap<String, Dimension>,
) -> Vec<Tensor> {
    let Some(table) = reader.bare_table(section, "tensors") else { return Vec::new() };
    let mut tensors = Vec::new();
    for (name, place, _) in table.entries() {
        if !is_name(name) {
            wrong(
                reader,
                &place,
                format!("`{}` is no name of a tensor", name.escape_debug()),
                "use letters, digits and `_`",
            );
        }
        let Some(declared) = reader.table(&table, name, keys::TENSOR) else { continue };
        let shape = match declared.get("shape").map(|value| (value, value.get_ref())) {
            None => Vec::new(),
            Some((_, DeValue::Array(sizes))) => {
                sizes.iter().filter_map(|value| size(reader, value, dims)).collect()
            }
            Some((value, _)) => {
                reader.wrong_type(&declared, "shape", value, "a list of sizes");
                Vec::new()
            }
        };
        let dtype = reader.text(&declared, "dtype");
        if let Some(unknown) = dtype.as_ref().filter(|dtype| !DTYPES.contains(&dtype.value.as_str())) {
            wrong(
                reader,
                &unknown.bytes,
                format!("`{}` is no type", unknown.value),
                format!("there are {}", listed(DTYPES.iter().copied())),
            );
        }
        let low = reader.integer(&declared, "low").unwrap_or_default();
        let high = declared.get("high").and_then(|value| size(reader, value, dims));
        tensors.push(Tensor {
            name: name.to_owned(),
            role: choice(reader, &declared, "role", Role::ALL, Role::as_str).unwrap_or(Role::Input),
            shape,
            dtype: dtype.map(|dtype| dtype.value),
            range: high.map(|high| (low, high)),
            compare: compare(reader, &declared),
        });
    }
    tensors
}

fn compare(reader: &mut Reader<'_>, section: &Section<'_>) -> Compare {
    if let Some(metric) = reader.table(section, "metric", keys::METRIC) {
        let ordinary = Metric::default();
        return Compare::Metric(Metric {
            cosine: reader.number(&metric, "cosine").unwrap_or(ordinary.cosine),
            relative: reader.number(&metric, "relative").unwrap_or(ordinary.relative),
            scale: reader.number(&metric, "scale").unwrap_or(ordinary.scale),
        });
    }
    let all = [Compare::Ulp, Compare::Exact, Compare::Codes, Compare::Permutation, Compare::Ignore];
    choice(reader, section, "compare", &all, comparison).unwrap_or(Compare::Ulp)
}

/// The name of a comparison in the file; a metric is declared by its own key.
pub(super) fn comparison(compare: Compare) -> &'static str {
    match compare {
        Compare::Ulp => "ulp",
        Compare::Exact => "exact",
        Compare::Codes => "codes",
        Compare::Permutation => "permutation",
        Compare::Metric(_) => "metric",
        Compare::Ignore => "ignore",
    }
}
