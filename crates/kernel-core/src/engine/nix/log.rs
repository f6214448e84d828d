//! Nix's log as JSON lines (`--log-format internal-json`, Nix 2.26 to 2.34), read leniently: what is not known is a line
//! like any other, never an error.

use std::collections::BTreeMap;

use kernel_spec::Event;
use serde_json::Value;

use crate::Context;
use crate::engine::ninja::transcript::{Transcript, is_status};
use crate::engine::ninja::{Follower, Steps};

/// Marks a line of the log.
const MARK: &str = "@nix ";
/// The activity that builds one derivation.
const BUILD: u64 = 105;
/// A result that is a line of the builder's.
const LINE: u64 = 101;
/// Lines of each builder, and of Nix itself, that are kept for an error.
const KEPT: usize = 50;

/// Follows one run of Nix.
pub(super) struct Log<'a> {
    context: &'a Context,
    steps: &'a Steps<'a>,
    builders: BTreeMap<u64, Follower<'a>>,
    ended: Vec<Transcript>,
    said: Vec<String>,
    errors: Vec<String>,
    built: bool,
}

/// What was heard.
pub(super) struct Heard {
    /// What Ninja said in all derivations.
    pub(super) transcript: Transcript,
    /// The last lines of the builders.
    pub(super) said: Vec<String>,
    /// Nix's own errors, whole.
    pub(super) errors: Vec<String>,
    /// Whether it came as far as building something.
    pub(super) built: bool,
}

impl<'a> Log<'a> {
    pub(super) fn new(context: &'a Context, steps: &'a Steps<'a>) -> Self {
        let (builders, ended) = (BTreeMap::new(), Vec::new());
        Self { context, steps, builders, ended, said: Vec::new(), errors: Vec::new(), built: false }
    }

    /// Takes one line of standard error.
    pub(super) fn take(&mut self, line: &str) {
        let message = line.strip_prefix(MARK).and_then(|json| serde_json::from_str::<Value>(json).ok());
        let Some(message) = message else {
            if !line.trim().is_empty() {
                keep(&mut self.errors, &plain(line));
                self.tell(line);
            }
            return;
        };
        let (id, kind) = (message["id"].as_u64(), message["type"].as_u64());
        match (message["action"].as_str(), id) {
            (Some("start"), Some(id)) if kind == Some(BUILD) => {
                if let Some(text) = message["text"].as_str() {
                    self.tell(text);
                }
                self.built = true;
                self.builders.insert(id, Follower::new(self.context, self.steps));
            }
            (Some("result"), Some(id)) if kind == Some(LINE) => {
                let Some(line) = message["fields"][0].as_str().map(plain) else { return };
                if !is_status(&line) {
                    keep(&mut self.said, &line);
                }
                match self.builders.get_mut(&id) {
                    Some(builder) => builder.take(&line),
                    None => self.tell(&line),
                }
            }
            (Some("stop"), Some(id)) => {
                if let Some(builder) = self.builders.remove(&id) {
                    self.ended.push(builder.end());
                }
            }
            (Some("msg"), _) => {
                let text = plain(message["msg"].as_str().unwrap_or_default());
                if message["level"].as_u64() == Some(0) {
                    keep(&mut self.errors, &text);
                } else {
                    text.lines().for_each(|line| self.tell(line));
                }
            }
            _ => {}
        }
    }

    /// Everything that was heard.
    pub(super) fn end(mut self) -> Heard {
        let running = std::mem::take(&mut self.builders).into_values().map(Follower::end);
        let mut transcript = Transcript::default();
        for ended in self.ended.into_iter().chain(running) {
            transcript.ran.extend(ended.ran);
            transcript.failed.extend(ended.failed);
            transcript.words.extend(ended.words);
        }
        Heard { transcript, said: self.said, errors: self.errors, built: self.built }
    }

    fn tell(&self, line: &str) {
        self.context.sink.event(&Event::Log { origin: "nix".to_owned(), line: plain(line) });
    }
}

fn keep(lines: &mut Vec<String>, line: &str) {
    if lines.len() == KEPT {
        lines.remove(0);
    }
    lines.push(line.to_owned());
}

/// A text without the terminal's control sequences (ECMA-48), which Nix puts into its messages.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        if rest.next() == Some('[') {
            rest.by_ref().find(|end| ('@'..='~').contains(end));
        }
    }
    plain
}

#[cfg(test)]
mod tests;
