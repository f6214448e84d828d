//! What a branch holds after an upload: the variants as they are, without what Python leaves behind, the results of their
//! tests and benchmarks, and the benchmarks themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_hub::confined::Confined;
use kernel_hub::publish::{Content, Wanted, wanted_file};

use super::as_judged;
use super::preflight::{Artifact, refuse};
use super::results::{self, RESULTS};
use crate::digest::{METADATA, SIGNATURE, is_left_out};
use crate::tree::{self, Kind};
use crate::trust::PROVENANCE;
use crate::{Context, Error, Result, regular};

/// The directory of variants in a repository.
pub const BUILD: &str = "build/";
/// The directory of benchmarks, in a project and in a repository.
pub const BENCHMARKS: &str = "benchmarks";

/// All content of an upload.
pub struct Contents {
    /// By path in the repository.
    pub files: BTreeMap<String, Content>,
    /// The variants.
    variants: BTreeSet<String>,
    /// Whether the project has benchmarks.
    benchmarks: bool,
}

/// Reads and names everything that is uploaded.
pub fn collect(context: &Context, artifacts: &[Artifact], project: &Utf8Path) -> Result<Contents> {
    let mut paths: Vec<(String, Confined)> = Vec::new();
    for artifact in artifacts {
        for entry in
            tree::walk(&artifact.directory, &|path| !path.split('/').any(|part| part == "__pycache__"))?
        {
            let is_kept = matches!(entry.path.as_str(), METADATA | SIGNATURE) || !is_left_out(&entry.path);
            if entry.kind == Kind::File && is_kept {
                let file = Confined::new(&artifact.directory, &entry.path);
                paths.push((format!("{BUILD}{}/{}", artifact.name, entry.path), file));
            }
        }
    }
    let statements: BTreeSet<Utf8PathBuf> = artifacts.iter().filter_map(Artifact::statement_path).collect();
    for statement in statements {
        let name = format!("{PROVENANCE}/{}", statement.file_name().unwrap_or_default());
        let beside = statement.parent().and_then(Utf8Path::parent).unwrap_or(project);
        if regular::file_inside(beside, &name)?.is_some() {
            let file = Confined::new(beside, &name);
            paths.push((name, file));
        }
    }
    let benchmarks = regular::directory_inside(project, BENCHMARKS)?;
    let has_benchmarks = benchmarks.is_some();
    if let Some(benchmarks) = benchmarks {
        for entry in tree::walk(&benchmarks, &|path| !path.contains('/'))? {
            let path = format!("{BENCHMARKS}/{}", entry.path);
            let is_published = is_benchmark(&path) && entry.kind != Kind::Directory;
            if is_published && regular::file_inside(project, &path)?.is_some() {
                let file = Confined::new(project, &path);
                paths.push((path, file));
            }
        }
    }
    let mut files = name_files(context, &paths)?;
    let changed = as_judged::differences(artifacts, &files);
    if !changed.is_empty() {
        return Err(refuse(changed));
    }
    for (path, bytes) in artifacts.iter().flat_map(|artifact| results::of(context, project, artifact)) {
        files.insert(path.clone(), Content::of_bytes(&path, bytes));
    }
    Ok(Contents {
        files,
        variants: artifacts.iter().map(|artifact| artifact.name.clone()).collect(),
        benchmarks: has_benchmarks,
    })
}

/// Whether a path is a benchmark of the kind that the ecosystem runs.
fn is_benchmark(path: &str) -> bool {
    let name = path.strip_prefix(BENCHMARKS).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| {
        let is_python = Utf8Path::new(name).extension() == Some("py");
        !name.contains('/') && name.starts_with("benchmark") && is_python
    })
}

/// Names files by their hashes, some side by side.
pub fn name_files(context: &Context, paths: &[(String, Confined)]) -> Result<BTreeMap<String, Content>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(paths.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new((BTreeMap::new(), None));
    let lock = || done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((path, file)) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let content = wanted_file(path, file, &context.cancelled.flag());
                    if context.cancelled.is_cancelled() || lock().1.is_some() {
                        return;
                    }
                    match content {
                        Ok(content) => drop(lock().0.insert(path.clone(), content)),
                        Err(error) => drop(lock().1.insert(error)),
                    }
                }
            });
        }
    });
    if context.cancelled.is_cancelled() {
        return Err(Error::Interrupted);
    }
    let (contents, error) = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    error.map_or(Ok(contents), |error| Err(error.into()))
}

impl Contents {
    /// What the branch should hold. Where it is for this upload `alone`, everything below `build`, `results`, `provenance` and
    /// `benchmarks` is its own; else only what belongs to its variants, and the benchmarks where the project has some. The
    /// statements about the sets of other uploads stay, because their variants may.
    pub fn wanted(&self, alone: bool) -> Wanted {
        let folders = |of: &'static str| self.variants.iter().map(move |name| format!("{of}{name}/"));
        let owned: Vec<String> = folders(BUILD).chain(folders(RESULTS)).collect();
        let benchmarks = self.benchmarks;
        let owns = move |path: &str| {
            if alone {
                return [BUILD, RESULTS].iter().any(|folder| path.starts_with(folder))
                    || [BENCHMARKS, PROVENANCE]
                        .iter()
                        .any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
            }
            owned.iter().any(|folder| path.starts_with(folder)) || (benchmarks && is_benchmark(path))
        };
        Wanted { files: self.files.clone(), owns: Box::new(owns), vouches }
    }

    /// A name for all of it together.
    pub fn identity(&self) -> String {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new();
        for (path, content) in &self.files {
            hash.update(format!("{path}\0{}\0", content.sha256));
        }
        hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The metadata and their signature speak of all other files of a variant, and a statement of the metadata: its folder
/// comes after those of the variants.
fn vouches(path: &str) -> bool {
    if path.starts_with(&format!("{PROVENANCE}/")) {
        return true;
    }
    let inside = path.strip_prefix(BUILD).and_then(|rest| rest.split_once('/'));
    inside.is_some_and(|(_, file)| matches!(file, METADATA | SIGNATURE))
}
