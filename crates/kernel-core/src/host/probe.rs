//! Asking an interpreter about itself, at most once for each state of it.

use std::time::Duration;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use super::HostError;
use super::cache::{Cache, Witness};
use super::interpreter::Choice;
use crate::process::Command;
use crate::{Context, Result};

const SCRIPT: &str = include_str!("../../python/describe_interpreter.py");

/// A loaded machine and a cold disk included.
const TIMEOUT: Duration = Duration::from_mins(1);

/// What the interpreter said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InterpreterFacts {
    pub(super) interpreter: String,
    pub(super) version: String,
    pub(super) implementation: String,
    pub(super) free_threaded: bool,
    pub(super) include: String,
    pub(super) prefix: String,
    pub(super) search: Vec<String>,
    pub(super) cpu: String,
    pub(super) os: String,
    pub(super) macos: String,
}

/// The facts about a chosen interpreter, from the cache where nothing they depend on has changed.
pub(super) fn facts(context: &Context, choice: &Choice) -> Result<InterpreterFacts> {
    let cache = Cache::of(context, &choice.path);
    if let Some(facts) = cache.as_ref().and_then(Cache::read) {
        return Ok(facts);
    }
    let facts = ask(context, choice)?;
    if let Some(cache) = cache
        && let Some(witnesses) = witnesses(context, choice, &facts)
    {
        cache.write(&facts, &witnesses);
    }
    Ok(facts)
}

fn ask(context: &Context, choice: &Choice) -> Result<InterpreterFacts> {
    let finished = Command::new(choice.path.clone())
        .arguments(["-I", "-c", SCRIPT])
        .directory("/")
        .with_home()
        .inherit("PYENV_ROOT")
        .inherit("PYENV_VERSION")
        .timeout(TIMEOUT)
        .remedy("name an interpreter with `--python`")
        .capture(context)?;
    let finished = finished.require_success()?;
    let unusable = |said: String| HostError::Unusable { interpreter: choice.path.clone(), said };
    let said = String::from_utf8_lossy(&finished.stdout);
    let line = said.lines().last().unwrap_or_default();
    let facts: InterpreterFacts =
        serde_json::from_str(line).map_err(|_| unusable(line.chars().take(80).collect()))?;
    if facts.implementation != "CPython" {
        return Err(unusable(format!("it is {}, not CPython", facts.implementation)).into());
    }
    Ok(facts)
}

/// The files whose change makes the facts stale, or `None` where no file can tell: a chooser of interpreters, such as
/// the shims of most version managers, may start another one tomorrow. Those of pyenv follow one file and a variable.
fn witnesses(context: &Context, choice: &Choice, facts: &InterpreterFacts) -> Option<Vec<Witness>> {
    let itself = choice.path.canonicalize_utf8().ok()
        == Utf8PathBuf::from(&facts.interpreter).canonicalize_utf8().ok();
    let mut files = vec![choice.path.clone(), Utf8PathBuf::from(&facts.interpreter)];
    if !itself {
        let shims = choice.path.parent().filter(|directory| directory.file_name() == Some("shims"))?;
        let fixed = context.environment.get("PYENV_VERSION").is_none();
        files.push(shims.parent().filter(|_| fixed)?.join("version"));
    }
    files.push(Utf8PathBuf::from(&facts.prefix).join("pyvenv.cfg"));
    for directory in facts.search.iter().map(Utf8PathBuf::from) {
        let entries = directory.read_dir_utf8().into_iter().flatten().flatten();
        files.extend(
            entries.map(camino::Utf8DirEntry::into_path).filter(|path| path.extension() == Some("pth")),
        );
        files.push(directory);
    }
    Some(files.into_iter().map(Witness::of).collect())
}
