//! The inputs of a kernel for one backend: a closed set of the project's files, known before anything is compiled. It
//! is what the id is made of, what a sandbox sees, and what counts when the working tree is called dirty.
//!
//! In it are the listed sources of the framework and of the backend's components, the files of the project they reach
//! by `#include` in any branch of any `#if`, and the files of the package that ship:
//!
//! * frameworks that compile: `.py`, `.pyi` and the other extensions of `pyext`;
//! * frameworks of Python alone: the same where `pyext` is given, and every file where it is not.
//!
//! Never in it are byte code, hidden files, and at the top of the package the files we write ourselves (`_ops.py`,
//! `metadata.json` and its signature).

mod directives;
mod package;
mod reach;
mod stage;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::finding::Subject;
use kernel_spec::identifier::InputDigest;
use kernel_spec::manifest::Manifest;
use kernel_spec::path::normalised;
use kernel_spec::{Backend, Finding, Severity, code};

use crate::digest;
use crate::real_paths::RealPaths;
use crate::{Error, Result};

pub use package::{OPERATORS, OPERATORS_MARK, is_for_editors};
pub use reach::IncludedBy;

/// The inputs of a kernel for one backend.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Each file, by its path relative to the project, with `/`.
    pub files: BTreeMap<String, InputFile>,
    /// What is wrong with the set, and what could not be known.
    pub findings: Vec<Finding>,
    /// Directory of the package, relative to the project.
    package_directory: String,
}

/// One input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputFile {
    /// SHA-256 of its content.
    pub sha256: InputDigest,
    /// Bytes.
    pub size: u64,
    /// Whether a `src` lists it.
    pub listed: bool,
    /// The first `#include` found that reaches it.
    pub included_by: Option<IncludedBy>,
    /// Whether it ships in the package.
    pub packaged: bool,
}

impl Inputs {
    /// Its digests, as the id wants them.
    pub fn digests(&self) -> BTreeMap<String, InputDigest> {
        self.files.iter().map(|(path, file)| (path.clone(), file.sha256)).collect()
    }

    /// Files that are included but that no `src` lists, with who includes them: the peer's tools would not see them.
    pub fn unlisted(&self) -> impl Iterator<Item = (&str, &IncludedBy)> {
        self.files
            .iter()
            .filter(|(_, file)| !file.listed && !file.packaged)
            .filter_map(|(path, file)| file.included_by.as_ref().map(|by| (path.as_str(), by)))
    }

    /// The files that ship: where in the variant's directory, and where in the project.
    pub fn package(&self) -> impl Iterator<Item = (&str, &str)> {
        let prefix = format!("{}/", self.package_directory);
        self.files.iter().filter(|(_, file)| file.packaged).map(move |(path, _)| {
            (path.strip_prefix(prefix.as_str()).unwrap_or(path.as_str()), path.as_str())
        })
    }

    /// Itself, where nothing is wrong with it; otherwise all that is, as one error.
    pub fn require_sound(self) -> Result<Self> {
        let wrong: Vec<Finding> =
            self.findings.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect();
        if wrong.is_empty() {
            return Ok(self);
        }
        let summary = format!("{} of the kernel's files cannot be used", wrong.len());
        Err(Error::Faults(Faults::new(&code::inputs::UNUSABLE, summary, wrong)))
    }
}

/// The inputs of `manifest`'s kernel for `backend`, read from the project's directory.
pub fn collect(project: &Utf8Path, manifest: &Manifest, backend: Backend) -> Result<Inputs> {
    let mut inputs = Inputs { package_directory: manifest.package_directory(), ..Inputs::default() };
    let mut reached = reach::Reach::new(project);
    if let Some(binding) = manifest.compiled_binding() {
        reached.add(texts(&binding.sources), texts(&binding.include));
    }
    for component in manifest.components_of(backend) {
        reached.add(texts(&component.sources), texts(&component.include));
    }
    reached.finish(&mut inputs)?;
    package::add(project, manifest, &mut inputs)?;
    confine(project, &mut inputs);
    hash(project, &mut inputs)?;
    Ok(inputs)
}

fn texts(values: &[kernel_spec::Located<String>]) -> Vec<String> {
    values.iter().map(|value| normalised(&value.value)).collect()
}

/// Takes out every file that a link leads out of the project.
fn confine(project: &Utf8Path, inputs: &mut Inputs) {
    let Ok(root) = project.canonicalize_utf8() else { return };
    let mut real = RealPaths::new(project);
    let mut findings = Vec::new();
    inputs.files.retain(|path, _| match real.of(path) {
        Some(target) if !target.starts_with(&root) => {
            findings.push(
                Finding::error(&code::inputs::OUTSIDE, format!("`{path}` is a link that leaves the project"))
                    .cause(format!("it leads to `{target}`"))
                    .about(about(path)),
            );
            false
        }
        _ => true,
    });
    inputs.findings.append(&mut findings);
}

fn hash(project: &Utf8Path, inputs: &mut Inputs) -> Result<()> {
    let paths: Vec<Utf8PathBuf> = inputs.files.keys().map(|path| project.join(path)).collect();
    for (file, digest) in inputs.files.values_mut().zip(digest::of_files(&paths)?) {
        file.sha256 = digest.sha256;
        file.size = digest.size;
    }
    Ok(())
}

fn about(path: &str) -> Subject {
    Subject { file: Some(path.to_owned()), ..Subject::default() }
}

#[cfg(test)]
mod tests;
