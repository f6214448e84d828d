//! How near an upload comes to the bounds of the Hub, which are those of its page "Repository limitations and
//! recommendations"; of files per commit the one that this program keeps to by itself.

use std::collections::{BTreeMap, BTreeSet};

use kernel_hub::hub::Tree;
use kernel_hub::publish::{Difference, MOST_CHANGES, Wanted};
use kernel_spec::finding::Subject;
use kernel_spec::report::upload::{LimitKind, UploadLimit};
use kernel_spec::{Finding, code};

/// Most bytes of a file.
const FILE: u64 = 50_000_000_000;
/// Most files and folders directly in a folder.
const FOLDER: u64 = 10_000;

/// The bounds, for what is `wanted` on top of what is `there`.
pub fn limits(wanted: &Wanted, there: &Tree, changes: &Difference) -> Vec<UploadLimit> {
    let in_commit = changes.count().min(MOST_CHANGES);
    let sizes = wanted.files.iter().map(|(path, content)| (content.size, path.clone()));
    let stay = there.keys().filter(|path| !changes.removed.contains(*path));
    let folders = entries(wanted.files.keys().chain(stay).map(String::as_str));
    let fullest = folders.into_iter().map(|(folder, inside)| (inside.len() as u64, folder.to_owned()));
    vec![
        UploadLimit {
            limit: LimitKind::FilesPerCommit,
            most: MOST_CHANGES as u64,
            planned: in_commit as u64,
            path: None,
        },
        of_largest(LimitKind::BytesPerFile, FILE, sizes),
        of_largest(LimitKind::EntriesPerFolder, FOLDER, fullest),
    ]
}

/// What goes beyond its bound. The Hub has the last word, so it is no error yet.
pub fn exceeded(limits: &[UploadLimit]) -> Vec<Finding> {
    let beyond = limits.iter().filter(|limit| limit.planned > limit.most);
    beyond
        .map(|UploadLimit { limit, most, planned, path }| {
            let name = path.as_deref().unwrap_or_default();
            let message = match limit {
                LimitKind::FilesPerCommit => format!("{planned} files in a commit are more than {most}"),
                LimitKind::BytesPerFile => {
                    format!("`{name}` has {planned} bytes, and the Hub takes {most} in a file")
                }
                LimitKind::EntriesPerFolder => {
                    format!("`{name}` has {planned} entries, and the Hub wants at most {most} in a folder")
                }
            };
            let subject = Subject { file: path.clone(), ..Subject::default() };
            Finding::warning(&code::upload::LIMIT, message).about(subject)
        })
        .collect()
}

fn of_largest(limit: LimitKind, most: u64, all: impl Iterator<Item = (u64, String)>) -> UploadLimit {
    let (planned, path) = all.max_by_key(|(size, _)| *size).unzip();
    UploadLimit { limit, most, planned: planned.unwrap_or_default(), path }
}

/// The names directly in each folder; that of the whole repository is `.`.
fn entries<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for mut path in paths {
        while let Some((folder, name)) = path.rsplit_once('/') {
            folders.entry(folder).or_default().insert(name);
            path = folder;
        }
        folders.entry(".").or_default().insert(path);
    }
    folders
}
