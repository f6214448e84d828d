//! What Ninja says while it runs, on this machine or inside a derivation: progress, the compilers' words, and why it
//! stopped.

pub(super) mod failure;
mod steps;
pub(super) mod transcript;

use kernel_spec::Event;
use kernel_spec::diagnostic::Diagnostic;

pub(super) use steps::Steps;
use transcript::{Said, Transcript};

use crate::Context;
use crate::engine::diagnostics::Reader;

/// Follows one run of Ninja: every line becomes events.
pub(super) struct Follower<'a> {
    context: &'a Context,
    steps: &'a Steps<'a>,
    transcript: Transcript,
    reader: Reader,
    step: String,
}

impl<'a> Follower<'a> {
    pub(super) fn new(context: &'a Context, steps: &'a Steps<'a>) -> Self {
        let (transcript, reader) = (Transcript::default(), Reader::default());
        Self { context, steps, transcript, reader, step: String::new() }
    }

    /// Takes one line.
    pub(super) fn take(&mut self, line: &str) {
        match self.transcript.take(line) {
            Said::Progress { done, total, what } => {
                let said = self.reader.end();
                self.tell(said);
                self.step.clone_from(&what);
                self.context.sink.event(&Event::Progress { done, total, message: what });
            }
            Said::Output(line) => {
                let said = self.reader.take(&line);
                self.context.sink.event(&Event::Log { origin: "compiler".to_owned(), line });
                self.tell(said);
            }
            Said::Aside => {}
        }
    }

    /// What was heard, when nothing more comes.
    pub(super) fn end(mut self) -> Transcript {
        let said = self.reader.end();
        self.tell(said);
        self.transcript
    }

    fn tell(&self, said: Option<Diagnostic>) {
        if let Some(event) = said.and_then(|said| self.steps.event(&self.step, said)) {
            self.context.sink.event(&event);
        }
    }
}
