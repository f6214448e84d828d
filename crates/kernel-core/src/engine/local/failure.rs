//! Why a build stopped, in the compiler's own words and with the source and the component it was about.

use std::collections::BTreeMap;

use kernel_spec::error::Faults;
use kernel_spec::finding::Subject;
use kernel_spec::{Code, Finding, code};

use super::transcript::{Failed, Transcript};
use crate::engine::Job;
use crate::process::Finished;
use crate::render::ninja::build_directory;

/// Lines of a compiler that a finding repeats.
const QUOTED: usize = 3;

/// What a failed output was to be.
struct Step<'a> {
    variant: &'a str,
    /// Source and component; none for a link.
    compile: Option<(&'a str, &'a str)>,
}

/// The failure of a whole run of Ninja.
pub(super) fn explain(transcript: &Transcript, finished: &Finished, jobs: &[Job]) -> Faults {
    let steps = steps(jobs);
    let findings: Vec<Finding> =
        transcript.failed.iter().map(|failed| finding(failed, &steps, finished)).collect();
    let Some(first) = findings.first() else {
        let mut fault = Finding::error(&code::build::ENGINE, format!("Ninja {}", finished.end));
        for word in transcript.words.iter().chain(&finished.said) {
            fault = fault.cause(word.trim_start_matches("ninja: ").to_owned());
        }
        return Faults::new(&code::build::ENGINE, "the build could not be run", vec![fault]);
    };
    let summary = match findings.len() {
        1 => "a step of the build failed".to_owned(),
        count => format!("{count} steps of the build failed"),
    };
    Faults::new(first.code, summary, findings)
}

fn finding(failed: &Failed, steps: &BTreeMap<String, Step>, finished: &Finished) -> Finding {
    let step = steps.get(&failed.outputs);
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
    let telling = |line: &&String| line.contains("error:") || line.contains("undefined reference");
    let mut quoted: Vec<&String> = failed.said.iter().filter(telling).take(QUOTED).collect();
    if quoted.is_empty() {
        quoted.extend(failed.said.iter().rev().take(1));
    }
    for line in quoted {
        finding = finding.cause(line.trim().to_owned());
    }
    finding
}

fn steps(jobs: &[Job]) -> BTreeMap<String, Step<'_>> {
    let mut steps = BTreeMap::new();
    for job in jobs {
        let Some(library) = &job.plan.library else { continue };
        let variant = job.plan.variant.as_str();
        let build = build_directory(variant);
        for step in &library.compile {
            let compile = Some((step.source.as_str(), step.component.as_str()));
            steps.insert(format!("{build}/{}", step.object), Step { variant, compile });
        }
        steps.insert(format!("{build}/{}", library.link.output), Step { variant, compile: None });
    }
    steps
}
