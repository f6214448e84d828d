//! The hook: a directory of Python files that the program imports before anything of its own, and what they are told.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

use super::Use;
use super::pins::Pinned;
use super::said::Said;
use crate::arriving::Arriving;
use crate::bench::{DOCUMENTS, LARGE, VECTOR};
use crate::process::Command;
use crate::{Context, Result};

/// The files; the name of the first is the one that Python looks for.
const FILES: &[(&str, &str)] = &[
    ("sitecustomize.py", include_str!("../../../python/run/sitecustomize.py")),
    ("kernel_builder_run/__init__.py", include_str!("../../../python/run/kernel_builder_run/__init__.py")),
    ("kernel_builder_run/explain.py", include_str!("../../../python/run/kernel_builder_run/explain.py")),
    ("kernel_builder_run/hook.py", include_str!("../../../python/run/kernel_builder_run/hook.py")),
    ("kernel_builder_run/memory.py", include_str!("../../../python/run/kernel_builder_run/memory.py")),
    (
        "kernel_builder_run/operations.py",
        include_str!("../../../python/run/kernel_builder_run/operations.py"),
    ),
    ("kernel_builder_run/share.py", include_str!("../../../python/run/kernel_builder_run/share.py")),
    ("kernel_builder_run/switch.py", include_str!("../../../python/run/kernel_builder_run/switch.py")),
    ("kernel_builder_run/verify.py", include_str!("../../../python/run/kernel_builder_run/verify.py")),
];

/// What the hook is to do.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted<'a> {
    /// Verify by these pins.
    pub(super) pinned: Option<&'a Pinned>,
    /// Which implementation the program gets.
    pub(super) switch: Option<Use>,
    /// The files that stand for kernels, by the kernels' names.
    pub(super) baselines: &'a [(String, Utf8PathBuf)],
    /// Kernels that are not there.
    pub(super) absent: &'a [String],
    /// Time the operations.
    pub(super) share: bool,
    /// Say what ran.
    pub(super) explain: bool,
    /// Say the peak of memory.
    pub(super) memory: bool,
}

/// The same as the files read it.
#[derive(Serialize)]
struct Configuration<'a> {
    events: &'a Utf8Path,
    pinned: Option<&'a BTreeMap<String, BTreeMap<String, BTreeSet<String>>>>,
    commits: Option<&'a BTreeMap<String, String>>,
    #[serde(rename = "use")]
    switch: Option<&'a str>,
    baselines: BTreeMap<&'a str, Utf8PathBuf>,
    absent: &'a [String],
    share: bool,
    explain: bool,
    memory: bool,
    documents: &'a str,
    large: u64,
    vector: u64,
}

/// Begins the name of the directory of a run. What a killed run left goes with the next one, unless its program still lives.
const PREFIX: &str = "kernel-builder-run-";

/// Python would not find the hook.
#[derive(Debug, Error, Diagnostic)]
#[error(
    "the directory for temporary files, `{path}`, has a `:` in its path, so Python would not find what `run` lays there"
)]
#[diagnostic(
    code("environment/file"),
    help("set `TMPDIR` to a directory whose path has no `:`, which divides the entries of `PYTHONPATH`")
)]
pub struct UnreachableError {
    path: Utf8PathBuf,
}

/// The hook of one run; dropping it removes its files.
pub(super) struct Hook {
    own: Utf8PathBuf,
    variables: BTreeMap<&'static str, String>,
    _place: Arriving,
}

impl Hook {
    /// Lays out the files.
    pub(super) fn new(context: &Context, wanted: &Wanted) -> Result<Self> {
        let parent = Utf8PathBuf::from_path_buf(tempfile::env::temp_dir().canonicalize()?)
            .map_err(|path| std::io::Error::other(format!("`{}` is not valid UTF-8", path.display())))?;
        if parent.as_str().contains(':') {
            return Err(UnreachableError { path: parent }.into());
        }
        let place = Arriving::begin(&parent, PREFIX)?;
        place.share()?;
        let own = place.whole()?;
        fs_err::create_dir_all(own.join("kernel_builder_run"))?;
        for (name, text) in FILES {
            fs_err::write(own.join(name), text)?;
        }
        let configuration = Configuration {
            events: &events(&own),
            pinned: wanted.pinned.map(|pinned| &pinned.variants),
            commits: wanted.pinned.map(|pinned| &pinned.commits),
            switch: wanted.switch.map(Use::word),
            baselines: wanted
                .baselines
                .iter()
                .map(|(name, path)| (name.as_str(), context.resolve(path)))
                .collect(),
            absent: wanted.absent,
            share: wanted.share,
            explain: wanted.explain,
            memory: wanted.memory,
            documents: DOCUMENTS,
            large: LARGE,
            vector: VECTOR,
        };
        let text = serde_json::to_string(&configuration).map_err(std::io::Error::from)?;
        fs_err::write(own.join("configuration.json"), text)?;
        let path = context.environment.get("PYTHONPATH");
        let path = path.map_or_else(|| own.to_string(), |path| format!("{own}:{path}"));
        let mut variables = BTreeMap::from([("PYTHONPATH", path)]);
        if let Some(switch) = wanted.switch {
            variables.insert("KERNEL_BUILDER_USE", switch.word().to_owned());
            // The library's own switch, for a Python that the hook does not reach.
            if let Some(disabled) = switch.disables_layers() {
                variables.insert("DISABLE_KERNEL_MAPPING", u8::from(disabled).to_string());
            }
        }
        Ok(Self { own, variables, _place: place })
    }

    /// The program, ready to run under the hook.
    pub(super) fn command(&self, command: &[String]) -> Command {
        let (program, arguments) = command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
        let start = Command::new(program).arguments(arguments).as_from_a_shell();
        self.variables.iter().fold(start, |command, (name, value)| command.variable(*name, value))
    }

    /// What it has said so far; it forgets it.
    pub(super) fn said(&self) -> Result<Said> {
        let events = events(&self.own);
        if !events.is_file() {
            return Ok(Said::default());
        }
        let said = Said::of(&String::from_utf8_lossy(&fs_err::read(&events)?));
        fs_err::remove_file(&events)?;
        Ok(said)
    }
}

/// The file for what happened.
fn events(own: &Utf8Path) -> Utf8PathBuf {
    own.join("events.jsonl")
}
