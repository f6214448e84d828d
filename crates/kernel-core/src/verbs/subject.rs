//! Which variants a command runs: built ones of a project, or published ones, which are fetched first. Without names, those
//! that this machine's loader accepts.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::selection::decide;
use kernel_spec::variant::LoaderName;
use kernel_spec::{Backend, Finding, Severity, code};

use super::test::{Reasons, TestError};
use crate::check::built::BuiltVariant;
use crate::check::layout;
use crate::digest::METADATA;
use crate::host::PythonEnvironment;
use crate::published::{PublishedError, Reference, Snapshot};
use crate::seal::BUILD_DIRECTORY;
use crate::{Context, Result, artifacts};

/// What of a published kernel is asked for.
pub(super) struct Asked<'a> {
    pub(super) reference: Reference,
    /// Variants by name.
    pub(super) names: &'a [String],
    /// Whether the best one is enough where there are no names.
    pub(super) best: bool,
    /// Whether the user trusts the publisher.
    pub(super) trusted: bool,
}

/// Published variants that may be run.
pub(super) struct Fetched {
    pub(super) snapshot: Snapshot,
    /// Holds `build`.
    pub(super) root: Utf8PathBuf,
    pub(super) variants: Vec<(String, Backend)>,
    /// Name of the Python package.
    pub(super) package: String,
}

/// Fetches published variants. Nothing of them has run when this returns, and nothing may where they are not what their
/// metadata say.
pub(super) fn fetch(context: &Context, asked: Asked<'_>, python: &PythonEnvironment) -> Result<Fetched> {
    let snapshot = Snapshot::open(context, asked.reference)?;
    snapshot.require_trust(asked.trusted)?;
    let accepted = match asked.names {
        [] if snapshot.variants().iter().all(|name| name.parse::<LoaderName>().is_err()) => {
            return Err(PublishedError::Empty { reference: snapshot.reference }.into());
        }
        [] => {
            let mut accepted = loadable(snapshot.variants(), python)?;
            accepted.truncate(if asked.best { 1 } else { usize::MAX });
            accepted
        }
        _ => Vec::new(),
    };
    let names: Vec<String> = match asked.names {
        [] => accepted.iter().map(|(name, _)| name.clone()).collect(),
        names => names.to_vec(),
    };
    let root = snapshot.fetch_variants(context, Some(&names))?;
    let build = root.join(BUILD_DIRECTORY);
    let mut findings = Vec::new();
    let mut package = String::new();
    for name in &names {
        let directory = build.join(name);
        match artifacts::metadata(&directory) {
            Ok(metadata) => package = metadata.name.python_name(),
            Err(faults) => findings.extend(faults),
        }
        findings.extend(unsound(&BuiltVariant { name: name.clone(), directory }));
    }
    if !findings.is_empty() {
        let summary = format!("`{}` is not what its metadata say; nothing of it was run", snapshot.reference);
        return Err(Faults::new(&code::published::UNSOUND, summary, findings).into());
    }
    let variants = if accepted.is_empty() { chosen(&build, &names, python)? } else { accepted };
    Ok(Fetched { snapshot, root, variants, package })
}

/// What is in a variant that its digest does not vouch for: other files, changed ones, byte code.
fn unsound(variant: &BuiltVariant) -> Vec<Finding> {
    let tells = |finding: &Finding| {
        let is = |code: &kernel_spec::Code| *finding.code == *code;
        is(&code::artifact::LAYOUT)
            || is(&code::artifact::BYTECODE)
            || finding.severity == Severity::Error
                && (is(&code::artifact::DIGEST) || is(&code::artifact::UNREADABLE))
    };
    layout::check_alone(variant).into_iter().filter(tells).collect()
}

/// The built variants of these names; without names, those that the loader accepts here.
pub(super) fn chosen(
    build: &Utf8Path,
    names: &[String],
    python: &PythonEnvironment,
) -> Result<Vec<(String, Backend)>, TestError> {
    match names {
        [] => {
            let built = artifacts::variants_in(build);
            loadable(built.iter().filter_map(|directory| directory.file_name()), python)
        }
        named => named.iter().map(|name| named_variant(build, name)).collect(),
    }
}

fn named_variant(build: &Utf8Path, name: &str) -> Result<(String, Backend), TestError> {
    let not_built = || TestError::NotBuilt { variant: name.to_owned() };
    let parsed: LoaderName = name.parse().map_err(|_no_variant_name| not_built())?;
    if !build.join(name).join(METADATA).is_file() {
        return Err(not_built());
    }
    Ok((name.to_owned(), backend_of(&parsed)))
}

/// A universal variant is tested on the CPU, which every machine has.
fn backend_of(name: &LoaderName) -> Backend {
    match name {
        LoaderName::Arch { compute, .. } => compute.backend(),
        LoaderName::Noarch(name) => {
            Backend::all().find(|backend| backend.row().noarch_name == name).unwrap_or(Backend::Cpu)
        }
    }
}

/// Those the loader accepts, for the machine's own backend first and then for the CPU, in its order of preference.
fn loadable<'a>(
    names: impl IntoIterator<Item = &'a str>,
    python: &PythonEnvironment,
) -> Result<Vec<(String, Backend)>, TestError> {
    let names: Vec<LoaderName> = names.into_iter().filter_map(|name| name.parse().ok()).collect();
    let mut accepted: Vec<(String, Backend)> = Vec::new();
    let mut reasons = Vec::new();
    for requested in [None, Some(Backend::Cpu)] {
        let Ok(decisions) = decide(names.clone(), python.machine(), requested) else { continue };
        for decision in decisions.trace {
            let name = decision.name.to_string();
            match decision.rejection {
                Some(reason) => reasons.push(format!("`{name}`: {reason}")),
                None if accepted.iter().any(|(known, _)| *known == name) => {}
                None => accepted.push((name, decisions.backend.backend())),
            }
        }
    }
    if accepted.is_empty() {
        reasons.dedup();
        return Err(TestError::NoneHere { reasons: (!reasons.is_empty()).then_some(Reasons(reasons)) });
    }
    Ok(accepted)
}
