//! `clean`: removes what we made and nobody edited, all of it below the project's directory. What cannot be shown to be
//! ours stays and is named: a sealed variant says so itself, by our record in its metadata and by its digest; a document is
//! ours while its digest is the one that was kept when it was written.

mod state;

use camino::{Utf8Path, Utf8PathBuf};
use fs_err as fs;
use kernel_spec::metadata::Metadata;
use kernel_spec::report::{CleanReport, KeptPath};
use kernel_spec::variant::Variant;

use crate::seal::{self, BUILD_DIRECTORY};
use crate::verbs::card;
use crate::workspace_lock::{self, WorkspaceLock};
use crate::{Context, Error, Result, artifacts, digest, project};

/// What to clean.
#[derive(Clone, Debug)]
pub struct CleanOptions {
    /// The project's directory, as the user names it.
    pub directory: Utf8PathBuf,
    /// Only say what would go.
    pub dry_run: bool,
}

/// Removes our products from a project. The project must have a manifest, but it need not be valid.
pub fn clean(context: &Context, options: &CleanOptions) -> Result<CleanReport> {
    let project = context.resolve(&options.directory);
    if !project.join(project::MANIFEST).is_file() {
        return Err(Error::NoManifest { directory: options.directory.clone() });
    }
    let work = project.join(workspace_lock::DIRECTORY);
    let builds_may_run = fs::symlink_metadata(&work).is_ok_and(|found| found.is_dir());
    let _lock = if builds_may_run && !options.dry_run {
        Some(WorkspaceLock::acquire(context, &project)?)
    } else {
        None
    };
    let mut report = CleanReport { dry_run: options.dry_run, removed: Vec::new(), kept: Vec::new() };
    for (path, verdict) in products(&project)? {
        match verdict {
            Verdict::Foreign(reason) => report.kept.push(KeptPath { path, reason }),
            Verdict::Ours => {
                let place = project.join(&path);
                if !options.dry_run {
                    match fs::symlink_metadata(&place) {
                        Ok(found) if found.is_dir() => seal::discard(&place)?,
                        Ok(_) => fs::remove_file(&place)?,
                        // It went with its directory.
                        Err(_) => {}
                    }
                    prune(&project, &path);
                }
                report.removed.push(path);
            }
        }
    }
    let built = project.join(BUILD_DIRECTORY);
    let everything_went = report.kept.is_empty() && !report.removed.is_empty();
    if everything_went && !options.dry_run && built.is_dir() && fs::read_dir(&built)?.next().is_none() {
        fs::remove_dir(&built)?;
    }
    Ok(report)
}

/// Whether something goes.
enum Verdict {
    Ours,
    Foreign(String),
}

/// Everything that may be ours.
fn products(project: &Utf8Path) -> Result<Vec<(String, Verdict)>> {
    let mut found = state::for_editors(project)?;
    if let Some(verdict) = judge(&project.join(workspace_lock::DIRECTORY), |_| Verdict::Ours)? {
        match verdict {
            Verdict::Ours => found.extend(state::state(project)?),
            Verdict::Foreign(_) => found.push((workspace_lock::DIRECTORY.to_owned(), verdict)),
        }
    }
    let built = project.join(BUILD_DIRECTORY);
    match judge(&built, |_| Verdict::Ours)? {
        None => return Ok(found),
        Some(Verdict::Foreign(reason)) => {
            found.push((BUILD_DIRECTORY.to_owned(), Verdict::Foreign(reason)));
            return Ok(found);
        }
        Some(Verdict::Ours) => {}
    }
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&built)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    for name in names {
        if name == card::FILE {
            let reason = "a card may hold text that somebody wrote".to_owned();
            found.push((format!("{BUILD_DIRECTORY}/{name}"), Verdict::Foreign(reason)));
            continue;
        }
        let inside = |directory: &Utf8Path| match hidden(&name, ".partial") {
            Some(_) => Verdict::Ours,
            None => sealed(directory, hidden(&name, ".old").unwrap_or(&name)),
        };
        let verdict = judge(&built.join(&name), inside)?;
        found.extend(verdict.map(|verdict| (format!("{BUILD_DIRECTORY}/{name}"), verdict)));
    }
    Ok(found)
}

/// Removes the directories of a file that went, as far as they are empty and only ever ours.
fn prune(project: &Utf8Path, path: &str) {
    for directory in Utf8Path::new(path).ancestors().skip(1) {
        let is_ours = directory == ".vscode"
            || (directory.starts_with(workspace_lock::DIRECTORY) && directory != workspace_lock::DIRECTORY);
        if !is_ours || fs::remove_dir(project.join(directory)).is_err() {
            return;
        }
    }
}

/// `None` where there is nothing. Only a real directory can be ours: we make no links here.
fn judge(path: &Utf8Path, inside: impl Fn(&Utf8Path) -> Verdict) -> Result<Option<Verdict>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
        Ok(file) if file.is_dir() => Ok(Some(inside(path))),
        Ok(_) => Ok(Some(Verdict::Foreign("it is not a directory that kernel-builder made".to_owned()))),
    }
}

/// The variant in the name of an unfinished or a replaced build: see [`crate::seal`].
fn hidden<'a>(name: &'a str, end: &str) -> Option<&'a str> {
    let variant = name.strip_prefix('.')?.strip_suffix(end)?;
    variant.parse::<Variant>().is_ok().then_some(variant)
}

/// A variant of ours says so in its metadata, and its digest says whether it is as we left it.
fn sealed(directory: &Utf8Path, name: &str) -> Verdict {
    let record = fs::read(directory.join(digest::METADATA)).ok();
    let metadata = record.and_then(|text| Metadata::from_json(&text).ok());
    let metadata = metadata.filter(|metadata| metadata.build.is_some() && metadata.digest.is_some());
    let (Ok(_), Some(metadata)) = (name.parse::<Variant>(), metadata) else {
        return Verdict::Foreign("kernel-builder did not make it".to_owned());
    };
    artifacts::difference(directory, &metadata).map_or(Verdict::Ours, Verdict::Foreign)
}
