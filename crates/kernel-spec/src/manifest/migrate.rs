//! Bringing a manifest up to the current edition by editing its text in place: comments, order and spelling stay, and
//! the meaning is proved equal by reading both texts.

use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use super::{Edition, Manifest, parse, parse_as};
use crate::framework::FRAMEWORKS;
use crate::{Finding, Severity, SourceText, code};

/// A manifest in the current edition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The edition it was written in.
    pub from: Edition,
    /// The text in the current edition; the same bytes where it was that already.
    pub text: String,
}

/// Brings a manifest to the current edition, or says everything that is in the way. Only `from_three` allows a file to
/// be read as edition 3, in which a missing framework section means a Python-only kernel and a missing version 1.
pub fn migrate(source: &SourceText, from_three: bool) -> Result<Migration, Vec<Finding>> {
    let Ok(document) = source.text().trim_start_matches('\u{feff}').parse::<DocumentMut>() else {
        return Err(parse(source).findings);
    };
    let general = document.get("general").and_then(Item::as_table_like);
    let edition = general.and_then(|general| general.get("edition"));
    let from = match edition.map(Item::as_integer) {
        None if from_three => Edition::Three,
        None | Some(Some(4)) => Edition::Four,
        Some(Some(3)) => Edition::Three,
        Some(Some(5)) => Edition::Five,
        Some(_) => return Err(parse(source).findings),
    };
    let before = read(source, from)?;
    if from == Edition::Five {
        return Ok(Migration { from, text: source.text().to_owned() });
    }
    let text = in_the_manner_of(source.text(), edit(document).to_string());
    let after = parse(&SourceText::new(source.path(), text.as_str()));
    match after.manifest {
        Some(after) if means_the_same(&before, &after) => Ok(Migration { from, text }),
        _ => Err(vec![Finding::error(&code::internal::BUG, "the migrated manifest would not mean the same")]),
    }
}

/// Reads a text by the rules of its edition; those of edition 4 are widened by what the new edition allows.
fn read(source: &SourceText, edition: Edition) -> Result<Manifest, Vec<Finding>> {
    let parsed = match edition {
        Edition::Three => parse_as(source, Edition::Three),
        Edition::Four => parse_as(source, Edition::Five),
        Edition::Five => parse(source),
    };
    if let Some(manifest) = parsed.manifest {
        return Ok(manifest);
    }
    // The ordinary reading explains best, unless it has nothing to object to, or objects to the very claim.
    let plain = parse(source).findings;
    let objects = plain.iter().any(|finding| match edition {
        Edition::Three => *finding.code == code::manifest::EDITION,
        _ => finding.severity == Severity::Error,
    });
    Err(if objects { plain } else { parsed.findings })
}

fn edit(mut document: DocumentMut) -> DocumentMut {
    if let Some(general) = document.get_mut("general").and_then(Item::as_table_like_mut) {
        if !general.contains_key("version") {
            set(general, "version", 1);
        }
        set(general, "edition", 5);
    }
    if FRAMEWORKS.iter().all(|row| !document.contains_key(row.section)) {
        document.insert("torch-noarch", Item::Table(Table::new()));
    }
    document
}

fn set(table: &mut dyn TableLike, key: &str, number: i64) {
    match table.get_mut(key) {
        Some(item) => {
            let decor = item.as_value().map(|value| value.decor().clone());
            *item = value(number);
            if let (Some(decor), Some(value)) = (decor, item.as_value_mut()) {
                *value.decor_mut() = decor;
            }
        }
        None => {
            table.insert(key, value(number));
        }
    }
}

/// Keeps the byte order mark and the line ends of the original.
fn in_the_manner_of(original: &str, text: String) -> String {
    let lines = original.matches('\n').count();
    let text = if lines > 0 && original.matches("\r\n").count() == lines {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        text
    };
    if original.starts_with('\u{feff}') { format!("\u{feff}{text}") } else { text }
}

fn means_the_same(before: &Manifest, after: &Manifest) -> bool {
    *before == Manifest { edition: before.edition, ..after.clone() }
}
