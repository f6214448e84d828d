//! A log of signatures: a Merkle tree (RFC 6962), signed heads of it, and a promise for each entry.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::key::Key;
use super::{base64, hexadecimal, now};

/// The log's name in what it signs.
pub(super) const NAME: &str = "rekor.test.invalid";

type Hash = [u8; 32];

pub(super) struct Log {
    pub(super) key: Key,
    entries: Vec<(Vec<u8>, u64)>,
}

impl Log {
    pub(super) fn new(key: Key) -> Self {
        Self { key, entries: Vec::new() }
    }

    /// Adds a canonical body; its index, which is that of the same body where it is there already.
    pub(super) fn add(&mut self, body: Vec<u8>) -> (usize, bool) {
        if let Some(at) = self.entries.iter().position(|(known, _)| *known == body) {
            return (at, false);
        }
        self.entries.push((body, now()));
        (self.entries.len() - 1, true)
    }

    /// The name of an entry.
    pub(super) fn name(&self, at: usize) -> String {
        hexadecimal(&leaf(&self.entries[at].0))
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        (0..self.entries.len()).find(|at| self.name(*at) == name)
    }

    /// An entry as it is answered.
    pub(super) fn answer(&self, at: usize) -> Value {
        let (body, time) = &self.entries[at];
        let leaves: Vec<Hash> = self.entries.iter().map(|(body, _)| leaf(body)).collect();
        let root = root(&leaves);
        let head = format!("{NAME} - 1\n{}\n{}\n", leaves.len(), base64(&root));
        let signature = [&self.key.id()[..4], &self.key.sign(head.as_bytes())].concat();
        let id = hexadecimal(&self.key.id());
        let encoded = base64(body);
        // The keys in the order of RFC 8785.
        let promise =
            format!(r#"{{"body":"{encoded}","integratedTime":{time},"logID":"{id}","logIndex":{at}}}"#);
        let hashes: Vec<String> = proof(&leaves, at).iter().map(|hash| hexadecimal(hash)).collect();
        json!({ self.name(at): {
            "body": encoded,
            "integratedTime": time,
            "logID": id,
            "logIndex": at,
            "verification": {
                "signedEntryTimestamp": base64(&self.key.sign(promise.as_bytes())),
                "inclusionProof": {
                    "checkpoint": format!("{head}\n\u{2014} {NAME} {}\n", base64(&signature)),
                    "hashes": hashes,
                    "logIndex": at,
                    "rootHash": hexadecimal(&root),
                    "treeSize": leaves.len(),
                },
            },
        }})
    }
}

fn leaf(body: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(body).finalize().into()
}

/// Leaves of the left part of a tree: the largest power of two below their number.
fn left(count: usize) -> usize {
    count.next_power_of_two() / 2
}

fn root(leaves: &[Hash]) -> Hash {
    if let [only] = leaves {
        return *only;
    }
    let (left, right) = leaves.split_at(left(leaves.len()));
    Sha256::new().chain_update([1]).chain_update(root(left)).chain_update(root(right)).finalize().into()
}

/// The hashes beside the way from a leaf to the root.
fn proof(leaves: &[Hash], at: usize) -> Vec<Hash> {
    if leaves.len() < 2 {
        return Vec::new();
    }
    let (before, after) = leaves.split_at(left(leaves.len()));
    let (mut hashes, beside) = match at.checked_sub(before.len()) {
        None => (proof(before, at), root(after)),
        Some(at) => (proof(after, at), root(before)),
    };
    hashes.push(beside);
    hashes
}
