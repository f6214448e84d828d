//! A page of text for people. It is built whole and written at once, so that nothing else can come between its lines,
//! and every text that goes in is made harmless, because names, sources and child output may be hostile.

use std::borrow::Cow;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};

/// Errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Warnings.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Notes and what to do.
pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default().bold();
/// Titles.
pub(crate) const TITLE: Style = Style::new().bold();
/// What may be skipped.
pub(crate) const DIM: Style = Style::new().dimmed();

/// Text with styles; the stream removes those where they are not wanted.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
}

impl Page {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Everything so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Adds plain text to the current line.
    pub(crate) fn add(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.text.push_str(&harmless(text.as_ref()));
        self
    }

    /// Adds styled text to the current line.
    pub(crate) fn add_in(&mut self, style: Style, text: impl AsRef<str>) -> &mut Self {
        let text = harmless(text.as_ref());
        write!(self.text, "{style}{text}{style:#}").expect("writing to a string cannot fail");
        self
    }

    /// Ends the current line.
    pub(crate) fn end(&mut self) -> &mut Self {
        self.text.push('\n');
        self
    }

    /// Adds a whole line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.add(text).end()
    }

    /// Adds text of many lines as it is.
    pub(crate) fn block(&mut self, text: &str) -> &mut Self {
        for line in text.lines() {
            self.line(line);
        }
        self
    }

    /// Adds rows with aligned columns, two spaces apart; the last column is not padded.
    pub(crate) fn table<const N: usize>(&mut self, rows: &[[String; N]]) -> &mut Self {
        let mut widths = [0; N];
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in rows {
            let cells: Vec<String> =
                row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            self.line(cells.join("  ").trim_end());
        }
        self
    }
}

/// Replaces what could move the cursor, colour the terminal, reorder the line or hide in it by a visible form. Tabs stay.
fn harmless(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_dangerous(character) {
            visible.extend(character.escape_unicode());
        } else {
            visible.push(character);
        }
    }
    Cow::Owned(visible)
}

fn is_dangerous(character: char) -> bool {
    let reorders = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    // Nobody sees them, so they make one name look like another.
    let hides = matches!(
        character,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
    );
    (character.is_control() && character != '\t') || reorders || hides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_cannot_move_the_cursor_or_reorder_the_line() {
        let mut page = Page::new();
        page.line("a\u{1b}[2Jb\rc\u{202e}d\te");
        assert_eq!(page.text(), "a\\u{1b}[2Jb\\u{d}c\\u{202e}d\te\n");
    }

    #[test]
    fn columns_are_aligned() {
        let mut page = Page::new();
        page.table(&[["a".into(), "1".into()], ["ccc".into(), String::new()]]);
        assert_eq!(page.text(), "a    1\nccc\n");
    }
}
