//! Whether the files of a variant are exactly those that its metadata speak of. The loader's rule for digests leaves out
//! byte code and follows links; whoever can write to a repository could hide behind both, so neither may be there.

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_spec::finding::Subject;
use kernel_spec::metadata::DigestAlgorithm;
use kernel_spec::{Code, Finding, Metadata, code};

use crate::digest::{self, METADATA, SIGNATURE};
use crate::tree::{self, Kind};
use crate::{Error, Result};

/// Everything about the files that is not as the metadata say.
pub fn check(directory: &Utf8Path, metadata: &Metadata) -> Result<Vec<Finding>> {
    let variant = directory.file_name().unwrap_or_default();
    let mut findings = Vec::new();
    let mut say = |code: &'static Code, path: Option<&str>, message: String| {
        let subject = Subject {
            variant: Some(variant.to_owned()),
            file: path.map(str::to_owned),
            ..Subject::default()
        };
        findings.push(Finding::error(code, message).about(subject));
    };
    let Some(record) = &metadata.digest else {
        say(&code::artifact::DIGEST, None, format!("`{variant}` has no digest, so its files are anybody's"));
        return Ok(findings);
    };
    if record.algorithm != DigestAlgorithm::Sha256 {
        say(&code::artifact::DIGEST, None, format!("the digest of `{variant}` is not by SHA-256"));
        return Ok(findings);
    }
    let (mut regular, mut seen) = (Vec::new(), BTreeSet::new());
    for entry in tree::walk(directory, &|_| true)? {
        let path = entry.path.as_str();
        seen.insert(entry.path.clone());
        match entry.kind {
            Kind::Directory => {}
            Kind::File if matches!(path, METADATA | SIGNATURE) => {}
            Kind::File if !record.files.contains_key(path) => {
                let message = format!("`{path}` of `{variant}` is not among the files of its digest");
                say(&code::trust::STRAY, Some(path), message);
            }
            Kind::File => regular.push(entry.path),
            Kind::LinkToFile | Kind::LinkToDirectory | Kind::Dangling => {
                say(&code::trust::LINK, Some(path), format!("`{path}` of `{variant}` is a link"));
            }
            Kind::Special => {
                say(&code::trust::STRAY, Some(path), format!("`{path}` of `{variant}` is no regular file"));
            }
        }
    }
    // What is there and no regular file was said already.
    for path in record.files.keys().filter(|path| !seen.contains(*path)) {
        say(&code::artifact::DIGEST, Some(path), format!("`{path}` of `{variant}` is missing"));
    }
    let paths: Vec<_> = regular.iter().map(|path| directory.join(path)).collect();
    let digests = digest::of_files(&paths).map_err(digest::DigestError::from).map_err(Error::from)?;
    for (path, found) in regular.iter().zip(digests) {
        if record.files.get(path) != Some(&digest::base64(&found.sha256)) {
            say(
                &code::artifact::DIGEST,
                Some(path),
                format!("`{path}` of `{variant}` is not what was signed"),
            );
        }
    }
    Ok(findings)
}
