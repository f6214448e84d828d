//! `toolchain`: the store of fetched parts. Builds fetch what they need by themselves; this is for doing it beforehand,
//! for looking, and for making room.

use camino::Utf8PathBuf;
use kernel_spec::report::ToolchainReport;
use miette::Diagnostic;
use thiserror::Error;

use crate::host::PythonEnvironment;
use crate::toolchain::store::part::PartError;
use crate::toolchain::store::{Part, Store};
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

/// Does it.
pub fn toolchain(context: &Context, wish: &Wish, python: Option<&str>) -> Result<ToolchainReport> {
    let cache = context.environment.cache_directory();
    let cache = cache.unwrap_or_else(|| Utf8PathBuf::from("/nonexistent"));
    let store = Store::new(&cache);
    let mut report = ToolchainReport { parts: Vec::new(), removed: Vec::new() };
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
        Wish::Collect(kept) => {
            report.removed = store.collect(context, &parse(kept)?)?;
            report.parts = store.list();
        }
    }
    Ok(report)
}

fn parse(names: &[String]) -> Result<Vec<Part>, WrongPart> {
    names.iter().map(|name| name.parse().map_err(|source| WrongPart { source })).collect()
}
