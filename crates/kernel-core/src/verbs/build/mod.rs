//! `build`: plan, render, run the engine, then import, stamp, check and seal; each variant is replaced only when it is
//! complete.

pub(crate) mod choose;
mod import;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::Event;
use kernel_spec::event::Stage;
use kernel_spec::report::{BuildReport, BuiltVariant, Work};

use crate::engine::local::limits::limits;
use crate::engine::local::{Local, ninja, sandbox, staging};
use crate::engine::{Built, Job, Workshop};
use crate::render::FileSet;
use crate::verbs::plan::{Draft, Drafting, PlanOptions};
use crate::{Context, Result};

pub use choose::ChoiceError;

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
}

/// Builds the chosen variants.
pub fn build(context: &Context, options: &BuildOptions) -> Result<BuildReport> {
    let drafting = Drafting::open(context, &options.plan)?;
    let mut drafts = Vec::new();
    let mut jobs = Vec::new();
    for variant in &drafting.variants {
        stage(context, Stage::Plan, &variant.to_string(), "plan");
        let draft = drafting.draft(variant)?;
        jobs.push(job(&draft)?);
        drafts.push(draft);
    }
    let built = run(context, options, &drafting, &jobs)?;
    let output = options.output.as_ref().map(|path| context.resolve(path));
    let output = output.unwrap_or_else(|| drafting.project.directory.join("build"));
    let mut report = BuildReport { variants: Vec::new(), findings: Vec::new() };
    for draft in &drafts {
        let directory = import::import(context, &drafting.project, draft, &built, &output)?;
        report.findings.extend(draft.plan.findings.iter().cloned());
        report.variants.push(answer(draft, &built, &directory));
    }
    Ok(report)
}

fn answer(draft: &Draft, built: &Built, directory: &Utf8Path) -> BuiltVariant {
    BuiltVariant {
        variant: draft.plan.variant.clone(),
        directory: directory.to_string(),
        id: draft.plan.kernel.id.clone(),
        profile: draft.plan.profile,
        work: Work::Built,
        sandbox: draft.plan.library.as_ref().map(|_| built.sandbox.to_owned()),
        steps: built.ran.clone(),
    }
}

fn run(context: &Context, options: &BuildOptions, drafting: &Drafting, jobs: &[Job]) -> Result<Built> {
    if jobs.iter().all(|job| job.plan.library.is_none()) {
        return Ok(Built { libraries: std::collections::BTreeMap::new(), ran: Vec::new(), sandbox: "none" });
    }
    let project = &drafting.project.directory;
    let staged = staging::directory(project);
    if options.sandbox != sandbox::Mode::Off {
        staging::update(project, &staged, jobs.iter().flat_map(|job| &job.plan.inputs))?;
    }
    let engine = Local {
        ninja: ninja(context, &drafting.python.interpreter)?,
        sandbox: options.sandbox,
        limits: limits(options.jobs, options.keep_going),
    };
    stage(context, Stage::Compile, "", "compile");
    Ok(engine.build(context, Workshop { project, staged: &staged }, jobs)?)
}

/// Everything the engine needs for a draft.
fn job(draft: &Draft) -> Result<Job> {
    let Some(toolchain) = &draft.toolchain else {
        let (files, parts) = (FileSet::default(), std::collections::BTreeMap::new());
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

fn stage(context: &Context, stage: Stage, variant: &str, message: &str) {
    let variant = Some(variant.to_owned()).filter(|variant| !variant.is_empty());
    context.sink.event(&Event::Stage { stage, variant, message: message.to_owned() });
}
