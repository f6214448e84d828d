//! `toolchain`: the store of fetched parts. Builds fetch what they need by themselves; this is for doing it beforehand,
//! for looking, and for making room.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use kernel_spec::plan::Profile;
use kernel_spec::report::{StoredPart, ToolchainReport, WrittenLock};
use kernel_spec::variant::Variant;
use miette::Diagnostic;
use thiserror::Error;

use crate::engine::Choice;
use crate::host::PythonEnvironment;
use crate::toolchain::lock::{self, LockedPart, LockedSystem};
use crate::toolchain::parts::ToolchainError;
use crate::toolchain::store::part::PartError;
use crate::toolchain::store::{Part, Store};
use crate::toolchain::sysroot::Policy;
use crate::verbs::build::Wanted;
use crate::verbs::plan::{Binding, Drafting, PlanOptions};
use crate::{Context, Result};

/// What to do.
#[derive(Clone, Debug)]
pub enum Wish {
    /// Say what is there.
    List,
    /// Fetch these where they are missing.
    Fetch(Vec<String>),
    /// Remove all but these.
    Collect(Vec<String>),
    /// Write down what a project is compiled with.
    Lock(LockOptions),
}

/// What to lock.
#[derive(Clone, Debug)]
pub struct LockOptions {
    /// The project's directory.
    pub project: Utf8PathBuf,
    /// The variants whose parts are locked.
    pub variants: Wanted,
    /// Whether it is enough that members of a wheel are what its own list says.
    pub trust_ranges: bool,
}

/// A name is wrong.
#[derive(Debug, Error, Diagnostic)]
#[error("{source}")]
#[diagnostic(
    code("toolchain/part"),
    help("name a part with its version; `toolchain list` shows what is there")
)]
pub struct WrongPart {
    source: PartError,
}

/// Nothing is compiled.
#[derive(Debug, Error, Diagnostic)]
#[error("nothing of `{project}` is compiled, so there is nothing to lock")]
#[diagnostic(code("toolchain/nothing-to-lock"), help("name a variant that is compiled with `--variant`"))]
pub struct NothingToLock {
    project: Utf8PathBuf,
}

/// Does it.
pub fn toolchain(context: &Context, wish: &Wish, python: Option<&str>) -> Result<ToolchainReport> {
    let cache = context.environment.cache_directory();
    let cache = cache.unwrap_or_else(|| Utf8PathBuf::from("/nonexistent"));
    let store = Store::new(&cache);
    let mut report = ToolchainReport { parts: Vec::new(), removed: Vec::new(), lock: None };
    match wish {
        Wish::List => report.parts = store.list(),
        Wish::Fetch(names) => {
            let parts = parse(names)?;
            let python = PythonEnvironment::discover(context, python)?;
            for part in &parts {
                store.ensure(context, part, &python.interpreter)?;
            }
            let asked = |name: &str| parts.iter().any(|part| part.to_string() == name);
            report.parts = store.list().into_iter().filter(|part| asked(&part.name)).collect();
        }
        Wish::Lock(options) => {
            let (lock, parts) = lock(context, options, &store, python)?;
            let locked = |part: &StoredPart| parts.iter().any(|locked| locked.tree == part.digest);
            report.parts = store.list().into_iter().filter(locked).collect();
            report.lock = Some(lock);
        }
        Wish::Collect(kept) => {
            report.removed = store.collect(context, &parse(kept)?)?;
            report.parts = store.list();
        }
    }
    Ok(report)
}

/// Locks what the variants are compiled with, fetching what is missing.
fn lock(
    context: &Context,
    options: &LockOptions,
    store: &Store,
    python: Option<&str>,
) -> Result<(WrittenLock, Vec<LockedPart>)> {
    let plan = PlanOptions {
        project: options.project.clone(),
        variants: options.variants.clone(),
        python: python.map(str::to_owned),
        profile: Profile::Release,
        policy: Policy::default(),
        allowed_flags: BTreeSet::new(),
        engine: Choice::Local,
        binding: Binding::Ignored,
    };
    let drafting = Drafting::open(context, &plan)?;
    let interpreter = &drafting.python.interpreter;
    let (mut parts, mut headers, mut found) = (BTreeMap::new(), None, None);
    for variant in drafting.variants.iter().filter_map(Variant::arch) {
        for part in drafting.needed(variant) {
            if let Entry::Vacant(place) = parts.entry(part.to_string()) {
                place.insert(store.lock_part(context, &part, interpreter, options.trust_ranges)?);
            }
        }
        let toolchain = drafting.toolchain(variant, true)?;
        headers = headers.or(toolchain.python);
        found = Some((variant.system, toolchain.compiler.identity));
    }
    let Some((system, compiler)) = found else {
        return Err(NothingToLock { project: drafting.project.directory }.into());
    };
    let parts: Vec<LockedPart> = parts.into_values().collect();
    let described = format!("{} {}", compiler.family, compiler.version);
    let locked = LockedSystem { compiler, python: headers, parts: parts.clone() };
    let (path, changed) =
        lock::write(&drafting.project.directory, system, locked).map_err(ToolchainError::from)?;
    let trusted = parts.iter().filter(|part| part.trusted_ranges);
    let trusted = trusted.map(|part| format!("{}-{}", part.name, part.version)).collect();
    Ok((WrittenLock { path: path.into_string(), changed, compiler: described, trusted }, parts))
}

fn parse(names: &[String]) -> Result<Vec<Part>, WrongPart> {
    names.iter().map(|name| name.parse().map_err(|source| WrongPart { source })).collect()
}
