//! `run`: a program of the user's, with every kernel that it loads held against the pins before its code is imported. It is
//! no sandbox: a program that wants to import a kernel past the loader can.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_spec::event::Stage;
use kernel_spec::report::run::{RunReport, VerifiedKernel};
use kernel_spec::{Event, Finding, code};
use miette::Diagnostic;
use serde::Deserialize;
use serde_json::json;
use thiserror::Error;

use crate::process::{Command, End};
use crate::{Context, Result, regular};

/// The hook; its name is the one that Python looks for.
const HOOK: &str = include_str!("../../python/sitecustomize.py");
/// No file of pins comes near this size in bytes.
const LARGEST: u64 = 64 << 20;

/// What to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The file that `pin` wrote.
    pub pins: Utf8PathBuf,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Whether standard output is taken, so that the program's goes to standard error.
    pub output_is_taken: bool,
}

/// The pins cannot be read.
#[derive(Debug, Error, Diagnostic)]
#[error("`{path}` holds no pins: {reason}")]
#[diagnostic(code("run/pins"), help("write it with `kernel-builder pin OWNER/NAME@vN`"))]
pub struct PinsError {
    path: Utf8PathBuf,
    reason: String,
}

#[derive(Deserialize)]
struct Pins {
    schema: String,
    kernels: Vec<Pinned>,
}

#[derive(Deserialize)]
struct Pinned {
    repository: String,
    revision: String,
    variants: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line {
    Started {},
    Verified { kernel: String, path: String },
    Refused { reason: String, path: String },
}

/// Runs a program whose kernels are verified.
pub fn run(context: &Context, options: &RunOptions) -> Result<RunReport> {
    let pinned = read(context, &options.pins)?;
    let scratch = tempfile::Builder::new().prefix("kernel-builder-run-").tempdir()?;
    let own = Utf8PathBuf::from_path_buf(scratch.path().canonicalize()?)
        .map_err(|path| std::io::Error::other(format!("`{}` is not valid UTF-8", path.display())))?;
    fs_err::write(own.join("sitecustomize.py"), HOOK)?;
    let events = own.join("events.jsonl");
    let configuration = json!({ "pinned": pinned, "events": events, "own": own });
    let path =
        context.environment.get("PYTHONPATH").map_or_else(|| own.to_string(), |path| format!("{own}:{path}"));
    let (program, arguments) =
        options.command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
    let end = Command::new(program)
        .arguments(arguments)
        .variable("KERNEL_BUILDER_VERIFY", configuration.to_string())
        .variable("PYTHONPATH", path)
        // Byte code beside a kernel is vouched for by nobody, and so is looked for elsewhere.
        .variable("PYTHONPYCACHEPREFIX", own.join("bytecode"))
        .foreground(context, options.output_is_taken)?;
    let report = report(options, &events, end)?;
    for VerifiedKernel { kernel, directory } in &report.verified {
        let message = format!("{kernel} in {directory} is what is pinned");
        context.sink.event(&Event::Stage { stage: Stage::Check, variant: None, message });
    }
    Ok(report)
}

/// For each variant's name the pinned hashes, each with the kernel it is of.
fn read(context: &Context, path: &Utf8Path) -> Result<BTreeMap<String, BTreeMap<String, String>>, PinsError> {
    let wrong = |reason: String| PinsError { path: path.to_owned(), reason };
    let text = regular::text(&context.resolve(path), LARGEST).map_err(|error| wrong(error.to_string()))?;
    let pins: Pins = serde_json::from_str(&text).map_err(|error| {
        wrong(format!("it is of another form (line {}, column {})", error.line(), error.column()))
    })?;
    if pins.schema != "kernel-pins/1" {
        return Err(wrong("it is of another version".to_owned()));
    }
    let mut pinned: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for kernel in pins.kernels {
        for (variant, sha256) in kernel.variants {
            let name = format!("{}@{}", kernel.repository, kernel.revision);
            pinned.entry(variant).or_default().insert(sha256, name);
        }
    }
    Ok(pinned)
}

fn report(options: &RunOptions, events: &Utf8Path, end: End) -> Result<RunReport> {
    let text = if events.is_file() { fs_err::read_to_string(events)? } else { String::new() };
    let mut report = RunReport {
        command: options.command.clone(),
        end: end.to_string(),
        verified: Vec::new(),
        findings: Vec::new(),
    };
    let mut started = false;
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(Line::Started {}) => started = true,
            Ok(Line::Verified { kernel, path }) => {
                report.verified.push(VerifiedKernel { kernel, directory: path });
            }
            Ok(Line::Refused { reason, path }) => {
                let message = format!("the kernel in `{path}` was refused");
                report.findings.push(Finding::error(&code::run::REFUSED, message).cause(reason));
            }
            Err(_) => {
                let message = "the record of what was verified was written to by somebody else".to_owned();
                report.findings.push(Finding::error(&code::run::REFUSED, message));
            }
        }
    }
    if end != End::Exited(0) {
        let message = format!("`{}` {end}", options.command.first().map_or("", String::as_str));
        report.findings.push(Finding::error(&code::run::FAILED, message));
    }
    if report.verified.is_empty() && report.findings.is_empty() {
        let message = if started {
            "the program loaded no kernel"
        } else {
            "the program started no Python that could verify"
        };
        report.findings.push(Finding::error(&code::run::NOTHING, message));
    }
    Ok(report)
}
