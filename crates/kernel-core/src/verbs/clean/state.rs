//! What of the state directory, and of what `ide` wrote outside of it, is ours: what every build makes again goes by its
//! name, documents go as they were written, and everything else is somebody's.

use camino::Utf8Path;
use fs_err as fs;
use kernel_spec::variant::Variant;

use super::Verdict;
use crate::inputs::{OPERATORS, is_for_editors};
use crate::tree::{self, Kind};
use crate::verbs::ide;
use crate::workspace_lock::{DIRECTORY, IGNORE, IGNORED};
use crate::{Result, regular, written};

/// What the next run makes again; beside these a folder for each variant.
const MADE_AGAIN: [&str; 11] = [
    ".ninja_deps",
    ".ninja_lock",
    ".ninja_log",
    "build.ninja",
    "compile_commands.json",
    "nix",
    "published",
    "staged",
    "staged.json",
    "validate.jsonl",
    written::RECORDS,
];

/// Everything in the state directory, or the directory itself where nothing in it is anybody else's.
pub(super) fn state(project: &Utf8Path) -> Result<Vec<(String, Verdict)>> {
    let place = project.join(DIRECTORY);
    let goes_along =
        |path: &str| path == "lock" || (path == IGNORE && regular::holds(&place.join(path), IGNORED));
    let mut found = Vec::new();
    let mut again = Vec::new();
    for entry in fs::read_dir(&place)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_made_again(&name) {
            let is_link = entry.file_type()?.is_symlink();
            let verdict = if is_link {
                foreign("it is a link that kernel-builder did not make")
            } else {
                Verdict::Ours
            };
            again.push((format!("{DIRECTORY}/{name}"), verdict));
        }
    }
    again.sort_by(|(one, _), (other, _)| one.cmp(other));
    for entry in tree::walk(&place, &|path| !is_made_again(path) && !goes_along(path))? {
        if entry.kind == Kind::Directory {
            continue;
        }
        let path = format!("{DIRECTORY}/{}", entry.path);
        let ours = is_temporary(&entry.path) || written::is_as_written(project, &path);
        let verdict = if ours && entry.kind == Kind::File {
            Verdict::Ours
        } else {
            foreign("kernel-builder did not write it, or it was edited since")
        };
        found.push((path, verdict));
    }
    if again.iter().chain(&found).all(|(_, verdict)| matches!(verdict, Verdict::Ours)) {
        // Documents cost time to make: they are named one by one although they go with their directory.
        again = vec![(DIRECTORY.to_owned(), Verdict::Ours)];
    }
    found.extend(again);
    Ok(found)
}

/// What `ide` wrote beside the sources, as far as nobody edited it.
pub(super) fn for_editors(project: &Utf8Path) -> Result<Vec<(String, Verdict)>> {
    let mut found = Vec::new();
    for (path, text) in ide::SETTINGS {
        let place = regular::inside(project, path).ok().flatten();
        if place.is_some_and(|place| regular::holds(&place, text.as_bytes())) {
            found.push((path.to_owned(), Verdict::Ours));
        }
    }
    let records = format!("{DIRECTORY}/{}", written::RECORDS);
    let Ok(Some(records)) = regular::inside(project, &records) else { return Ok(found) };
    if !records.is_dir() {
        return Ok(found);
    }
    for entry in tree::walk(&records, &|_| true)? {
        let is_stub = Utf8Path::new(&entry.path).file_name() == Some(OPERATORS);
        let place = regular::inside(project, &entry.path).ok().flatten();
        if !is_stub || !place.is_some_and(|place| is_for_editors(&place)) {
            continue;
        }
        let ours = written::is_as_written(project, &entry.path);
        let verdict = if ours { Verdict::Ours } else { foreign("it was edited since `ide` wrote it") };
        found.push((entry.path, verdict));
    }
    Ok(found)
}

fn foreign(reason: &str) -> Verdict {
    Verdict::Foreign(reason.to_owned())
}

fn is_made_again(path: &str) -> bool {
    MADE_AGAIN.contains(&path) || is_temporary(path) || path.parse::<Variant>().is_ok()
}

/// A file that was on its way into its place when the program was killed: see [`crate::atomic`].
fn is_temporary(path: &str) -> bool {
    let name = Utf8Path::new(path).file_name().unwrap_or_default();
    name.strip_prefix(".tmp")
        .is_some_and(|rest| rest.len() == 6 && rest.chars().all(|c| c.is_ascii_alphanumeric()))
}
