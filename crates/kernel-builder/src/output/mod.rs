//! What the program says, to people or to programs. Both listen to the same events; nothing else in the program prints.

mod answer;
mod human;
mod json;
mod page;
mod problem;
mod stream;

use std::fmt;
use std::sync::{Arc, OnceLock};

use clap::ValueEnum;
use kernel_core::context::Cancellation;
use kernel_spec::event::{Event, Sink};
use kernel_spec::report::Failure;
use kernel_spec::{ExitClass, code};
use serde::{Deserialize, Serialize};

use human::Human;
use json::Json;
use stream::Stream;

/// When to colour: `auto` is on a terminal unless `NO_COLOR` is set. (Doc comments on the values would lengthen every help.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl fmt::Display for Color {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Color::Auto => "auto",
            Color::Always => "always",
            Color::Never => "never",
        })
    }
}

/// How the user wants to be told.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choices {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) color: Color,
}

/// The one way out for words.
pub(crate) struct Output {
    voice: Voice,
    answers: Arc<Stream>,
    cancel: OnceLock<Cancellation>,
}

enum Voice {
    Human(Human),
    Json(Json),
}

impl Output {
    pub(crate) fn new(choices: Choices) -> Self {
        let answers = Arc::new(Stream::standard_output(choices.color));
        let voice = if choices.json {
            Voice::Json(Json::new(Arc::clone(&answers)))
        } else {
            Voice::Human(Human::new(Arc::clone(&answers), choices))
        };
        Self { voice, answers, cancel: OnceLock::new() }
    }

    /// Whether standard output is for programs alone.
    pub(crate) fn is_json(&self) -> bool {
        matches!(self.voice, Voice::Json(_))
    }

    /// Nobody reads on: long work may end.
    pub(crate) fn cancel_when_closed(&self, cancelled: Cancellation) {
        self.cancel.get_or_init(|| cancelled);
    }

    pub(crate) fn send(&self, event: &Event) {
        match &self.voice {
            Voice::Human(human) => human.event(event),
            Voice::Json(json) => json.event(event),
        }
        if let (true, Some(cancelled)) = (self.answers.is_closed(), self.cancel.get()) {
            cancelled.cancel();
        }
    }

    /// Writes a page that the command line asked for: help, or the version.
    pub(crate) fn page(&self, text: &str) {
        self.answers.write(text);
    }

    /// The last act: an answer that could not be written turns success into failure.
    pub(crate) fn close(&self, status: u8) -> u8 {
        let Some(error) = self.answers.error() else { return status };
        let mut failure =
            Failure::new(&code::environment::OUTPUT, "the answer could not be written to standard output");
        failure.causes.push(error);
        Stream::standard_error(Color::Never).write(problem::failure(&failure).text());
        if status == ExitClass::Success.status() { failure.exit } else { status }
    }
}

impl Sink for Output {
    fn event(&self, event: &Event) {
        self.send(event);
    }
}
