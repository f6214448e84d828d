//! A child that is talked to. Its standard input is one end of a private socket, so that the talk needs no inherited
//! descriptor, no path and no variable that code inside the child could find by name; what it writes to its standard
//! output and error is a log like any other child's and never interpreted.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::group::Group;
use super::run::{Heard, Message, Output, listen, spawn};
use super::{Command, Finished, Line, ProcessError, memory};
use crate::Context;

/// How often to look at the clock, the logs and the user's interruption.
const INTERVAL: Duration = Duration::from_millis(20);
/// Longest line that is taken, in bytes.
const LONGEST: usize = 1 << 20;
/// How long a child that was told goodbye may take to end.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long to wait for the last lines of its logs.
const DRAIN: Duration = Duration::from_millis(200);

/// A child and the socket to it. Dropping it ends the child with everything that it started.
pub struct Conversation<'a> {
    context: &'a Context,
    program: camino::Utf8PathBuf,
    group: Group,
    socket: UnixStream,
    unread: Vec<u8>,
    logs: Receiver<Message>,
    heard: Heard,
    kills_before: Option<u64>,
}

/// Why no answer came.
#[derive(Debug, Error)]
pub enum Silence {
    /// The child ended, or closed its end.
    #[error("it ended without an answer")]
    Ended,
    /// It took too long.
    #[error("it gave no answer within {} seconds", .0.as_secs_f32())]
    TimedOut(Duration),
    /// It wrote a line that is longer than any answer.
    #[error("it wrote a line of more than {LONGEST} bytes")]
    TooLong,
    /// The user asked for the end, or the system failed.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl Command {
    /// Starts it for a talk over its standard input.
    pub fn converse<'a>(&self, context: &'a Context) -> Result<Conversation<'a>, ProcessError> {
        let program = self.program.clone();
        let failed = |source| ProcessError::Start { program: program.clone(), source };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        ours.set_read_timeout(Some(INTERVAL)).map_err(failed)?;
        ours.set_write_timeout(Some(FAREWELL)).map_err(failed)?;
        let kills_before = memory::kills();
        let mut child = spawn(self, context, Stdio::from(OwnedFd::from(theirs)))?;
        let logs = listen(&mut child, Output::Lines);
        Ok(Conversation {
            context,
            program,
            group: Group::new(child),
            socket: ours,
            unread: Vec::new(),
            logs,
            heard: Heard::default(),
            kills_before,
        })
    }
}

impl Conversation<'_> {
    /// Says one line; the end of line is added.
    pub fn say(&mut self, line: &str) -> Result<(), Silence> {
        let sent = self.socket.write_all(line.as_bytes()).and_then(|()| self.socket.write_all(b"\n"));
        sent.map_err(|_closed| Silence::Ended)
    }

    /// Waits for the next line, without its end; lines of the child's logs go to `listener` meanwhile.
    pub fn hear(&mut self, within: Duration, listener: &mut dyn FnMut(&Line)) -> Result<Vec<u8>, Silence> {
        let deadline = Instant::now() + within;
        let mut piece = vec![0; 64 << 10];
        let mut searched = 0;
        loop {
            if let Some(end) = self.unread[searched..].iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.unread.drain(..=searched + end).collect();
                line.pop();
                return Ok(line);
            }
            searched = self.unread.len();
            if searched > LONGEST {
                return Err(Silence::TooLong);
            }
            match self.socket.read(&mut piece) {
                Ok(0) => return Err(Silence::Ended),
                Ok(count) => self.unread.extend_from_slice(&piece[..count]),
                // What the child left behind may hold the socket open after it.
                Err(error) if is_pause(error.kind()) => {
                    if self.group.has_ended() {
                        return Err(Silence::Ended);
                    }
                }
                Err(_closed) => return Err(Silence::Ended),
            }
            while let Ok(message) = self.logs.try_recv() {
                self.heard.take(message, listener);
            }
            if self.context.cancelled.is_cancelled() {
                return Err(ProcessError::Interrupted { program: self.program.clone() }.into());
            }
            if Instant::now() >= deadline {
                return Err(Silence::TimedOut(within));
            }
        }
    }

    /// Waits a little for the child to end by itself, ends it otherwise, and says how it ended.
    pub fn close(mut self, listener: &mut dyn FnMut(&Line)) -> Result<Finished, ProcessError> {
        // Nothing that is still to come would be an answer.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let deadline = Instant::now() + FAREWELL;
        while !self.group.has_ended() && Instant::now() < deadline && !self.context.cancelled.is_cancelled() {
            std::thread::sleep(Duration::from_millis(5));
        }
        if !self.group.has_ended() {
            self.group.end();
        }
        let status = self
            .group
            .reap()
            .map_err(|source| ProcessError::Start { program: self.program.clone(), source })?;
        let drained = Instant::now() + DRAIN;
        while let Ok(message) = self.logs.recv_timeout(drained.saturating_duration_since(Instant::now())) {
            self.heard.take(message, listener);
        }
        Ok(self.heard.finished(self.program, status, self.kills_before))
    }
}

fn is_pause(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
