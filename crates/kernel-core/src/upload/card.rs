//! The card on `main`: ours stands between two marks, and everything around them is the user's and stays.

use std::io::{ErrorKind, Read};

use camino::Utf8Path;
use kernel_hub::confined::Confined;
use thiserror::Error;

use crate::front_matter::{self, Entry, FENCE, Parts, Unread, entries};
use crate::marks::{Lines, Marks};
use crate::regular::{self, Unreadable};

/// The card in a project, as `card` writes it.
pub const FILE: &str = "build/CARD.md";
/// Largest card that is merged, in bytes.
pub const LARGEST: u64 = 4 << 20;
/// The card in a repository.
pub const README: &str = "README.md";

/// Around our part.
const MARKS: Marks = Marks {
    begin: "<!-- kernel-builder: everything up to the end mark is written anew by each upload -->",
    end: "<!-- kernel-builder: end -->",
};

/// Why a card and a README do not become one text.
#[derive(Debug, Error)]
pub enum Unmergeable {
    /// The card could not be found again in the README.
    #[error("`{FILE}` has lines that are the marks around it: {0}")]
    Quoted(Lines),
    /// It is not known what of the README is ours.
    #[error("the marks around the card there are not one beginning before one end: {0}")]
    Torn(Lines),
    /// The card's front-matter.
    #[error("in `{FILE}`, {0}: begin each key on a line of its own, as `key: value`")]
    Ours(Unread),
    /// The README's front-matter.
    #[error("{0}: begin each key on a line of its own, as `key: value`")]
    Theirs(Unread),
}

/// The text of the project's card; none where it has none. It is read once, and through no link.
pub fn of_project(project: &Utf8Path) -> crate::Result<Option<String>> {
    let Some(path) = regular::file_inside(project, FILE)? else { return Ok(None) };
    let unreadable = |reason| Unreadable { path: path.clone(), reason };
    let mut bytes = Vec::new();
    let file = Confined::new(project, FILE).open().map_err(unreadable)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        let reason = format!("it is larger than {} MiB", LARGEST >> 20);
        return Err(unreadable(std::io::Error::new(ErrorKind::FileTooLarge, reason)).into());
    }
    let text = String::from_utf8(bytes);
    Ok(Some(text.map_err(|_| unreadable(std::io::Error::new(ErrorKind::InvalidData, "it is not UTF-8")))?))
}

/// The text of the README: a card, merged into what is there. Everything around our part stays byte for byte, and of the
/// front-matter what is the user's. Merging a second time changes nothing.
pub fn merge(card: &str, there: Option<&str>) -> Result<String, Unmergeable> {
    let quoted = MARKS.lines(card);
    if !quoted.is_empty() {
        return Err(Unmergeable::Quoted(quoted));
    }
    let there = there.unwrap_or_default();
    let (ours, theirs) = (parts(card), parts(there));
    let newline = newline(there);
    let lines = |text: &str| text.replace("\r\n", "\n").replace('\n', newline);
    let card = lines(ours.inside);
    let keys = merge_keys(&card, theirs.inside)?;
    let Marks { begin, end } = MARKS;
    let marked = lines(&format!("{begin}\n\n{}\n\n{end}\n", ours.rest.trim()));
    let before = there[..there.len() - theirs.rest.len()].matches('\n').count();
    let part = MARKS.find(theirs.rest).map_err(|lines| Unmergeable::Torn(lines.after(before)))?;
    let text = match part {
        Some(part) => {
            format!("{}{marked}{}", &theirs.rest[..part.whole.start], &theirs.rest[part.whole.end..])
        }
        None => format!("{}{}{marked}", theirs.rest, gap(theirs.rest, newline)),
    };
    Ok(format!("{}{FENCE}{newline}{keys}{FENCE}{newline}{text}", theirs.before))
}

/// A text taken apart; a front-matter that is never closed is none to the Hub either.
fn parts(text: &str) -> Parts<'_> {
    front_matter::split(text).unwrap_or_else(|_| front_matter::without(text))
}

/// How the lines of a text end, as its first one does.
fn newline(text: &str) -> &'static str {
    match text.split_inclusive('\n').next() {
        Some(line) if line.ends_with("\r\n") => "\r\n",
        _ => "\n",
    }
}

/// What a text lacks to end with a blank line.
fn gap(text: &str, newline: &str) -> String {
    match text.lines().last() {
        Some("") => String::new(),
        Some(_) if !text.ends_with('\n') => newline.repeat(2),
        _ => newline.to_owned(),
    }
}

/// Keys with all their lines. What is ours alone is replaced; of what both have, the user's stays.
fn merge_keys(ours: &str, theirs: &str) -> Result<String, Unmergeable> {
    let ours = entries(ours).map_err(Unmergeable::Ours)?;
    let known = entries(theirs).map_err(Unmergeable::Theirs)?;
    let mut merged = String::new();
    for Entry { key, lines } in &known {
        if *key == OWN {
            // Remarks between ours and the next key are the user's.
            merged.extend(lines.split_inclusive('\n').filter(|line| line.starts_with('#')));
        } else {
            merged.push_str(lines);
        }
    }
    for Entry { key, lines } in ours {
        if key == OWN || !known.iter().any(|entry| entry.key == key) {
            merged.push_str(lines);
        }
    }
    Ok(merged)
}

/// The key of the front-matter that only we write.
const OWN: &str = "kernel-builder";

#[cfg(test)]
mod tests;
