//! The card on `main`: ours stands between two marks, and everything around them is the user's and stays.

use std::io::{Error, ErrorKind, Read};

use camino::Utf8Path;
use kernel_hub::confined::Confined;

use crate::Result;
use crate::regular::{self, Unreadable};

/// The card in a project, as `card` writes it.
pub const FILE: &str = "build/CARD.md";
/// Largest card that is merged, in bytes.
pub const LARGEST: u64 = 4 << 20;
/// The card in a repository.
pub const README: &str = "README.md";

/// Begins our part.
const BEGIN: &str = "<!-- kernel-builder: everything up to the end mark is written anew by each upload -->";
/// Ends our part.
const END: &str = "<!-- kernel-builder: end -->";

const FENCE: &str = "---\n";

/// The text of the project's card; none where it has none. It is read once, and through no link.
pub fn of_project(project: &Utf8Path) -> Result<Option<String>> {
    let Some(path) = regular::file_inside(project, FILE)? else { return Ok(None) };
    let unreadable = |reason| Unreadable { path: path.clone(), reason };
    let mut bytes = Vec::new();
    let file = Confined::new(project, FILE).open().map_err(unreadable)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        let reason = format!("it is larger than {} MiB", LARGEST >> 20);
        return Err(unreadable(Error::new(ErrorKind::FileTooLarge, reason)).into());
    }
    let text = String::from_utf8(bytes);
    Ok(Some(text.map_err(|_| unreadable(Error::new(ErrorKind::InvalidData, "it is not UTF-8")))?))
}

/// The text of the README: a card, merged into what is there.
pub fn merge(card: &str, there: Option<&str>) -> String {
    let (ours, body) = split(card);
    let marked = format!("{BEGIN}\n\n{}\n\n{END}\n", body.trim());
    let Some(there) = there else { return format!("{FENCE}{ours}{FENCE}\n{marked}") };
    let (theirs, text) = split(there);
    let front_matter = merge_keys(ours, theirs);
    let text = match (text.find(BEGIN), text.find(END)) {
        (Some(begin), Some(end)) if begin < end => {
            let after = text[end + END.len()..].trim_start_matches('\n');
            let gap = if after.is_empty() { "" } else { "\n" };
            format!("{}{marked}{gap}{after}", &text[..begin])
        }
        _ if text.trim().is_empty() => format!("\n{marked}"),
        _ => format!("{}\n\n{marked}", text.trim_end()),
    };
    format!("{FENCE}{front_matter}{FENCE}{text}")
}

/// The front-matter without its fences, and the rest.
fn split(text: &str) -> (&str, &str) {
    let inside = text.strip_prefix(FENCE).and_then(|rest| {
        let end = if rest.starts_with(FENCE) { 0 } else { rest.find("\n---\n")? + 1 };
        Some((&rest[..end], &rest[end + FENCE.len()..]))
    });
    inside.unwrap_or(("", text))
}

/// Keys with all their lines. What is ours alone is replaced; of what both have, the user's stays.
fn merge_keys(ours: &str, theirs: &str) -> String {
    let mut merged = String::new();
    let known = blocks(theirs);
    for (key, block) in &known {
        if *key != OWN {
            merged.push_str(block);
        }
    }
    for (key, block) in blocks(ours) {
        if key == OWN || !known.iter().any(|(other, _)| *other == key) {
            merged.push_str(block);
        }
    }
    merged
}

/// The key of the front-matter that only we write.
const OWN: &str = "kernel-builder";

/// Each top-level key with the lines that belong to it.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let is_key = |line: &str| {
        line.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '_' | '"' | '\''))
    };
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if starts.is_empty() || is_key(line) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let block = |(start, end): (&usize, usize)| {
        let block = &text[*start..end];
        (block.split(':').next().unwrap_or_default().trim(), block)
    };
    starts.iter().zip(ends).map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: &str =
        "---\nlicense: mit\ntags:\n  - kernel\nkernel-builder:\n  version: 2\n---\n\n# relu\n\nText.\n";

    #[test]
    fn a_first_card_is_whole() {
        insta::assert_snapshot!(merge(CARD, None));
    }

    #[test]
    fn the_users_text_and_keys_stay() {
        let there = "---\nkernel-builder:\n  version: 1\ntags:\n  - mine\nbase_model: x\n---\n# My own\n\nBefore.\n\n";
        let first = merge(CARD, Some(there));
        insta::assert_snapshot!(first);
        assert_eq!(merge(CARD, Some(&first)), first, "a second time changes nothing");
        let edited = format!("{first}\nAfter.\n").replace("Text.", "An older text.");
        let merged = merge(CARD, Some(&edited));
        assert_eq!(merged, format!("{first}\nAfter.\n"));
    }

    #[test]
    fn odd_texts_are_kept() {
        for there in ["", "---\nnever closed", "no front-matter\n", "---\n---\n"] {
            let merged = merge(CARD, Some(there));
            assert_eq!(merge(CARD, Some(&merged)), merged, "{there:?}");
            assert!(there == "---\n---\n" || merged.contains(there.trim_end()), "{merged}");
        }
    }
}
