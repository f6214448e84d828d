//! `collect`: joins the sealed variants of many jobs into one set for one upload, with the results of their tests and
//! benchmarks. What does not belong together is refused before anything is written, and the set appears whole.

mod shared;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::finding::Subject;
use kernel_spec::report::collect::{CollectReport, CollectedVariant};
use kernel_spec::{Backend, Finding, Severity, code};
use miette::Diagnostic;
use thiserror::Error;

use crate::arriving::Arriving;
use crate::check::built::BuiltVariant;
use crate::check::layout;
use crate::reading::{PIECE, pieces};
use crate::seal::BUILD_DIRECTORY;
use crate::tree::{self, Kind};
use crate::trust::PROVENANCE;
use crate::upload::preflight::{self, Artifact};
use crate::{Context, Result, regular};
use shared::Shared;

/// What to join.
#[derive(Clone, Debug)]
pub struct CollectOptions {
    /// Projects, directories of variants, or variants.
    pub directories: Vec<Utf8PathBuf>,
    /// Where the set goes.
    pub out: Utf8PathBuf,
}

/// Why there is no set.
#[derive(Debug, Error, Diagnostic)]
pub enum CollectError {
    /// The place of the set is taken.
    #[error("`{out}` is there already")]
    #[diagnostic(
        code("collect/out"),
        help("name a directory that does not exist with `--out`, or remove it")
    )]
    Taken {
        /// Where the set was to go.
        out: Utf8PathBuf,
    },

    /// The set would be part of what is joined.
    #[error("`{out}` is inside `{inside}`, which would not be what it was")]
    #[diagnostic(
        code("collect/out"),
        help("name a directory with `--out` that is in none of the joined ones, nor in a variant")
    )]
    Inside {
        /// Where the set was to go.
        out: Utf8PathBuf,
        /// What it would be part of.
        inside: Utf8PathBuf,
    },
}

/// Joins them.
pub fn collect(context: &Context, options: &CollectOptions) -> Result<CollectReport> {
    let out = context.resolve(&options.out);
    if fs_err::symlink_metadata(&out).is_ok() {
        return Err(CollectError::Taken { out: options.out.clone() }.into());
    }
    if let Some(inside) = enclosing(context, &out, &options.directories) {
        return Err(CollectError::Inside { out: options.out.clone(), inside }.into());
    }
    let mut found: Vec<(&Utf8Path, Artifact)> = Vec::new();
    for directory in &options.directories {
        let artifacts = preflight::read(&context.resolve(directory))?;
        found.extend(artifacts.into_iter().map(|artifact| (directory.as_path(), artifact)));
    }
    let shared = Shared::of(context, &found)?;
    let (set, mut findings) = one_of_each(found);
    findings.extend(shared.differing());
    let artifacts: Vec<&Artifact> = set.values().map(|(_, artifact)| artifact).collect();
    for artifact in &artifacts {
        let (name, directory) = (artifact.name.clone(), artifact.directory.clone());
        findings.extend(layout::check_alone(&BuiltVariant { name, directory }));
    }
    let mixed = preflight::together(
        artifacts.iter().map(|artifact| &artifact.metadata),
        preflight::Allowed::default(),
    );
    findings.extend(
        mixed
            .into_iter()
            .chain(same_sources(&artifacts))
            .map(|finding| finding.help(code::collect::SET.remedy)),
    );
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        let summary = "these variants do not make one set; nothing was written";
        return Err(Faults::new(&code::collect::SET, summary, findings).or_unread().into());
    }
    write(&out, &set, &shared)?;
    findings.extend(shared.cards());
    Ok(CollectReport {
        directory: options.out.to_string(),
        commit: artifacts.iter().find_map(|artifact| commit(artifact)),
        variants: set
            .iter()
            .map(|(name, (from, _))| CollectedVariant { name: name.clone(), from: from.to_string() })
            .collect(),
        findings,
    })
}

/// What a place is inside of that must stay as it is: the variants of a directory that is joined, or another variant.
fn enclosing(context: &Context, out: &Utf8Path, directories: &[Utf8PathBuf]) -> Option<Utf8PathBuf> {
    let there = out.ancestors().find_map(|above| above.canonicalize_utf8().ok())?;
    let holds = |directory: &&Utf8PathBuf| {
        let directory = context.resolve(directory);
        // Beside the `build` of a project a set is in nobody's way.
        let build = directory.join(BUILD_DIRECTORY);
        let read = if build.is_dir() { build } else { directory };
        read.canonicalize_utf8().is_ok_and(|read| there.starts_with(read))
    };
    let is_variant = |above: &&Utf8Path| Artifact::unsigned(above.to_path_buf()).is_ok();
    let joined = directories.iter().find(holds).cloned();
    joined.or_else(|| there.ancestors().find(is_variant).map(Utf8Path::to_owned))
}

/// By name, each variant with the directory it was named by.
type Set<'a> = BTreeMap<String, (&'a Utf8Path, Artifact)>;

/// Each variant once; two that differ are a fault.
fn one_of_each(found: Vec<(&Utf8Path, Artifact)>) -> (Set<'_>, Vec<Finding>) {
    let mut set = Set::new();
    let mut findings = Vec::new();
    for (from, artifact) in found {
        let Some((first, other)) = set.get(&artifact.name) else {
            set.insert(artifact.name.clone(), (from, artifact));
            continue;
        };
        if artifact.text != other.text {
            let message = format!("`{}` is in `{first}` and, otherwise, in `{from}`", artifact.name);
            let subject = Subject { variant: Some(artifact.name.clone()), ..Subject::default() };
            findings.push(Finding::error(&code::collect::TWICE, message).about(subject));
        }
    }
    (set, findings)
}

fn commit(artifact: &Artifact) -> Option<String> {
    Some(artifact.metadata.provenance.as_ref()?.kernel.as_ref()?.commit.clone())
}

/// Variants of one backend are of the same inputs where they have one id; all are of one tool.
fn same_sources(artifacts: &[&Artifact]) -> Vec<Finding> {
    let mut ids: BTreeMap<Backend, BTreeSet<&str>> = BTreeMap::new();
    for artifact in artifacts {
        ids.entry(artifact.metadata.backend.backend).or_default().insert(&artifact.metadata.id);
    }
    let several = ids.into_iter().filter(|(_, ids)| ids.len() > 1).map(|(backend, ids)| {
        let ids = ids.into_iter().collect::<Vec<_>>().join("`, `");
        format!("the variants for {backend} are of several sources: `{ids}`")
    });
    let tools: BTreeSet<String> = artifacts
        .iter()
        .filter_map(|artifact| {
            let tool = &artifact.metadata.provenance.as_ref()?.kernel_builder;
            let commit = tool.git.as_ref().map(|git| format!(" ({})", git.commit)).unwrap_or_default();
            Some(format!("{}{commit}", tool.version))
        })
        .collect();
    let mixed = (tools.len() > 1).then(|| {
        let tools = tools.into_iter().collect::<Vec<_>>().join(", ");
        format!("the variants were built by several versions of kernel-builder: {tools}")
    });
    several.chain(mixed).map(|message| Finding::error(&code::upload::MIXED, message)).collect()
}

/// Writes the set beside its place and renames it into it.
fn write(out: &Utf8Path, set: &Set<'_>, shared: &Shared) -> Result<()> {
    let parent = out.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    let arriving = Arriving::begin(parent, ".collecting-")?;
    let whole = arriving.whole()?;
    for (name, (_, artifact)) in set {
        let build = whole.join(BUILD_DIRECTORY);
        copy(&artifact.directory, &build.join(name))?;
        let statement = artifact.statement_path();
        let statement = statement.as_ref().and_then(|path| path.file_name().zip(artifact.directory.parent()));
        if let Some((statement, beside)) = statement {
            copy_file(beside, &format!("{PROVENANCE}/{statement}"), &build)?;
        }
    }
    for (path, from) in shared.files() {
        copy_file(from, path, &whole)?;
    }
    fs_err::rename(&whole, out).map_err(|error| match error.kind() {
        // Another `collect` was faster.
        ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            CollectError::Taken { out: out.to_owned() }.into()
        }
        _ => error.into(),
    })
}

/// The files of a directory, but for byte code.
fn copy(from: &Utf8Path, to: &Utf8Path) -> Result<()> {
    for entry in tree::walk(from, &|path| !tree::is_bytecode(path))? {
        if entry.kind != Kind::Directory {
            copy_file(from, &entry.path, to)?;
        }
    }
    Ok(())
}

/// A file of one directory at the same place in another, where it is there. What a job hands on may be anybody's.
fn copy_file(from: &Utf8Path, path: &str, to: &Utf8Path) -> Result<()> {
    let Some(file) = regular::file_inside(from, path)? else { return Ok(()) };
    let to = to.join(path);
    if let Some(parent) = to.parent() {
        fs_err::create_dir_all(parent)?;
    }
    let mut copy = fs_err::File::create(to)?;
    pieces(&file, &mut vec![0; PIECE], &mut |piece| copy.write_all(piece))?;
    Ok(fs_err::set_permissions(copy.path(), fs_err::metadata(file)?.permissions())?)
}
