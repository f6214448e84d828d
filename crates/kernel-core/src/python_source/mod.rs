//! Reads a kernel's Python without running it: which operators it registers and under which names, and what its public
//! API is. What cannot be known from the text alone is said to be so, never guessed.

mod api;
mod arguments;
mod calls;
mod captured;
mod circles;
mod compiles;
mod containers;
mod declared;
mod depth;
mod encoding;
mod exports;
mod floor;
mod format;
mod generated;
mod imports;
mod listed;
mod names;
mod package;
mod parameters;
mod paths;
mod reach;
mod registration;
mod registries;
mod relative;
mod rules;
mod scopes;
mod siblings;
mod size;
mod standing;
#[cfg(test)]
mod tests;
mod text;
mod undeclared;
mod value;
mod visible;

pub use api::{Callable, Function, Layer, PublicApi, public_api};
pub use generated::{Generated, generated};
pub use parameters::Parameters;
pub use reach::Use;
pub use size::Budget;

use std::collections::{BTreeMap, BTreeSet};

use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, SourceText, Span};
use ruff_python_ast::{ModModule, PythonVersion, Stmt};
use ruff_python_parser::parse_module;
use ruff_text_size::{Ranged, TextRange};

use siblings::Siblings;

use crate::bounds;

/// A Python file that parses.
#[derive(Debug)]
pub struct PythonSource {
    text: SourceText,
    module: ModModule,
    /// How many tokens it has.
    tokens: usize,
}

/// Everything wrong with a package: how it registers operators and imports itself, what it says it offers, and what the
/// oldest Python lacks. `files` are by their paths in it, `others` the paths of everything in it, `package` is the name by
/// which it must not import itself, and `declared` are the names of its `python-depends`, where they are known.
pub fn findings(
    files: &BTreeMap<String, PythonSource>,
    package: &str,
    others: &BTreeSet<String>,
    declared: Option<&[String]>,
) -> Vec<Finding> {
    let modules = package::Package::new(package, files);
    // First of all: where following names ends early, names would be missed that are there.
    modules.visible();
    let mut findings = registration::unprefixed(&modules);
    let siblings = Siblings { paths: others };
    findings.extend(imports::of_itself(&modules, &siblings));
    findings.extend(siblings::absolute(&modules, &siblings));
    findings.extend(listed::missing(&modules, others));
    findings.extend(relative::missing(&modules, others));
    findings.extend(circles::too_early(&modules, others));
    findings.extend(
        declared.map(|declared| undeclared::imports(&modules, &siblings, declared)).into_iter().flatten(),
    );
    findings.extend(files.values().flat_map(floor::check));
    if modules.is_exhausted() {
        let message = "the package's names lead to more than can be followed, so not all of it was judged";
        let finding = Finding::note(&python::UNJUDGED, message);
        findings.push(finding.help("write names of operators where they are registered"));
    }
    findings.sort_by(|one, other| {
        let place =
            |finding: &Finding| (finding.subject.file.clone(), finding.span.as_ref().map(|span| span.bytes));
        place(one).cmp(&place(other))
    });
    findings
}

impl PythonSource {
    /// Parses the bytes of a file; `path` is how the user knows it. A file whose text or Python cannot be
    /// read is one finding.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, Box<Finding>> {
        let about = Subject { file: Some(path.to_owned()), ..Subject::default() };
        if bytes.len() as u64 > bounds::PYTHON {
            return Err(Box::new(size::too_large(
                path,
                format!("it has more than {} MiB", bounds::PYTHON >> 20),
            )));
        }
        let text = encoding::decode(bytes).map_err(|cause| {
            let message = format!("`{path}` cannot be read as text");
            let finding = Finding::error(&python::UNREADABLE, message).cause(cause);
            Box::new(finding.about(about.clone()))
        })?;
        let tokens = size::tokens(&text);
        if tokens > bounds::TOKENS {
            return Err(Box::new(size::too_large(
                path,
                format!("it has more than {} tokens", bounds::TOKENS),
            )));
        }
        if depth::is_excessive(&text) {
            let message = format!("`{path}` is nested too deeply to be read");
            return Err(Box::new(Finding::error(&python::UNREADABLE, message).about(about)));
        }
        let text = SourceText::new(path, &*text);
        let invalid = |range: TextRange, reason: String| {
            let message = format!("`{path}` is not valid Python");
            let finding = Finding::error(&python::UNREADABLE, message).cause(reason);
            Box::new(finding.at(text.span(range.into())).about(about))
        };
        let module = match parse_module(text.text()) {
            Ok(parsed) => parsed.into_syntax(),
            Err(error) => return Err(invalid(error.range(), error.error.to_string())),
        };
        match compiles::refusal(&module, text.text(), PythonVersion::latest()) {
            Some((range, reason)) => Err(invalid(range, reason)),
            None => Ok(Self { text, module, tokens }),
        }
    }

    /// The path it was read from.
    pub fn path(&self) -> &str {
        self.text.path()
    }

    fn body(&self) -> &[Stmt] {
        &self.module.body
    }

    fn span(&self, node: &impl Ranged) -> Span {
        self.text.span(node.range().into())
    }

    /// The source of a node, with every run of white space made one space.
    fn slice(&self, node: &impl Ranged) -> String {
        let words: Vec<&str> = self.text.text()[node.range()].split_whitespace().collect();
        words.join(" ")
    }
}
