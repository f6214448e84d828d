//! `verify`: who signed the variants that are there, whether that signer may, and whether everything is what was signed
//! and where it was signed for. In this order, so that nothing is believed before the signature over it is.
//!
//! 1. Each variant alone: signature, signer, files, place ([`variant`]).
//! 2. The sets they are of: the statement about each, and whether it is the newest ([`set`]).
//! 3. The publisher's name, and what the kernel depends on ([`names`], [`depends`]).
//!
//! Nothing of a variant is run, and only what a policy allows is ever called verified.

mod depends;
mod names;
mod rebuild;
mod set;
mod sources;
mod variant;

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::event::Stage;
use kernel_spec::finding::abridged;
use kernel_spec::report::{SignerIdentity, TrustState, VerifiedVariant, VerifyReport};
use kernel_spec::{Event, Finding, Metadata, Severity, code};
use kernel_trust::{Mismatch, Policy, Verifier};

use crate::published::{Reference, Snapshot};
use crate::trust::PROVENANCE;
use crate::trust::seen::Memory;
use crate::trust::set::Place;
use crate::trust::statement::Statement;
use crate::{Context, Project, Result, artifacts, bounds, trust};

pub use rebuild::Rebuild;

/// What to verify, and by what.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// A project, a directory of variants, a variant, or a published kernel.
    pub directory: Utf8PathBuf,
    /// Who may sign; without it nothing counts as verified.
    pub policy: Option<Utf8PathBuf>,
    /// Who else may sign what the kernel depends on.
    pub dependency_policies: Vec<Utf8PathBuf>,
    /// Other authorities than Sigstore's public ones.
    pub trust_config: Option<Utf8PathBuf>,
    /// The repository the variants must have been signed for; a project's own where not given.
    pub repository: Option<String>,
    /// The branch they must have been signed for.
    pub branch: Option<String>,
    /// Most seconds since a set was signed.
    pub max_age: Option<u64>,
    /// Whether what is signed for no place is accepted.
    pub allow_unplaced: bool,
    /// Whether variants of several commits are accepted.
    pub allow_mixed: bool,
    /// Whether to build everything again, and from what.
    pub rebuild: Option<Rebuild>,
    /// Whether to forget what was seen of the branch before, and so accept an older set.
    pub forget: bool,
}

/// A variant with everything that is known of it.
struct Examined {
    directory: Utf8PathBuf,
    /// The text that is signed.
    text: Vec<u8>,
    /// What it says; absent where the signature is not sound, because then it says nothing.
    metadata: Option<Metadata>,
    result: VerifiedVariant,
    statement: Option<Statement>,
}

impl Examined {
    fn refuse(&mut self, finding: Finding) {
        self.result.findings.push(finding);
    }

    fn place(&self) -> Option<Place> {
        self.metadata.as_ref()?.publication.as_ref().map(Place::of)
    }
}

/// What everything is judged by, the kernel and what it depends on.
struct Base<'a> {
    options: &'a VerifyOptions,
    verifier: Verifier,
    now: u64,
}

/// What one kernel is judged by.
struct Judge<'a> {
    base: &'a Base<'a>,
    /// Who may sign: whom any of them allows.
    policies: &'a [Policy],
    /// Where everything must have been signed for, as far as it is known.
    repository: Option<String>,
    branch: Option<String>,
}

/// What is verified.
struct Subject {
    directory: Utf8PathBuf,
    repository: Option<String>,
    branch: Option<String>,
    /// Whether the user named one commit, and so does not expect the newest.
    is_pinned: bool,
}

/// Verifies the signatures of variants.
pub fn verify(context: &Context, options: &VerifyOptions) -> Result<VerifyReport> {
    let (subject, snapshot) = subject(context, options)?;
    let authorities = trust::authorities(context, options.trust_config.as_ref())?;
    let base = Base { options, verifier: Verifier::new(&authorities)?, now: context.now };
    let load = |file: &Utf8PathBuf| trust::policy(context, file);
    let own = options.policy.iter().map(load).collect::<Result<Vec<_>>>()?;
    let judge = Judge {
        base: &base,
        policies: &own,
        repository: options.repository.clone().or(subject.repository),
        branch: options.branch.clone().or(subject.branch),
    };
    let mut examined = judge.examine(context, &subject.directory)?;
    if let Some(how) = &options.rebuild {
        rebuild::rebuild(context, how, own.first(), &mut examined)?;
    }
    let mut findings = judge.together(&examined);
    findings.extend(snapshot.as_ref().and_then(Snapshot::elsewhere));
    let signed_for = || examined.iter().filter_map(Examined::place).map(|place| place.repository).collect();
    let repositories: BTreeSet<String> =
        judge.repository.clone().map_or_else(signed_for, |named| [named].into());
    let owners = repositories.iter().filter_map(|repository| repository.split('/').next());
    for owner in owners.collect::<BTreeSet<_>>() {
        findings.extend(names::look_alike(context, owner, &own)?);
    }
    if own.is_empty() {
        let message = "no policy says whose signature counts, so nothing is verified";
        findings.push(Finding::note(&code::trust::NO_POLICY, message));
    } else if !subject.is_pinned {
        compare_with_seen(context, options, &examined, &mut findings)?;
    }
    let mut policies = own.clone();
    policies.extend(options.dependency_policies.iter().map(load).collect::<Result<Vec<_>>>()?);
    let from = snapshot.as_ref().map(|snapshot| snapshot.reference.to_string());
    let from = from.unwrap_or_else(|| options.directory.to_string());
    let depends = depends::walk(context, &base, &policies, (&from, &examined), &mut findings)?;
    let publisher = snapshot.as_ref().map(depends::publisher).transpose()?;
    let with_policy = !own.is_empty();
    let variants = examined.into_iter().map(|examined| finished(examined.result, with_policy)).collect();
    let authorities = options.trust_config.as_ref().map(ToString::to_string);
    Ok(VerifyReport { policy: with_policy, authorities, variants, publisher, depends, findings })
}

/// Where the variants are, and where they belong.
fn subject(context: &Context, options: &VerifyOptions) -> Result<(Subject, Option<Snapshot>)> {
    if let Some(reference) = Reference::parse(options.directory.as_str()) {
        let (subject, snapshot) = Subject::fetch(context, reference)?;
        return Ok((subject, Some(snapshot)));
    }
    let directory = context.resolve(&options.directory);
    let mut repository = None;
    if crate::project::is_there(&directory) {
        let project = Project::open(context, &options.directory)?;
        repository = project.manifest.general.hub.repo_id.map(|id| id.value);
    }
    Ok((Subject { directory, repository, branch: None, is_pinned: false }, None))
}

impl Subject {
    /// A published kernel, with its variants and the statements about them.
    fn fetch(context: &Context, reference: Reference) -> Result<(Self, Snapshot)> {
        let snapshot = Snapshot::open(context, reference)?;
        let directory = snapshot.fetch_variants(context, None)?;
        if snapshot.folder(PROVENANCE).next().is_some() {
            snapshot.fetch(context, PROVENANCE)?;
        }
        let Reference { revision, .. } = &snapshot.reference;
        let is_pinned = *revision == snapshot.commit;
        let branch = (!is_pinned).then(|| revision.clone());
        let repository = Some(snapshot.reference.id());
        Ok((Self { directory, repository, branch, is_pinned }, snapshot))
    }
}

impl Judge<'_> {
    /// Every variant of a directory, alone and as part of its set.
    fn examine(&self, context: &Context, directory: &Utf8Path) -> Result<Vec<Examined>> {
        let directories = artifacts::discover(directory)?;
        let message = format!("{} variants", directories.len());
        context.sink.event(&Event::Stage { stage: Stage::Verify, variant: None, message });
        let variants = directories.iter().map(|variant| self.variant(variant, directory));
        let mut examined = variants.collect::<Result<Vec<_>>>()?;
        self.sets(&mut examined);
        Ok(examined)
    }

    /// What speaks against a signer, for the repository that was signed for: nothing where any policy allows it.
    fn mismatches(&self, signer: &SignerIdentity, repository: Option<&str>) -> Vec<Finding> {
        let of = |policy: &Policy| {
            let mut mismatches = policy.check(signer);
            let message = match repository {
                Some(repository) if !policy.publishes(repository) => {
                    format!("the policy does not let its signer publish `{repository}`")
                }
                None if policy.names_repositories() => {
                    "the policy lets its signer publish some repositories alone, and nothing says which this is of"
                        .to_owned()
                }
                _ => return mismatches,
            };
            mismatches.push(Mismatch { code: &code::trust::PLACE, message });
            mismatches
        };
        let nearest = self.policies.iter().map(of).min_by_key(Vec::len);
        let findings = nearest.into_iter().flatten();
        findings.map(|mismatch| Finding::error(mismatch.code, mismatch.message)).collect()
    }

    /// Whether the variants belong together.
    fn together(&self, examined: &[Examined]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let places = places(examined);
        if places.len() > 1 {
            let message =
                format!("the variants were signed for {} places, and are no kernel of one", places.len());
            let of = places.iter().map(|(place, variants)| format!("{place}: {}", variants.join(", ")));
            findings.push(of.fold(Finding::error(&code::trust::PLACE, message), Finding::cause));
        }
        let mut commits: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for examined in examined {
            let provenance = examined.metadata.as_ref().and_then(|metadata| metadata.provenance.as_ref());
            if let Some(kernel) = provenance.and_then(|provenance| provenance.kernel.as_ref()) {
                commits.entry(kernel.commit.clone()).or_default().push(&examined.result.variant);
            }
        }
        if commits.len() < 2 || self.base.options.allow_mixed {
            return findings;
        }
        let finding =
            Finding::error(&code::trust::MIXED, format!("the variants are of {} commits", commits.len()));
        let of = commits.iter().map(|(commit, variants)| format!("{commit}: {}", variants.join(", ")));
        findings.push(of.fold(finding, Finding::cause));
        findings
    }
}

/// The variants by where they were signed for, but for those that are known to lie elsewhere.
fn places(examined: &[Examined]) -> BTreeMap<Place, Vec<&str>> {
    let mut places: BTreeMap<Place, Vec<&str>> = BTreeMap::new();
    for examined in examined {
        let is_elsewhere = examined.result.findings.iter().any(|finding| *finding.code == code::trust::PLACE);
        if let Some(place) = examined.place().filter(|_| !is_elsewhere) {
            places.entry(place).or_default().push(&examined.result.variant);
        }
    }
    places
}

/// Holds the sets against those that were seen of their branches, and remembers them where everything is well.
fn compare_with_seen(
    context: &Context,
    options: &VerifyOptions,
    examined: &[Examined],
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let mut places: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    // What is refused already says nothing about the branch.
    for (at, examined) in examined.iter().enumerate().filter(|(_, one)| one.result.findings.is_empty()) {
        if let (Some(place), Some(_)) = (examined.place(), &examined.statement) {
            places.entry(place).or_default().push(at);
        }
    }
    for (place, members) in places {
        let there = || {
            members.iter().filter_map(|at| {
                let examined: &Examined = &examined[*at];
                Some((examined.result.variant.as_str(), examined.statement.as_ref()?))
            })
        };
        let Some(mut memory) = Memory::open(context, &place, options.forget)? else {
            let message = "there is no home directory to remember the newest set in";
            findings.push(Finding::note(&code::trust::OLDER, message));
            continue;
        };
        let older = memory.older(there());
        let is_well = older.is_empty() && findings.iter().all(|finding| finding.severity != Severity::Error);
        findings.extend(older);
        if is_well {
            memory.remember(there())?;
        }
    }
    Ok(())
}

fn finished(mut result: VerifiedVariant, with_policy: bool) -> VerifiedVariant {
    result.findings = abridged(result.findings, bounds::FINDINGS);
    let errors = result.findings.iter().any(|finding| finding.severity == Severity::Error);
    let unsigned = result.findings.iter().any(|finding| *finding.code == code::trust::UNSIGNED);
    result.state = match (errors, with_policy) {
        _ if unsigned => TrustState::Unsigned,
        (true, _) => TrustState::Refused,
        (false, true) => TrustState::Verified,
        (false, false) => TrustState::NoPolicy,
    };
    result
}
