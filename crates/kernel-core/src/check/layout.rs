//! Whether a built variant is what it says: its name, its metadata, its files and its digest agree, and nothing is in it
//! that the loader would not expect.

use std::collections::BTreeMap;

use camino::Utf8Path;
use kernel_spec::finding::Subject;
use kernel_spec::identifier::belongs_to;
use kernel_spec::metadata::{DigestAlgorithm, Metadata};
use kernel_spec::{Code, Finding, Framework, Variant, code};

use crate::artifacts;
use crate::check::built::BuiltVariant;
use crate::check::bytecode::{self, Found};
use crate::digest::{self, DigestError, METADATA};
use crate::tree::{self, Kind};

/// What is wrong with a variant. Files that cannot be read are findings too.
pub fn check(variant: &BuiltVariant) -> Vec<Finding> {
    let (name, directory) = (variant.name.as_str(), variant.directory.as_path());
    let mut check = Check { name, findings: entries(variant) };
    match artifacts::metadata(directory) {
        Ok(metadata) => {
            check.names(directory, &metadata);
            check.digest(directory, &metadata);
        }
        Err(findings) => findings.into_iter().for_each(|finding| check.say(finding, METADATA)),
    }
    check.findings
}

/// What is in a variant that no digest vouches for, whatever the metadata say: links, byte code, odd files.
pub fn entries(variant: &BuiltVariant) -> Vec<Finding> {
    let mut check = Check { name: &variant.name, findings: Vec::new() };
    check.tree(&variant.directory);
    check.findings
}

struct Check<'a> {
    name: &'a str,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn say(&mut self, finding: Finding, file: &str) {
        let subject = Subject {
            variant: Some(self.name.to_owned()),
            file: Some(file.to_owned()).filter(|file| !file.is_empty()),
            ..Subject::default()
        };
        self.findings.push(finding.about(subject));
    }

    fn error(&mut self, code: &'static Code, message: String, file: &str) {
        self.say(Finding::error(code, message), file);
    }

    /// Entries that do not belong into any variant.
    fn tree(&mut self, directory: &Utf8Path) {
        if directory.is_symlink() {
            self.error(
                &code::artifact::LAYOUT,
                format!("`{}` is a link to another directory", self.name),
                "",
            );
        }
        let walked =
            tree::walk(directory, &|_| true).and_then(|entries| Ok((entries, bytecode::find(directory)?)));
        let (entries, bytecode) = match walked {
            Ok(walked) => walked,
            Err(error) => {
                return self.error(&code::artifact::UNREADABLE, format!("`{}`: {error}", self.name), "");
            }
        };
        let root = directory.canonicalize_utf8().unwrap_or_else(|_| directory.to_owned());
        for entry in entries {
            let path = entry.path.as_str();
            match entry.kind {
                Kind::File | Kind::Directory => {}
                Kind::Dangling => {
                    self.error(&code::artifact::LAYOUT, format!("`{path}` is a link to nothing"), path);
                }
                Kind::Special => {
                    self.error(&code::artifact::LAYOUT, format!("`{path}` is no regular file"), path);
                }
                Kind::LinkToFile | Kind::LinkToDirectory => {
                    let inside =
                        directory.join(path).canonicalize_utf8().is_ok_and(|to| to.starts_with(&root));
                    let what = if inside { "a link" } else { "a link that leaves the variant" };
                    self.error(&code::artifact::LAYOUT, format!("`{path}` is {what}"), path);
                }
            }
        }
        self.bytecode(&bytecode);
    }

    /// What runs in place of a source must be made of it.
    fn bytecode(&mut self, found: &Found) {
        const HELP: &str = "remove it; Python makes its own";
        for (path, reason) in &found.wrong {
            let finding = Finding::error(
                &code::artifact::BYTECODE,
                format!("`{path}` is byte code that nothing vouches for"),
            );
            self.say(finding.cause(reason.clone()).help(HELP), path);
        }
        let message = match found.fitting.as_slice() {
            [] => return,
            [path] => format!("`{path}` is byte code, which Python runs in place of its source"),
            [first, others @ ..] => format!(
                "`{first}` and {} more are byte code, which Python runs in place of the sources",
                others.len()
            ),
        };
        let finding = Finding::warning(&code::artifact::BYTECODE, message).help(HELP);
        self.say(finding, &found.fitting[0]);
    }

    /// Directory, metadata and library must speak of the same thing.
    fn names(&mut self, directory: &Utf8Path, metadata: &Metadata) {
        let python_name = metadata.name.python_name();
        let backend = metadata.backend.backend;
        let id = &metadata.id;
        if !belongs_to(id, &python_name, backend) {
            let message = format!("id `{id}` is not that of kernel `{}` for {backend}", metadata.name);
            self.error(&code::artifact::METADATA, message, METADATA);
        }
        if let Some(build) = metadata.build.as_ref().filter(|build| build.variant != self.name) {
            let message = format!("`{}` was built as `{}`", self.name, build.variant);
            self.error(&code::artifact::NAME, message, "");
        }
        if !directory.join("__init__.py").is_file()
            && !directory.join(&python_name).join("__init__.py").is_file()
        {
            self.error(&code::artifact::LAYOUT, "there is no `__init__.py`".to_owned(), "__init__.py");
        }
        match self.name.parse::<Variant>() {
            Ok(variant) => {
                if let Some(other) = variant.backend().filter(|other| *other != backend) {
                    let message = format!("`{}` is for {other}, its metadata say {backend}", self.name);
                    self.error(&code::artifact::NAME, message, METADATA);
                }
                if variant.arch().is_some() {
                    self.library(directory, id, variant.framework());
                }
            }
            Err(error) => {
                let message = format!("`{}` is no name of a variant, so no loader finds it", self.name);
                let finding = Finding::error(&code::artifact::NAME, message).cause(error.to_string());
                self.say(finding, "");
            }
        }
    }

    /// The library is named after the id, or the loader's import of `<id>` fails.
    fn library(&mut self, directory: &Utf8Path, id: &str, framework: Framework) {
        let endings: &[&str] = match framework {
            Framework::TvmFfi => &[".so", ".dylib", ".dll"],
            _ => &[".abi3.so", ".pyd"],
        };
        if !endings.iter().any(|ending| directory.join(format!("{id}{ending}")).is_file()) {
            let expected = format!("{id}{}", endings[0]);
            self.error(&code::artifact::LAYOUT, format!("the library `{expected}` is missing"), &expected);
        }
    }

    fn digest(&mut self, directory: &Utf8Path, metadata: &Metadata) {
        let Some(expected) = &metadata.digest else {
            let message = format!("the metadata of `{}` have no digest", self.name);
            return self.say(Finding::warning(&code::artifact::DIGEST, message), METADATA);
        };
        if expected.algorithm != DigestAlgorithm::Sha256 {
            let message = format!("the digest of `{}` is not by SHA-256, so it was not compared", self.name);
            return self.say(Finding::note(&code::artifact::DIGEST, message), METADATA);
        }
        match digest::of_variant(directory) {
            Ok(actual) => self.compare(&expected.files, &actual),
            // The walk has told of them already.
            Err(DigestError::NoContent { .. } | DigestError::Tree(_)) => {}
            Err(error @ DigestError::Read(_)) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                let finding = Finding::error(&code::artifact::UNREADABLE, error.to_string()).cause(cause);
                self.say(finding, "");
            }
        }
    }

    fn compare(&mut self, expected: &BTreeMap<String, String>, actual: &BTreeMap<String, String>) {
        for (path, digest) in expected {
            match actual.get(path) {
                None => self.error(&code::artifact::DIGEST, format!("`{path}` is missing"), path),
                Some(other) if other != digest => {
                    self.error(&code::artifact::DIGEST, format!("`{path}` is not what was sealed"), path);
                }
                Some(_) => {}
            }
        }
        for path in actual.keys().filter(|path| !expected.contains_key(*path)) {
            self.error(&code::artifact::DIGEST, format!("`{path}` was added after sealing"), path);
        }
    }
}

#[cfg(test)]
mod tests;
