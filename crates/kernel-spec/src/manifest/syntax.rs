//! From text to a tree with places, and from the TOML parser's complaints to findings. The tree is built past every
//! complaint, so that the faults of the manifest itself are found in the same run.

use std::ops::Range;

use serde_spanned::Spanned;
use toml::de::DeTable;

use super::outline::Outline;
use crate::{Finding, SourceText, code};

/// What could be read of a text.
pub(super) struct Tree<'t> {
    pub(super) root: Spanned<DeTable<'t>>,
    /// Whether the tree holds all that the text says: not after a syntax error, which may have hidden keys.
    pub(super) complete: bool,
}

/// Reads a text as TOML.
pub(super) fn read<'t>(source: &'t SourceText, findings: &mut Vec<Finding>) -> Tree<'t> {
    let (root, errors) = DeTable::parse_recoverable(source.text());
    let mut complete = true;
    let mut lines = std::collections::BTreeSet::new();
    let outline = errors.iter().any(is_duplicate).then(|| Outline::of(source.text()));
    for error in &errors {
        let place = error.span().unwrap_or(0..0);
        if is_duplicate(error) {
            findings.extend(outline.as_ref().and_then(|outline| duplicate(source, outline, place)));
            continue;
        }
        complete = false;
        let span = source.span(place);
        // A broken line makes the parser stumble several times; the first complaint is the one to mend.
        if lines.insert(span.line) {
            let message = format!("not valid TOML: {}", error.message().replace('\n', ", "));
            findings.push(Finding::error(&code::manifest::SYNTAX, message).at(span));
        }
    }
    Tree { root, complete }
}

fn is_duplicate(error: &toml::de::Error) -> bool {
    error.message().starts_with("duplicate key")
}

/// The finding for a key or table given twice, with both places; nothing where it only follows from a whole table
/// given twice.
fn duplicate(source: &SourceText, outline: &Outline, place: Range<usize>) -> Option<Finding> {
    let Some(entry) = outline.at(place.start) else {
        return Some(
            Finding::error(&code::manifest::DUPLICATE, "this is given twice").at(source.span(place)),
        );
    };
    if outline.inside_repeated_table(entry) {
        return None;
    }
    let name = entry.path.join(".");
    let what = if entry.is_table { format!("table `[{name}]`") } else { format!("key `{name}`") };
    let finding = Finding::error(&code::manifest::DUPLICATE, format!("{what} is given twice"));
    let Some(first) = outline.first(entry) else {
        return Some(finding.at(source.span(place)));
    };
    let first = source.span(first.place.clone());
    let finding = finding.cause(format!("it was first given on line {}", first.line));
    Some(finding.at(source.span(place)).also(first, "first given here"))
}
