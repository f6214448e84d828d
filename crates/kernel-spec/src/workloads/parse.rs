//! From the text of a `workloads.toml` to what it declares, and everything there is to say about the text.

use std::ops::Range;

use super::{Workloads, keys, operation};
use crate::manifest::reader::{Reader, Section};
use crate::manifest::{Edition, syntax};
use crate::suggest::listed;
use crate::{Finding, Severity, SourceText, code};

/// The form of the file that this program reads.
const SCHEMA: u64 = 1;

/// What came of reading a text.
#[derive(Debug)]
pub struct Parsed {
    /// What it declares, if nothing is wrong with it.
    pub workloads: Option<Workloads>,
    /// Everything there is to say, in the order of the file.
    pub findings: Vec<Finding>,
}

/// Reads a file of declared operations.
pub fn parse(source: &SourceText) -> Parsed {
    let mut reader = Reader::new(source, Edition::Five);
    let (text, lost) = syntax::mend(source, &mut reader.findings);
    let tree = syntax::read(source, &text, lost, &mut reader.findings);
    reader.lost = tree.lost;
    let root = Section { name: String::new(), place: 0..0, table: tree.root.get_ref() };
    reader.check_keys(&root, keys::ROOT);
    if let Some(schema) = reader.count(&root, "schema").filter(|schema| schema.value != SCHEMA) {
        let message = format!("the file has the form {}, and this program reads form {SCHEMA}", schema.value);
        reader.error(&code::workloads::VALUE, &schema.bytes, message).help("write `schema = 1`");
    }
    let operations: Vec<_> = reader
        .bare_table(&root, "operation")
        .map(|table| {
            let names = table.entries();
            names
                .into_iter()
                .map(|(name, place, _)| operation::read(&mut reader, &table, name, &place))
                .collect()
        })
        .unwrap_or_default();
    let mut findings = reader.findings;
    findings.sort_by_key(|finding| finding.span.as_ref().map(|span| span.bytes));
    let valid = findings.iter().all(|finding| finding.severity != Severity::Error);
    let operations: Option<Vec<_>> = operations.into_iter().collect();
    Parsed { workloads: operations.filter(|_| valid).map(|operations| Workloads { operations }), findings }
}

/// Whether a text can be a name in Python and on a command line.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    let starts = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    starts && text.len() <= 100 && characters.all(|next| next.is_ascii_alphanumeric() || next == '_')
}

/// Reports a value that cannot stand here.
pub(super) fn wrong(reader: &mut Reader<'_>, place: &Range<usize>, message: String, help: impl Into<String>) {
    reader.error(&code::workloads::VALUE, place, message).help(help);
}

/// The value of a key that has one of these names.
pub(super) fn choice<T: Copy>(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    key: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Option<T> {
    let text = reader.text(section, key)?;
    let found = all.iter().copied().find(|one| name(*one) == text.value);
    if found.is_none() {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        wrong(
            reader,
            &text.bytes,
            format!("`{}` cannot be `{}`", section.dotted(key), text.value.escape_debug()),
            format!("there are {}", listed(names)),
        );
    }
    found
}
