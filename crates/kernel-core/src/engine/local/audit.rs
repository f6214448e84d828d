//! Without a sandbox nothing keeps a compiler from reading project files that no list declares, and the id would not
//! cover them. So what the compilers say they read is compared with the declared inputs afterwards.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use kernel_spec::error::Faults;
use kernel_spec::finding::Subject;
use kernel_spec::path::normalised;
use kernel_spec::{Finding, code};

use crate::Context;
use crate::engine::EngineError;
use crate::engine::Job;
use crate::process::{Command, Finished};
use crate::render::ninja::{WORK, build_directory};

/// Fails if a compiler read a file of the project that is no input.
pub(super) fn audit(
    context: &Context,
    ninja: &Utf8Path,
    project: &Utf8Path,
    jobs: &[Job],
) -> Result<(), EngineError> {
    let listing = Command::new(ninja)
        .directory(project)
        .arguments(["-f", &format!("{WORK}/build.ninja"), "-t", "deps"])
        .capture(context)
        .and_then(Finished::require_success)?
        .text();
    let recorded = recorded(&listing);
    let findings: Vec<Finding> = jobs.iter().flat_map(|job| undeclared(job, &recorded)).collect();
    if findings.is_empty() {
        return Ok(());
    }
    let summary = "compilers read files of the project that no `src` list declares";
    Err(Faults::new(&code::build::UNDECLARED_INPUT, summary, findings).into())
}

fn undeclared(job: &Job, recorded: &BTreeMap<&str, Vec<&str>>) -> Vec<Finding> {
    let Some(library) = &job.plan.library else { return Vec::new() };
    let declared: BTreeSet<&str> = job.plan.inputs.iter().map(|input| input.path.as_str()).collect();
    let build = build_directory(&job.plan.variant);
    let mut reported = BTreeSet::new();
    let mut findings = Vec::new();
    for step in &library.compile {
        let object = format!("{build}/{}", step.object);
        for read in recorded.get(object.as_str()).into_iter().flatten() {
            let path = normalised(read);
            let foreign = read.starts_with('/') || path.starts_with("../") || path.starts_with(WORK);
            if foreign || declared.contains(path.as_str()) || !reported.insert(path.clone()) {
                continue;
            }
            let message =
                format!("`{path}` is read while `{}` is compiled, and is in no `src` list", step.source);
            let help = format!("add \"{path}\" to `src` of `[{}]` in build.toml", step.component);
            let subject =
                Subject { variant: Some(job.plan.variant.clone()), file: Some(path), ..Subject::default() };
            findings.push(Finding::error(&code::build::UNDECLARED_INPUT, message).help(help).about(subject));
        }
    }
    findings
}

/// What Ninja recorded: each output, then what it was made from, indented by four spaces.
fn recorded(listing: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut outputs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = None;
    for line in listing.lines() {
        if let Some(path) = line.strip_prefix("    ") {
            if let Some(paths) = current.and_then(|output| outputs.get_mut(output)) {
                paths.push(path);
            }
        } else {
            current = line.rsplit_once(": #deps").map(|(output, _)| output);
            outputs.extend(current.map(|output| (output, Vec::new())));
        }
    }
    outputs
}
