//! `sign`: signs what was built, for one place. Each variant's metadata get to know the place and the set they are signed
//! with; then they are signed, and a statement about the whole set too. Nothing is written before everything is signed, and
//! nothing gets its name before everything is written. The statement comes last: without it no signature is accepted.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_hub::job::Job;
use kernel_spec::error::Faults;
use kernel_spec::event::Stage;
use kernel_spec::report::{SignReport, SignedVariant};
use kernel_spec::{Event, Finding, code};
use kernel_trust::{IdentityToken, Signer, TrustError};
use miette::Diagnostic;
use thiserror::Error;

use crate::atomic::Pending;
use crate::digest::{METADATA, SIGNATURE};
use crate::trust::set::{self, Place};
use crate::trust::statement::Statement;
use crate::trust::{self, PROVENANCE, contents};
use crate::upload::preflight::Artifact;
use crate::upload::target::{self, Chosen, RepositoryKind};
use crate::{Context, Project, Result, artifacts, network, regular};

/// The variable in which other jobs, such as GitLab's, are given their token.
const TOKEN: &str = "SIGSTORE_ID_TOKEN";

/// Most bytes of a token.
const TOKEN_LIMIT: u64 = 1 << 20;

/// What to sign, and for where.
#[derive(Clone, Debug)]
pub struct SignOptions {
    /// A project, a directory of variants, or a variant.
    pub directory: Utf8PathBuf,
    /// The repository, where the manifest does not name it.
    pub repository: Option<String>,
    /// The branch, where it is not the version's.
    pub branch: Option<String>,
    /// The file of an identity token, where it is not that of the job.
    pub identity_token: Option<Utf8PathBuf>,
    /// Other authorities than Sigstore's public ones.
    pub trust_config: Option<Utf8PathBuf>,
    /// Whether variants of several commits may be signed together.
    pub allow_mixed: bool,
}

/// A variant with its signature, both still to be written.
struct Written {
    directory: Utf8PathBuf,
    metadata: String,
    bundle: String,
}

/// Why only a part of a set is signed.
#[derive(Debug, Error, Diagnostic)]
#[error("signing broke off: {signed} signed, {open} not, and there is no statement about the set")]
#[diagnostic(
    code("trust/half-signed"),
    help(
        "look at the path and the system's reason above, and sign again: `verify` and `upload` take no part of a set"
    )
)]
pub struct HalfSigned {
    signed: String,
    open: String,
    #[source]
    reason: std::io::Error,
}

/// Signs built variants.
pub fn sign(context: &Context, options: &SignOptions) -> Result<SignReport> {
    let directory = context.resolve(&options.directory);
    let project = crate::project::is_there(&directory);
    let project = project.then(|| Project::open(context, &options.directory)).transpose()?;
    stage(context, Stage::Check, "the built variants");
    let variants = read(&directory)?;
    let chosen = Chosen {
        repository: options.repository.clone(),
        kind: RepositoryKind::Kernel,
        branch: options.branch.clone(),
    };
    let target = target::decide(&options.directory, &chosen, project.as_ref(), &variants)?;
    require_fit(&variants, options.allow_mixed, target.disagreement(&variants))?;
    let place = Place { repository: target.repository.id(), branch: target.branch };
    let authorities = trust::authorities(context, options.trust_config.as_ref())?;
    let client = network::client(context)?;
    let token = identity(context, options)?;
    stage(context, Stage::Sign, &format!("{} variants for {place}", variants.len()));
    let signer = Signer::new(&client, &authorities, &token)?;
    let named = variants.iter().map(|variant| (variant.name.as_str(), &variant.metadata));
    let set = set::digest(&place, named);
    let mut written = Vec::new();
    let mut members = BTreeMap::new();
    let mut identity = None;
    for variant in &variants {
        let metadata = set::placed(&variant.metadata, &place, &variant.name, &set).to_json();
        let bundle = signer.blob(metadata.as_bytes())?;
        members.insert(variant.name.clone(), set::sha256(metadata.as_bytes()));
        identity = Some(bundle.signed.signer);
        written.push(Written { directory: variant.directory.clone(), metadata, bundle: bundle.text });
    }
    let identity = identity.unwrap_or_default();
    let subject = written.first().map(|written| written.metadata.clone()).unwrap_or_default();
    let statement = Statement { place: place.clone(), set: set.clone(), serial: context.now, members };
    let text = statement.to_json(&commits(&variants), &locks(&variants), &toolchains(&variants), &identity);
    let statement_bundle = signer.statement(subject.as_bytes(), text.as_bytes())?;
    let (provenance, statement_file) = prepare_statement(&variants, &set, &statement_bundle.text)?;
    let signed = write(context, &written)?;
    statement_file.place()?;
    forget_statements(&provenance)?;
    Ok(SignReport {
        subject: identity.subject,
        issuer: identity.issuer,
        repository: place.repository,
        branch: place.branch,
        set,
        serial: statement.serial,
        provenance: shown(context, &provenance),
        variants: signed,
    })
}

/// A path as people see it: from the working directory where it is below that.
fn shown(context: &Context, path: &Utf8Path) -> String {
    path.strip_prefix(&context.working_directory).unwrap_or(path).to_string()
}

fn stage(context: &Context, stage: Stage, message: &str) {
    context.sink.event(&Event::Stage { stage, variant: None, message: message.to_owned() });
}

fn read(directory: &Utf8Path) -> Result<Vec<Artifact>> {
    let directories = artifacts::discover(directory)?.into_iter();
    // A signature that is there already says nothing: it is replaced.
    let read = directories.map(|directory| {
        let unsigned = Artifact::unsigned(directory.clone());
        Ok(unsigned.map_err(|findings| artifacts::unusable(&directory, findings))?)
    });
    read.collect()
}

/// What is signed must be what was built, and of one commit; `known` is what is known against it already.
fn require_fit(variants: &[Artifact], allow_mixed: bool, known: Option<Finding>) -> Result<()> {
    let mut findings: Vec<Finding> = known.into_iter().collect();
    for variant in variants {
        findings.extend(contents::check(&variant.directory, &variant.metadata)?);
    }
    let commits = commits(variants);
    if commits.len() > 1 && !allow_mixed {
        let list = commits.into_iter().collect::<Vec<_>>().join(", ");
        findings.push(Finding::error(
            &code::trust::MIXED,
            format!("the variants are of several commits: {list}"),
        ));
    }
    if findings.is_empty() {
        return Ok(());
    }
    let count = findings.len();
    let what = if count == 1 { "1 finding speaks".to_owned() } else { format!("{count} findings speak") };
    let summary = format!("{what} against signing; nothing was signed");
    Err(Faults::new(&code::trust::UNFIT, summary, findings).or_unread().into())
}

fn commits(variants: &[Artifact]) -> BTreeSet<String> {
    let commit =
        |variant: &Artifact| Some(variant.metadata.provenance.as_ref()?.kernel.as_ref()?.commit.clone());
    variants.iter().filter_map(commit).collect()
}

fn locks(variants: &[Artifact]) -> BTreeSet<String> {
    variants.iter().filter_map(|variant| variant.metadata.lock().map(str::to_owned)).collect()
}

fn toolchains(variants: &[Artifact]) -> BTreeSet<String> {
    let identity =
        |variant: &Artifact| Some(variant.metadata.build.as_ref()?.toolchain.as_ref()?.identity.clone());
    variants.iter().filter_map(identity).collect()
}

/// The identity to sign in the name of: the one that was given, else the job's.
fn identity(context: &Context, options: &SignOptions) -> Result<IdentityToken> {
    let environment = &context.environment;
    if let Some(file) = &options.identity_token {
        let text = regular::named(&context.resolve(file), TOKEN_LIMIT)?;
        return Ok(IdentityToken::parse(&text, context.now)?);
    }
    if let Some(job) = Job::find(&|name| environment.get(name).map(str::to_owned)) {
        return Ok(IdentityToken::of_job(&network::client(context)?, &job, context.now)?);
    }
    if let Some(text) = environment.get(TOKEN) {
        return Ok(IdentityToken::parse(text, context.now)?);
    }
    let [address, secret] = Job::variables();
    let reason = format!("neither `{address}` with `{secret}` nor `{TOKEN}` is set");
    Err(TrustError::Token { reason }.into())
}

/// Writes the metadata and signatures of variants. Whenever this is killed, no signature lies beside other metadata.
fn write(context: &Context, all: &[Written]) -> Result<Vec<SignedVariant>> {
    let prepare = |written: &Written| {
        let metadata = artifacts::replacement(&written.directory, METADATA, &written.metadata)?;
        Ok((metadata, artifacts::replacement(&written.directory, SIGNATURE, &written.bundle)?))
    };
    let prepared: Vec<(Pending, Pending)> = all.iter().map(prepare).collect::<std::io::Result<_>>()?;
    let mut signed = Vec::new();
    for (at, (metadata, bundle)) in prepared.into_iter().enumerate() {
        let signature = all[at].directory.join(SIGNATURE);
        let placed = match fs_err::remove_file(&signature) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => metadata.place().and_then(|()| bundle.place()),
        };
        if let Err(reason) = placed {
            let (signed, open) = (names(&all[..at]), names(&all[at..]));
            return Err(HalfSigned { signed, open, reason }.into());
        }
        let variant = all[at].directory.file_name().unwrap_or_default().to_owned();
        signed.push(SignedVariant { variant, signature: shown(context, &signature) });
    }
    Ok(signed)
}

/// The names of variants, with the verb.
fn names(of: &[Written]) -> String {
    let names = of.iter().map(|written| format!("`{}`", written.directory.file_name().unwrap_or_default()));
    match of.len() {
        0 => "nothing is".to_owned(),
        1 => format!("{} is", names.collect::<String>()),
        _ => format!("{} are", names.collect::<Vec<_>>().join(", ")),
    }
}

/// The statement about the set, and where it goes.
fn prepare_statement(variants: &[Artifact], set: &str, text: &str) -> Result<(Utf8PathBuf, Pending)> {
    let beside = variants.first().and_then(|variant| variant.directory.parent());
    let beside = beside.unwrap_or(Utf8Path::new("."));
    regular::inside(beside, PROVENANCE)?;
    let folder = beside.join(PROVENANCE);
    let path = folder.join(trust::provenance_file(set));
    let pending = Pending::settled(&folder, &path, text.as_bytes())?;
    Ok((path, pending))
}

/// Removes the statements beside `kept` about sets of which nothing is left here; none where a variant does not say which
/// set it is of, because its metadata cannot be read.
fn forget_statements(kept: &Utf8Path) -> Result<()> {
    let (Some(folder), Some(name)) = (kept.parent(), kept.file_name()) else { return Ok(()) };
    let beside = folder.parent().unwrap_or(Utf8Path::new("."));
    let all = artifacts::find_in(beside).into_iter().map(|directory| artifacts::metadata(&directory));
    let Ok(all) = all.collect::<std::result::Result<Vec<_>, _>>() else { return Ok(()) };
    let records = all.into_iter().filter_map(|metadata| metadata.publication);
    let used: BTreeSet<String> = records.map(|record| trust::provenance_file(&record.set)).collect();
    for entry in folder.read_dir_utf8()? {
        let entry = entry?;
        let ours = entry.file_name().len() == name.len() && entry.file_name().ends_with(".sigstore.json");
        if ours && !used.contains(entry.file_name()) {
            fs_err::remove_file(entry.path())?;
        }
    }
    Ok(())
}
