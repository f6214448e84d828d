//! The Python files of a package: operators under a fixed namespace, imports of the package by its own name, and
//! whether it says what it offers.

use std::collections::BTreeMap;

use camino::Utf8Path;
use kernel_spec::Finding;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;

use crate::python_source::{PythonSource, public_api};
use crate::{Result, tree};

/// Findings about every Python file below `root`; `shown` is what stands before their paths, `package` the name by
/// which the package must not import itself.
pub fn check(root: &Utf8Path, shown: &str, package: &str) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut sources = BTreeMap::new();
    for entry in tree::walk(root, &|name| name != "__pycache__")? {
        let is_file = matches!(entry.kind, tree::Kind::File | tree::Kind::LinkToFile);
        if !is_file || Utf8Path::new(&entry.path).extension() != Some("py") {
            continue;
        }
        let bytes = fs_err::read(root.join(&entry.path))?;
        match PythonSource::parse(&format!("{shown}{}", entry.path), &bytes) {
            Ok(source) => {
                findings.extend(source.findings(package));
                sources.insert(entry.path, source);
            }
            Err(finding) => findings.push(*finding),
        }
    }
    if sources.contains_key("__init__.py") && !public_api(&sources).declared {
        let file = format!("{shown}__init__.py");
        let finding = Finding::note(&python::NO_ALL, format!("`{file}` has no `__all__`"));
        findings.push(finding.about(Subject { file: Some(file), ..Subject::default() }));
    }
    Ok(findings)
}
