//! Where in a text something stands. Spans live in the nouns because every later stage may have to point back at the
//! line of the manifest that caused its trouble.

use std::ops::{Deref, Range};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

/// Longest line that is repeated in a span, in bytes: a line can be a whole file, and every finding would repeat it.
const LONGEST_SHOWN: usize = 400;

/// A text with the path it came from.
#[derive(Clone, Debug)]
pub struct SourceText {
    path: Arc<str>,
    text: Arc<str>,
}

/// One place in a text, ready to be shown: lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Span {
    /// The file, as the user would name it.
    pub path: String,
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Column just past the last character on the first line.
    pub end_column: u32,
    /// Byte range in the file.
    pub bytes: (usize, usize),
    /// The whole first line, for showing a caret under it; empty where it is too long to be shown.
    pub text: String,
}

impl SourceText {
    /// A text read from `path`.
    pub fn new(path: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The path the text came from.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place of a byte range. Ranges outside the text, or inside a character, are moved to the nearest boundary,
    /// because a parser's idea of a span must never turn a report into a crash.
    pub fn span(&self, bytes: Range<usize>) -> Span {
        let start = floor_boundary(&self.text, bytes.start);
        let end = floor_boundary(&self.text, bytes.end).max(start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let line = self.text[line_start..line_end].trim_end_matches('\r');
        let text = if line.len() > LONGEST_SHOWN { "" } else { line }.to_owned();
        let column = self.text[line_start..start].chars().count() + 1;
        let width = self.text[start..end.min(line_end)].chars().count().max(1);
        Span {
            path: self.path.to_string(),
            line: count(before.matches('\n').count() + 1),
            column: count(column),
            end_column: count(column + width),
            bytes: (start, end),
            text,
        }
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// A value together with the bytes of the manifest it was written in.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Byte range in the manifest; empty for values that were not written down.
    pub bytes: Range<usize>,
}

impl<T> Located<T> {
    /// A value written at `bytes`.
    pub fn new(value: T, bytes: Range<usize>) -> Self {
        Self { value, bytes }
    }
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Located<T> {
    /// Two values are the same wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Located<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_counts_characters_and_keeps_its_line() {
        let source = SourceText::new("build.toml", "a = 1\nname = \"ä-x\"\r\n");
        let start = source.text().find('"').expect("a quote");
        let span = source.span(start..start + 6);
        assert_eq!((span.line, span.column, span.end_column), (2, 8, 13));
        assert_eq!(span.text, "name = \"ä-x\"");
    }

    #[test]
    fn a_line_that_is_a_whole_file_is_not_repeated() {
        let line = "x".repeat(500);
        let span = SourceText::new("b", format!("{line}\ny\n")).span(450..451);
        assert_eq!((span.line, span.column, span.text.as_str()), (1, 451, ""));
    }

    #[test]
    fn a_span_outside_the_text_points_at_its_end() {
        let span = SourceText::new("b", "x").span(10..20);
        assert_eq!((span.line, span.column), (1, 2));
    }
}
