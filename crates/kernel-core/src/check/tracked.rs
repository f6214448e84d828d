//! Whether Git knows the kernel's files. A flake sees only tracked files, so what builds here may be missing there.

use std::collections::BTreeSet;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use git2::{ErrorCode, Index, Repository};
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, code};

/// Files named in one finding.
const SHOWN: usize = 5;

/// Reports the files, relative to the project in `directory`, that Git does not track. Where there is nothing to track
/// them, a note says so.
pub fn check(directory: &Utf8Path, files: &BTreeSet<String>) -> Vec<Finding> {
    let repository = match Repository::discover(directory) {
        Ok(repository) => repository,
        Err(error) if error.code() == ErrorCode::NotFound => {
            return vec![note(
                "the project is in no Git repository",
                "run `git init` and commit the project",
            )];
        }
        Err(error) => {
            let advice = "look at Git's reason above";
            return vec![note("the project's Git repository cannot be read", advice).cause(error.message())];
        }
    };
    if repository.is_empty().unwrap_or(true) {
        return vec![note("the project's Git repository has no commit", "run `git add` and `git commit`")];
    }
    let Some(prefix) = prefix(directory, &repository) else {
        return vec![note("the project's Git repository has no working tree", "check out a working tree")];
    };
    let Ok(index) = repository.index() else {
        return vec![note("the index of the project's Git repository cannot be read", "run `git status`")];
    };
    let untracked: Vec<&str> =
        files.iter().map(String::as_str).filter(|file| !is_tracked(&index, &prefix.join(file))).collect();
    untracked_files(directory, &untracked).into_iter().collect()
}

fn note(message: &str, help: &str) -> Finding {
    Finding::note(&code::inputs::UNTRACKED, message).help(help)
}

/// Where the project is in the repository's working tree.
fn prefix(directory: &Utf8Path, repository: &Repository) -> Option<Utf8PathBuf> {
    let top = Utf8Path::from_path(repository.workdir()?)?.canonicalize_utf8().ok()?;
    let directory = directory.canonicalize_utf8().ok()?;
    directory.strip_prefix(top).ok().map(Utf8Path::to_owned)
}

/// Whether the index has the file, in any stage of a merge, or a submodule that the file is in.
fn is_tracked(index: &Index, path: &Utf8Path) -> bool {
    let has = |path: &Utf8Path| (0..4).find_map(|stage| index.get_path(Path::new(path.as_str()), stage));
    let is_submodule = |path: &Utf8Path| has(path).is_some_and(|entry| entry.mode == 0o160_000);
    has(path).is_some() || path.ancestors().skip(1).filter(|path| !path.as_str().is_empty()).any(is_submodule)
}

fn untracked_files(directory: &Utf8Path, files: &[&str]) -> Option<Finding> {
    let (first, others) = files.split_first()?;
    let message = match others {
        [] => format!("`{first}` is not tracked by Git"),
        _ => format!("{} of the kernel's files are not tracked by Git", files.len()),
    };
    let mut finding = Finding::warning(&code::inputs::UNTRACKED, message)
        .cause("a Nix build of the project as a flake sees only tracked files: these will be missing in it");
    if others.is_empty() {
        finding = finding.about(Subject { file: Some((*first).to_owned()), ..Subject::default() });
    } else {
        for file in files.iter().take(SHOWN) {
            finding = finding.cause(format!("`{file}` is not tracked"));
        }
        if files.len() > SHOWN {
            finding = finding.cause(format!("{} more are not tracked", files.len() - SHOWN));
        }
    }
    let words: Vec<String> = files.iter().take(SHOWN).map(|file| quoted(file)).collect();
    let more = if files.len() > SHOWN { " …" } else { "" };
    Some(finding.help(format!("run `git add -- {}{more}` in `{directory}`", words.join(" "))))
}

/// A word as a POSIX shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '=' | ':' | ',' | '@')
    };
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
