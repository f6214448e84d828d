//! Names as the file system keeps them. Asking whether `Demo.cpp` exists is not enough where case is ignored: the same
//! project would then fail on every other system.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::path::parent;

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A file, or a link to one.
    File,
    /// A directory, or a link to one.
    Directory,
    /// Something else, or a link to nothing.
    Other,
    /// Nothing; but there is this path, which differs in case alone.
    OtherCase(String),
    /// Nothing.
    Nothing,
}

/// The directories of a project, each read once.
pub(super) struct Listing<'a> {
    project: &'a Utf8Path,
    directories: BTreeMap<String, BTreeSet<String>>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(project: &'a Utf8Path) -> Self {
        Self { project, directories: BTreeMap::new() }
    }

    /// What is at a normalised path, with case taken seriously.
    pub(super) fn find(&mut self, path: &str) -> Found {
        let mut actual = String::new();
        for name in path.split('/') {
            let names = self.names(&actual);
            let Some(kept) =
                names.get(name).or_else(|| names.iter().find(|kept| same_but_for_case(kept, name)))
            else {
                return Found::Nothing;
            };
            actual = if actual.is_empty() { kept.clone() } else { format!("{actual}/{kept}") };
        }
        if actual != path {
            return Found::OtherCase(actual);
        }
        let path = self.project.join(path);
        if path.is_file() {
            Found::File
        } else if path.is_dir() {
            Found::Directory
        } else {
            Found::Other
        }
    }

    /// The names in a directory; none where it cannot be read.
    pub(super) fn names(&mut self, directory: &str) -> &BTreeSet<String> {
        let path: Utf8PathBuf = self.project.join(directory);
        self.directories.entry(directory.to_owned()).or_insert_with(|| {
            let entries = fs_err::read_dir(path).into_iter().flatten().flatten();
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
        })
    }

    /// The files a pattern with `*` in its last part would mean.
    pub(super) fn matching(&mut self, pattern: &str) -> Vec<String> {
        let directory = parent(pattern);
        let last = pattern.rsplit('/').next().unwrap_or(pattern).to_owned();
        let names = self.names(directory);
        let names = names.iter().filter(|name| matches(&last, name));
        names
            .map(|name| if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") })
            .collect()
    }
}

fn same_but_for_case(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Whether a name fits a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_their_own_case_only() {
        let directory = tempfile::tempdir().expect("a directory");
        let project = Utf8Path::from_path(directory.path()).expect("UTF-8");
        fs_err::create_dir(project.join("Csrc")).expect("created");
        fs_err::write(project.join("Csrc/a.cu"), "").expect("written");
        fs_err::write(project.join("Csrc/b.cuh"), "").expect("written");
        let mut listing = Listing::new(project);
        assert_eq!(listing.find("Csrc/a.cu"), Found::File);
        assert_eq!(listing.find("Csrc"), Found::Directory);
        assert_eq!(listing.find("csrc/A.cu"), Found::OtherCase("Csrc/a.cu".to_owned()));
        assert_eq!(listing.find("Csrc/c.cu"), Found::Nothing);
        assert_eq!(listing.matching("Csrc/*.cu"), ["Csrc/a.cu"]);
        assert_eq!(listing.matching("Csrc/*").len(), 2);
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, name, fits) in [
            ("*.cu", "a.cu", true),
            ("a*b*c", "a-bb-c", true),
            ("a*b*c", "acb", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
