//! Why a build stopped, in the compiler's own words and with the source and the component it was about.

use camino::Utf8Path;
use kernel_spec::error::Faults;
use kernel_spec::finding::Subject;
use kernel_spec::{Code, Finding, code};

use super::steps::{Step, Steps};
use super::transcript::{Failed, Transcript};
use crate::engine::diagnostics;
use crate::process::Finished;

/// Lines of a compiler that a finding repeats.
const QUOTED: usize = 3;

/// The failure of a whole build: its failed steps, else `summary` with the engine's own words.
pub(in crate::engine) fn explain<'a>(
    transcript: &Transcript,
    finished: &Finished,
    words: impl Iterator<Item = &'a str>,
    summary: String,
    (steps, project): (&Steps, &Utf8Path),
) -> Faults {
    let findings: Vec<Finding> =
        transcript.failed.iter().map(|failed| finding(failed, steps, finished, project)).collect();
    let Some(first) = findings.first() else {
        let mut fault = Finding::error(&code::build::ENGINE, summary);
        for word in words {
            fault = fault.cause(word.to_owned());
        }
        return Faults::new(&code::build::ENGINE, "the build could not be run", vec![fault]);
    };
    let summary = match findings.len() {
        1 => "a step of the build failed".to_owned(),
        count => format!("{count} steps of the build failed"),
    };
    Faults::new(first.code, summary, findings)
}

fn finding(failed: &Failed, steps: &Steps, finished: &Finished, project: &Utf8Path) -> Finding {
    let step = steps.making(&failed.outputs);
    let memory = failed.killed || (finished.out_of_memory && failed.said.is_empty());
    let (code, message): (&'static Code, String) = match step {
        Some(Step { compile: Some((source, component)), .. }) if memory => (
            &code::build::OUT_OF_MEMORY,
            format!(
                "the system ended the compiler of `{source}` (component `{component}`) because memory ran out"
            ),
        ),
        Some(Step { compile: Some((source, component)), .. }) => {
            (&code::build::COMPILE, format!("`{source}` of component `{component}` does not compile"))
        }
        Some(Step { compile: None, .. }) if memory => {
            (&code::build::OUT_OF_MEMORY, "the system ended the linker because memory ran out".to_owned())
        }
        Some(Step { compile: None, .. }) => (&code::build::LINK, "the library does not link".to_owned()),
        None => (&code::build::ENGINE, format!("`{}` could not be made", failed.outputs)),
    };
    let mut finding = Finding::error(code, message).about(Subject {
        variant: step.map(|step| step.variant.to_owned()),
        file: step.and_then(|step| step.compile).map(|(source, _)| source.to_owned()),
        ..Subject::default()
    });
    let telling = |line: &&String| diagnostics::is_error(line);
    let mut quoted: Vec<&String> = failed.said.iter().filter(telling).take(QUOTED).collect();
    if quoted.is_empty() {
        quoted.extend(failed.said.iter().rev().take(1));
    }
    for line in quoted {
        finding = finding.cause(line.trim().to_owned());
    }
    diagnostics::locate(finding, &diagnostics::all(failed.said.iter().map(String::as_str)), project)
}
