//! What Ninja says, line by line, told apart: progress, the output of a command, and failures with the output that
//! belongs to them. Ninja prints a command's status when it has ended, then what it wrote.

use crate::process::tells_of_a_kill;

/// What `NINJA_STATUS` is set to: characters that compilers do not print, so that their output is not taken for
/// progress.
pub(in crate::engine) const STATUS: &str = "\u{1f}%f/%t\u{1f}";

/// Whether a line is Ninja's word about a step, as [`STATUS`] makes it.
pub(in crate::engine) fn is_status(line: &str) -> bool {
    line.starts_with('\u{1f}')
}

/// What a line meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A step has ended.
    Progress {
        /// Steps done.
        done: u64,
        /// Steps in all.
        total: u64,
        /// Its description.
        what: String,
    },
    /// A line of the step that ended last.
    Output(String),
    /// Ninja's own words, for developers only.
    Aside,
}

/// A step that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Failed {
    /// What it should have made.
    pub outputs: String,
    /// What it wrote.
    pub said: Vec<String>,
    /// Whether its words tell of a process that the system ended.
    pub killed: bool,
}

/// The state while lines come in.
#[derive(Debug, Default)]
pub(in crate::engine) struct Transcript {
    /// Descriptions of the steps that ended, in order.
    pub ran: Vec<String>,
    /// Steps that failed.
    pub failed: Vec<Failed>,
    /// Ninja's last words of its own.
    pub words: Vec<String>,
    in_failure: bool,
    command_follows: bool,
}

/// Lines of a failed step that are kept.
const KEPT: usize = 400;

impl Transcript {
    /// Takes one line.
    pub(super) fn take(&mut self, line: &str) -> Said {
        if let Some(rest) = line.strip_prefix('\u{1f}')
            && let Some((counts, what)) = rest.split_once('\u{1f}')
            && let Some((done, total)) = counts.split_once('/')
            && let (Ok(done), Ok(total)) = (done.parse(), total.parse())
        {
            self.in_failure = false;
            self.ran.push(what.to_owned());
            return Said::Progress { done, total, what: what.to_owned() };
        }
        if let Some(outputs) = line.strip_prefix("FAILED: ") {
            let outputs = match outputs.split_once("] ") {
                Some((code, rest)) if code.starts_with("[code=") => rest,
                _ => outputs,
            };
            self.failed.push(Failed { outputs: outputs.trim().to_owned(), said: Vec::new(), killed: false });
            (self.in_failure, self.command_follows) = (true, true);
            return Said::Aside;
        }
        if std::mem::take(&mut self.command_follows) {
            return Said::Aside;
        }
        if line.starts_with("ninja: ") {
            self.in_failure = false;
            self.words.push(line.to_owned());
            return Said::Aside;
        }
        if let Some(failed) = self.failed.last_mut().filter(|_| self.in_failure) {
            failed.killed |= tells_of_a_kill(line);
            if failed.said.len() < KEPT {
                failed.said.push(line.to_owned());
            }
        }
        Said::Output(line.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let mut transcript = Transcript::default();
        let lines = [
            "\u{1f}1/3\u{1f}compile a.cpp (torch)",
            "a.cpp:1:1: warning: FAILED: not really",
            "\u{1f}2/3\u{1f}compile b c.cpp (kernel.x)",
            "FAILED: [code=1] build/b c.o ",
            "PWD=/proc/self/cwd g++ -c b.cpp",
            "b c.cpp:1:1: error: no",
            "g++: fatal error: Killed signal terminated program cc1plus",
            "ninja: build stopped: subcommand failed.",
        ];
        let said: Vec<Said> = lines.iter().map(|line| transcript.take(line)).collect();
        assert_eq!(said[0], Said::Progress { done: 1, total: 3, what: "compile a.cpp (torch)".into() });
        assert_eq!(said[1], Said::Output(lines[1].into()));
        assert_eq!(said[5], Said::Output(lines[5].into()));
        assert_eq!(transcript.ran.len(), 2);
        let failed = Failed {
            outputs: "build/b c.o".into(),
            said: vec![lines[5].into(), lines[6].into()],
            killed: true,
        };
        assert_eq!(transcript.failed, [failed]);
        assert_eq!(transcript.words, [lines[7]]);
    }

    #[test]
    fn older_ninjas_say_no_code() {
        let mut transcript = Transcript::default();
        transcript.take("FAILED: build/x.o ");
        assert_eq!(transcript.failed[0].outputs, "build/x.o");
    }
}
