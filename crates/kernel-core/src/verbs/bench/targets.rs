//! Targets on which a kernel has to show its speed: backends that are measured here, and those of which another machine
//! wrote a document.

use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::report::Document;
use kernel_spec::code::bench as code;
use kernel_spec::identifier::hexadecimal;
use kernel_spec::report::BenchReport;
use kernel_spec::variant::Variant;
use kernel_spec::{Backend, Finding};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::{FailOn, news, saved};
use crate::bench::BenchError;
use crate::seal::BUILD_DIRECTORY;

/// A target that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its backend.
    pub backend: Backend,
    /// The document of the machine that measured it; none where that is this one.
    pub document: Option<Utf8PathBuf>,
}

/// A text that names no target.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "a target is a backend such as `cuda`, or `cuda=FILE` with the document of the machine that measured it"
)]
pub struct NoTarget;

impl FromStr for Target {
    type Err = NoTarget;

    fn from_str(text: &str) -> Result<Self, NoTarget> {
        let (backend, document) = match text.split_once('=') {
            Some((_, "")) => return Err(NoTarget),
            Some((backend, file)) => (backend, Some(Utf8PathBuf::from(file))),
            None => (text, None),
        };
        Ok(Self { backend: backend.parse().map_err(|_| NoTarget)?, document })
    }
}

/// Targets with what the machines that measured them wrote.
#[derive(Default)]
pub(crate) struct Targets(Vec<(Backend, Option<(Utf8PathBuf, Document)>)>);

/// Reads the documents, which is to be done before anything that takes long.
pub(crate) fn read(project: &Utf8Path, targets: &[Target]) -> Result<Targets, BenchError> {
    let read = |target: &Target| {
        let path = target.document.as_ref().map(|path| project.join(path));
        let document = path.map(|path| saved(&path).map(|document| (path, document))).transpose()?;
        Ok((target.backend, document))
    };
    targets.iter().map(read).collect::<Result<_, _>>().map(Targets)
}

/// Adds what the documents say, and which targets nobody measured.
pub(crate) fn add(project: &Utf8Path, targets: Targets, fail_on: &[FailOn], report: &mut BenchReport) {
    let here: Vec<Option<Backend>> = report.variants.iter().map(|one| backend(&one.variant)).collect();
    for (backend, document) in &targets.0 {
        let Some((path, document)) = document else {
            if !here.contains(&Some(*backend)) {
                report.findings.push(unmeasured(*backend));
            }
            continue;
        };
        if let Some(reason) = foreign(project, *backend, document) {
            let message = format!("`{path}` does not say how fast what is built here is on `{backend}`");
            report.findings.push(Finding::error(&code::TARGET, message).cause(reason));
            continue;
        }
        report.findings.extend(news::unfinished([(path, document)]));
        news::add_document(document, fail_on, report);
        if let Some(variant) = report.variants.last_mut() {
            variant.document = path.to_string();
        }
    }
}

fn backend(variant: &str) -> Option<Backend> {
    variant.parse::<Variant>().ok()?.backend()
}

fn unmeasured(target: Backend) -> Finding {
    Finding::error(&code::TARGET, format!("nothing that is built here was measured on `{target}`")).help(format!(
        "run `kernel-builder bench --output FILE` for the same variant on a machine that has the device, and give \
         `--on {target}=FILE`"
    ))
}

/// Why a document is not about what is built here.
fn foreign(project: &Utf8Path, target: Backend, document: &Document) -> Option<String> {
    let variant = &document.subject.variant;
    if backend(variant) != Some(target) {
        return Some(format!("it is about `{variant}`, which is for another backend"));
    }
    let name = format!("{BUILD_DIRECTORY}/{variant}/metadata.json");
    let Ok(here) = fs_err::read(project.join(&name)) else {
        return Some(format!("`{variant}` is not built here"));
    };
    let here = hexadecimal(&Sha256::digest(&here));
    let measured = document.subject.files.iter().find(|file| file.path == name);
    match measured {
        Some(file) if file.sha256 == here => None,
        Some(_) => Some(format!("it measured another build of `{variant}`")),
        None => Some("it does not say which build it measured".to_owned()),
    }
}
