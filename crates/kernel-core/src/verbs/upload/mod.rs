//! `upload`: plans first, then publishes exactly once. A branch of a new version is made when its content is complete, so
//! that nobody ever finds a version without variants; the card on `main` comes last, so that it never speaks of what is
//! not there.

mod answer;
mod plan;
mod send;
mod unfinished;

use std::collections::BTreeSet;

use answer::AnswerFile;
use camino::Utf8PathBuf;
use kernel_hub::hub::{Created, Hub, HubError, Refs, Tree};
use kernel_spec::event::Stage;
use kernel_spec::report::UploadReport;
use kernel_spec::{Event, Finding, code};
use kernel_trust::Verifier;

use crate::trust::set::Place;
use crate::upload::contents::{BUILD, Contents};
use crate::upload::preflight::{Allowed, Artifact};
use crate::upload::target::{Chosen, Target};
use crate::upload::{UploadError, card, contents, limits, preflight, staying, target, version};
use crate::{Context, Project, Result, network, trust};

/// What to upload, and how.
#[derive(Clone, Debug)]
pub struct UploadOptions {
    /// A project, a directory of variants, or a variant.
    pub directory: Utf8PathBuf,
    /// Where to, as far as the line says.
    pub chosen: Chosen,
    /// Whether a new repository is private.
    pub private: bool,
    /// Whether to remove from the branch what is not in this upload.
    pub prune: bool,
    /// Whether to propose the change instead of making it.
    pub create_pr: bool,
    /// Whether to say what would be done, and stop.
    pub dry_run: bool,
    /// What the user takes responsibility for.
    pub allowed: Allowed,
    /// Whether each variant must have a sound signature.
    pub require_signed: bool,
    /// Other authorities than Sigstore's public ones.
    pub trust_config: Option<Utf8PathBuf>,
    /// Where to write the answer in the peer's form.
    pub output_json: Option<Utf8PathBuf>,
}

/// The branch that a repository's card is on.
const MAIN: &str = "main";

/// Uploads built variants.
pub fn upload(context: &Context, options: &UploadOptions) -> Result<UploadReport> {
    let directory = context.resolve(&options.directory);
    let project = crate::project::is_there(&directory);
    let project = project.then(|| Project::open(context, &options.directory)).transpose()?;
    stage(context, Stage::Check, "the built variants");
    let artifacts = preflight::read(&directory)?;
    let target = target::decide(&options.directory, &options.chosen, project.as_ref(), &artifacts)?;
    let mut known = signatures(context, options, &target, &artifacts)?;
    known.extend(target.disagreement(&artifacts));
    let findings = preflight::check(&artifacts, (&directory, project.as_ref()), options.allowed, known)?;
    let contents = contents::collect(context, &artifacts, &directory)?;
    let answer = options.output_json.as_ref();
    let answer = answer.map(|path| AnswerFile::prepare(context, path, &artifacts)).transpose()?;
    stage(context, Stage::Plan, &format!("compare with `{}`", target.repository.id()));
    let hub = network::hub(context)?.for_changes();
    let mut upload = Upload {
        context,
        options,
        hub: &hub,
        target: &target,
        contents: &contents,
        card: card::of_project(&directory)?,
    };
    let there = upload.look()?;
    let kept = upload.kept(&there, &artifacts);
    let of_kept = upload.kept_findings(&there, &kept, &artifacts, &findings)?;
    upload.card = upload.card.take().map(|card| staying::in_card(&card, &kept));
    let mut report = upload.plan(&there, &artifacts, kept)?;
    report.findings = findings;
    report.findings.extend(of_kept);
    report.findings.extend(limits::exceeded(&report.limits));
    report.findings.extend(upload.is_hidden(&there));
    report.findings.extend(upload.unfinished(&there.refs));
    report.findings.extend(upload.version_findings(&there, &artifacts)?);
    if let Some(project) = &project {
        let stays = report.kept.iter().map(String::as_str).collect();
        report.findings.extend(preflight::missing(context, &artifacts, &stays, project)?);
    }
    if !options.dry_run {
        upload.send(&there, &mut report)?;
        if let Some(answer) = answer {
            report.findings.extend(answer.write(&report));
        }
    }
    Ok(report)
}

/// What is wrong with the signatures.
fn signatures(
    context: &Context,
    options: &UploadOptions,
    target: &Target,
    artifacts: &[Artifact],
) -> Result<Vec<Finding>> {
    let verifier = options.require_signed.then(|| -> Result<Verifier> {
        Ok(Verifier::new(&trust::authorities(context, options.trust_config.as_ref())?)?)
    });
    let place = Place { repository: target.repository.id(), branch: target.branch.clone() };
    Ok(crate::upload::signatures::check(artifacts, &place, verifier.transpose()?.as_ref()))
}

fn stage(context: &Context, stage: Stage, message: &str) {
    context.sink.event(&Event::Stage { stage, variant: None, message: message.to_owned() });
}

struct Upload<'a> {
    context: &'a Context,
    options: &'a UploadOptions,
    hub: &'a Hub,
    target: &'a Target,
    contents: &'a Contents,
    /// The text of the project's card, where it has one.
    card: Option<String>,
}

/// What is on the Hub before the upload.
#[derive(Default)]
struct There {
    new_repository: bool,
    /// Whether it was there, and only those whom its owner lets see it can see it.
    private: bool,
    refs: Refs,
    /// The files of the branch, or of `main` where the branch is new.
    tree: Tree,
}

impl There {
    fn new_branch(&self, target: &Target) -> bool {
        !self.refs.branches.contains_key(&target.branch)
    }

    /// The variants of the branch.
    fn published(&self, target: &Target) -> BTreeSet<&str> {
        let paths = self.tree.keys().filter(|_| !self.new_branch(target));
        paths
            .filter_map(|path| path.strip_prefix(BUILD)?.split_once('/'))
            .map(|(variant, _)| variant)
            .collect()
    }
}

impl Upload<'_> {
    /// Looks at the repository, and makes it where it is missing and may be made.
    fn look(&self) -> Result<There> {
        let Self { options, hub, target, .. } = self;
        let mut there = There::default();
        there.refs = match hub.refs(&target.repository, false) {
            Err(HubError::NoRepository { .. }) if options.dry_run && !options.create_pr => {
                there.new_repository = true;
                return Ok(there);
            }
            Err(HubError::NoRepository { .. }) if !options.create_pr => {
                let account = hub.who_am_i()?;
                let created = hub.create(&target.repository, options.private, &account.name)?;
                there.new_repository = true;
                if created == Created::Before {
                    self.look_at_visibility(&mut there)?;
                }
                hub.refs(&target.repository, false)?
            }
            refs => {
                let refs = refs?;
                self.look_at_visibility(&mut there)?;
                refs
            }
        };
        let branches = &there.refs.branches;
        let head = branches.get(&target.branch).or_else(|| branches.get(MAIN));
        there.tree = head.map(|head| hub.tree(&target.repository, head, "")).transpose()?.unwrap_or_default();
        if options.create_pr && there.new_branch(target) {
            let (repository, branch) = (target.repository.id(), target.branch.clone());
            return Err(UploadError::NoBranch { repository, branch }.into());
        }
        Ok(there)
    }

    /// Refuses to publish in a repository that more can see than was asked for.
    fn look_at_visibility(&self, there: &mut There) -> Result<()> {
        let Self { options, hub, target, .. } = self;
        let private = hub.is_private(&target.repository)?;
        there.private = private == Some(true);
        if options.private && !there.private {
            let repository = target.repository.id();
            let seen = if private.is_none() { "does not say who can see it" } else { "is public" };
            return Err(UploadError::Visibility { repository, seen }.into());
        }
        Ok(())
    }

    /// What there is to say where fewer can see the repository than was asked for.
    fn is_hidden(&self, there: &There) -> Option<Finding> {
        let message = format!(
            "`{}` is private: only those whom its owner lets see it can load what is published there",
            self.target.repository.id()
        );
        let is_news = there.private && !self.options.private;
        is_news.then(|| Finding::note(&code::upload::VISIBILITY, message))
    }

    /// The variants that are published on the branch, and stay there as they are.
    fn kept(&self, there: &There, artifacts: &[Artifact]) -> Vec<String> {
        if self.options.prune {
            return Vec::new();
        }
        let is_brought = |name: &&str| artifacts.iter().any(|artifact| artifact.name == **name);
        let published = there.published(self.target).into_iter();
        published.filter(|name| !is_brought(name)).map(str::to_owned).collect()
    }

    /// Whether they belong to what is uploaded.
    fn kept_findings(
        &self,
        there: &There,
        kept: &[String],
        artifacts: &[Artifact],
        known: &[Finding],
    ) -> Result<Vec<Finding>> {
        let head = there.refs.branches.get(&self.target.branch).filter(|_| !kept.is_empty());
        let Some(head) = head else { return Ok(Vec::new()) };
        let judged = (artifacts, self.options.allowed, known);
        staying::check(self.hub, &self.target.repository, (head, &there.tree), kept, judged)
    }

    /// Whether the version should have been raised.
    fn version_findings(&self, there: &There, artifacts: &[Artifact]) -> Result<Vec<Finding>> {
        let Some(head) = there.refs.branches.get(&self.target.branch) else { return Ok(Vec::new()) };
        version::check(self.hub, &self.target.repository, (head, &there.tree), artifacts)
    }
}
