//! What is found in the Python sources of a package, by theme.

mod bounded;
mod compiles;
mod encodings;
mod imports;
mod listed;
mod loaded;
mod registration;

use std::collections::BTreeMap;

use kernel_spec::Severity;

use super::*;

fn parse(path: &str, text: &str) -> PythonSource {
    PythonSource::parse(path, text.as_bytes()).expect("the text is Python")
}

/// The findings of a package `demo` of these files.
fn judged(files: &[(&str, &str)]) -> Vec<Finding> {
    let files: BTreeMap<String, PythonSource> =
        files.iter().map(|(path, text)| ((*path).to_owned(), parse(path, text))).collect();
    findings(&files, "demo", &files.keys().cloned().collect(), Some(&[]))
}

fn lines(text: &str) -> Vec<u32> {
    let findings = judged(&[("ops.py", text)]);
    findings.iter().filter_map(|finding| finding.span.as_ref()).map(|span| span.line).collect()
}

/// The severity and the code of each finding about a file that begins with the usual imports.
fn told(text: &str) -> Vec<(Severity, &'static str)> {
    let text = format!(
        "import torch, functools, importlib\nfrom functools import partial\n\
         from ._ops import add_op_namespace_prefix as own, ops\n{text}\n"
    );
    judged(&[("ops.py", &text)]).iter().map(|finding| (finding.severity, finding.code.id)).collect()
}
