//! `hash`: brings the digests of built variants up to date, or says which are not. What it does not know in the metadata
//! stays, and a signature that no longer matches goes: both are the peer's faults here.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Severity;
use kernel_spec::metadata::DigestRecord;
use kernel_spec::report::{HashReport, HashState, HashedVariant};

use crate::check::built::BuiltVariant;
use crate::check::layout;
use crate::digest::{self, METADATA, SIGNATURE};
use crate::published::{self, Reference};
use crate::{Context, Result, artifacts};

/// What to hash.
#[derive(Clone, Debug)]
pub struct HashOptions {
    /// A project, a directory of variants, a variant, or a published kernel, which is only compared.
    pub directory: Utf8PathBuf,
    /// Only compare.
    pub check: bool,
}

/// Digests every variant of a directory.
pub fn hash(context: &Context, options: &HashOptions) -> Result<HashReport> {
    let check = options.check || Reference::parse(options.directory.as_str()).is_some();
    let mut report = HashReport { check, variants: Vec::new() };
    for directory in artifacts::discover(&published::directory(context, &options.directory)?)? {
        report.variants.push(one(&directory, check)?);
    }
    Ok(report)
}

fn one(directory: &Utf8Path, check: bool) -> Result<HashedVariant> {
    let mut metadata = artifacts::require_metadata(directory)?;
    let record = DigestRecord::sha256(digest::of_variant(directory)?);
    let name = directory.file_name().unwrap_or_default().to_owned();
    let mut findings = layout::entries(&BuiltVariant { name: name.clone(), directory: directory.to_owned() });
    if !check {
        // A digest can be written over links and beside byte code; `check` refuses them.
        for finding in &mut findings {
            finding.severity = finding.severity.min(Severity::Warning);
        }
    }
    let mut hashed = HashedVariant {
        variant: name,
        directory: directory.to_string(),
        files: record.files.len(),
        state: HashState::Current,
        signature_removed: false,
        findings,
    };
    let is_current = metadata
        .digest
        .as_ref()
        .is_some_and(|earlier| (earlier.algorithm, &earlier.files) == (record.algorithm, &record.files));
    if is_current {
        return Ok(hashed);
    }
    if check {
        hashed.state = HashState::Stale;
        return Ok(hashed);
    }
    metadata.digest = Some(record);
    // The signature goes first: the other way round, a kill would leave one that does not match.
    let signature = directory.join(SIGNATURE);
    if signature.exists() {
        fs_err::remove_file(signature)?;
        hashed.signature_removed = true;
    }
    artifacts::replace(directory, METADATA, &metadata.to_json())?;
    hashed.state = HashState::Written;
    Ok(hashed)
}
