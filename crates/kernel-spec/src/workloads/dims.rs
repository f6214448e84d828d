//! Reading dimensions, and sizes in terms of them.

use std::collections::BTreeMap;

use serde_spanned::Spanned;
use toml::de::DeValue;

use super::parse::{is_name, wrong};
use super::{Dimension, Size, Workload, keys};
use crate::manifest::reader::{Reader, Section};
use crate::suggest::listed;

pub(super) fn dims(reader: &mut Reader<'_>, section: &Section<'_>) -> BTreeMap<String, Dimension> {
    let Some(table) = reader.bare_table(section, "dims") else { return BTreeMap::new() };
    let mut dims = BTreeMap::new();
    for (name, place, _) in table.entries() {
        if !is_name(name) {
            wrong(
                reader,
                &place,
                format!("`{}` is no name of a dimension", name.escape_debug()),
                "use letters, digits and `_`",
            );
        }
        let Some(declared) = reader.table(&table, name, keys::DIMENSION) else { continue };
        let mut count = |key: &str| reader.count(&declared, key).map(|count| count.value);
        let (min, max, multiple_of) = (count("min"), count("max"), count("multiple-of"));
        let one_of = declared.get("in").and_then(|value| counts(reader, value));
        let dimension =
            Dimension { min: min.unwrap_or(1), max, one_of, multiple_of: multiple_of.unwrap_or(1).max(1) };
        if !dimension.allows(dimension.nearest(dimension.min)) {
            wrong(reader, &place, format!("no size is allowed for `{name}`"), "widen its bounds");
        }
        dims.insert(name.to_owned(), dimension);
    }
    dims
}

fn counts(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Vec<u64>> {
    let elements = value.get_ref().as_array();
    let counts = elements.and_then(|elements| {
        elements.iter().map(|element| element.get_ref().as_integer()?.as_str().parse().ok()).collect()
    });
    if counts.is_none() {
        wrong(
            reader,
            &value.span(),
            "this is no list of whole numbers".to_owned(),
            "write, for example, `[64, 128]`",
        );
    }
    counts
}

pub(super) fn size(
    reader: &mut Reader<'_>,
    value: &Spanned<DeValue<'_>>,
    dims: &BTreeMap<String, Dimension>,
) -> Option<Size> {
    let size = match value.get_ref() {
        DeValue::Integer(integer) => integer.as_str().parse().ok().map(Size::number),
        DeValue::String(text) => Size::parse(text),
        _ => None,
    };
    let Some(size) = size else {
        wrong(
            reader,
            &value.span(),
            "this is no size".to_owned(),
            "write a number, or dimensions as in `\"2*D\"`, `\"B+1\"`, `\"K/2\"`",
        );
        return None;
    };
    let unknown: Vec<&str> = size.dimensions().filter(|name| !dims.contains_key(*name)).collect();
    if let Some(name) = unknown.first() {
        wrong(
            reader,
            &value.span(),
            format!("`{name}` is no dimension of the operation"),
            format!("add `{name} = {{}}` to its `dims`"),
        );
        return None;
    }
    Some(size)
}

/// The workloads, each with a size for every dimension.
pub(super) fn workloads(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    dims: &BTreeMap<String, Dimension>,
) -> Vec<Workload> {
    let mut workloads: Vec<Workload> = Vec::new();
    for declared in reader.tables(section, "workload", keys::WORKLOAD) {
        let Some(name) = reader.text(&declared, "name") else { continue };
        let usual = |next: char| next.is_ascii_alphanumeric() || "_-".contains(next);
        if name.is_empty()
            || !name.chars().all(usual)
            || workloads.iter().any(|known| known.name == name.value)
        {
            wrong(
                reader,
                &name.bytes,
                format!("`{}` cannot name a workload", name.value.escape_debug()),
                "use letters, digits, `_` and `-`, and each name once",
            );
        }
        let sizes = sizes(reader, &declared, dims);
        let dtypes = declared.get("dtypes").and_then(|_| super::operation::dtypes(reader, &declared));
        let weight = reader.number(&declared, "weight").unwrap_or(1.0);
        workloads.push(Workload { name: name.value, sizes, dtypes, weight });
    }
    workloads
}

fn sizes(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    dims: &BTreeMap<String, Dimension>,
) -> BTreeMap<String, u64> {
    let Some(table) = reader.bare_table(section, "sizes") else { return BTreeMap::new() };
    let mut sizes = BTreeMap::new();
    for (name, place, _) in table.entries() {
        let Some(size) = reader.count(&table, name) else { continue };
        match dims.get(name) {
            None => wrong(
                reader,
                &place,
                format!("`{}` is no dimension of the operation", name.escape_debug()),
                format!("there are {}", listed(dims.keys().map(String::as_str))),
            ),
            Some(dimension) if !dimension.allows(size.value) => {
                wrong(
                    reader,
                    &size.bytes,
                    format!("{} is not allowed for `{name}`", size.value),
                    "look at its bounds under `dims`",
                );
            }
            Some(_) => drop(sizes.insert(name.to_owned(), size.value)),
        }
    }
    let missing: Vec<&str> =
        dims.keys().filter(|name| table.get(name).is_none()).map(String::as_str).collect();
    if !missing.is_empty() {
        wrong(
            reader,
            &table.place,
            format!("there is no size for {}", listed(missing)),
            "give every dimension a size",
        );
    }
    sizes
}
