//! Whether the version should have been raised: what callers of the published kernel may rely on is compared with what
//! they would get.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use kernel_hub::hub::{Hub, RemoteFile, Repository, Tree};
use kernel_hub::publish::read_listed;
use kernel_spec::{Finding, code};

use super::contents::BUILD;
use super::preflight::Artifact;
use crate::python_source::{Function, Layer, PublicApi, PythonSource, public_api};
use crate::{Result, regular};

/// Largest Python file that is looked at.
const LARGEST: u64 = 1 << 20;
/// The same of a variant that is uploaded: what is larger was refused before.
const LARGEST_OWN: u64 = 16 << 20;
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
            .filter(|(path, file)| is_python(path) && file.size <= LARGEST)
            .filter_map(|(path, file)| Some((path, file, path.strip_prefix(&folder)?)))
            .collect();
        if files.is_empty() || files.len() > MOST {
            continue;
        }
        let mut published = BTreeMap::new();
        for (path, file, name) in files {
            let content = read_listed(hub, repository, commit, (path, file))?;
            published.insert(name.to_owned(), content);
        }
        let mut own = BTreeMap::new();
        for entry in crate::tree::walk(&artifact.directory, &|_| true)? {
            if entry.kind == crate::tree::Kind::File && is_python(&entry.path) {
                let text = regular::bytes(&artifact.directory.join(&entry.path), LARGEST_OWN)?;
                own.insert(entry.path, text);
            }
        }
        let broken = breaks(&api(&published), &api(&own));
        let version = artifact.metadata.version;
        return Ok(if broken.is_empty() {
            Vec::new()
        } else {
            let message =
                format!("callers of version {version} may break, and the version is still {version}");
            let finding = Finding::warning(&code::upload::VERSION_DUE, message);
            vec![broken.into_iter().fold(finding, Finding::cause)]
        });
    }
    Ok(Vec::new())
}

/// The API of a package; files that are no Python are passed over, because `check` tells of them.
fn api(files: &BTreeMap<String, Vec<u8>>) -> PublicApi {
    let sources = files
        .iter()
        .filter_map(|(name, text)| PythonSource::parse(name, text).ok().map(|source| (name.clone(), source)));
    public_api(&sources.collect())
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
    let functions = |api: &PublicApi| -> BTreeMap<String, String> {
        let of = |function: &Function| (function.name.clone(), function.signature.clone());
        let functions = api.functions.iter().map(of);
        let forward = |layer: &Layer| Some((format!("{}.forward", layer.name), layer.forward.clone()?));
        functions.chain(api.layers.iter().filter_map(forward)).collect()
    };
    let now = functions(new);
    for (name, old) in functions(old) {
        let Some(new) = now.get(&name) else { continue };
        if !accepts(&parameters(&old), &parameters(new)) {
            broken.push(format!("`{name}{old}` is now `{name}{new}`"));
        }
    }
    broken
}

/// Whether every call that the old parameters allow is allowed by the new ones: the same, and behind them only such as
/// need not be given.
fn accepts(old: &[String], new: &[String]) -> bool {
    let name = |parameter: &String| {
        let end = parameter.find([':', '=']).unwrap_or(parameter.len());
        parameter[..end].trim().to_owned()
    };
    let optional = |parameter: &String| parameter.contains('=') || parameter.starts_with('*');
    let same =
        old.iter().zip(new).all(|(old, new)| name(old) == name(new) && (!optional(old) || optional(new)));
    // After a bare `*` everything is given by name, and needs a default to be optional.
    old.len() <= new.len() && same && new[old.len()..].iter().all(optional)
}

/// The parameters of `(a: int, *, b=1) -> Tensor`.
fn parameters(signature: &str) -> Vec<String> {
    let mut depth = 0;
    let mut parameters = vec![String::new()];
    for character in signature.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        match (depth, character) {
            (0, _) => break,
            (1, ',') => parameters.push(String::new()),
            (1, '(') if parameters == [""] => {}
            _ => parameters.last_mut().expect("there is always one").push(character),
        }
    }
    parameters.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(functions: &str) -> PublicApi {
        api(&BTreeMap::from([("__init__.py".to_owned(), functions.as_bytes().to_vec())]))
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
}
