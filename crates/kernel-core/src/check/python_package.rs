//! The Python files of a package: operators under a fixed namespace, imports of the package by its own name, what the
//! oldest Python lacks, and whether it says what it offers.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use kernel_spec::{Code, Finding};

use crate::python_source::{self, Budget, PythonSource, public_api};
use crate::{Result, bounds, regular, tree};

/// Findings about every Python file below `root`; `shown` is what stands before their paths, `package` the name by
/// which the package must not import itself, `declared` its `python-depends` where they are known, and `unreadable` the code
/// for a file that cannot be read. What links lead out of `bound` to is not read: its lines would be shown.
pub fn check(
    (root, bound): (&Utf8Path, &Utf8Path),
    shown: &str,
    package: &str,
    declared: Option<&[String]>,
    unreadable: &'static Code,
) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut sources = BTreeMap::new();
    let mut paths = BTreeSet::new();
    let mut budget = Budget::default();
    for entry in tree::walk(root, &|path| !tree::is_bytecode(path))? {
        let place = root.join(&entry.path);
        let is_file = match entry.kind {
            tree::Kind::File => true,
            tree::Kind::LinkToFile => tree::stays_in(bound, &place),
            _ => false,
        };
        if is_file && Utf8Path::new(&entry.path).extension() == Some("py") {
            let file = format!("{shown}{}", entry.path);
            let read = regular::start(&place, bounds::PYTHON + 1);
            match read.map(|bytes| PythonSource::parse(&file, &bytes).and_then(|source| budget.take(source)))
            {
                Ok(Ok(source)) => drop(sources.insert(entry.path.clone(), source)),
                Ok(Err(finding)) => findings.push(*finding),
                Err(error) => {
                    let finding = Finding::error(unreadable, format!("could not read `{file}`"));
                    let about = Subject { file: Some(file), ..Subject::default() };
                    findings.push(finding.cause(error.to_string()).about(about));
                }
            }
        }
        paths.insert(entry.path);
    }
    findings.extend(python_source::findings(&sources, package, &paths, declared));
    if sources.contains_key("__init__.py") && !public_api(&sources).declared {
        let file = format!("{shown}__init__.py");
        let finding = Finding::note(&python::NO_ALL, format!("`{file}` has no `__all__`"));
        findings.push(finding.about(Subject { file: Some(file), ..Subject::default() }));
    }
    Ok(findings)
}
