//! Events: the one interface between the verbs and whoever shows their progress. Human output, JSON Lines and tests
//! are all listeners of the same stream.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Finding;
use crate::diagnostic::Diagnostic;
use crate::report::{Failure, Report};

/// Version of the event stream; raised when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// Something that happened.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// Always the first: what runs and which schema its lines follow.
    Start {
        /// Version of the event stream.
        schema: u32,
        /// Always `kernel-builder`.
        tool: String,
        /// Version of the tool.
        version: String,
        /// The command.
        command: String,
    },
    /// A stage of a verb began.
    Stage {
        /// Which.
        stage: Stage,
        /// For which variant, where it is for one.
        #[serde(skip_serializing_if = "Option::is_none")]
        variant: Option<String>,
        /// One line for people.
        message: String,
    },
    /// One step of many is done.
    Progress {
        /// Steps done.
        done: u64,
        /// Steps in all, as far as known.
        total: u64,
        /// What the step was.
        message: String,
    },
    /// Output of a child process. The line is the child's own: never trust it, never interpret it.
    Log {
        /// Which child.
        origin: String,
        /// One line without its end.
        line: String,
    },
    /// A message of a compiler, taken apart; its lines were events already.
    Diagnostic {
        /// The variant that was built.
        variant: String,
        /// The source that was compiled; none for a link.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// The section of the manifest that lists the source.
        #[serde(skip_serializing_if = "Option::is_none")]
        component: Option<String>,
        /// What the compiler said.
        diagnostic: Diagnostic,
    },
    /// A finding, as soon as it is known.
    Finding(Finding),
    /// Always the last where the command did its work. The news may still be bad, such as a failed test: the exit status
    /// says so, and so do the report's findings.
    Report(Report),
    /// Always the last where the command could not do its work.
    Error(Failure),
}

/// The stages of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Stage {
    Plan,
    Render,
    Fetch,
    Compile,
    Import,
    Stamp,
    Check,
    Seal,
    Test,
    Bench,
    Card,
    Sign,
    Verify,
    Upload,
    Wait,
}

/// Whoever listens to events.
pub trait Sink: Send + Sync {
    /// Takes one event; must not block for long.
    fn event(&self, event: &Event);
}

impl<S: Sink + ?Sized> Sink for std::sync::Arc<S> {
    fn event(&self, event: &Event) {
        (**self).event(event);
    }
}

/// A listener that hears nothing.
#[derive(Debug, Default)]
pub struct Silent;

impl Sink for Silent {
    fn event(&self, _event: &Event) {}
}
