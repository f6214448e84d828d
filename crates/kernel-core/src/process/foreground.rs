//! The user's own program, run in the foreground: with the user's whole environment, terminal and signals. What it writes is
//! its own; nothing of it is read.

use std::os::fd::AsFd;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::group::end_with_descendants;
use super::run::{End, ended};
use super::{Command, ProcessError};
use crate::Context;

/// How often to look whether it has ended.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long it may take to end by itself after an interruption.
const GRACE: Duration = Duration::from_secs(5);

impl Command {
    /// Runs it to its end, or to the end of the time that it has. Its standard output goes to standard error where ours is
    /// taken.
    #[expect(
        clippy::disallowed_methods,
        reason = "a program of the user's sees what the user's shell would show it"
    )]
    pub fn foreground(&self, context: &Context, output_is_taken: bool) -> Result<End, ProcessError> {
        let program = || self.program.clone();
        let started = |source| ProcessError::Start { program: program(), source };
        let mut command = std::process::Command::new(self.program.as_std_path());
        command.args(&self.arguments).envs(&self.variables).current_dir(&context.working_directory);
        if output_is_taken {
            command.stdout(Stdio::from(std::io::stderr().as_fd().try_clone_to_owned().map_err(started)?));
        }
        let mut child = command.spawn().map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => ProcessError::Missing {
                program: program(),
                remedy: "check how it is written, and that it is in `PATH`".to_owned(),
            },
            _ => started(source),
        })?;
        // An interruption from the terminal reaches the program as well, and it may end in its own way.
        let mut patience = GRACE;
        let deadline = self.timeout.and_then(|timeout| Some((Instant::now().checked_add(timeout)?, timeout)));
        loop {
            if let Some(status) = child.try_wait().map_err(started)? {
                return Ok(ended(status));
            }
            if let Some((at, timeout)) = deadline
                && Instant::now() >= at
            {
                end_with_descendants(&mut child);
                return Err(ProcessError::TimedOut { program: program(), timeout });
            }
            if context.cancelled.is_cancelled() {
                patience = patience.saturating_sub(INTERVAL);
            }
            if patience.is_zero() {
                // It may have ended meanwhile.
                let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            }
            std::thread::sleep(INTERVAL);
        }
    }
}
