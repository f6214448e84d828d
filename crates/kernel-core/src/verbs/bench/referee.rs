//! Whose scripts judge: the project's own, or those of a directory or commit that whoever wrote the kernel cannot have
//! changed. A project whose own scripts differ from those is told so; a kernel that wins by another referee has not won.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{ObjectType, Repository};
use kernel_spec::Finding;
use kernel_spec::code::bench as code;
use kernel_spec::workloads::FILE;
use tempfile::TempDir;

use crate::bench::BenchError;

/// Where scripts lie in a project.
const DIRECTORY: &str = "benchmarks";

/// The scripts that judge.
pub(super) struct Referee {
    /// In the order of their names.
    pub(super) scripts: Vec<Utf8PathBuf>,
    /// What the project has otherwise.
    pub(super) differences: Vec<String>,
    /// Holds scripts of a commit as long as they are needed.
    _guard: Option<TempDir>,
}

impl Referee {
    /// The project's own scripts, or those of `from`: a directory with `benchmarks`, or a commit of the project's repository.
    pub(super) fn choose(project: &Utf8Path, from: Option<&str>) -> Result<Self, BenchError> {
        let own = project.join(DIRECTORY);
        let Some(from) = from else {
            return Ok(Self { scripts: scripts(&own, project)?, differences: Vec::new(), _guard: None });
        };
        let directory = project.join(from).join(DIRECTORY);
        let (directory, guard) = if directory.is_dir() {
            (directory, None)
        } else {
            let guard = tempfile::tempdir()?;
            let path = Utf8PathBuf::from_path_buf(guard.path().to_path_buf())
                .map_err(|path| std::io::Error::other(format!("`{}` is not valid UTF-8", path.display())))?;
            export(project, from, &path)?;
            (path, Some(guard))
        };
        let differences = differences(&own, &directory)?;
        Ok(Self { scripts: scripts(&directory, project)?, differences, _guard: guard })
    }

    /// What is said about a project whose own scripts are others.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let differs = |name: &String| format!("`{DIRECTORY}/{name}` is not what the chosen referee has");
        self.differences.iter().map(|name| Finding::error(&code::REFEREE, differs(name))).collect()
    }
}

/// The scripts of a directory in the order of their names.
fn scripts(directory: &Utf8Path, project: &Utf8Path) -> Result<Vec<Utf8PathBuf>, BenchError> {
    let is_script = |name: &&String| {
        let is_python = name.starts_with("benchmark") && Utf8Path::new(name).extension() == Some("py");
        is_python || FILE.rsplit('/').next() == Some(name.as_str())
    };
    let scripts: Vec<Utf8PathBuf> =
        files(directory)?.keys().filter(is_script).map(|name| directory.join(name)).collect();
    if scripts.is_empty() {
        return Err(BenchError::NoScripts { project: project.to_owned() });
    }
    Ok(scripts)
}

/// The files directly in a directory, with their contents; a directory that is not there has none.
fn files(directory: &Utf8Path) -> std::io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    if !directory.is_dir() {
        return Ok(files);
    }
    for entry in fs_err::read_dir(directory)? {
        let path = entry?.path();
        if let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| path.is_file()) {
            files.insert(name.to_owned(), fs_err::read(&path)?);
        }
    }
    Ok(files)
}

fn differences(own: &Utf8Path, referee: &Utf8Path) -> std::io::Result<Vec<String>> {
    let (own, referee) = (files(own)?, files(referee)?);
    let names: BTreeSet<&String> = own.keys().chain(referee.keys()).collect();
    Ok(names.into_iter().filter(|name| own.get(*name) != referee.get(*name)).cloned().collect())
}

/// Writes the files that `benchmarks` of the project had in a commit.
fn export(project: &Utf8Path, revision: &str, to: &Utf8Path) -> Result<(), BenchError> {
    let unknown = |reason: String| BenchError::Referee { from: revision.to_owned(), reason };
    let git = |error: git2::Error| unknown(error.message().to_owned());
    let repository = Repository::discover(project).map_err(git)?;
    let root = repository
        .workdir()
        .and_then(Utf8Path::from_path)
        .ok_or_else(|| unknown("it has no files".to_owned()))?;
    let (root, project) = (fs_err::canonicalize(root)?, fs_err::canonicalize(project)?);
    let below = project.strip_prefix(&root).map_err(|error| unknown(error.to_string()))?.join(DIRECTORY);
    let tree = repository.revparse_single(revision).and_then(|object| object.peel_to_tree()).map_err(git)?;
    let entry = tree.get_path(&below).map_err(git)?;
    let directory = entry.to_object(&repository).and_then(|object| object.peel_to_tree()).map_err(git)?;
    for entry in &directory {
        let Ok(name) = entry.name() else { continue };
        if entry.kind() == Some(ObjectType::Blob) {
            let blob = repository.find_blob(entry.id()).map_err(git)?;
            fs_err::write(to.join(name), blob.content())?;
        }
    }
    Ok(())
}
