//! Everything that can be changed in a bundle: each value and each key, also inside of what the log signed, and the bytes
//! of certificate and checkpoint at many places.

use serde_json::Value;

use super::{base64, from_base64};

/// A bundle with one change, and what was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The place, and the change.
    pub what: String,
    /// The text of the bundle.
    pub bundle: String,
}

/// Every mutant of a bundle.
pub fn mutants(bundle: &Value) -> Vec<Mutant> {
    let mut found = Vec::new();
    let mut keep = |what: String, changed: Value| found.push(Mutant { what, bundle: changed.to_string() });
    for pointer in pointers(bundle) {
        let value = bundle.pointer(&pointer).expect("a place in it");
        for (how, new) in changes(value) {
            let mut changed = bundle.clone();
            *changed.pointer_mut(&pointer).expect("a place in it") = new;
            keep(format!("{pointer}: {how}"), changed);
        }
        if let Some(changed) = without(bundle, &pointer) {
            keep(format!("{pointer}: left out"), changed);
        }
    }
    let entries = "/verificationMaterial/tlogEntries";
    let mut twice = bundle.clone();
    let list = twice.pointer_mut(entries).and_then(Value::as_array_mut).expect("entries");
    list.extend(list.clone());
    keep(format!("{entries}: twice"), twice);
    inside_the_entry(bundle, &mut keep);
    let certificate = "/verificationMaterial/certificate/rawBytes";
    let der =
        bundle.pointer(certificate).and_then(Value::as_str).and_then(from_base64).expect("a certificate");
    for at in (0..der.len()).step_by(5) {
        let mut der = der.clone();
        der[at] ^= 1;
        let mut changed = bundle.clone();
        *changed.pointer_mut(certificate).expect("a certificate") = base64(&der).into();
        keep(format!("{certificate}: byte {at}"), changed);
    }
    let checkpoint = "/verificationMaterial/tlogEntries/0/inclusionProof/checkpoint/envelope";
    let text = bundle.pointer(checkpoint).and_then(Value::as_str).expect("a checkpoint").to_owned();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let other: String = line.chars().rev().chain(['1']).collect();
        let mut changed = bundle.clone();
        *changed.pointer_mut(checkpoint).expect("a checkpoint") = text.replacen(line, &other, 1).into();
        keep(format!("{checkpoint}: line {number}"), changed);
    }
    found
}

/// Changes inside of what the log signed, which is JSON in base 64.
fn inside_the_entry(bundle: &Value, keep: &mut impl FnMut(String, Value)) {
    let pointer = "/verificationMaterial/tlogEntries/0/canonicalizedBody";
    let body = bundle.pointer(pointer).and_then(Value::as_str).and_then(from_base64).expect("a body");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    for inner in pointers(&body) {
        for (how, new) in changes(body.pointer(&inner).expect("a place in it")) {
            let mut changed = body.clone();
            *changed.pointer_mut(&inner).expect("a place in it") = new;
            let mut outer = bundle.clone();
            *outer.pointer_mut(pointer).expect("a body") = base64(changed.to_string().as_bytes()).into();
            keep(format!("{pointer}{inner}: {how}"), outer);
        }
    }
}

/// The places of all values but the whole.
fn pointers(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((at, value)) = open.pop() {
        let inner: Vec<(String, &Value)> = match value {
            Value::Object(map) => map.iter().map(|(key, value)| (format!("{at}/{key}"), value)).collect(),
            Value::Array(list) => {
                list.iter().enumerate().map(|(number, value)| (format!("{at}/{number}"), value)).collect()
            }
            _ => Vec::new(),
        };
        found.extend(inner.iter().map(|(at, _)| at.clone()));
        open.extend(inner);
    }
    found.sort();
    found
}

/// Other values in the place of one.
fn changes(value: &Value) -> Vec<(&'static str, Value)> {
    match value {
        Value::String(text) => {
            let mut changes = vec![("empty", Value::from(""))];
            if let Ok(number) = text.parse::<i64>() {
                changes.push(("one more", (number + 1).to_string().into()));
                changes.push(("one less", (number - 1).to_string().into()));
            } else if let Some(mut bytes) = from_base64(text).filter(|bytes| !bytes.is_empty()) {
                let last = bytes.len() - 1;
                bytes[last] ^= 1;
                changes.push(("last bit", base64(&bytes).into()));
                bytes[last] ^= 1;
                bytes[0] ^= 0x10;
                changes.push(("first byte", base64(&bytes).into()));
                changes.push(("cut off", base64(&bytes[..last]).into()));
            } else {
                changes.push(("another", format!("{text}x").into()));
            }
            changes
        }
        Value::Number(_) => vec![("another", 7.into())],
        Value::Array(list) if !list.is_empty() => vec![("emptied", Value::Array(Vec::new()))],
        _ => Vec::new(),
    }
}

/// The value without what is at a place.
fn without(value: &Value, pointer: &str) -> Option<Value> {
    let (parent, key) = pointer.rsplit_once('/')?;
    let mut changed = value.clone();
    match changed.pointer_mut(parent)? {
        Value::Object(map) => drop(map.shift_remove(key)),
        Value::Array(list) => drop(list.remove(key.parse().ok()?)),
        _ => return None,
    }
    Some(changed)
}
