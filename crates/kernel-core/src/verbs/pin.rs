//! `pin`: what published kernels are now, written down: their commits, the hashes of their variants' metadata, and the same
//! of every kernel that they depend on. The loader's own lock is written beside it, for `get_locked_kernel`. Both files are of all
//! kernels of a project: what they say of others stays.

mod earlier;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::finding::Subject;
use kernel_spec::identifier::hexadecimal;
use kernel_spec::manifest::{KernelDependency, KernelReference};
use kernel_spec::metadata::{DigestAlgorithm, DigestRecord};
use kernel_spec::report::pin::{PinReport, PinState, PinnedKernel};
use kernel_spec::variant::LoaderName;
use kernel_spec::{Finding, Metadata, Severity, code};
use miette::Diagnostic;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::digest::{self, METADATA, SIGNATURE};
use crate::published::{MOST_TOGETHER, Reference, Snapshot};
use crate::upload::contents::BUILD;
use crate::{Context, Result, atomic, occupied, regular};

/// No file of pins comes near this size in bytes.
const LARGEST: u64 = 64 << 20;

/// What to pin.
#[derive(Clone, Debug)]
pub struct PinOptions {
    /// Published kernels, as `OWNER/NAME@vN`.
    pub kernels: Vec<String>,
    /// Where our file goes.
    pub pins: Utf8PathBuf,
    /// Where the loader's lock goes.
    pub lock: Utf8PathBuf,
    /// Only compare with the files that are there.
    pub check: bool,
}

/// Why nothing is pinned, whatever is published.
#[derive(Debug, Error, Diagnostic)]
pub enum PinError {
    /// A word names no published kernel.
    #[error("`{word}` names no published kernel")]
    #[diagnostic(code("pin/name"), help("write it as OWNER/NAME@vN"))]
    Name {
        /// The word.
        word: String,
    },

    /// The second file would be written over the first.
    #[error("`--pins` and `--lock` name one file, `{path}`")]
    #[diagnostic(code("pin/one-file"), help("name two: they are of different forms, for different readers"))]
    OneFile {
        /// The file.
        path: Utf8PathBuf,
    },
}

/// Pins published kernels with all that they depend on.
pub fn pin(context: &Context, options: &PinOptions) -> Result<PinReport> {
    if same_file(&context.resolve(&options.pins), &context.resolve(&options.lock)) {
        return Err(PinError::OneFile { path: options.pins.clone() }.into());
    }
    if !options.check {
        occupied::require_free(context, &options.pins, |value| earlier::of_pins(value).is_some())?;
        occupied::require_free(context, &options.lock, |value| earlier::of_lock(value).is_some())?;
    }
    let mut open = VecDeque::new();
    for word in &options.kernels {
        let reference = Reference::parse(word).ok_or_else(|| PinError::Name { word: word.clone() })?;
        open.push_back((dependency(&reference), reference));
    }
    let mut pinned: BTreeMap<KernelDependency, PinnedKernel> = BTreeMap::new();
    let mut findings = Vec::new();
    while let Some((key, reference)) = open.pop_front() {
        if pinned.contains_key(&key) {
            continue;
        }
        if pinned.len() == MOST_TOGETHER {
            let message = format!("more than {MOST_TOGETHER} kernels hang together");
            findings.push(Finding::error(&code::pin::UNFIT, message));
            break;
        }
        let (kernel, depends) = one(context, reference, &mut findings)?;
        pinned.insert(key, kernel);
        open.extend(depends);
    }
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        let summary = "these kernels cannot be pinned; nothing was written";
        return Err(Faults::new(&code::pin::UNFIT, summary, findings).into());
    }
    let kernels: Vec<PinnedKernel> = pinned.values().cloned().collect();
    let entries = pinned
        .iter()
        .map(|(key, kernel)| json!({ "dependency": written(key), "lock": { "commit": kernel.commit } }));
    let there = earlier::of_lock(&there(context, &options.lock)).unwrap_or_default();
    let lock = Value::Array(earlier::merged(there, entries.collect(), &["/dependency"]));
    let lock = format!("{lock:#}\n");
    let there = earlier::of_pins(&self::there(context, &options.pins)).unwrap_or_default();
    let entries = kernels.iter().map(|kernel| json!(kernel)).collect();
    let pins = earlier::merged(there, entries, &["/repository", "/revision"]);
    let pins = format!("{:#}\n", json!({ "schema": "kernel-pins/1", "kernels": pins }));
    let state = state(context, options, [(&options.pins, &pins), (&options.lock, &lock)])?;
    Ok(PinReport { pins: options.pins.to_string(), lock: options.lock.to_string(), state, kernels, findings })
}

/// Whether two paths lead to one file, or would.
fn same_file(one: &Utf8Path, other: &Utf8Path) -> bool {
    one == other || place(one) == place(other)
}

/// Where a path leads, with what is not there yet as it will be: `new/../file` is `file`.
fn place(path: &Utf8Path) -> Utf8PathBuf {
    path.components().fold(Utf8PathBuf::new(), |mut place, component| {
        match component {
            Utf8Component::ParentDir => {
                place.pop();
            }
            Utf8Component::CurDir => {}
            _ => place.push(component),
        }
        place.canonicalize_utf8().unwrap_or(place)
    })
}

/// What a file holds already; null where it is not there, or nothing of ours.
fn there(context: &Context, path: &Utf8Path) -> Value {
    let text = regular::text(&context.resolve(path), LARGEST).ok();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Compares with the files that are there, and writes where that was not all that was asked for.
fn state(context: &Context, options: &PinOptions, files: [(&Utf8PathBuf, &String); 2]) -> Result<PinState> {
    let is_current = |(path, text): &(&Utf8PathBuf, &String)| {
        let there = regular::text(&context.resolve(path), LARGEST);
        there.is_ok_and(|there| there == **text)
    };
    if files.iter().all(is_current) {
        return Ok(PinState::Current);
    }
    if options.check {
        return Ok(PinState::Stale);
    }
    atomic::write_together(&files.map(|(path, text)| (context.resolve(path), text.as_bytes())))?;
    Ok(PinState::Written)
}

type Depends = BTreeMap<KernelDependency, Reference>;

/// One kernel as it is now, and what its variants depend on.
fn one(
    context: &Context,
    reference: Reference,
    findings: &mut Vec<Finding>,
) -> Result<(PinnedKernel, Depends)> {
    let snapshot = Snapshot::open(context, reference)?;
    let before = findings.len();
    let mut variants = BTreeMap::new();
    let mut depends = Depends::new();
    let mut known = Hashes::default();
    let names = snapshot.variants();
    for name in names.into_iter().filter(|name| name.parse::<LoaderName>().is_ok()) {
        let mut unfit = |message: String| {
            let file = Some(format!("{BUILD}{name}/{METADATA}"));
            let subject = Subject { variant: Some(name.to_owned()), file, ..Subject::default() };
            findings.push(Finding::error(&code::pin::UNFIT, message).about(subject));
        };
        let Some(bytes) = snapshot.metadata(name)? else {
            unfit(format!("`{name}` of `{}` has no metadata", snapshot.reference));
            continue;
        };
        let Ok(metadata) = Metadata::from_json(&bytes) else {
            unfit(format!("the metadata of `{name}` of `{}` cannot be read", snapshot.reference));
            continue;
        };
        match &metadata.digest {
            None => unfit(format!(
                "`{name}` of `{}` has no digest, so its metadata say nothing of its files",
                snapshot.reference
            )),
            Some(digest) if digest.algorithm != DigestAlgorithm::Sha256 => unfit(format!(
                "the digest of `{name}` of `{}` is not by SHA-256, the only one that a listing answers for",
                snapshot.reference
            )),
            Some(digest) => {
                let difference = known.difference(&snapshot, name, digest)?;
                if let Some(difference) = difference {
                    let message =
                        format!("`{name}` of `{}` is not what its metadata say", snapshot.reference);
                    unfit(format!("{message}: {difference}"));
                }
            }
        }
        let mut nameless = Vec::new();
        for dependency in metadata.kernel_depends {
            match Reference::of_dependency(&dependency) {
                // One more than may hang together ends it.
                Some(reference) if depends.len() <= MOST_TOGETHER => {
                    depends.insert(dependency, reference);
                }
                Some(_) => {}
                None => nameless.push(dependency.repo_id),
            }
        }
        if let Some((first, others)) = nameless.split_first() {
            let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
            unfit(format!("`{name}` depends on `{first}`, which names no kernel{more}"));
        }
        variants.insert(name.to_owned(), hexadecimal(&Sha256::digest(&bytes)));
    }
    if variants.is_empty() && findings.len() == before {
        let message = format!("`{}` has no variants, so there is nothing to hold it to", snapshot.reference);
        findings.push(Finding::error(&code::pin::UNFIT, message));
    }
    let trusted = snapshot.is_trusted()?;
    let Snapshot { reference, commit, .. } = snapshot;
    Ok((
        PinnedKernel { repository: reference.id(), revision: reference.revision, commit, trusted, variants },
        depends,
    ))
}

/// SHA-256 in base 64 of small files, by their id in git: variants have most of them in common.
#[derive(Default)]
struct Hashes(BTreeMap<String, String>);

impl Hashes {
    /// The first thing for which a variant of these metadata is not to be pinned: a file that is missing, unknown, changed,
    /// or byte code, which Python could run in the place of the sources. Of large files the listing itself says the hash.
    fn difference(
        &mut self,
        snapshot: &Snapshot,
        variant: &str,
        digest: &DigestRecord,
    ) -> Result<Option<String>> {
        let folder = format!("{BUILD}{variant}");
        let mut missing: BTreeSet<&str> = digest.files.keys().map(String::as_str).collect();
        for (path, file) in snapshot.folder(&folder) {
            if matches!(path, METADATA | SIGNATURE) {
                continue;
            }
            if digest::is_left_out(path) {
                return Ok(Some(format!("`{path}` is byte code that nothing vouches for")));
            }
            let Some(expected) = digest.files.get(path) else {
                return Ok(Some(format!("nothing vouches for `{path}`")));
            };
            missing.remove(path);
            let is = match &file.sha256 {
                Some(sha256) => from_hexadecimal(sha256).map(|sha256| digest::base64(&sha256)),
                None => Some(self.of(snapshot, &format!("{folder}/{path}"), &file.oid)?),
            };
            if is.as_ref() != Some(expected) {
                return Ok(Some(format!("`{path}` was changed")));
            }
        }
        Ok(missing.first().map(|path| format!("`{path}` is missing")))
    }

    fn of(&mut self, snapshot: &Snapshot, path: &str, oid: &str) -> Result<String> {
        if let Some(known) = self.0.get(oid) {
            return Ok(known.clone());
        }
        let content = snapshot.read(path)?.unwrap_or_default();
        let sha256 = digest::base64(&Sha256::digest(content).into());
        self.0.insert(oid.to_owned(), sha256.clone());
        Ok(sha256)
    }
}

fn from_hexadecimal(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    (text.len() == 64).then_some(bytes)
}

/// How the loader names what was asked for.
fn dependency(reference: &Reference) -> KernelDependency {
    let version = reference.version().map(KernelReference::Version);
    let named = version.unwrap_or_else(|| KernelReference::Revision(reference.revision.clone()));
    KernelDependency { repo_id: reference.id(), reference: named }
}

/// A dependency in the loader's JSON.
fn written(dependency: &KernelDependency) -> Value {
    match &dependency.reference {
        KernelReference::Version(version) => json!({ "repo-id": dependency.repo_id, "version": version }),
        KernelReference::Revision(revision) => json!({ "repo-id": dependency.repo_id, "revision": revision }),
    }
}
