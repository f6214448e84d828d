//! `validate`: check, build, test, bench and card in one call, which ends at the first step that fails and says what to
//! run next. Every step is the verb of its own name; nothing is decided twice.

mod log;
mod next;
mod rank;
mod run;

use camino::Utf8PathBuf;
use kernel_spec::code;
use kernel_spec::report::ValidateReport;
use kernel_spec::report::validate::{Step, StepOutcome, StepResult};

use crate::bench::Options;
use crate::forms::{self, Form};
use crate::project::Project;
use crate::verbs::bench::{FailOn, RequestedTarget, targets};
use crate::verbs::build::{self, BuildOptions};
use crate::{Context, Error, Result};
use log::Log;
use run::Run;

/// What `validate` is asked for with.
#[derive(Clone, Debug)]
pub struct ValidateOptions {
    /// What to build, and of which project.
    pub build: BuildOptions,
    /// Which news of the benchmark is a failure.
    pub fail_on: Vec<FailOn>,
    /// Targets that must have a verdict, of this machine or of another.
    pub on: Vec<RequestedTarget>,
    /// How to measure.
    pub measuring: Options,
    /// Further forms of the report.
    pub forms: Vec<Form>,
}

/// The verdict of a loop that did not come as far as the benchmark.
const FAILED: &str = "FAILED";

/// Goes through the loop.
pub fn validate(context: &Context, options: &ValidateOptions) -> Result<ValidateReport> {
    // Without the `.` of the default, because the path is shown.
    let directory: Utf8PathBuf = context.resolve(&options.build.plan.project).components().collect();
    if !directory.join(crate::project::MANIFEST).is_file() {
        // What to say of a project that is none is decided where projects are opened.
        Project::open(context, &options.build.plan.project)?;
    }
    build::links::refuse(&directory, true)?;
    let targets = targets::read(&directory, &options.on)?;
    let log = Log::begin(context, &directory)?;
    let inner = log.listen(context);
    let mut run = Run::new(&inner, options, targets);
    let stop = run.all().err();
    if stop.as_ref().is_some_and(|stop| stop.code == code::internal::INTERRUPTED.id) {
        return Err(Error::Interrupted);
    }
    let mut found = run.findings;
    found.extend(log.remarks().into_iter().map(|finding| (Step::Build, finding)));
    for (_, finding) in &found {
        log.keep(finding);
    }
    let path = log.end()?;
    let steps = all_steps(run.steps);
    let reports = forms::of_validate(&steps, &found, &directory, &options.forms)?;
    let (findings, left_out) = rank::rank(found);
    let verdict =
        if run.variants.is_empty() { FAILED.to_owned() } else { rank::worst_verdict(&run.variants) };
    Ok(ValidateReport {
        verdict,
        stopped_at: stop.as_ref().map(|stop| stop.step),
        code: stop.as_ref().map(|stop| stop.code.clone()),
        exit: stop.as_ref().map_or(0, |stop| stop.class.status()),
        steps,
        next: next::after(stop.as_ref(), &findings, &run.variants, options),
        findings,
        left_out,
        variants: run.variants,
        log: path.into_string(),
        reports: reports.into_iter().map(Utf8PathBuf::into_string).collect(),
        class: stop.map_or(kernel_spec::ExitClass::Success, |stop| stop.class),
    })
}

/// The steps that ran, and those that did not.
fn all_steps(mut ran: Vec<StepResult>) -> Vec<StepResult> {
    for step in Step::ALL.into_iter().skip(ran.len()) {
        ran.push(StepResult { step, outcome: StepOutcome::NotRun, summary: String::new() });
    }
    ran
}
