//! The values that take the place of one: what is a little or far beside it, no value at all, and those of its neighbours.

use std::collections::BTreeSet;

use super::fields::{Field, number};

/// One changed field.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub field: Field,
    pub old: u64,
    pub new: u64,
}

impl Mutant {
    /// The library with it.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        bytes[self.field.at..self.field.at + self.field.size]
            .copy_from_slice(&self.new.to_le_bytes()[..self.field.size]);
        bytes
    }
}

/// Every mutant of a library.
pub fn all(bytes: &[u8], fields: &[Field]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        let old = number(bytes, field.at, field.size);
        let highest = u64::MAX >> (64 - 8 * field.size);
        let value = |other: &Field| number(bytes, other.at, other.size);
        let is_like = |other: &&Field| other.kind == field.kind && value(other) != old;
        let neighbours = [fields[..at].iter().rfind(is_like), fields[at + 1..].iter().find(is_like)];
        // Entries of other tags stand between those of one.
        let columns: &[i64] = if field.kind.starts_with("entry") { &[-2, 2] } else { &[] };
        let columns = columns.iter().filter_map(|step| {
            let other = fields.get(at.checked_add_signed(isize::try_from(*step).unwrap())?)?;
            (other.size == field.size && other.kind.starts_with("entry")).then(|| value(other))
        });
        let beside =
            [1, 2, 8, 16, 24, 0x1000, 0x10000].map(|by: u64| [old.wrapping_add(by), old.wrapping_sub(by)]);
        let bits = (0..8).map(|bit| old ^ 1 << bit);
        let mut values: Vec<u64> = [0, 1, highest, highest >> 1, old ^ ((highest >> 1) + 1)]
            .into_iter()
            .chain(beside.into_iter().flatten())
            .chain(bits.filter(|_| field.size <= 2))
            .chain(neighbours.into_iter().flatten().map(value))
            .chain(columns)
            .map(|value| value & highest)
            .filter(|value| *value != old)
            .collect();
        values.sort_unstable();
        values.dedup();
        mutants.extend(values.into_iter().map(|new| Mutant { field: field.clone(), old, new }));
    }
    mutants
}

/// About `count` of the mutants, the same ones each time: of each kind of field at least one, and letters least of all.
pub fn some(mutants: Vec<Mutant>, count: usize, seed: u64) -> Vec<Mutant> {
    let mut state = seed;
    let every = (mutants.len() / count).max(1) as u64;
    let mut seen = BTreeSet::new();
    let chosen = mutants.into_iter().filter(|mutant| {
        state = splitmix(state);
        let is_first = seen.insert(mutant.field.kind.clone());
        is_first || state.is_multiple_of(if mutant.field.kind == "letter" { 4 * every } else { every })
    });
    chosen.collect()
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
fn splitmix(state: u64) -> u64 {
    let mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
