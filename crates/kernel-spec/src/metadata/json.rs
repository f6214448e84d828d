//! Pieces of JSON that serde's derived code does not give: kernel dependencies, and reading that refuses a key that is
//! written twice, because two readers may take different ones of the two.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
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

/// Most values in a text. A variant has one for each of its files, and the Hub takes 10,000 of those in a folder; a value costs
/// many times the bytes that it is written with.
const MOST: usize = 20_000;

/// Reads a JSON value in which no object has a key twice, and that has not too many parts.
pub(super) fn strict(text: &[u8]) -> Result<Value, serde_json::Error> {
    let left = Cell::new(MOST);
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Strict { left: &left }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Reads one value, and all in it.
#[derive(Clone, Copy)]
struct Strict<'a> {
    /// How many more there may be.
    left: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.left.get().checked_sub(1);
        self.left
            .set(left.ok_or_else(|| D::Error::custom(format_args!("it holds more than {MOST} values")))?);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
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
        while let Some(value) = sequence.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("key `{key}` is written twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
