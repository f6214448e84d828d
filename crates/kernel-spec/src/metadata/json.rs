//! Pieces of JSON that serde's derived code does not give: kernel dependencies, and reading that refuses a key that is
//! written twice, because two readers may take different ones of the two.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, Serializer};
use serde_json::{Map, Number, Value};

use crate::manifest::KernelDependency;

/// Writes kernel dependencies as the loader reads them.
pub(super) fn dependencies<S: Serializer>(
    dependencies: &[KernelDependency],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut sequence = serializer.serialize_seq(Some(dependencies.len()))?;
    for dependency in dependencies {
        let (key, value) = dependency.reference.entry();
        let mut entry = Map::new();
        entry.insert("repo-id".to_owned(), Value::from(dependency.repo_id.as_str()));
        entry.insert(key.to_owned(), value);
        sequence.serialize_element(&entry)?;
    }
    sequence.end()
}

/// A JSON value in which no object has a key twice.
pub(super) struct Strict(pub(super) Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = sequence.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("key `{key}` is written twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
