//! What is wrong with a run, or missing in it.

use kernel_spec::report::run::Ran;
use kernel_spec::{Finding, code};

use super::said::Said;
use super::{RunOptions, Use};

/// Kernels that were refused, and a record that others wrote to.
pub(super) fn of_record(said: &Said) -> Vec<Finding> {
    let mut findings: Vec<Finding> = said
        .refused
        .iter()
        .map(|(path, reason)| {
            let message = format!("the kernel in `{path}` was refused");
            Finding::error(&code::run::REFUSED, message).cause(reason)
        })
        .collect();
    if said.foreign {
        let message = "the record of what kernels did was written to by somebody else";
        findings.push(Finding::error(&code::run::RECORD, message));
    }
    findings
}

/// What ran instead of what was asked for.
pub(super) fn of_switch(options: &RunOptions, said: &Said) -> Vec<Finding> {
    let mut findings = Vec::new();
    let told = |reason: &Option<String>| reason.clone().unwrap_or_default();
    if options.switch == Some(Use::Kernel) {
        findings.extend(said.all(Ran::Fallback).map(|one| {
            let message = format!("`{}` did without its kernel", one.name);
            Finding::error(&code::run::FALLBACK, message).cause(told(&one.reason))
        }));
    }
    if options.switch == Some(Use::Baseline) || options.share {
        findings.extend(said.all(Ran::NotSwitched).map(|one| {
            let message = format!("`{}` is out of reach", one.name);
            Finding::warning(&code::run::NOT_SWITCHED, message).cause(told(&one.reason))
        }));
    }
    let named = !options.baselines.is_empty() || !options.absent.is_empty();
    if named && options.switch != Some(Use::Baseline) {
        let message = "what was named for a kernel's place counts with `--use baseline` alone";
        findings.push(Finding::warning(&code::run::NOT_SWITCHED, message));
        return findings;
    }
    let asked = options.baselines.iter().map(|(name, _)| name).chain(&options.absent);
    let never = asked.filter(|name| !said.implementations.iter().any(|one| one.name == **name));
    if said.started {
        findings.extend(never.map(|name| {
            let message = format!("the program never asked for `{name}`");
            Finding::warning(&code::run::NOT_SWITCHED, message)
        }));
    }
    findings
}

/// A run in which nothing of what was asked for took place. One that failed has a better reason for that.
pub(super) fn of_nothing(options: &RunOptions, said: &Said, failed: bool) -> Option<Finding> {
    if failed {
        return None;
    }
    let observes = options.switch.is_some() || options.share;
    if observes && !said.started {
        let message = "the program started no Python that could be looked into";
        return Some(Finding::error(&code::run::NO_PYTHON, message));
    }
    if options.pins.is_some() && said.verified.is_empty() {
        let message = if said.started {
            "the program loaded no kernel"
        } else {
            "the program started no Python that could verify"
        };
        return Some(Finding::error(&code::run::NOTHING, message));
    }
    if options.share && !said.is_called() {
        let message = "the program called no operation of a kernel: their share is 0";
        return Some(Finding::error(&code::run::NEVER_CALLED, message));
    }
    if options.switch.is_some() && said.implementations.is_empty() {
        let message = "the program used no kernel and no layer that could be one";
        return Some(Finding::warning(&code::run::NOT_SWITCHED, message));
    }
    None
}
