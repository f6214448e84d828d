//! What is laid out for Nix: each variant's sources and generated files, and one list of them. Only what a derivation
//! reads is in it, so that whatever else changes builds nothing again.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::plan::{CompatibilityStep, Flag, Input, Language, Library};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::engine::Job;
use crate::engine::staging;
use crate::plan::language::{FileKind, kind};
use crate::render::FileSet;
use crate::render::ninja::{LINK, build_directory};
use crate::toolchain::fingerprint::hexadecimal;

/// One variant, as `nix/library.nix` takes it.
#[derive(Debug, Serialize)]
struct Asked {
    /// Toolchain parts besides the compiler's own, by their place in `tc/`.
    parts: BTreeMap<String, Part>,
    objects: Half,
    library: Half,
}

/// A directory of this machine that goes into Nix's store.
#[derive(Debug, Serialize)]
struct Part {
    path: Utf8PathBuf,
    sha256: String,
    /// Whether there are programs in it, which expect the loader of another system.
    programs: bool,
}

/// A part, as far as a plan's commands reach into it.
pub(super) struct Reached {
    /// On this machine.
    pub(super) path: Utf8PathBuf,
    /// Whether there are programs in it, which expect the loader of another system.
    pub(super) programs: bool,
}

/// One derivation.
#[derive(Debug, Serialize)]
struct Half {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    files: String,
    made: Vec<String>,
}

/// Lays everything out below `directory`; the list is the result, a file there.
pub(super) fn write(
    project: &Utf8Path,
    directory: &Utf8Path,
    cache: &Utf8Path,
    jobs: &[Job],
) -> std::io::Result<Utf8PathBuf> {
    let mut asked = BTreeMap::new();
    for job in jobs {
        let Some(library) = &job.plan.library else { continue };
        let variant = job.plan.variant.as_str();
        lay_out(project, &directory.join(variant), job, library)?;
        let half = |name: &str, made: Vec<String>, source: Option<String>| Half {
            source,
            files: format!("{variant}/{name}"),
            made,
        };
        let [objects, result] = made(library);
        let mut parts = BTreeMap::new();
        for (place, Reached { path, programs }) in reached(job, library)? {
            let stamp = job.files.get("toolchain.stamp").unwrap_or_default();
            let sha256 = archive_hash(&path, cache, stamp)?;
            parts.insert(place, Part { path, sha256, programs });
        }
        asked.insert(
            variant,
            Asked {
                parts,
                objects: half("objects", objects, Some(format!("{variant}/source"))),
                library: half("library", result, None),
            },
        );
    }
    let mut files = FileSet::default();
    files.insert("request.json", serde_json::to_vec_pretty(&asked)?);
    files.write(directory)?;
    Ok(directory.join("request.json"))
}

/// Lays out one variant: `source`, and what is generated for `objects` and for `library`.
pub(super) fn lay_out(
    project: &Utf8Path,
    place: &Utf8Path,
    job: &Job,
    library: &Library,
) -> std::io::Result<()> {
    staging::update(project, &place.join("source"), sources(job).into_iter())?;
    let (objects, last) = halves(&job.files, library);
    for (name, files) in [("objects", objects), ("library", last)] {
        let place = place.join(name);
        // What an earlier plan left would be part of the derivation.
        if place.is_dir() {
            fs_err::remove_dir_all(&place)?;
        }
        files.write(&place)?;
    }
    Ok(())
}

/// What the first derivation makes, and what the second.
pub(super) fn made(library: &Library) -> [Vec<String>; 2] {
    let mut objects: Vec<String> = library.compile.iter().map(|step| step.object.clone()).collect();
    objects.extend(library.link.compatibility.iter().filter_map(|step| match step {
        CompatibilityStep::Archive { archive, .. } => Some(archive.clone()),
        CompatibilityStep::Compile { .. } => None,
    }));
    [objects, vec![library.link.output.clone(), library.link.map.clone()]]
}

/// The inputs that compilers may read: not the Python files that ship.
fn sources(job: &Job) -> Vec<&Input> {
    let shipped: BTreeSet<&str> = job.plan.package.iter().map(|file| file.source.as_str()).collect();
    let read =
        |input: &&Input| !shipped.contains(input.path.as_str()) || kind(&input.path) != FileKind::Unknown;
    job.plan.inputs.iter().filter(read).collect()
}

/// The generated files of objects, and those of the library; `toolchain.ninja` and its stamp are Nix's to write.
fn halves(files: &FileSet, library: &Library) -> (FileSet, FileSet) {
    let of_link = [LINK, &library.identity.source, &library.link.version_script];
    let of_nix = ["toolchain.ninja", "toolchain.stamp"];
    let (mut objects, mut last) = (FileSet::default(), FileSet::default());
    for (path, content) in files.iter().filter(|(path, _)| !of_nix.contains(&path.as_str())) {
        let in_link = of_link.contains(&path.as_str());
        if !in_link {
            objects.insert(path, content);
        }
        if in_link || path == "build.ninja" {
            last.insert(path, content);
        }
    }
    (objects, last)
}

/// The parts that the plan's commands name, as far into each as they reach: of torch its headers, not its libraries.
pub(super) fn reached(job: &Job, library: &Library) -> std::io::Result<BTreeMap<String, Reached>> {
    let build = build_directory(&job.plan.variant);
    let start = format!("{build}/tc/");
    let flags = library.compile.iter().flat_map(|step| &step.flags).chain(&library.identity.flags);
    let mut words: BTreeSet<String> = flags.flat_map(|flag: &Flag| flag.arguments(&build)).collect();
    words.extend(library.link.arguments.iter().cloned());
    let cuda = library.compile.iter().any(|step| step.language == Language::Cuda);
    let mut parts = BTreeMap::new();
    for word in &words {
        let Some((_, place)) = word.split_once(start.as_str()) else { continue };
        let mut components = place.split('/');
        let name = components.next().unwrap_or_default();
        // Of parts that are compilers' files Nix has its own.
        let Some(root) = job.parts.get(name).filter(|root| root.is_dir()) else { continue };
        // Of a toolkit that compiles, everything belongs together.
        let programs = name == "cuda" && cuda;
        let (place, path) = match components.next().filter(|_| name != "sysroot" && !programs) {
            Some(first) => (format!("{name}/{first}"), root.join(first)),
            None => (name.to_owned(), root.clone()),
        };
        if let Entry::Vacant(free) = parts.entry(place) {
            free.insert(Reached { path: path.canonicalize_utf8()?, programs });
        }
    }
    Ok(parts)
}

/// SHA-256 of a tree as Nix's archive format writes it, remembered for as long as the toolchain is the same.
fn archive_hash(path: &Utf8Path, cache: &Utf8Path, stamp: &[u8]) -> std::io::Result<String> {
    let mut key = Sha256::new_with_prefix(path.as_str());
    key.update([0]);
    key.update(stamp);
    let memory = cache.join("nix/parts").join(hexadecimal(key));
    if let Ok(known) = fs_err::read_to_string(&memory) {
        return Ok(known);
    }
    let mut hasher = Sha256::new();
    let mut archive = nix_nar::Encoder::new(path).map_err(std::io::Error::other)?;
    std::io::copy(&mut archive, &mut hasher)?;
    let hash = hexadecimal(hasher);
    crate::atomic::write(&memory, hash.as_bytes())?;
    Ok(hash)
}
