//! Running one child to its end: reading both streams, watching the clock and the user's interruption, and saying how it
//! ended.

use std::collections::VecDeque;
use std::fmt;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::group::Group;
use super::{CAPTURE_LIMIT, Command, ProcessError, lines, memory};
use crate::Context;

/// How often to look at the clock and the user's interruption.
const INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait for the rest of the output after the child has ended.
const DRAIN: Duration = Duration::from_millis(500);
/// How many lines of standard error are kept for the error message.
const KEPT: usize = 60;
/// How often to try again while another thread still holds the program open for writing.
const BUSY_TRIES: u32 = 20;

/// Which stream a line came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// One line of a child, without its end. It is the child's own: never interpret it as ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it was written.
    pub stream: Stream,
    /// Its text, with bytes that are no UTF-8 replaced.
    pub text: String,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

impl fmt::Display for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exited(status) => write!(formatter, "ended with status {status}"),
            End::Signalled(signal) => write!(formatter, "was ended by signal {signal}"),
        }
    }
}

/// A child that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    program: camino::Utf8PathBuf,
    /// How.
    pub end: End,
    /// Its standard output, where it was captured.
    pub stdout: Vec<u8>,
    /// The last lines of its standard error.
    pub said: Vec<String>,
    /// Whether the kernel ended a process for lack of memory meanwhile, or the child says so.
    pub out_of_memory: bool,
}

impl Finished {
    /// Whether it ended with status 0.
    pub fn succeeded(&self) -> bool {
        self.end == End::Exited(0)
    }

    /// Itself, where it ended with status 0; otherwise the error that says how it ended.
    pub fn require_success(self) -> Result<Self, ProcessError> {
        if self.succeeded() {
            return Ok(self);
        }
        Err(if self.out_of_memory {
            ProcessError::OutOfMemory { program: self.program }
        } else {
            ProcessError::Failed { program: self.program, end: self.end, said: self.said }
        })
    }

    /// Its standard output as text, with bytes that are no UTF-8 replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// How a child ended.
pub(super) fn ended(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signalled(signal.unwrap_or_default()),
    }
}

/// What becomes of standard output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// Lines for the listener.
    Lines,
    /// Bytes for the caller.
    Bytes,
}

/// What a reader of a stream hands over.
pub(super) enum Message {
    Line(Line),
    Bytes(Vec<u8>),
}

/// Runs a child to its end.
pub(super) fn run(
    command: &Command,
    context: &Context,
    output: Output,
    listener: &mut dyn FnMut(&Line),
) -> Result<Finished, ProcessError> {
    let program = || command.program.clone();
    if context.cancelled.is_cancelled() {
        return Err(ProcessError::Interrupted { program: program() });
    }
    let kills_before = memory::kills();
    let (mut group, messages) = start(command, context, output)?;
    let deadline = command.timeout.and_then(|timeout| Some((Instant::now().checked_add(timeout)?, timeout)));
    let mut heard = Heard::default();
    let mut drained_by = None;
    loop {
        match messages.recv_timeout(INTERVAL) {
            Ok(message) => heard.take(message, listener),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if group.has_ended() => break,
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(5)),
        }
        if context.cancelled.is_cancelled() {
            group.end();
            return Err(ProcessError::Interrupted { program: program() });
        }
        if heard.stdout.len() > CAPTURE_LIMIT {
            group.end();
            return Err(ProcessError::TooMuchOutput { program: program(), limit: CAPTURE_LIMIT });
        }
        if let Some((at, timeout)) = deadline
            && Instant::now() >= at
        {
            group.end();
            return Err(ProcessError::TimedOut { program: program(), timeout });
        }
        // Something the child left behind may hold its output open for ever.
        if drained_by.is_none() && group.has_ended() {
            drained_by = Some(Instant::now() + DRAIN);
        }
        if drained_by.is_some_and(|at| Instant::now() >= at) {
            break;
        }
    }
    let status = group.reap().map_err(|source| ProcessError::Start { program: program(), source })?;
    Ok(heard.finished(program(), status, kills_before))
}

/// What was heard of a child so far.
#[derive(Default)]
pub(super) struct Heard {
    stdout: Vec<u8>,
    said: VecDeque<String>,
    killed: bool,
}

impl Heard {
    pub(super) fn take(&mut self, message: Message, listener: &mut dyn FnMut(&Line)) {
        match message {
            Message::Bytes(bytes) => self.stdout.extend(bytes),
            Message::Line(line) => {
                self.killed |= memory::tells_of_a_kill(&line.text);
                listener(&line);
                if line.stream == Stream::Error {
                    if self.said.len() == KEPT {
                        self.said.pop_front();
                    }
                    self.said.push_back(line.text);
                }
            }
        }
    }

    pub(super) fn finished(
        self,
        program: camino::Utf8PathBuf,
        status: ExitStatus,
        before: Option<u64>,
    ) -> Finished {
        let end = ended(status);
        // 137 is how shells and containers report a child that ended by SIGKILL.
        let by_kill = matches!(end, End::Signalled(9) | End::Exited(137)) || self.killed;
        let out_of_memory = match (before, memory::kills()) {
            // Kills elsewhere in the group of processes count too, so the child must have failed as well.
            (Some(before), Some(after)) if after > before => end != End::Exited(0),
            _ => by_kill && end != End::Exited(0),
        };
        Finished { program, end, stdout: self.stdout, said: self.said.into(), out_of_memory }
    }
}

fn start(
    command: &Command,
    context: &Context,
    output: Output,
) -> Result<(Group, Receiver<Message>), ProcessError> {
    let stdin = if command.input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = spawn(command, context, stdin)?;
    let messages = listen(&mut child, output);
    if let (Some(mut stdin), Some(bytes)) = (child.stdin.take(), command.input.clone()) {
        // A child that does not read its input to the end is no fault.
        std::thread::spawn(move || stdin.write_all(&bytes));
    }
    Ok((Group::new(child), messages))
}

/// Begins to read both streams of a child.
pub(super) fn listen(child: &mut std::process::Child, output: Output) -> Receiver<Message> {
    let (sender, messages) = sync_channel(256);
    if let Some(stdout) = child.stdout.take() {
        let sender = sender.clone();
        std::thread::spawn(move || match output {
            Output::Lines => read_lines(stdout, Stream::Output, &sender),
            Output::Bytes => read_bytes(stdout, &sender),
        });
    }
    if let Some(stderr) = child.stderr.take() {
        std::thread::spawn(move || read_lines(stderr, Stream::Error, &sender));
    }
    messages
}

/// Starts a child as the leader of a group of its own.
#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub(super) fn spawn(
    command: &Command,
    context: &Context,
    stdin: Stdio,
) -> Result<std::process::Child, ProcessError> {
    let directory = command.directory.as_deref().unwrap_or(&context.working_directory);
    let mut process = std::process::Command::new(&command.program);
    process
        .args(&command.arguments)
        .current_dir(directory)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    if command.everything {
        process.envs(&command.variables);
    } else {
        process.env_clear().envs(command.environment(&context.environment));
    }
    let mut tries = 0;
    loop {
        match process.spawn() {
            Ok(child) => return Ok(child),
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => {
                tries += 1;
                std::thread::sleep(INTERVAL);
            }
            Err(source) => return Err(explain(command, directory, source)),
        }
    }
}

fn explain(command: &Command, directory: &camino::Utf8Path, source: std::io::Error) -> ProcessError {
    let program = command.program.clone();
    if source.kind() != std::io::ErrorKind::NotFound {
        return ProcessError::Start { program, source };
    }
    if !directory.is_dir() {
        return ProcessError::Directory { program, directory: directory.to_owned() };
    }
    let remedy = match &command.remedy {
        Some(remedy) => remedy.clone(),
        None => format!("install it, or make sure that `{program}` is in a directory of `PATH`"),
    };
    ProcessError::Missing { program, remedy }
}

fn read_lines(stream: impl Read, from: Stream, sender: &SyncSender<Message>) {
    lines::read(stream, |text| sender.send(Message::Line(Line { stream: from, text })).is_ok());
}

fn read_bytes(mut stream: impl Read, sender: &SyncSender<Message>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        if sender.send(Message::Bytes(buffer[..count].to_vec())).is_err() {
            return;
        }
    }
}
