//! A child with everything it started: it leads a process group of its own, and is ended with it. Ninja puts each
//! compiler into a further group, so the descendants are looked up as well where the system shows them.

use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

/// How long the group may take to end by itself once it was asked to.
const GRACE: Duration = Duration::from_secs(1);
/// How often to look.
const INTERVAL: Duration = Duration::from_millis(10);

/// A running child that leads its own process group. Dropping it ends the group.
pub(super) struct Group {
    child: Child,
    pid: Pid,
    reaped: bool,
}

impl Group {
    /// Takes over a child that was started as the leader of a group.
    pub(super) fn new(child: Child) -> Self {
        let pid = Pid::from_child(&child);
        Self { child, pid, reaped: false }
    }

    /// Whether the child has ended. It stays a zombie, so that its number cannot become another's before the group was
    /// dealt with.
    pub(super) fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None))
    }

    /// Waits for the child, then ends what it left behind in its group.
    pub(super) fn reap(&mut self) -> std::io::Result<std::process::ExitStatus> {
        if self.reaped {
            return self.child.wait();
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(self.pid), options), Err(rustix::io::Errno::INTR)) {}
        // A group of which nobody is left is no fault.
        let _ = kill_process_group(self.pid, Signal::KILL);
        self.reaped = true;
        self.child.wait()
    }

    /// Asks the group to end, gives it a second, then ends it and all descendants.
    pub(super) fn end(&mut self) {
        let mut descendants = descendants(self.pid);
        let _ = kill_process_group(self.pid, Signal::TERM);
        let deadline = Instant::now() + GRACE;
        while !self.has_ended() && Instant::now() < deadline {
            std::thread::sleep(INTERVAL);
        }
        descendants.extend(self::descendants(self.pid));
        let _ = kill_process_group(self.pid, Signal::KILL);
        kill_all(descendants);
        let _ = self.reap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.reaped {
            self.end();
        }
    }
}

/// Asks a child that leads no group to end, gives it a second, then ends it and everything below it.
pub(super) fn end_with_descendants(child: &mut Child) {
    let pid = Pid::from_child(child);
    let mut below = descendants(pid);
    // It may have ended meanwhile.
    let _ = kill_process(pid, Signal::TERM);
    let deadline = Instant::now() + GRACE;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        below.extend(descendants(pid));
        std::thread::sleep(INTERVAL);
    }
    below.extend(descendants(pid));
    kill_all(below);
    let _ = child.kill();
    let _ = child.wait();
}

fn kill_all(processes: Vec<Process>) {
    for process in processes {
        if started(process.pid) == Some(process.started) {
            let _ = kill_process(process.pid, Signal::KILL);
        }
    }
}

/// A process, told from a later one of the same number by the time it started.
struct Process {
    pid: Pid,
    started: u64,
}

/// Everything below a process, where the system has `/proc`.
fn descendants(of: Pid) -> Vec<Process> {
    let Ok(entries) = fs_err::read_dir("/proc") else { return Vec::new() };
    let all: Vec<(Pid, Pid, u64)> = entries
        .filter_map(|entry| {
            let pid = Pid::from_raw(entry.ok()?.file_name().to_str()?.parse().ok()?)?;
            let (parent, started) = status(pid)?;
            Some((pid, parent, started))
        })
        .collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![of];
    while let Some(parent) = parents.pop() {
        for &(pid, _, started) in all.iter().filter(|process| process.1 == parent) {
            parents.push(pid);
            found.push(Process { pid, started });
        }
    }
    found
}

fn started(pid: Pid) -> Option<u64> {
    status(pid).map(|(_, started)| started)
}

/// A process's parent and start time from `/proc/<pid>/stat` (fields 4 and 22 of proc(5)).
fn status(pid: Pid) -> Option<(Pid, u64)> {
    let text = fs_err::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
    let parent = Pid::from_raw(fields.nth(1)?.parse().ok()?)?;
    Some((parent, fields.nth(17)?.parse().ok()?))
}
