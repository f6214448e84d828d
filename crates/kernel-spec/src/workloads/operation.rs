//! Reading one `[operation.NAME]`.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_spanned::Spanned;

use super::call::{arguments, call, function};
use super::dims::{dims, size, workloads};
use super::parse::{choice, is_name, wrong};
use super::tensor::{DTYPES, tensors};
use super::{Layout, Operation, Role, SpecialValues, Tensor, Tolerance, keys};
use crate::manifest::reader::{Reader, Section};
use crate::suggest::listed;

/// Reads an operation; `None` where something it needs is missing or wrong.
pub(super) fn read(
    reader: &mut Reader<'_>,
    parent: &Section<'_>,
    name: &str,
    place: &Range<usize>,
) -> Option<Operation> {
    let section = reader.table(parent, name, keys::OPERATION)?;
    if !is_name(name) {
        wrong(
            reader,
            place,
            format!("`{}` is no name of an operation", name.escape_debug()),
            "use letters, digits and `_`",
        );
    }
    let dims = dims(reader, &section);
    let tensors = tensors(reader, &section, &dims);
    let arguments = arguments(reader, &section, &tensors);
    let call = call(reader, &section, name, &tensors, &arguments);
    let reference = function(reader, &section, "reference");
    let inputs = function(reader, &section, "inputs");
    let dtypes = dtypes(reader, &section);
    let special_values =
        choice(reader, &section, "special-values", SpecialValues::ALL, SpecialValues::as_str);
    let stochastic = reader.text(&section, "stochastic");
    if let Some(argument) = stochastic.as_ref().filter(|argument| !arguments.contains_key(&argument.value)) {
        wrong(
            reader,
            &argument.bytes,
            format!("`{}` is no argument", argument.value),
            "name the argument that seeds it",
        );
    }
    let terms = section.get("terms").and_then(|value| size(reader, value, &dims));
    let deterministic = reader.flag(&section, "deterministic").unwrap_or_default();
    let tolerance = tolerance(reader, &section);
    let unsupported_layouts = layouts(reader, &section);
    let aliasing = aliasing(reader, &section, &tensors);
    let grad = grad(reader, &section, &tensors);
    let workloads = workloads(reader, &section, &dims);
    // Everything has been read, and its faults told, before anything is missed.
    let operation = Operation {
        name: name.to_owned(),
        call: call?,
        reference: reference?,
        inputs,
        dtypes: dtypes?,
        special_values: special_values.unwrap_or(SpecialValues::Propagate),
        deterministic,
        stochastic: stochastic.map(|argument| argument.value),
        terms,
        tolerance,
        unsupported_layouts,
        aliasing,
        grad,
        workloads,
        dims,
        tensors,
        arguments,
    };
    consistent(reader, &section, &operation);
    Some(operation)
}

/// What only the whole operation shows.
fn consistent(reader: &mut Reader<'_>, section: &Section<'_>, operation: &Operation) {
    if operation.written().next().is_none() {
        let message = format!("{} has no tensor that is written", section.title());
        wrong(reader, &section.place, message, "give one the role `output` or `inout`");
    }
    let made = operation.inputs.is_some();
    for tensor in &operation.tensors {
        let is_read = matches!(tensor.role, Role::Input | Role::Inout | Role::Constant);
        let is_passed = operation.call.passes(&tensor.name);
        if !is_passed && tensor.role != Role::Output {
            let message = format!("the call does not pass `{}`", tensor.name);
            wrong(reader, &section.place, message, "add it to `call`, or remove the tensor");
        }
        // A shape is what is allocated; what somebody else makes or returns has its own.
        let is_ours = is_passed || tensor.role != Role::Output;
        if tensor.shape.is_empty() && is_ours && !(is_read && made) {
            let message = format!("the tensor `{}` has no shape", tensor.name);
            wrong(reader, &section.place, message, "add its `shape`, for example `shape = [\"T\", \"D\"]`");
        }
    }
    for workload in &operation.workloads {
        if operation.tensors_of(&workload.sizes, "float32").is_none()
            && operation.dims.keys().all(|name| workload.sizes.contains_key(name))
        {
            let message = format!("no shapes come of the sizes of the workload `{}`", workload.name);
            wrong(
                reader,
                &section.place,
                message,
                "a quotient has a remainder, a range is empty, or a size is too large",
            );
        }
    }
}

pub(super) fn dtypes(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Vec<String>> {
    let names = reader.texts(section, "dtypes")?;
    for name in names.iter().filter(|name| !DTYPES.contains(&name.value.as_str())) {
        wrong(
            reader,
            &name.bytes,
            format!("`{}` is no type", name.value.escape_debug()),
            format!("there are {}", listed(DTYPES.iter().copied())),
        );
    }
    if names.is_empty() {
        let place = section.get("dtypes").map_or(0..0, Spanned::span);
        wrong(
            reader,
            &place,
            "there is no type".to_owned(),
            "name at least one, as in `dtypes = [\"float32\"]`",
        );
    }
    Some(names.into_iter().map(|name| name.value).collect())
}

fn tolerance(reader: &mut Reader<'_>, section: &Section<'_>) -> BTreeMap<String, Tolerance> {
    let Some(table) = reader.bare_table(section, "tolerance") else { return BTreeMap::new() };
    let mut tolerances = BTreeMap::new();
    for (name, place, _) in table.entries() {
        if !DTYPES.contains(&name) {
            wrong(
                reader,
                &place,
                format!("`{}` is no type", name.escape_debug()),
                format!("there are {}", listed(DTYPES.iter().copied())),
            );
        }
        let Some(declared) = reader.table(&table, name, keys::TOLERANCE) else { continue };
        let mut number = |key: &str| reader.number(&declared, key).unwrap_or_default();
        let (ulp, relative, absolute) = (number("ulp"), number("relative"), number("absolute"));
        let reason = reader.text(&declared, "reason").map(|reason| reason.value).unwrap_or_default();
        tolerances.insert(name.to_owned(), Tolerance { ulp, relative, absolute, reason });
    }
    tolerances
}

fn layouts(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<Layout> {
    let mut layouts = Vec::new();
    for name in reader.texts(section, "unsupported-layouts").unwrap_or_default() {
        match Layout::ALL.iter().find(|layout| layout.as_str() == name.value) {
            Some(Layout::Contiguous) | None => {
                let names = Layout::ALL.iter().skip(1).map(|layout| layout.as_str());
                wrong(
                    reader,
                    &name.bytes,
                    format!("`{}` is no layout that can be refused", name.value.escape_debug()),
                    format!("there are {}", listed(names)),
                );
            }
            Some(layout) => layouts.push(*layout),
        }
    }
    layouts
}

fn aliasing(reader: &mut Reader<'_>, section: &Section<'_>, tensors: &[Tensor]) -> Vec<(String, String)> {
    let is_output =
        |name: &str| tensors.iter().any(|tensor| tensor.name == name && tensor.role == Role::Output);
    let is_input =
        |name: &str| tensors.iter().any(|tensor| tensor.name == name && tensor.role == Role::Input);
    let mut pairs = Vec::new();
    for text in reader.texts(section, "aliasing").unwrap_or_default() {
        match text.value.split_once('=').map(|(output, input)| (output.trim(), input.trim())) {
            Some((output, input)) if is_output(output) && is_input(input) => {
                pairs.push((output.to_owned(), input.to_owned()));
            }
            _ => wrong(
                reader,
                &text.bytes,
                format!("`{}` is no output and an input", text.value.escape_debug()),
                "write, for example, `aliasing = [\"out=x\"]`",
            ),
        }
    }
    pairs
}

fn grad(reader: &mut Reader<'_>, section: &Section<'_>, tensors: &[Tensor]) -> Vec<String> {
    let names = reader.texts(section, "grad").unwrap_or_default();
    for name in &names {
        let is_read = |tensor: &Tensor| {
            matches!(tensor.role, Role::Input | Role::Constant) && tensor.name == name.value
        };
        if !tensors.iter().any(is_read) {
            wrong(
                reader,
                &name.bytes,
                format!("`{}` is no input", name.value.escape_debug()),
                "name inputs whose gradient the kernel computes",
            );
        }
    }
    names.into_iter().map(|name| name.value).collect()
}
