//! `run`: a program of the user's, whose kernels are held against pins before their code is imported, switched with what
//! they replace, timed, or explained. It is no sandbox: a program that wants to go past the hook can.

mod compare;
mod findings;
mod hook;
mod pins;
mod said;
mod share;

use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use kernel_spec::event::Stage;
use kernel_spec::report::run::{RunReport, VerifiedKernel};
use kernel_spec::{Event, Finding, code};
use miette::Diagnostic;
use thiserror::Error;

pub use compare::{Comparing, compare};
pub use hook::UnreachableError;
pub use pins::PinsError;

use super::bench::saved;
use crate::process::{End, ProcessError};
use crate::{Context, Result};
use hook::{Hook, Wanted};
use said::Said;

/// Asks for a line about what ran; the program's own variable too.
const EXPLAIN: &str = "KERNEL_BUILDER_EXPLAIN";

/// What to run, and what to do with its kernels.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Whether standard output is taken, so that the program's goes to standard error.
    pub output_is_taken: bool,
    /// The file that `pin` wrote, to hold kernels against.
    pub pins: Option<Utf8PathBuf>,
    /// Which implementation the program gets.
    pub switch: Option<Use>,
    /// Files that stand for kernels that the program gets directly, by the kernels' names.
    pub baselines: Vec<(String, Utf8PathBuf)>,
    /// Kernels that the program is told are not there.
    pub absent: Vec<String>,
    /// Whether the operations are timed.
    pub share: bool,
    /// The document of `bench` that says how fast the kernel is; without it the one beside the kernel, if there is one.
    pub document: Option<Utf8PathBuf>,
    /// How long the program may run.
    pub timeout: Option<Duration>,
}

/// Which implementation a program gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// As the program has it.
    Auto,
    /// The kernels; to do without one is a failure.
    Kernel,
    /// What the kernels replace.
    Baseline,
}

impl Use {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Kernel => "kernel",
            Self::Baseline => "baseline",
        }
    }

    /// What the library's own switch for layers is set to.
    fn disables_layers(self) -> Option<bool> {
        match self {
            Self::Auto => None,
            Self::Kernel => Some(false),
            Self::Baseline => Some(true),
        }
    }
}

/// A baseline is not there.
#[derive(Debug, Error, Diagnostic)]
#[error("`{path}`, the baseline of `{kernel}`, is no file")]
#[diagnostic(
    code("run/baseline"),
    help("name a Python file with functions of the same names as the kernel's")
)]
pub struct BaselineError {
    kernel: String,
    path: Utf8PathBuf,
}

/// Runs a program once.
pub fn run(context: &Context, options: &RunOptions) -> Result<RunReport> {
    let pinned = options.pins.as_ref().map(|path| pins::read(context, path)).transpose()?;
    let document = options.document.as_ref().map(|path| saved(&context.resolve(path))).transpose()?;
    check_baselines(context, &options.baselines)?;
    let explain = context.environment.get(EXPLAIN).is_some_and(|value| value != "0");
    let observes = options.share || explain;
    let wanted = Wanted {
        pinned: pinned.as_ref(),
        switch: options.switch.or(observes.then_some(Use::Auto)),
        baselines: &options.baselines,
        absent: &options.absent,
        share: options.share,
        explain,
        memory: false,
    };
    let hook = Hook::new(context, &wanted)?;
    let mut command = hook.command(&options.command);
    if let Some(timeout) = options.timeout {
        command = command.timeout(timeout);
    }
    let begin = Instant::now();
    let end = match command.foreground(context, options.output_is_taken) {
        Err(late @ ProcessError::TimedOut { .. }) => Ended::Late(late),
        ended => Ended::Itself(ended?),
    };
    let mut report = report(options, &hook.said()?, &end, begin.elapsed().as_secs_f64());
    if let (Some(document), Some(share)) = (&document, &mut report.share)
        && let Some(speedup) = share::speedup(document)
    {
        share::add_gain(share, speedup);
    }
    for VerifiedKernel { kernel, directory } in &report.verified {
        let message = format!("{kernel} in {directory} is what is pinned");
        context.sink.event(&Event::Stage { stage: Stage::Check, variant: None, message });
    }
    Ok(report)
}

/// How a program ended.
enum Ended {
    Itself(End),
    Late(ProcessError),
}

fn check_baselines(context: &Context, baselines: &[(String, Utf8PathBuf)]) -> Result<(), BaselineError> {
    match baselines.iter().find(|(_, path)| !context.resolve(path).is_file()) {
        Some((kernel, path)) => Err(BaselineError { kernel: kernel.clone(), path: path.clone() }),
        None => Ok(()),
    }
}

fn report(options: &RunOptions, said: &Said, end: &Ended, seconds: f64) -> RunReport {
    let program = options.command.first().map_or("", String::as_str);
    let mut findings = findings::of_record(said);
    findings.extend(match end {
        Ended::Itself(End::Exited(0)) => None,
        Ended::Itself(end) => Some(Finding::error(&code::run::FAILED, format!("`{program}` {end}"))),
        Ended::Late(late) => Some(Finding::error(&code::run::TIMEOUT, late.to_string())),
    });
    let failed = !findings.is_empty();
    findings.extend(findings::of_switch(options, said));
    let mut share = (options.share && said.started).then(|| Box::new(share::share(said, seconds)));
    if let Some(share) = &mut share {
        findings.extend(share::remarks(said));
        match share::beside(said).map(|document| document.as_ref().and_then(share::speedup)) {
            Ok(speedup) => speedup.into_iter().for_each(|speedup| share::add_gain(share, speedup)),
            Err(unreadable) => findings.push(*unreadable),
        }
    }
    findings.extend(findings::of_nothing(options, said, failed));
    RunReport {
        program: options.command.clone(),
        end: match end {
            Ended::Itself(end) => end.to_string(),
            Ended::Late(late) => late.to_string(),
        },
        seconds,
        verified: said.verified.clone(),
        implementations: said.implementations.iter().cloned().collect(),
        explained: said.explained.clone(),
        share,
        compared: None,
        findings,
    }
}
