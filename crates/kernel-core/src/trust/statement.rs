//! The statement about a set: an in-toto statement with SLSA provenance, version 1. Its subjects are the metadata of the
//! variants, which hold the digests of everything else.

use std::collections::{BTreeMap, BTreeSet};

use kernel_spec::metadata::strict_json;
use kernel_spec::report::SignerIdentity;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::set::{Place, sha256};
use crate::digest::METADATA;
use crate::toolchain::lock::LOCK;

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PROVENANCE: &str = "https://slsa.dev/provenance/v1";
/// What kind of build it is, and so what its parameters mean.
const BUILD: &str = "urn:kernel-builder:set:1";

/// Most seconds by which a set's number may be ahead of the log's time: clocks differ, and a number from the future would
/// make every later set look old.
const AHEAD: u64 = 3600;

/// What a statement says of its set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The place the set is for.
    pub place: Place,
    /// The set's digest.
    pub set: String,
    /// Its number: seconds since 1970 when it was signed.
    pub serial: u64,
    /// SHA-256 of each member's metadata in hexadecimal, by the variant's name.
    pub members: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Parameters {
    repository: String,
    branch: String,
    set: String,
    serial: u64,
}

impl Statement {
    /// The statement's text. `commits`, `locks` and `toolchains` are those of the members, `signer` who says
    /// all this.
    pub fn to_json(
        &self,
        commits: &BTreeSet<String>,
        locks: &BTreeSet<String>,
        toolchains: &BTreeSet<String>,
        signer: &SignerIdentity,
    ) -> String {
        let subjects: Vec<Value> = self
            .members
            .iter()
            .map(|(variant, digest)| json!({ "name": subject(variant), "digest": { "sha256": digest } }))
            .collect();
        let source = signer.repository.clone().map(|repository| format!("git+{repository}"));
        let commits =
            commits.iter().map(|commit| json!({ "uri": source, "digest": { "gitCommit": commit } }));
        let named = |name: &'static str| move |digest: &String| json!({ "name": name, "digest": { "sha256": digest } });
        let made_with = locks.iter().map(named(LOCK)).chain(toolchains.iter().map(named("toolchain")));
        let parameters = Parameters {
            repository: self.place.repository.clone(),
            branch: self.place.branch.clone(),
            set: self.set.clone(),
            serial: self.serial,
        };
        let statement = json!({
            "_type": STATEMENT,
            "subject": subjects,
            "predicateType": PROVENANCE,
            "predicate": {
                "buildDefinition": {
                    "buildType": BUILD,
                    "externalParameters": parameters,
                    "resolvedDependencies": commits.chain(made_with).collect::<Vec<_>>(),
                },
                "runDetails": {
                    "builder": { "id": signer.workflow.as_ref().unwrap_or(&signer.subject) },
                    "metadata": { "invocationId": signer.run },
                },
            },
        });
        statement.to_string()
    }

    /// Every reason for which it is not about `set` for `place` with these metadata of a variant, and for which its number
    /// cannot be where the log took it at `logged_at`, in seconds since 1970.
    pub fn faults(
        &self,
        (place, set): (&Place, &str),
        (variant, metadata): (&str, &[u8]),
        logged_at: Option<u64>,
    ) -> Vec<String> {
        let mut faults = Vec::new();
        if (self.set.as_str(), &self.place) != (set, place) {
            faults.push(format!("it is about set {} for {}", self.set, self.place));
        }
        if self.members.get(variant) != Some(&sha256(metadata)) {
            faults.push("it does not name these metadata".to_owned());
        }
        if logged_at.is_some_and(|logged_at| self.serial > logged_at.saturating_add(AHEAD)) {
            faults.push("its number is of a later time than its entry in the log".to_owned());
        }
        faults
    }

    /// Reads a statement; the reason where it is none of ours.
    pub fn from_json(text: &[u8]) -> Result<Self, String> {
        let value = strict_json(text).map_err(|error| error.to_string())?;
        let build = &value["predicate"]["buildDefinition"];
        let kinds = [
            (&value["_type"], STATEMENT),
            (&value["predicateType"], PROVENANCE),
            (&build["buildType"], BUILD),
        ];
        if let Some((found, wanted)) = kinds.into_iter().find(|(found, wanted)| *found != wanted) {
            return Err(format!("it is of type {found} instead of `{wanted}`"));
        }
        let parameters =
            Parameters::deserialize(&build["externalParameters"]).map_err(|error| error.to_string())?;
        let mut members = BTreeMap::new();
        for entry in value["subject"].as_array().into_iter().flatten() {
            let variant = entry["name"].as_str().and_then(variant);
            let digest = entry["digest"]["sha256"].as_str();
            let (Some(variant), Some(digest)) = (variant, digest) else {
                return Err("a subject is no variant's metadata".to_owned());
            };
            members.insert(variant.to_owned(), digest.to_owned());
        }
        let Parameters { repository, branch, set, serial } = parameters;
        Ok(Self { place: Place { repository, branch }, set, serial, members })
    }
}

/// The name of a variant's metadata as a subject: its path in the repository.
fn subject(variant: &str) -> String {
    format!("build/{variant}/{METADATA}")
}

fn variant(subject: &str) -> Option<&str> {
    let variant = subject.strip_prefix("build/")?.strip_suffix(METADATA)?.strip_suffix('/')?;
    (!variant.contains('/')).then_some(variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement() -> Statement {
        Statement {
            place: Place { repository: "acme/demo".to_owned(), branch: "v1".to_owned() },
            set: "ab".repeat(32),
            serial: 1_800_000_000,
            members: BTreeMap::from([("torch-cpu".to_owned(), "cd".repeat(32))]),
        }
    }

    fn text() -> String {
        let commits = BTreeSet::from(["0".repeat(40)]);
        let digests = BTreeSet::from(["ef".repeat(32)]);
        statement().to_json(&commits, &digests, &digests, &SignerIdentity::default())
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Statement::from_json(text().as_bytes()), Ok(statement()));
        assert!(text().contains(r#""name":"kernel-builder.lock""#), "{}", text());
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        for (from, to) in [
            (STATEMENT, "https://in-toto.io/Statement/v0.1"),
            (PROVENANCE, "https://slsa.dev/provenance/v0.2"),
            (BUILD, "urn:other"),
            ("build/torch-cpu/metadata.json", "build/a/b/metadata.json"),
            ("build/torch-cpu/metadata.json", "metadata.json"),
            ("\"serial\":1800000000", "\"serial\":-1"),
            ("\"branch\":\"v1\"", "\"branch\":\"v1\",\"branch\":\"v2\""),
        ] {
            let changed = text().replace(from, to);
            assert_ne!(changed, text(), "{from}");
            assert!(Statement::from_json(changed.as_bytes()).is_err(), "{changed}");
        }
    }
}
