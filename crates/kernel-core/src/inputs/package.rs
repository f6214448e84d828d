//! Which files of the Python package ship.

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_spec::manifest::{Binding, Manifest};
use kernel_spec::{Finding, Located, code};

use super::{Inputs, about};
use crate::digest::{METADATA, SIGNATURE};
use crate::tree::{self, Entry, Kind};
use crate::{Error, Result, regular};

/// Files at the top of a variant that are ours.
const OURS: &[&str] = &["_ops.py", METADATA, SIGNATURE];

/// Type stub of `_ops.py`. One that `ide` wrote for editors never ships.
pub const OPERATORS: &str = "_ops.pyi";

/// The first line of that one.
pub const OPERATORS_MARK: &str = "# Written by `kernel-builder ide` for editors; it does not ship.\n";

/// Extensions that ship whatever `pyext` says: a package without its modules is none, and type stubs describe them.
const ALWAYS: &[&str] = &["py", "pyi"];

/// Adds the files that ship.
pub(super) fn add(project: &Utf8Path, manifest: &Manifest, inputs: &mut Inputs) -> Result<()> {
    let directory = manifest.package_directory();
    if !project.join(&directory).is_dir() {
        inputs.findings.push(
            Finding::error(
                &code::inputs::MISSING,
                format!("the Python package `{directory}` does not exist"),
            )
            .help(format!("make the directory, with an `__init__.py` in it: {directory}/__init__.py")),
        );
        return Ok(());
    }
    let ships = Rule::of(manifest);
    let entries = tree::walk(&project.join(&directory), &|path| !is_hidden(path) && !tree::is_bytecode(path))
        .map_err(Error::Tree)?;
    for Entry { path, kind } in entries {
        let in_project = format!("{directory}/{path}");
        match kind {
            Kind::File if path == OPERATORS && is_for_editors(&project.join(&in_project)) => {}
            Kind::File | Kind::LinkToFile if ships.ships(&path) => {
                if OURS.contains(&path.as_str()) {
                    inputs.findings.push(reserved(&in_project));
                } else {
                    inputs.files.entry(in_project).or_default().packaged = true;
                }
            }
            Kind::LinkToDirectory => inputs.findings.push(odd(&in_project, "a link to a directory")),
            Kind::Dangling if ships.ships(&path) => {
                inputs.findings.push(odd(&in_project, "a link to nothing"));
            }
            Kind::Special if ships.ships(&path) => inputs.findings.push(odd(&in_project, "no regular file")),
            Kind::File | Kind::LinkToFile | Kind::Directory | Kind::Dangling | Kind::Special => {}
        }
    }
    Ok(())
}

/// Which extensions ship; `None` is every file.
struct Rule(Option<BTreeSet<String>>);

impl Rule {
    fn of(manifest: &Manifest) -> Self {
        let listed = match &manifest.binding {
            Binding::TorchNoarch(noarch) => match &noarch.python_extensions {
                Some(extensions) => extensions.as_slice(),
                None => return Self(None),
            },
            Binding::Torch(torch) => torch.common.python_extensions.as_deref().unwrap_or_default(),
            Binding::TvmFfi(tvm_ffi) => tvm_ffi.common.python_extensions.as_deref().unwrap_or_default(),
        };
        let extension = |text: &Located<String>| text.value.trim_start_matches('.').to_owned();
        let always = ALWAYS.iter().map(ToString::to_string);
        Self(Some(listed.iter().map(extension).chain(always).collect()))
    }

    /// An extension may have several parts: `tar.gz`.
    fn ships(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        match &self.0 {
            None => true,
            Some(extensions) => {
                name.match_indices('.').any(|(dot, _)| dot > 0 && extensions.contains(&name[dot + 1..]))
            }
        }
    }
}

/// Whether a type stub is the one that `ide` writes.
pub fn is_for_editors(path: &Utf8Path) -> bool {
    let most = OPERATORS_MARK.len() as u64;
    regular::start(path, most).is_ok_and(|start| start == OPERATORS_MARK.as_bytes())
}

fn is_hidden(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with('.'))
}

fn odd(path: &str, what: &str) -> Finding {
    Finding::error(&code::inputs::UNUSABLE, format!("`{path}` is {what}"))
        .help("put the file itself there, or remove it from the package")
        .about(about(path))
}

fn reserved(path: &str) -> Finding {
    Finding::note(
        &code::inputs::RESERVED,
        format!("`{path}` is not used: kernel-builder writes a file of this name"),
    )
    .about(about(path))
}
