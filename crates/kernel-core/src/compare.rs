//! Two makings of one variant, side by side: which files differ, and in a library which sections.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use kernel_spec::Finding;
use kernel_spec::code::build;
use kernel_spec::finding::Subject;
use kernel_spec::suggest::listed;
use object::{Object as _, ObjectSection as _};

use crate::Result;
use crate::digest;

/// A file that is not the same in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Relative to the variant.
    pub file: String,
    /// How it differs.
    pub how: How,
}

/// How a file differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// Only the first variant has it.
    Gone,
    /// Only the second variant has it.
    New,
    /// Its content; of a library these sections, `headers` standing for what is in none.
    Content(BTreeSet<String>),
}

/// Compares every file of two variants' directories but the metadata. A library is named after the variant's id: where
/// both have `ids` of their own, files whose names differ by them alone are compared with each other.
pub fn variants(first: &Utf8Path, second: &Utf8Path, ids: Option<(&str, &str)>) -> Result<Vec<Difference>> {
    let (one, other) = (digest::of_variant(first)?, digest::of_variant(second)?);
    let mut pairs: BTreeMap<String, (Option<&String>, Option<&String>)> = BTreeMap::new();
    for file in one.keys() {
        pairs.entry(file.clone()).or_default().0 = Some(file);
    }
    for file in other.keys() {
        let named = ids.map_or_else(|| file.clone(), |(id, other_id)| file.replace(other_id, id));
        pairs.entry(named).or_default().1 = Some(file);
    }
    let mut differences = Vec::new();
    for (file, pair) in pairs {
        let how = match pair {
            (Some(here), Some(there)) if here == there && one.get(here) == other.get(there) => continue,
            (Some(here), Some(there)) => {
                let (one, other) = (fs_err::read(first.join(here))?, fs_err::read(second.join(there))?);
                How::Content(sections(&one, &other))
            }
            (_, None) => How::Gone,
            (None, _) => How::New,
        };
        differences.push(Difference { file, how });
    }
    Ok(differences)
}

/// The sections of two libraries that are not the same; none where one is no library.
fn sections(one: &[u8], other: &[u8]) -> BTreeSet<String> {
    let (Some(one), Some(other)) = (contents(one), contents(other)) else { return BTreeSet::new() };
    let names = one.keys().chain(other.keys());
    let mut differing: BTreeSet<String> =
        names.filter(|name| one.get(*name) != other.get(*name)).cloned().collect();
    // It is made from all the others.
    if differing.len() > 1 {
        differing.remove(".note.gnu.build-id");
    }
    if differing.is_empty() {
        differing.insert("headers".to_owned());
    }
    differing
}

/// Sections by name, with those of one name together.
fn contents(bytes: &[u8]) -> Option<BTreeMap<String, Vec<&[u8]>>> {
    let file = object::File::parse(bytes).ok()?;
    let mut contents: BTreeMap<String, Vec<&[u8]>> = BTreeMap::new();
    for section in file.sections() {
        let name = String::from_utf8_lossy(section.name_bytes().ok()?).into_owned();
        contents.entry(name).or_default().push(section.data().ok()?);
    }
    Some(contents)
}

impl Difference {
    /// What to say of it where both should be the same.
    pub fn finding(&self, variant: &str) -> Finding {
        let file = format!("{variant}/{}", self.file);
        let (message, cause) = match &self.how {
            How::Gone => (format!("`{file}` was not made the second time"), None),
            How::New => (format!("`{file}` was made the second time only"), None),
            How::Content(sections) if sections.is_empty() => (format!("`{file}` came out differently"), None),
            How::Content(sections) => {
                let names = listed(sections.iter().map(String::as_str));
                (format!("`{file}` came out differently in {names}"), likely(sections))
            }
        };
        let finding = Finding::error(&build::NOT_REPRODUCIBLE, message);
        let finding = match cause {
            Some(cause) => finding.cause(cause),
            None => finding,
        };
        finding.about(Subject { file: Some(file), ..Subject::default() })
    }
}

/// What usually makes these sections differ.
fn likely(sections: &BTreeSet<String>) -> Option<&'static str> {
    let any = |parts: &[&str]| sections.iter().any(|name| parts.iter().any(|part| name.contains(part)));
    let causes: [(&[&str], &str); 5] = [
        (&[".comment"], "another compiler, or another version of it, took part"),
        (&["fatbin"], "the GPU code differs: flags, or a name that the CUDA compiler makes from a path"),
        (&["debug"], "a path or a compiler's flag is part of the debug information"),
        (&["text"], "the code itself differs: other flags, or an order that depends on addresses or on time"),
        (
            &["rodata", ".data"],
            "usually a date, a time or a path in a text: `__DATE__`, `__TIME__`, `__TIMESTAMP__`, `__FILE__`",
        ),
    ];
    causes.into_iter().find(|(parts, _)| any(parts)).map(|(_, cause)| cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_come_and_go_are_named() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = Utf8Path::from_path(directory.path()).expect("UTF-8");
        for (name, text) in [
            ("a/same", "1"),
            ("b/same", "1"),
            ("a/gone", "1"),
            ("b/new", "1"),
            ("a/text", "1"),
            ("b/text", "2"),
        ] {
            let path = root.join(name);
            fs_err::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs_err::write(path, text).expect("written");
        }
        let wanted = [("gone", How::Gone), ("new", How::New), ("text", How::Content(BTreeSet::new()))];
        let wanted = wanted.map(|(file, how)| Difference { file: file.to_owned(), how });
        let (a, b) = (root.join("a"), root.join("b"));
        assert_eq!(variants(&a, &b, None).expect("compared"), wanted);
        assert_eq!(variants(&a, &a, None).expect("compared"), []);
        // Names that differ by the id alone.
        fs_err::write(a.join("_id_one.so"), "1").expect("written");
        fs_err::write(b.join("_id_two.so"), "1").expect("written");
        let found = variants(&a, &b, Some(("_id_one", "_id_two"))).expect("compared");
        let wanted = Difference { file: "_id_one.so".to_owned(), how: How::Content(BTreeSet::new()) };
        assert!(found.contains(&wanted) && found.len() == 4, "{found:?}");
    }
}
