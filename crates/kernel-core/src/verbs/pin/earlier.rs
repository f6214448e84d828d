//! What the files of pins said before: of all kernels of a project, and not only by us, for the lock is the loader's.

use serde_json::Value;

/// The kernels of a file of pins; none where a value is no such file.
pub(super) fn of_pins(value: &Value) -> Option<Vec<Value>> {
    let is_ours = value["schema"] == "kernel-pins/1" && value.as_object()?.len() == 2;
    let is_entry = |entry: &Value| entry["repository"].is_string() && entry["revision"].is_string();
    entries(&value["kernels"], is_entry).filter(|_| is_ours)
}

/// The entries of a lock of the loader; none where a value is no such lock.
pub(super) fn of_lock(value: &Value) -> Option<Vec<Value>> {
    entries(value, |entry| entry["dependency"].is_object() && entry["lock"].is_object())
}

fn entries(value: &Value, is_entry: impl Fn(&Value) -> bool) -> Option<Vec<Value>> {
    value.as_array().filter(|entries| entries.iter().all(is_entry)).cloned()
}

/// The entries that were there, each in its place, with the new ones: one that is of the same kernel, by the values that
/// `pointers` lead to, is replaced.
pub(super) fn merged(mut entries: Vec<Value>, new: Vec<Value>, pointers: &[&str]) -> Vec<Value> {
    for entry in new {
        let is_same = |other: &&mut Value| {
            pointers.iter().all(|pointer| other.pointer(pointer) == entry.pointer(pointer))
        };
        match entries.iter_mut().find(is_same) {
            Some(earlier) => *earlier = entry,
            None => entries.push(entry),
        }
    }
    entries
}
