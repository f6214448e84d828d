//! What is signed together. Its name is a digest over the place it is for and over what was built, so the same variants
//! for the same place have the same name, and it says nothing about when or by whom they were signed.

use kernel_spec::Metadata;
use kernel_spec::identifier::hexadecimal;
use kernel_spec::metadata::PublicationRecord;
use serde_json::Map;
use sha2::{Digest, Sha256};

/// A place on the Hub.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// `OWNER/NAME`.
    pub repository: String,
    /// The branch there.
    pub branch: String,
}

impl Place {
    /// Where metadata were signed for.
    pub fn of(record: &PublicationRecord) -> Self {
        Self { repository: record.repository.clone(), branch: record.branch.clone() }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "`{}` of `{}`", self.branch, self.repository)
    }
}

/// The digest of a set, in hexadecimal; the variants by name, in order.
pub fn digest<'a>(place: &Place, variants: impl IntoIterator<Item = (&'a str, &'a Metadata)>) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("set 1\n{}\n{}\n", place.repository, place.branch));
    for (name, metadata) in variants {
        hash.update(format!("{name} {}\n", sha256(metadata.unsigned().to_json().as_bytes())));
    }
    hexadecimal(&hash.finalize())
}

/// Whether a text can be the digest of a set; it is a part of a file's name.
pub fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Metadata as a member of a set.
#[must_use]
pub fn placed(metadata: &Metadata, place: &Place, variant: &str, set: &str) -> Metadata {
    let record = PublicationRecord {
        repository: place.repository.clone(),
        branch: place.branch.clone(),
        variant: variant.to_owned(),
        set: set.to_owned(),
        lock: metadata.lock().map(str::to_owned),
        others: Map::new(),
    };
    Metadata { publication: Some(record), ..metadata.clone() }
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
