//! A standard stream that never panics: a closed pipe makes it silent, any other fault is kept for the end.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};

use super::Color;

type Writer = AutoStream<Box<dyn Write + Send>>;

/// One standard stream, written whole pages at a time.
pub(crate) struct Stream {
    state: Mutex<State>,
    terminal: bool,
}

struct State {
    writer: Writer,
    fault: Option<std::io::Error>,
}

impl Stream {
    pub(crate) fn standard_output(color: Color) -> Self {
        let stdout = std::io::stdout();
        let choice = choose(color, AutoStream::choice(&stdout));
        Self::new(stdout.is_terminal(), AutoStream::new(Box::new(stdout) as Box<dyn Write + Send>, choice))
    }

    pub(crate) fn standard_error(color: Color) -> Self {
        let stderr = std::io::stderr();
        let choice = choose(color, AutoStream::choice(&stderr));
        Self::new(stderr.is_terminal(), AutoStream::new(Box::new(stderr) as Box<dyn Write + Send>, choice))
    }

    fn new(terminal: bool, writer: Writer) -> Self {
        Self { terminal, state: Mutex::new(State { writer, fault: None }) }
    }

    /// Whether a person watches.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    pub(crate) fn write(&self, text: &str) {
        let mut state = self.state();
        if state.fault.is_none() {
            let written = state.writer.write_all(text.as_bytes()).and_then(|()| state.writer.flush());
            state.fault = written.err();
        }
    }

    /// Whether the reader went away.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().fault.as_ref().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    }

    /// A fault other than a reader that went away.
    pub(crate) fn error(&self) -> Option<String> {
        let state = self.state();
        let fault = state.fault.as_ref().filter(|error| error.kind() != ErrorKind::BrokenPipe);
        fault.map(ToString::to_string)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the user says counts for more than what the terminal and the environment suggest.
fn choose(color: Color, suggested: ColorChoice) -> ColorChoice {
    match color {
        Color::Auto => suggested,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}
