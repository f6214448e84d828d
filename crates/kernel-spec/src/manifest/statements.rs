//! The statements of a text that is not all TOML: each table header and each key with its value, where the parser loses
//! its way after the first that is broken. Leaving out just the broken ones keeps what the others say, and telling which
//! they were keeps their keys from being called missing.

use std::collections::BTreeSet;
use std::ops::Range;

use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};

use crate::suggest::closest;

/// What broken statements may have said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lost {
    /// Tables by their dotted names, with the key where it can be read; without it, anything in the table or below it.
    keys: BTreeSet<(String, Option<String>)>,
}

impl Lost {
    /// A loss that nothing more is known of.
    pub(crate) fn anything() -> Self {
        Self { keys: BTreeSet::from([(String::new(), None)]) }
    }

    /// Whether this key of the table may have been there, perhaps misspelt.
    pub(crate) fn may_hold(&self, table: &str, key: &str) -> bool {
        self.keys.iter().any(|(of, lost)| match lost {
            Some(lost) => of == table && (lost == key || closest(lost, [key]).is_some()),
            None => {
                of.is_empty() || table.strip_prefix(of).is_some_and(|rest| !rest.starts_with(|c| c != '.'))
            }
        })
    }
}

/// A text without its broken statements.
pub(crate) struct Mended {
    /// The text; what was left out is blank, so that every place stays what it was.
    pub(crate) text: String,
    /// The places of the broken statements.
    pub(crate) broken: Vec<Range<usize>>,
    pub(crate) lost: Lost,
}

/// Leaves out the statements that `is_broken` finds broken, and what stands under a header that is: it belongs to a table
/// that is not known.
pub(crate) fn mend(text: &str, is_broken: impl Fn(&str) -> bool) -> Mended {
    let mut bytes = text.as_bytes().to_vec();
    let (mut broken, mut lost) = (Vec::new(), Lost::default());
    let mut table = Some(String::new());
    for Statement { place, kind } in split(text) {
        let bad = is_broken(&text[place.clone()]);
        // Elements and closing brackets alone belong to a list that was cut off before.
        let follows = matches!(kind, Kind::Remainder) && !broken.is_empty();
        match kind {
            Kind::Header(_) if bad => {
                lost = Lost::anything();
                table = None;
            }
            Kind::Header(name) => table = Some(name),
            // A string over many lines that was never closed takes all that follows with it.
            Kind::Entry(_)
                if bad && ["\"\"\"", "'''"].iter().any(|quotes| text[place.clone()].contains(quotes)) =>
            {
                lost = Lost::anything();
            }
            Kind::Entry(key) if bad => {
                lost.keys.extend(table.clone().map(|table| (table, key)));
            }
            Kind::Remainder if bad => {
                lost.keys.extend(table.clone().map(|table| (table, None)));
            }
            Kind::Entry(_) | Kind::Remainder => {}
        }
        if bad || table.is_none() {
            bytes[place.clone()].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        if bad && !follows {
            broken.push(place);
        }
    }
    Mended { text: String::from_utf8_lossy(&bytes).into_owned(), broken, lost }
}

struct Statement {
    place: Range<usize>,
    kind: Kind,
}

enum Kind {
    /// A table header with its dotted name, or what looks like one.
    Header(String),
    /// A value with its key, where that is a single word.
    Entry(Option<String>),
    /// Strings, closing brackets and commas.
    Remainder,
}

/// Cuts a text at the ends of its lines, except where a list or an inline table goes on. One that was never closed ends
/// where a line looks like the next statement.
fn split(text: &str) -> Vec<Statement> {
    let tokens = Source::new(text).lex().into_vec();
    let lines: Vec<&[Token]> =
        tokens.split_inclusive(|token| token.kind() == TokenKind::Newline).map(said).collect();
    let mut statements: Vec<Statement> = Vec::new();
    // How many brackets and braces of the last statement are open.
    let mut open = (0_usize, 0_usize);
    for line in lines {
        let (Some(first), Some(last)) = (line.first(), line.last()) else { continue };
        let goes_on = open != (0, 0) && !begins_table(line) && (open.1 > 0 || !begins_entry(line));
        if let Some(statement) = statements.last_mut().filter(|_| goes_on) {
            statement.place.end = last.span().end();
        } else {
            open = (0, 0);
            let place = first.span().start()..last.span().end();
            statements.push(Statement { kind: kind(text, line), place });
        }
        for token in line {
            match token.kind() {
                TokenKind::LeftSquareBracket => open.0 += 1,
                TokenKind::RightSquareBracket => open.0 = open.0.saturating_sub(1),
                TokenKind::LeftCurlyBracket => open.1 += 1,
                TokenKind::RightCurlyBracket => open.1 = open.1.saturating_sub(1),
                _ => {}
            }
        }
        // A header is one line, closed or not.
        if statements.last().is_some_and(|statement| matches!(statement.kind, Kind::Header(_))) {
            open = (0, 0);
        }
    }
    statements
}

/// A line without the blanks and the comment around what it says.
fn said(line: &[Token]) -> &[Token] {
    use TokenKind::{Comment, Eof, Newline, Whitespace};
    let says = |token: &Token| !matches!(token.kind(), Whitespace | Comment | Newline | Eof);
    let start = line.iter().position(says).unwrap_or(line.len());
    let end = line.iter().rposition(says).map_or(start, |last| last + 1);
    &line[start..end]
}

/// Whether a line within a list can only be a table header.
fn begins_table(line: &[Token]) -> bool {
    use TokenKind::{
        Atom, BasicString, Dot, LeftSquareBracket, LiteralString, RightSquareBracket, Whitespace,
    };
    let allowed = |token: &Token| {
        matches!(token.kind(), Atom | BasicString | Dot | LiteralString | RightSquareBracket | Whitespace)
    };
    let name = line.iter().position(|token| token.kind() != LeftSquareBracket).unwrap_or_default();
    name > 0 && line[name].kind() == Atom && line[name..].iter().all(allowed)
}

/// Whether a line within a list can only be the next key.
fn begins_entry(line: &[Token]) -> bool {
    use TokenKind::{Atom, BasicString, Dot, Equals, LiteralString, Whitespace};
    let key = |token: &&Token| matches!(token.kind(), Atom | BasicString | Dot | LiteralString | Whitespace);
    let length = line.iter().take_while(key).count();
    length > 0 && line.get(length).is_some_and(|token| token.kind() == Equals)
}

/// What a statement is by its first line.
fn kind(text: &str, line: &[Token]) -> Kind {
    use TokenKind::{
        Atom, BasicString, Comma, Dot, Equals, LeftSquareBracket, LiteralString, RightCurlyBracket,
        RightSquareBracket, Whitespace,
    };
    let is = |token: Option<&Token>, kind| token.is_some_and(|token| token.kind() == kind);
    let of = |token: &Token| &text[token.span().start()..token.span().end()];
    let has_value = line.iter().any(|token| token.kind() == Equals);
    let element = |token: &Token| {
        matches!(
            token.kind(),
            BasicString | LiteralString | RightSquareBracket | RightCurlyBracket | Comma | Whitespace
        )
    };
    if line.iter().all(element) {
        return Kind::Remainder;
    }
    if is(line.first(), LeftSquareBracket) || (is(line.last(), RightSquareBracket) && !has_value) {
        let name: String = line.iter().map(of).collect();
        return Kind::Header(name.replace(['[', ']', ' ', '\t', '"', '\''], ""));
    }
    let next = line.iter().skip(1).find(|token| token.kind() != Whitespace);
    let word = line.first().filter(|first| first.kind() == Atom && !is(next, Dot));
    Kind::Entry(word.map(|word| of(word).to_owned()))
}
