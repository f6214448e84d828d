//! `build`: plan, render, run the engine, then import, stamp, check and seal; each variant is replaced only when it is
//! complete.

pub(crate) mod choose;
mod finish;
pub mod inside;
pub(super) mod links;
mod memory;
mod reproduce;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Event;
use kernel_spec::event::Stage;
use kernel_spec::metadata::Metadata;
use kernel_spec::plan::{Language, Profile};
use kernel_spec::report::{BuildReport, BuiltVariant, Work};

use crate::digest::METADATA;
use crate::engine::limits::limits;
use crate::engine::local::{Local, ninja, sandbox};
use crate::engine::{Built, Engine, Job, Workshop, staging};
use crate::provenance::{Provenance, Repository};
use crate::render::FileSet;
use crate::render::ninja::build_directory;
use crate::seal::BUILD_DIRECTORY;
use crate::toolchain::lock::LOCK;
use crate::toolchain::parts::ToolchainError;
use crate::toolchain::store::Store;
use crate::verbs::next;
use crate::verbs::plan::{Draft, Drafting, PlanOptions};
use crate::workspace_lock::WorkspaceLock;
use crate::{Context, Result};
use finish::Finish;

pub use choose::{ChoiceError, Wanted};
pub use links::LeadsOut;

/// What a build is asked for with.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// What to build.
    pub plan: PlanOptions,
    /// Whether commands are confined.
    pub sandbox: sandbox::Mode,
    /// Commands at once; from cores and memory where not given.
    pub jobs: Option<usize>,
    /// Whether other steps go on after a failure.
    pub keep_going: bool,
    /// Where variants are put; the project's `build` where not given.
    pub output: Option<Utf8PathBuf>,
    /// Whether everything is built once more elsewhere and compared.
    pub check_reproducible: bool,
}

/// A variant on its way.
struct Candidate {
    draft: Draft,
    job: Job,
    sources: Provenance,
    made_from: String,
    is_current: bool,
}

/// Builds the chosen variants.
pub fn build(context: &Context, options: &BuildOptions) -> Result<BuildReport> {
    let drafting = Drafting::open(context, &options.plan)?;
    let project = &drafting.project.directory;
    links::refuse(project, options.output.is_none())?;
    let _lock = WorkspaceLock::acquire(context, project)?;
    let output = options.output.as_ref().map(|path| context.resolve(path));
    let output = output.unwrap_or_else(|| project.join(BUILD_DIRECTORY));
    let repository = Repository::open(project);
    let report = make(context, options, &drafting, &repository, &output)?;
    if options.check_reproducible {
        reproduce::check(context, options, &drafting, &repository, &report)?;
    }
    Ok(report)
}

/// Builds every drafted variant into `output`.
fn make(
    context: &Context,
    options: &BuildOptions,
    drafting: &Drafting,
    repository: &Repository,
    output: &Utf8Path,
) -> Result<BuildReport> {
    let mut candidates = Vec::new();
    for variant in &drafting.variants {
        let draft = drafting.draft(variant)?;
        candidates.push(candidate(drafting, draft, repository, output, options)?);
    }
    let jobs: Vec<Job> = candidates
        .iter()
        .filter(|candidate| !candidate.is_current)
        .map(|candidate| candidate.job.clone())
        .collect();
    if options.plan.profile == Profile::Release {
        recheck(context, drafting, &candidates)?;
    }
    let built = run(context, options, drafting, &jobs)?;
    let mut report = BuildReport { variants: Vec::new(), findings: Vec::new(), next: Vec::new() };
    for candidate in &candidates {
        report.findings.extend(candidate.draft.plan.findings.iter().cloned());
        let variant = if candidate.is_current {
            up_to_date(&candidate.draft, output)
        } else {
            place(context, drafting, candidate, &built, output, &mut report)?
        };
        report.variants.push(variant);
    }
    // Tests look for the variants where a build puts them by itself.
    if options.output.is_none() {
        report.next = next::command(&["test"], &options.plan.project, options.plan.python.as_deref());
    }
    Ok(report)
}

/// Reads what a release is about to be compiled with once more: the fetched parts, and under a lock the compiler as well.
fn recheck(context: &Context, drafting: &Drafting, candidates: &[Candidate]) -> Result<()> {
    let compiled: Vec<&Candidate> = candidates.iter().filter(|candidate| !candidate.is_current).collect();
    let parts = compiled.iter().flat_map(|candidate| candidate.job.parts.values());
    Store::new(&drafting.cache).verify(parts)?;
    let mut toolchains = compiled.iter().filter_map(|candidate| candidate.draft.toolchain.as_ref());
    // Nix's own names its bytes by their path, and they cannot be changed.
    let by_machine = matches!(drafting.engine, Engine::Local);
    match toolchains.find(|toolchain| by_machine && toolchain.lock.is_some()) {
        Some(toolchain) => Ok(toolchain.compiler.recheck(context).map_err(ToolchainError::from)?),
        None => Ok(()),
    }
}

fn candidate(
    drafting: &Drafting,
    draft: Draft,
    repository: &Repository,
    output: &Utf8Path,
    options: &BuildOptions,
) -> Result<Candidate> {
    let project = &drafting.project;
    let job = job(&draft)?;
    let files = draft.plan.inputs.iter().map(|input| input.path.as_str());
    let package = project.manifest.package_directory();
    let lock = drafting.lock.as_ref().map(|lock| lock.digest.as_str());
    let sources = repository.provenance(files.chain(lock.map(|_| LOCK)), Some(&package));
    let made_from = memory::made_from(drafting.engine.name(), &job, &sources, lock);
    let build = project.directory.join(build_directory(&draft.plan.variant));
    let place = output.join(&draft.plan.variant);
    let is_current = memory::is_current(&build, &place, &made_from, options.sandbox);
    Ok(Candidate { draft, job, sources, made_from, is_current })
}

fn run(context: &Context, options: &BuildOptions, drafting: &Drafting, jobs: &[Job]) -> Result<Built> {
    let jobs: Vec<Job> = jobs.iter().filter(|job| job.plan.library.is_some()).cloned().collect();
    if jobs.is_empty() {
        let engine = drafting.engine.name();
        return Ok(Built { libraries: BTreeMap::new(), ran: Vec::new(), engine, sandbox: "off" });
    }
    let project = &drafting.project.directory;
    let names: Vec<&str> = jobs.iter().map(|job| job.plan.variant.as_str()).collect();
    announce(context, Stage::Compile, &names.join(", "), "compile and link");
    let limits = limits(options.jobs, options.keep_going, jobs.iter().any(compiles_cuda));
    if let Engine::Nix(nix) = &drafting.engine {
        return Ok(nix.build(context, project, limits, &jobs)?);
    }
    let staged = staging::directory(project);
    if options.sandbox != sandbox::Mode::Off {
        staging::update(project, &staged, jobs.iter().flat_map(|job| &job.plan.inputs))?;
    }
    let engine =
        Local { ninja: ninja(context, &drafting.python.interpreter)?, sandbox: options.sandbox, limits };
    Ok(engine.build(context, Workshop { project, staged: &staged }, &jobs)?)
}

fn compiles_cuda(job: &Job) -> bool {
    let mut steps = job.plan.library.iter().flat_map(|library| &library.compile);
    steps.any(|step| step.language == Language::Cuda)
}

fn place(
    context: &Context,
    drafting: &Drafting,
    candidate: &Candidate,
    built: &Built,
    output: &Utf8Path,
    report: &mut BuildReport,
) -> Result<BuiltVariant> {
    let Candidate { draft, sources, made_from, .. } = candidate;
    let restamped = has_other_commit(&output.join(&draft.plan.variant), sources);
    let (sealed, findings) = Finish { context, drafting, draft, built, sources }.seal(output)?;
    report.findings.extend(findings);
    let build = drafting.project.directory.join(build_directory(&draft.plan.variant));
    memory::remember(&build, &sealed, made_from.clone(), built.sandbox);
    let steps: Vec<String> = built.steps_of(&candidate.job).map(str::to_owned).collect();
    let work = match (steps.is_empty(), sealed.changed) {
        (true, false) => Work::UpToDate,
        (true, true) if restamped => Work::Restamped,
        _ => Work::Built,
    };
    Ok(BuiltVariant {
        variant: draft.plan.variant.clone(),
        directory: sealed.directory.to_string(),
        id: draft.plan.kernel.id.clone(),
        profile: draft.plan.profile,
        work,
        sandbox: draft.plan.library.as_ref().map(|_| built.sandbox.to_owned()),
        steps,
    })
}

/// Whether the variant in place speaks of another state of the repository.
fn has_other_commit(place: &Utf8Path, sources: &Provenance) -> bool {
    let text = fs_err::read(place.join(METADATA)).ok();
    let metadata = text.and_then(|text| Metadata::from_json(&text).ok());
    metadata.is_some_and(|metadata| {
        let recorded = metadata.provenance.and_then(|provenance| provenance.kernel);
        recorded.as_ref() != sources.state()
    })
}

fn up_to_date(draft: &Draft, output: &Utf8Path) -> BuiltVariant {
    BuiltVariant {
        variant: draft.plan.variant.clone(),
        directory: output.join(&draft.plan.variant).to_string(),
        id: draft.plan.kernel.id.clone(),
        profile: draft.plan.profile,
        work: Work::UpToDate,
        sandbox: None,
        steps: Vec::new(),
    }
}

/// Everything the engine needs for a draft.
pub(crate) fn job(draft: &Draft) -> Result<Job> {
    let Some(toolchain) = &draft.toolchain else {
        let (files, parts) = (FileSet::default(), BTreeMap::new());
        return Ok(Job { plan: draft.plan.clone(), files, parts, directories: Vec::new() });
    };
    let files = crate::render::variant::files(&draft.plan, &toolchain.tools(), &toolchain.stamp)?;
    Ok(Job {
        plan: draft.plan.clone(),
        files,
        parts: toolchain.parts.clone(),
        directories: toolchain.directories(),
    })
}

fn announce(context: &Context, stage: Stage, variant: &str, message: &str) {
    context.sink.event(&Event::Stage {
        stage,
        variant: Some(variant.to_owned()),
        message: message.to_owned(),
    });
}
