//! The front-matter of a text: YAML between two lines `---`, as the Hub's clients read it (after blank lines, with either
//! line end), and its top-level keys. What cannot be taken apart line by line is refused and never guessed.

use saphyr_parser::{Parser, ScanError};
use thiserror::Error;

/// A line that begins or ends a front-matter.
pub const FENCE: &str = "---";

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A text taken apart: these three with the two fences are all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    /// A byte order mark, and blank lines before the first fence.
    pub before: &'a str,
    /// The lines between the fences; empty where there are none.
    pub inside: &'a str,
    /// Everything after.
    pub rest: &'a str,
}

/// A front-matter that is never closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unclosed;

/// Takes a text apart.
pub fn split(text: &str) -> Result<Parts<'_>, Unclosed> {
    let none = without(text);
    let mut at = none.before.len();
    let mut open = None;
    for line in none.rest.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match (open, line.trim_end()) {
            (None, "") => {}
            (None, FENCE) => open = Some((start, at)),
            (None, _) => return Ok(none),
            // YAML ends a document with `...` too.
            (Some((fence, inside)), FENCE | "...") => {
                return Ok(Parts { before: &text[..fence], inside: &text[inside..start], rest: &text[at..] });
            }
            (Some(_), _) => {}
        }
    }
    if open.is_some() { Err(Unclosed) } else { Ok(none) }
}

/// The parts of a text that has no front-matter.
pub fn without(text: &str) -> Parts<'_> {
    let rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    Parts { before: &text[..text.len() - rest.len()], inside: "", rest }
}

/// A top-level key with all its lines. Those before the first one have the empty key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The key, without quotes.
    pub key: &'a str,
    /// Its lines, with their ends.
    pub lines: &'a str,
}

/// A line that is no key with its value, nor belongs to one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} of the front-matter, `{text}`, is not understood")]
pub struct Unread {
    /// Its number in the front-matter, from one.
    pub line: usize,
    /// Its beginning.
    pub text: String,
}

/// Most characters of a line that are shown.
const SHOWN: usize = 60;

/// The top-level keys of a front-matter in block style.
pub fn entries(inside: &str) -> Result<Vec<Entry<'_>>, Unread> {
    let mut entries = Vec::new();
    let (mut key, mut start, mut at) = ("", 0, 0);
    for (line, number) in inside.split_inclusive('\n').zip(1..) {
        let bare = line.trim_end();
        let is_remark = bare.trim_start().is_empty() || bare.trim_start().starts_with('#');
        // A list may stand as far left as its key.
        let continues = bare.starts_with([' ', '\t']) || bare == "-" || bare.starts_with("- ");
        if !is_remark && (key.is_empty() || !continues) {
            let unread = || {
                let text: String = bare.chars().take(SHOWN).collect();
                Unread { line: number, text: text.escape_debug().to_string() }
            };
            let next = key_of(bare).ok_or_else(unread)?;
            if at > start {
                entries.push(Entry { key, lines: &inside[start..at] });
            }
            (key, start) = (next, at);
        }
        at += line.len();
    }
    if at > start {
        entries.push(Entry { key, lines: &inside[start..] });
    }
    Ok(entries)
}

/// A front-matter that no client can read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column} of the front-matter is not YAML: {reason}")]
pub struct NotYaml {
    /// The line in the front-matter, from one.
    pub line: usize,
    /// The character in it, from one.
    pub column: usize,
    /// The parser's reason.
    pub reason: String,
}

/// Reads a front-matter as YAML, for its form alone: event by event, and the parser itself refuses brackets that are nested
/// too deep.
pub fn require_yaml(inside: &str) -> Result<(), NotYaml> {
    let fault = |error: ScanError| {
        let mark = error.marker();
        NotYaml { line: mark.line(), column: mark.col() + 1, reason: error.info().to_owned() }
    };
    Parser::new_from_str(inside).try_for_each(|event| event.map(drop)).map_err(fault)
}

/// The key that a line of a mapping begins with.
fn key_of(line: &str) -> Option<&str> {
    let first = line.chars().next()?;
    let (key, value) = if matches!(first, '"' | '\'') {
        let (key, rest) = line[1..].split_once(first)?;
        (key, rest.trim_start().strip_prefix(':')?)
    } else if first.is_alphanumeric() || first == '_' {
        let mut colons = line.match_indices(':').map(|(at, _)| (&line[..at], &line[at + 1..]));
        colons.find(|(_, value)| ends_key(value)).map(|(key, value)| (key.trim_end(), value))?
    } else {
        return None;
    };
    // An escape, or a remark, would make it another key than it looks like.
    let is_plain = !key.is_empty() && !key.contains(['\\', '"', '\'']) && !key.contains(" #");
    (is_plain && ends_key(value)).then_some(key)
}

fn ends_key(value: &str) -> bool {
    value.is_empty() || value.starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_matter_is_found_however_its_lines_end() {
        for (text, before, inside, rest) in [
            ("---\na: 1\n---\ntext", "", "a: 1\n", "text"),
            ("---\n---\ntext", "", "", "text"),
            ("---\na: 1\n---", "", "a: 1\n", ""),
            ("---\r\na: 1\r\n---\r\ntext", "", "a: 1\r\n", "text"),
            ("\u{feff}---\na: 1\n---\ntext", "\u{feff}", "a: 1\n", "text"),
            ("--- \na: 1\n---  \ntext", "", "a: 1\n", "text"),
            ("\n---\na: 1\n...\ntext", "\n", "a: 1\n", "text"),
            ("text\n---\n", "", "", "text\n---\n"),
        ] {
            assert_eq!(split(text), Ok(Parts { before, inside, rest }), "{text:?}");
        }
        assert_eq!(split("---\na: 1\n"), Err(Unclosed));
    }

    #[test]
    fn what_is_no_yaml_is_named_by_its_place() {
        for (text, place) in [
            ("", None),
            ("license: mit\ntags:\n- a\nlong: |\n  b: c\n", None),
            ("a: 1\nlicense: [bad\n", Some(3)),
            ("a: 1\nx: a: y\n", Some(2)),
            ("x:\n\ta: 1\n", Some(2)),
            ("x: \"open\n", Some(1)),
            ("x: *nothing\n", Some(1)),
        ] {
            assert_eq!(require_yaml(text).err().map(|fault| fault.line), place, "{text:?}");
        }
        assert!(require_yaml(&format!("x: {}\n", "[".repeat(1_000_000))).is_err());
        assert_eq!(require_yaml(&format!("x:\n{}a\n", "- ".repeat(10_000))), Ok(()));
    }

    #[test]
    fn keys_are_found_in_block_style_and_nothing_else() {
        let keys = |text: &str| {
            let entries = entries(text).map_err(|unread| unread.line)?;
            Ok(entries.iter().map(|entry| entry.key.to_owned()).collect::<Vec<_>>())
        };
        let text = "# mine\n\"license\": mit\n'tags':\n- a\n\nurl : http://x:1\nlong: |\n  b: c\n# end\n";
        assert_eq!(keys(text), Ok(["", "license", "tags", "url", "long"].map(str::to_owned).to_vec()));
        assert_eq!(entries(text).expect("entries").iter().map(|entry| entry.lines).collect::<String>(), text);
        for (text, line) in [
            ("{license: mit}\n", 1),
            ("a: 1\n}\n", 2),
            ("  a: 1\n", 1),
            ("- a\n", 1),
            ("a: 1\n<<: *b\n", 2),
            ("? a\n", 1),
            ("http://x\n", 1),
            ("\"a\\u0062\": 1\n", 1),
            ("%YAML 1.2\n", 1),
            ("just words\n", 1),
        ] {
            assert_eq!(keys(text), Err(line), "{text}");
        }
    }
}
