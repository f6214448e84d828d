//! Whether the version should have been raised: what callers of the published kernel may rely on is compared with what
//! they would get.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use kernel_hub::hub::{Hub, RemoteFile, Repository, Tree};
use kernel_hub::publish::read_listed;
use kernel_spec::{Finding, code};

use super::contents::BUILD;
use super::preflight::Artifact;
use crate::python_source::{Budget, PublicApi, PythonSource, public_api};
use crate::{Result, bounds, regular};

/// Most files that are fetched for the comparison.
const MOST: usize = 200;

/// Compares the public functions of a published variant with those of the one that replaces it.
pub fn check(
    hub: &Hub,
    repository: &Repository,
    (commit, tree): (&str, &Tree),
    artifacts: &[Artifact],
) -> Result<Vec<Finding>> {
    let is_python = |path: &str| Utf8Path::new(path).extension() == Some("py");
    // The package is the same in every variant, so another one that is published serves as well.
    let published: BTreeSet<&str> =
        tree.keys().filter_map(|path| Some(path.strip_prefix(BUILD)?.split_once('/')?.0)).collect();
    let own = artifacts.iter().map(|artifact| (artifact, artifact.name.as_str()));
    let others = published.iter().filter_map(|name| Some((artifacts.first()?, *name)));
    for (artifact, name) in own.chain(others) {
        let folder = format!("{BUILD}{name}/");
        let files: Vec<(&String, &RemoteFile, &str)> = tree
            .iter()
            .filter(|(path, _)| is_python(path))
            .filter_map(|(path, file)| Some((path, file, path.strip_prefix(&folder)?)))
            .collect();
        if files.is_empty() {
            continue;
        }
        let version = artifact.metadata.version;
        if files.len() > MOST {
            let reason = format!("`{folder}` has {} files of Python, more than {MOST}", files.len());
            return Ok(vec![unknown(version, [reason])]);
        }
        let large = files.iter().filter(|(_, file, _)| file.size > bounds::PYTHON);
        let large: Vec<String> = large.map(|(path, ..)| format!("`{path}` is larger than 1 MiB")).collect();
        if !large.is_empty() {
            return Ok(vec![unknown(version, large)]);
        }
        let mut published = BTreeMap::new();
        for (path, file, name) in files {
            let content = read_listed(hub, repository, commit, (path, file))?;
            published.insert(name.to_owned(), content);
        }
        let mut own = BTreeMap::new();
        for entry in crate::tree::walk(&artifact.directory, &|_| true)? {
            if entry.kind == crate::tree::Kind::File && is_python(&entry.path) {
                let text = regular::start(&artifact.directory.join(&entry.path), bounds::PYTHON + 1)?;
                own.insert(entry.path, text);
            }
        }
        return Ok(compare(version, &folder, &published, &own).into_iter().collect());
    }
    Ok(Vec::new())
}

/// What there is to say of the files of a published package and of the one that replaces it.
fn compare(
    version: u64,
    folder: &str,
    published: &BTreeMap<String, Vec<u8>>,
    own: &BTreeMap<String, Vec<u8>>,
) -> Option<Finding> {
    let (old, damaged) = api(published);
    if !damaged.is_empty() {
        let damaged =
            damaged.iter().map(|name| format!("the published `{folder}{name}` is no Python, or too large"));
        return Some(unknown(version, damaged));
    }
    // Files of our own that are no Python are told of by `check`.
    let (new, _) = api(own);
    if old.declared && !new.declared {
        let reason = "the published package lists its public names in `__all__`, and this one does not";
        return Some(unknown(version, [reason.to_owned()]));
    }
    let broken = breaks(&old, &new);
    if broken.is_empty() {
        return None;
    }
    let message = format!("callers of version {version} may break, and the version is still {version}");
    Some(broken.into_iter().fold(Finding::warning(&code::upload::VERSION_DUE, message), Finding::cause))
}

/// That nothing can be said, and why.
fn unknown(version: u64, reasons: impl IntoIterator<Item = String>) -> Finding {
    let message = format!("whether callers of version {version} may break cannot be told");
    reasons.into_iter().fold(Finding::note(&code::upload::VERSION_UNKNOWN, message), Finding::cause)
}

/// The API of a package, and its files that are no Python or too large.
fn api(files: &BTreeMap<String, Vec<u8>>) -> (PublicApi, Vec<&str>) {
    let mut sources = BTreeMap::new();
    let mut damaged = Vec::new();
    let mut budget = Budget::default();
    for (name, text) in files {
        match PythonSource::parse(name, text).and_then(|source| budget.take(source)) {
            Ok(source) => drop(sources.insert(name.clone(), source)),
            Err(_) => damaged.push(name.as_str()),
        }
    }
    (public_api(&sources), damaged)
}

/// What callers of the old API may rely on and the new one does not keep.
fn breaks(old: &PublicApi, new: &PublicApi) -> Vec<String> {
    if !old.declared || !new.declared {
        return Vec::new();
    }
    let names = |api: &PublicApi| -> Vec<String> {
        let functions = api.functions.iter().map(|function| &function.name);
        let layers = api.layers.iter().map(|layer| &layer.name);
        functions.chain(layers).chain(&api.others).cloned().collect()
    };
    let kept = names(new);
    let mut broken: Vec<String> = names(old)
        .into_iter()
        .filter(|name| !kept.contains(name))
        .map(|name| format!("`{name}` is gone"))
        .collect();
    for (name, old) in &old.callables {
        match new.callables.get(name) {
            Some(new) if !old.parameters.are_kept_by(&new.parameters) => {
                broken.push(format!("`{name}{}` is now `{name}{}`", old.signature, new.signature));
            }
            Some(_) => {}
            None => {
                // What is no longer a function or a layer may be called all the same, and a method may be inherited.
                let layer = name.split_once('.').map(|(layer, _)| layer);
                let is_layer = layer.is_some_and(|layer| new.layers.iter().any(|new| new.name == layer));
                if is_layer && layer.is_some_and(|layer| !new.heirs.contains(layer)) {
                    broken.push(format!("`{name}` is gone"));
                }
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(functions: &str) -> PublicApi {
        api(&BTreeMap::from([("__init__.py".to_owned(), functions.as_bytes().to_vec())])).0
    }

    #[test]
    fn a_layers_forward_is_part_of_the_interface() {
        let layer = |parameters: &str| {
            package(&format!(
                "__all__ = ['A']\nclass A(nn.Module):\n    def forward(self, {parameters}): ...\n"
            ))
        };
        let old = layer("x");
        assert_eq!(breaks(&old, &layer("x, y=1")), [""; 0]);
        assert_eq!(breaks(&old, &layer("x, y")), ["`A.forward(self, x)` is now `A.forward(self, x, y)`"]);
    }

    #[test]
    fn what_breaks_callers_is_named() {
        let old = package("__all__ = ['a', 'B']\nB = 1\ndef a(x: int, y=(1, 2)): ...\n");
        let after = |new: &str| breaks(&old, &package(new));
        for fine in [
            "__all__ = ['B', 'a', 'c']\nB = 2\ndef a(x, y=3, z=4, *, w=5) -> int: ...\ndef c(): ...\n",
            "from nowhere import *\n",
        ] {
            assert_eq!(after(fine), [""; 0], "{fine}");
        }
        assert_eq!(after("__all__ = ['a']\ndef a(x: int, y=(1, 2)): ...\n"), ["`B` is gone"]);
        for broken in ["x", "x, y", "z, y=1", "x, y=1, *, z"] {
            let text = format!("__all__ = ['a', 'B']\nB = 1\ndef a({broken}): ...\n");
            assert_eq!(after(&text), [format!("`a(x: int, y=(1, 2))` is now `a({broken})`")]);
        }
    }

    #[test]
    fn methods_of_layers_are_part_of_the_interface() {
        let layer =
            |bases: &str, methods: &str| package(&format!("__all__ = ['A']\nclass A({bases}):\n{methods}"));
        let old = layer(
            "nn.Module",
            "    def forward(self, x): ...\n    def reset(self, to=0): ...\n    def _own(self): ...\n",
        );
        let after = |bases: &str, methods: &str| breaks(&old, &layer(bases, methods));
        let forward = "    def forward(self, x): ...\n";
        assert_eq!(after("nn.Module", forward), ["`A.reset` is gone"]);
        assert_eq!(after("Base, nn.Module", forward), [""; 0], "it may be inherited");
        let changed = format!("{forward}    def reset(self, to): ...\n");
        assert_eq!(after("nn.Module", &changed), ["`A.reset(self, to=0)` is now `A.reset(self, to)`"]);
    }

    #[test]
    fn every_call_that_was_allowed_must_be_allowed() {
        let function = |parameters: &str| package(&format!("__all__ = ['a']\ndef a{parameters}: ...\n"));
        for (old, fine, broken) in [
            (
                "(x, y)",
                &["(x, y=1)", "(x, y, *more)", "[T](x: T, y: T)"][..],
                &["(x, *, y)", "(x, y, /)", "(x, *y)"][..],
            ),
            ("(x, /)", &["(y, /)", "(y)", "(*x)"], &["()", "(*, x)"]),
            (
                "(*, x, y=1)",
                &["(*, y=1, x)", "(x, y=1)", "(*, x=1, **more)"],
                &["(*, x, y)", "(*, x)", "(*, x, y=1, z)"],
            ),
            ("(x, *, y=1)", &["(x, z=2, *, y=1)", "(x, **more)"], &["(x, z)", "(x)"]),
            ("(x, *more, **named)", &["(x, y=1, *more, **named)"], &["(x, *more)", "(x, **named)"]),
            // An annotation and a default may hold anything that looks like a parameter.
            (
                "(x: Annotated[int, F(gt=0)] = 1)",
                &["(x: Literal['=,('] = 2)"],
                &["(x: Annotated[int, F(gt=0)])"],
            ),
        ] {
            for new in fine {
                assert_eq!(breaks(&function(old), &function(new)), [""; 0], "{old} {new}");
            }
            for new in broken {
                assert_eq!(breaks(&function(old), &function(new)).len(), 1, "{old} {new}");
            }
        }
    }
}
