//! One child of a benchmark: started with nothing of the user's environment, asked one question at a time, and held to
//! its answers.

use std::time::{Duration, Instant};

use kernel_bench::measurement::{Fault, FaultKind};
use kernel_bench::protocol::{
    Hello, HelloAnswer, Question, RUNNER_PACKAGE, Random, Refusal, RefusalKind, Sequence, Violation,
};
use kernel_spec::Event;
use thiserror::Error;

use super::workshop::Workshop;
use crate::process::{Command, Conversation, ProcessError, Silence};

/// How long the interpreter may take to load the framework.
const START: Duration = Duration::from_mins(5);

/// A running child.
pub(crate) struct Child<'a> {
    workshop: &'a Workshop<'a>,
    conversation: Conversation<'a>,
    sequence: Sequence,
    /// What it said of itself.
    pub(crate) hello: HelloAnswer,
}

/// Why a question has no answer.
#[derive(Debug, Error)]
pub(crate) enum Unanswered {
    /// The runner answered that it could not.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Something else than the runner wrote to the channel.
    #[error("something else than the runner wrote to its channel: {0}")]
    Violated(#[from] Violation),
    /// No answer came; the child is lost.
    #[error("the process that measured it is lost: {0}{1}")]
    Lost(Silence, String),
    /// The user asked for the end, or the system failed.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl<'a> Child<'a> {
    /// Starts a child and waits until it is confined.
    pub(crate) fn start(workshop: &'a Workshop<'a>, random: &mut Random) -> Result<Self, Unanswered> {
        let padding = "x".repeat(random.below(4096));
        let start = "import sys; sys.path.insert(0, sys.argv.pop(1)); import runpy; \
                     runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=False)";
        let conversation = Command::new(workshop.interpreter)
            .arguments(["-I", "-B", "-c", start, workshop.scratch.root.as_str(), RUNNER_PACKAGE])
            .directory(workshop.project)
            .variable("HOME", workshop.scratch.root.join("home"))
            .variable("HF_HUB_OFFLINE", "1")
            .variable("PYTHONHASHSEED", "0")
            // The profiler that observes a call would write of itself.
            .variable("KINETO_LOG_LEVEL", "99")
            // Where the stack begins depends on the size of the environment.
            .variable("KERNEL_BUILDER_PADDING", padding)
            .remedy("give a Python environment with `--python`")
            .converse(workshop.context)?;
        let sequence = Sequence::new(Random::new(random.number()));
        let hello =
            HelloAnswer { python: String::new(), memory_limited: false, network_left: false, tick: 0 };
        let mut child = Self { workshop, conversation, sequence, hello };
        let (memory, directory) = (workshop.memory, workshop.project.to_owned());
        let question = Hello { memory, directory, threads: workshop.threads };
        child.hello = child.ask(&question, START)?;
        Ok(child)
    }

    /// Asks and waits for the answer.
    pub(crate) fn ask<Q: Question>(
        &mut self,
        question: &Q,
        within: Duration,
    ) -> Result<Q::Answer, Unanswered> {
        Ok(self.timed(question, within)?.0)
    }

    /// Asks, waits for the answer, and says how long that took by this process's own clock.
    pub(crate) fn timed<Q: Question>(
        &mut self,
        question: &Q,
        within: Duration,
    ) -> Result<(Q::Answer, Duration), Unanswered> {
        let asked = self.sequence.ask(question);
        let sink = &self.workshop.context.sink;
        let mut log = |line: &crate::process::Line| {
            sink.event(&Event::Log { origin: "bench".to_owned(), line: line.text.clone() });
        };
        let begin = Instant::now();
        let line = self.conversation.say(&asked.line).and_then(|()| self.conversation.hear(within, &mut log));
        let taken = begin.elapsed();
        match line {
            Ok(line) => Ok((asked.read::<Q>(&line)??, taken)),
            Err(Silence::Process(error)) => Err(error.into()),
            Err(silence) => Err(Unanswered::Lost(silence, String::new())),
        }
    }

    /// Ends the child.
    pub(crate) fn end(self) -> Result<(), ProcessError> {
        self.conversation.close(&mut |_| {}).map(drop)
    }

    /// Ends a child that gave no answer, and adds how it ended to the reason.
    pub(crate) fn end_after(self, unanswered: Unanswered) -> Result<Unanswered, ProcessError> {
        let finished = self.conversation.close(&mut |_| {})?;
        Ok(match unanswered {
            Unanswered::Lost(Silence::Ended, _) => {
                let words = finished.said.iter().rev().find(|line| !line.trim().is_empty());
                let words = words.map_or_else(String::new, |line| format!(": {}", line.trim()));
                Unanswered::Lost(Silence::Ended, format!(" (it {}{words})", finished.end))
            }
            other => other,
        })
    }
}

impl Unanswered {
    /// Whether the child can be asked again.
    pub(crate) fn is_recoverable(&self) -> bool {
        matches!(self, Self::Refused(_))
    }

    /// What this says about the workload that was asked for, unless it concerns the whole run.
    pub(crate) fn fault(self) -> Result<Fault, ProcessError> {
        let reason = self.to_string();
        let kind = match self {
            Self::Process(error) => return Err(error),
            Self::Violated(_) => FaultKind::Suspect,
            Self::Lost(..) => FaultKind::Crashed,
            Self::Refused(refusal) => {
                let place = refusal.place.map_or_else(String::new, |place| format!(" ({place})"));
                let kind = match refusal.kind {
                    RefusalKind::Unsupported => FaultKind::Unsupported,
                    RefusalKind::NoOutput => FaultKind::Incorrect,
                    _ => FaultKind::Error,
                };
                return Ok(Fault { kind, reason: format!("{reason}{place}") });
            }
        };
        Ok(Fault { kind, reason })
    }
}
