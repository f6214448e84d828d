//! From text to a tree with places, and from the TOML parser's complaints to findings. The tree is built past every
//! complaint, so that the faults of the manifest itself are found in the same run.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use serde_spanned::Spanned;
use toml::de::DeTable;

use super::outline::Outline;
use super::statements::{self, Lost};
use crate::{Finding, SourceText, code};

/// Places of broken statements that are reported; a text with more of them is something else than a manifest.
const REPORTED: usize = 100;

/// What could be read of a text.
pub(crate) struct Tree<'t> {
    pub(crate) root: Spanned<DeTable<'t>>,
    /// What may be missing in it because of syntax errors.
    pub(crate) lost: Lost,
}

/// A text with its broken statements left out, each of which is reported.
pub(crate) fn mend<'t>(source: &'t SourceText, findings: &mut Vec<Finding>) -> (Cow<'t, str>, Lost) {
    let text = source.text();
    if errors(text).is_empty() {
        return (Cow::Borrowed(text), Lost::default());
    }
    let mended = statements::mend(text, |statement| !errors(statement).is_empty());
    for place in mended.broken.into_iter().take(REPORTED) {
        let start = place.start;
        // A broken statement makes the parser stumble several times; the first complaint is the one to mend.
        let first = errors(&text[place]).into_iter().next();
        findings.extend(first.map(|error| broken(source, &error, start)));
    }
    (Cow::Owned(mended.text), mended.lost)
}

/// Reads a mended text as TOML.
pub(crate) fn read<'t>(
    source: &SourceText,
    text: &'t str,
    lost: Lost,
    findings: &mut Vec<Finding>,
) -> Tree<'t> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut tree = Tree { root, lost };
    let mut lines = BTreeSet::new();
    let outline = errors.iter().any(is_duplicate).then(|| Outline::of(text));
    let mut duplicates = 0;
    for error in &errors {
        if is_duplicate(error) {
            // Each costs a walk through the whole outline.
            duplicates += 1;
            if duplicates > REPORTED {
                continue;
            }
            let place = error.span().unwrap_or(0..0);
            findings.extend(outline.as_ref().and_then(|outline| duplicate(source, outline, place)));
            continue;
        }
        // What lies between statements, such as a control character in a comment.
        tree.lost = Lost::anything();
        let finding = broken(source, error, 0);
        if lines.insert(finding.span.as_ref().map(|span| span.line)) && lines.len() <= REPORTED {
            findings.push(finding);
        }
    }
    tree
}

fn errors(text: &str) -> Vec<toml::de::Error> {
    let mut errors = DeTable::parse_recoverable(text).1;
    errors.retain(|error| !is_duplicate(error));
    errors
}

/// The finding for a syntax error in the statement that begins at `start`.
fn broken(source: &SourceText, error: &toml::de::Error, start: usize) -> Finding {
    let place = error.span().unwrap_or(0..0);
    let message = format!("not valid TOML: {}", error.message().replace('\n', ", "));
    let span = source.span(start + place.start..start + place.end);
    Finding::error(&code::manifest::SYNTAX, message).at(span)
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
