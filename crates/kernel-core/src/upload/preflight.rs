//! Whether built variants may be published, said before anything is sent: every fault of every variant in one run.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::error::Faults;
use kernel_spec::finding::Subject;
use kernel_spec::matrix::variants_of;
use kernel_spec::metadata::{DigestAlgorithm, Metadata};
use kernel_spec::{Backend, Code, Finding, Severity, code};

use crate::check::built::{self, BuiltVariant, Overrides};
use crate::check::{layout, manifest};
use crate::digest::{METADATA, SIGNATURE};
use crate::seal::BUILD_DIRECTORY;
use crate::suite::kept;
use crate::trust::{self, BUNDLE_LIMIT, PROVENANCE, set};
use crate::{Context, Project, Result, artifacts, bench, matrix, regular};

/// A variant to publish.
pub struct Artifact {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub directory: Utf8PathBuf,
    /// What it says of itself.
    pub metadata: Metadata,
    /// The file that says it, as it was read: what is judged is this, and nothing else is published.
    pub text: Vec<u8>,
    /// The signature over it, as it was read, where there is one.
    pub signature: Option<Vec<u8>>,
    /// The statement about the set that it was signed with, as it was read, where there is one.
    pub statement: Option<Vec<u8>>,
}

/// The project that a variant is of, which keeps what is known of it: where the variant lies in its `build`, that is not
/// what a user names who names the variant alone.
pub fn home<'a>(named: &'a Utf8Path, variant: &'a Utf8Path) -> &'a Utf8Path {
    let build = variant.parent().filter(|folder| folder.file_name() == Some(BUILD_DIRECTORY));
    build.and_then(Utf8Path::parent).unwrap_or(named)
}

impl Artifact {
    /// Reads a variant, as if it had no signature, or says what is wrong with its metadata.
    pub fn unsigned(directory: Utf8PathBuf) -> std::result::Result<Self, Vec<Finding>> {
        let name = directory.file_name().unwrap_or_default().to_owned();
        let text = artifacts::metadata_text(&directory)?;
        let metadata = Metadata::from_json(&text)?;
        Ok(Self { name, directory, metadata, text, signature: None, statement: None })
    }

    /// Reads a variant, or says what of it cannot be read.
    fn read(directory: Utf8PathBuf) -> std::result::Result<Self, Vec<Finding>> {
        let about = |file: &str| {
            let variant = directory.file_name().map(str::to_owned);
            Subject { variant, file: Some(file.to_owned()), ..Subject::default() }
        };
        let (of_metadata, of_signature) = (about(METADATA), about(SIGNATURE));
        let signature = signature(&directory).map_err(|finding| finding.about(of_signature));
        match (Self::unsigned(directory), signature) {
            (Ok(artifact), Ok(signature)) => Self { signature, ..artifact }.with_statement(),
            (artifact, signature) => {
                let findings = artifact.err().unwrap_or_default().into_iter();
                let findings = findings.map(|finding| finding.about(of_metadata.clone()));
                Err(findings.chain(signature.err()).collect())
            }
        }
    }

    fn with_statement(self) -> std::result::Result<Self, Vec<Finding>> {
        let Some(path) = self.statement_path() else { return Ok(self) };
        match regular::bytes(&path, BUNDLE_LIMIT) {
            Ok(statement) => Ok(Self { statement: Some(statement), ..self }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(self),
            Err(error) => {
                let message = format!("the statement about the set of `{}` cannot be read", self.name);
                let subject = Subject { variant: Some(self.name), ..Subject::default() };
                let finding = Finding::error(&code::artifact::UNREADABLE, message);
                Err(vec![finding.cause(error.to_string()).about(subject)])
            }
        }
    }

    /// Where the statement about the set is that it was signed with.
    pub fn statement_path(&self) -> Option<Utf8PathBuf> {
        let record = self.metadata.publication.as_ref().filter(|_| self.signature.is_some())?;
        set::is_digest(&record.set).then_some(())?;
        let folder = self.directory.parent()?.join(PROVENANCE);
        Some(folder.join(trust::provenance_file(&record.set)))
    }
}

/// What the user takes responsibility for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// Variants of sources that no commit holds.
    pub dirty: bool,
    /// Variants that were compiled without a sandbox.
    pub unsandboxed: bool,
    /// Variants of the machine's own compiler.
    pub host_toolchain: bool,
    /// Variants of several commits.
    pub mixed: bool,
    /// Variants whose last test run failed.
    pub failed_tests: bool,
}

/// The signature of the variant in a directory, where anything has its name. A link may lead to one.
fn signature(directory: &Utf8Path) -> std::result::Result<Option<Vec<u8>>, Box<Finding>> {
    let path = directory.join(SIGNATURE);
    let read = match fs_err::symlink_metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(error),
        Ok(_) => regular::start(&path, BUNDLE_LIMIT),
    };
    read.map(Some).map_err(|error| {
        let message =
            format!("`{SIGNATURE}` of `{}` cannot be read", directory.file_name().unwrap_or_default());
        Box::new(Finding::error(&code::artifact::UNREADABLE, message).cause(error.to_string()))
    })
}

/// The variants of a directory. What of them cannot be read is an error.
pub fn read(directory: &Utf8Path) -> Result<Vec<Artifact>> {
    let mut read = Vec::new();
    let mut faults = Vec::new();
    for directory in artifacts::discover(directory)? {
        match Artifact::read(directory) {
            Ok(artifact) => read.push(artifact),
            Err(findings) => faults.extend(findings),
        }
    }
    if faults.is_empty() { Ok(read) } else { Err(refuse(faults)) }
}

/// Everything that speaks against publishing, as an error; what is only worth a remark, as findings. `known` is what
/// is known against them already.
pub fn check(
    artifacts: &[Artifact],
    (directory, project): (&Utf8Path, Option<&Project>),
    allowed: Allowed,
    known: Vec<Finding>,
) -> Result<Vec<Finding>> {
    let mut findings = known;
    for artifact in artifacts {
        let variant = BuiltVariant { name: artifact.name.clone(), directory: artifact.directory.clone() };
        let policy = artifact.metadata.build.as_ref().and_then(|build| build.policy.as_deref());
        let manylinux = policy.and_then(|policy| policy.parse().ok());
        findings.extend(layout::check(&variant));
        findings.extend(built::check(&variant, &Overrides { manylinux, ..Overrides::default() })?);
        findings.extend(made(artifact, allowed));
    }
    findings.extend(together(artifacts.iter().map(|artifact| &artifact.metadata), allowed));
    if let Some(project) = project {
        let of = |artifact: &Artifact| manifest::check(&artifact.name, &artifact.metadata, &project.manifest);
        findings.extend(artifacts.iter().flat_map(of));
    }
    for artifact in artifacts {
        findings.extend(failed(artifact, directory, allowed));
        findings
            .extend(bench::kept(home(directory, &artifact.directory), &artifact.name).err().map(|it| *it));
    }
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(refuse(findings));
    }
    Ok(findings)
}

/// The findings as an error.
pub(super) fn refuse(findings: Vec<Finding>) -> crate::Error {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let what = if errors == 1 { "1 finding speaks".to_owned() } else { format!("{errors} findings speak") };
    let summary = format!("{what} against publishing; nothing was sent");
    Faults::new(&code::upload::PREFLIGHT, summary, findings).or_unread().into()
}

/// How one variant was made.
fn made(artifact: &Artifact, allowed: Allowed) -> Vec<Finding> {
    let name = &artifact.name;
    let mut findings = Vec::new();
    let mut say = |code: &'static Code, allowed: bool, message: String| {
        let finding = if allowed { Finding::warning(code, message) } else { Finding::error(code, message) };
        findings.push(finding.about(Subject { variant: Some(name.clone()), ..Subject::default() }));
    };
    match &artifact.metadata.digest {
        None => say(&code::upload::NO_DIGEST, false, format!("`{name}` has no digest")),
        Some(digest) if digest.algorithm != DigestAlgorithm::Sha256 => {
            let message =
                format!("the digest of `{name}` is not by SHA-256, the only one that a hub answers for");
            say(&code::upload::NO_DIGEST, false, message);
        }
        Some(_) => {}
    }
    let provenance = artifact.metadata.provenance.as_ref();
    match provenance.and_then(|provenance| provenance.kernel.as_ref()) {
        Some(git) if git.dirty => {
            let commit = git.commit.get(..12).unwrap_or(&git.commit);
            say(
                &code::upload::DIRTY,
                allowed.dirty,
                format!("`{name}` holds changes that are not in {commit}"),
            );
        }
        Some(_) => {}
        None => {
            say(&code::upload::DIRTY, allowed.dirty, format!("`{name}` does not say which commit it is of"));
        }
    }
    let Some(build) = &artifact.metadata.build else { return findings };
    if build.profile != "release" {
        let message = format!("`{name}` was built with the profile `{}`", build.profile);
        say(&code::upload::DEVELOPMENT, false, message);
    }
    if let Some(toolchain) = &build.toolchain {
        if build.sandbox == "off" {
            let message = format!("`{name}` was compiled without a sandbox");
            say(&code::upload::UNSANDBOXED, allowed.unsandboxed, message);
        }
        if !build.rebuildable {
            let locked = if toolchain.lock.is_some() { ", as it is locked" } else { "" };
            let message = format!("`{name}` was compiled with {} of the machine{locked}", toolchain.compiler);
            say(&code::upload::HOST_TOOLCHAIN, allowed.host_toolchain, message);
        }
    }
    findings
}

/// Whether the variants of these metadata belong together.
pub fn together<'a>(variants: impl IntoIterator<Item = &'a Metadata>, allowed: Allowed) -> Vec<Finding> {
    let variants: Vec<&Metadata> = variants.into_iter().collect();
    let mut findings = Vec::new();
    let versions: BTreeSet<u64> = variants.iter().map(|metadata| metadata.version).collect();
    if versions.len() > 1 {
        let list = versions.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        findings
            .push(Finding::error(&code::upload::VERSIONS, format!("the variants are of versions {list}")));
    }
    let mut say = |what: &str, of: &dyn Fn(&Metadata) -> Option<String>| {
        let seen: BTreeSet<String> = variants.iter().filter_map(|metadata| of(metadata)).collect();
        if seen.len() > 1 {
            let list = seen.into_iter().collect::<Vec<_>>().join(", ");
            let message = format!("the variants are of several {what}: {list}");
            let code = &code::upload::MIXED;
            findings.push(if allowed.mixed {
                Finding::warning(code, message)
            } else {
                Finding::error(code, message)
            });
        }
    };
    say("kernels", &|metadata| Some(metadata.name.to_string()));
    say("commits", &|metadata| Some(metadata.provenance.as_ref()?.kernel.as_ref()?.commit.clone()));
    say("rules of ids", &|metadata| Some(metadata.build.as_ref()?.id_rule.to_string()));
    say("locks of what they are compiled with", &|metadata| {
        let toolchain = metadata.build.as_ref()?.toolchain.as_ref()?;
        Some(toolchain.lock.clone().unwrap_or_else(|| "none".to_owned()))
    });
    findings
}

/// Whether the last test run of this very variant failed, or may have.
fn failed(artifact: &Artifact, directory: &Utf8Path, allowed: Allowed) -> Option<Finding> {
    let severity = if allowed.failed_tests { Severity::Warning } else { Severity::Error };
    let counts = match kept(home(directory, &artifact.directory), &artifact.name, &artifact.directory) {
        Ok(tests) => tests?.counts,
        Err(unreadable) => return Some(Finding { severity, ..*unreadable }),
    };
    let failed = counts.failed + counts.errors;
    if failed == 0 {
        return None;
    }
    let message = format!("{failed} of {} tests of `{}` failed", counts.executed(), artifact.name);
    let finding = Finding { severity, ..Finding::error(&code::upload::TESTS, message) };
    Some(finding.about(Subject { variant: Some(artifact.name.clone()), ..Subject::default() }))
}

/// Variants of the declared backends that publishing builds by default, and that are neither uploaded nor published.
pub fn missing(
    context: &Context,
    artifacts: &[Artifact],
    published: &BTreeSet<&str>,
    project: &Project,
) -> Result<Option<Finding>> {
    let offers = variants_of(&project.manifest, &matrix::load(context)?);
    let mut missing: BTreeMap<Backend, Vec<String>> = BTreeMap::new();
    for offer in offers.iter().filter(|offer| offer.bundled) {
        let name = offer.variant.to_string();
        if !published.contains(name.as_str()) && artifacts.iter().all(|artifact| artifact.name != name) {
            missing.entry(offer.backend).or_default().push(name);
        }
    }
    if missing.is_empty() {
        return Ok(None);
    }
    let count: usize = missing.values().map(Vec::len).sum();
    let message = format!("{count} of the project's variants are neither in this upload nor published");
    let finding = Finding::note(&code::upload::MISSING, message);
    let lines = missing.iter().map(|(backend, names)| format!("{backend}: {}", names.join(", ")));
    Ok(Some(lines.fold(finding, Finding::cause)))
}
