//! Reads a kernel's Python without running it: which operators it registers and under which names, and what its public
//! API is. What cannot be known from the text alone is said to be so, never guessed.

mod api;
mod exports;
mod imports;
mod names;
mod reach;
mod registration;
#[cfg(test)]
mod tests;

pub use api::{Function, Layer, PublicApi, public_api};
pub use reach::Use;

use kernel_spec::code::python;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, SourceText, Span};
use ruff_python_ast::{ModModule, Stmt};
use ruff_python_parser::parse_module;
use ruff_text_size::Ranged;

/// A Python file that parses.
#[derive(Debug)]
pub struct PythonSource {
    text: SourceText,
    module: ModModule,
}

impl PythonSource {
    /// Parses the bytes of a file; `path` is how the user knows it. A file that is no UTF-8 or no Python is one finding.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, Box<Finding>> {
        let about = Subject { file: Some(path.to_owned()), ..Subject::default() };
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let message = format!("`{path}` is not UTF-8");
            let finding = Finding::error(&python::UNREADABLE, message).cause(error.to_string());
            Box::new(finding.about(about.clone()))
        })?;
        let text = SourceText::new(path, text);
        match parse_module(text.text()) {
            Ok(parsed) => Ok(Self { module: parsed.into_syntax(), text }),
            Err(error) => {
                let message = format!("`{path}` is not valid Python");
                let finding = Finding::error(&python::UNREADABLE, message).cause(error.error.to_string());
                Err(Box::new(finding.at(text.span(error.range().into())).about(about)))
            }
        }
    }

    /// The path it was read from.
    pub fn path(&self) -> &str {
        self.text.path()
    }

    /// Everything wrong with how the file registers operators and imports its own package.
    pub fn findings(&self, package: &str) -> Vec<Finding> {
        let names = names::Names::of(self);
        let mut findings = registration::unprefixed(self, &names);
        findings.extend(imports::of_itself(self, package));
        findings.sort_by_key(|finding| finding.span.as_ref().map(|span| span.bytes));
        findings
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
