//! Whether Git knows the kernel's files. A flake sees only tracked files, so what builds here may be missing there.

use std::collections::BTreeSet;

use camino::Utf8Path;
use kernel_spec::finding::Subject;
use kernel_spec::{Finding, code};

use crate::provenance::Repository;

/// Files named in one finding.
const SHOWN: usize = 5;

/// Reports the files, relative to the project in `directory`, that Git does not track. Where that cannot be known, a
/// note says why.
pub fn check(directory: &Utf8Path, files: &BTreeSet<String>) -> Vec<Finding> {
    match Repository::open(directory).untracked(files.iter().map(String::as_str)) {
        Ok(untracked) => {
            let untracked: Vec<&str> = untracked.iter().map(String::as_str).collect();
            untracked_files(directory, &untracked).into_iter().collect()
        }
        Err(reason) => {
            let help = "commit the project in a git repository: a build then says which commit it is of, and \
                        `upload` asks for that";
            vec![Finding::note(&code::inputs::UNTRACKED, reason).help(help)]
        }
    }
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
