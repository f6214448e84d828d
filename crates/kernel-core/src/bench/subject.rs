//! What was measured, named so that nobody can take it for something else: by the digests of what the measuring processes
//! had loaded, and of the scripts that said what to measure.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::report::{Document, FileDigest, Subject};
use kernel_spec::identifier::hexadecimal;
use kernel_spec::metadata::Metadata;
use sha2::{Digest, Sha256};

use super::Bench;
use super::run::State;
use crate::{Result, tree};

impl Bench<'_> {
    /// The variant, with what was loaded of it. Files are read only for the last document; they do not change meanwhile.
    pub(super) fn subject(&self, state: &State, complete: bool) -> Result<Subject> {
        let (commit, dirty) = self.source();
        let name = state.seen.load.as_ref().map(|load| load.kernel.clone()).unwrap_or_default();
        let mut subject =
            Subject { name, variant: self.workshop.variant.to_owned(), commit, dirty, files: Vec::new() };
        if !complete {
            return Ok(subject);
        }
        let artifact = fs_err::canonicalize(self.workshop.artifact)?;
        let mut paths: Vec<(String, Utf8PathBuf)> = vec![self.named("metadata.json")];
        for path in state.seen.libraries.iter().chain(&state.seen.modules) {
            let real = fs_err::canonicalize(path)?;
            if let Some(below) = real.strip_prefix(&artifact).ok().and_then(|path| path.to_str()) {
                paths.push(self.named(below));
            }
        }
        for script in state.scripts {
            for path in script.files.iter().chain([&script.path]) {
                let name = path.strip_prefix(self.workshop.project).unwrap_or(path).to_string();
                paths.push((name, path.clone()));
            }
        }
        paths.sort();
        paths.dedup();
        for (path, file) in paths {
            subject.files.push(FileDigest { path, sha256: digest(&file)? });
        }
        Ok(subject)
    }

    fn named(&self, below: &str) -> (String, Utf8PathBuf) {
        (format!("build/{}/{below}", self.workshop.variant), self.workshop.artifact.join(below))
    }

    /// The commit in the variant's metadata, and whether the sources differed from it.
    fn source(&self) -> (Option<String>, bool) {
        let bytes = fs_err::read(self.workshop.artifact.join("metadata.json")).unwrap_or_default();
        let state = Metadata::from_json(&bytes).ok().and_then(|metadata| metadata.provenance?.kernel);
        state.map_or((None, false), |state| (Some(state.commit), state.dirty))
    }
}

/// Bytes of a variant's files.
pub(super) fn bytes_of(artifact: &Utf8Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in tree::walk(artifact, &|_| true)? {
        bytes += fs_err::symlink_metadata(artifact.join(&entry.path)).map_or(0, |file| file.len());
    }
    Ok(bytes)
}

/// Runs of the same variant before this one, as far as the earlier document tells.
pub(super) fn attempts_before(document: &Utf8Path) -> u32 {
    let text = fs_err::read_to_string(document).unwrap_or_default();
    let earlier: Option<Document> = serde_json::from_str(&text).ok();
    earlier.map_or(0, |earlier| earlier.run.attempts_before + 1)
}

fn digest(path: &Utf8Path) -> std::io::Result<String> {
    Ok(hexadecimal(&Sha256::digest(fs_err::read(path)?)))
}
