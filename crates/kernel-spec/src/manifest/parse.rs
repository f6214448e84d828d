//! From the text of a `build.toml` to a manifest and everything there is to say about the text.

use super::reader::{Reader, Section};
use super::types::{Edition, Manifest};
use super::{binding, component, consistency, edition, general, keys, syntax};
use crate::{Finding, Severity, SourceText};

/// What came of reading a text.
#[derive(Debug)]
pub struct Parsed {
    /// The manifest, if nothing is wrong with it; warnings do not count.
    pub manifest: Option<Manifest>,
    /// The manifest with its faults, where enough of it could be read: for further checks only, never for building.
    pub draft: Option<Manifest>,
    /// Everything there is to say, in the order of the file.
    pub findings: Vec<Finding>,
}

/// Reads a manifest of edition 4 or 5.
pub fn parse(source: &SourceText) -> Parsed {
    parse_with(source, None)
}

/// Reads a manifest by the rules of one edition, whatever it says itself. Only a migration may claim that a file is of
/// edition 3, or grant one without `edition` the keys of edition 5.
pub fn parse_as(source: &SourceText, edition: Edition) -> Parsed {
    parse_with(source, Some(edition))
}

fn parse_with(source: &SourceText, claimed: Option<Edition>) -> Parsed {
    let mut reader = Reader::new(source, claimed.unwrap_or(Edition::Five));
    let (text, lost) = syntax::mend(source, &mut reader.findings);
    let tree = syntax::read(source, &text, lost, &mut reader.findings);
    reader.lost = tree.lost;
    let root = Section { name: String::new(), place: 0..0, table: tree.root.get_ref() };
    let draft = match claimed.or_else(|| edition::detect(&mut reader, &root)) {
        Some(edition) => {
            reader.edition = edition;
            read(&mut reader, &root)
        }
        None => None,
    };
    if let Some(manifest) = &draft {
        consistency::check(&mut reader, manifest);
    }
    let mut findings = reader.findings;
    findings.sort_by_key(|finding| finding.span.as_ref().map(|span| span.bytes));
    let valid = findings.iter().all(|finding| finding.severity != Severity::Error);
    Parsed { manifest: draft.clone().filter(|_| valid), draft, findings }
}

fn read(reader: &mut Reader<'_>, root: &Section<'_>) -> Option<Manifest> {
    reader.check_keys(root, keys::ROOT);
    let general =
        reader.table(root, "general", keys::GENERAL).and_then(|section| general::read(reader, &section));
    let binding = binding::read(reader, root);
    let components = component::read_all(reader, root);
    Some(Manifest { edition: reader.edition, general: general?, binding: binding?, components })
}
