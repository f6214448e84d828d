//! `bench compare`: what changed from one kept run to another. Nothing is measured.

use camino::Utf8PathBuf;
use kernel_spec::report::BenchCompareReport;

use super::{FailOn, news, saved};
use crate::{Context, Result};

/// What `bench compare` is asked for with.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// The document of the earlier run.
    pub before: Utf8PathBuf,
    /// The document of the later run.
    pub now: Utf8PathBuf,
    /// News that is to be a failure.
    pub fail_on: Vec<FailOn>,
}

/// Holds the later run against the earlier one, each by its own baseline. What forbids a comparison is a finding.
pub fn compare(context: &Context, options: &CompareOptions) -> Result<BenchCompareReport> {
    let before = saved(&context.resolve(&options.before))?;
    let mut now = saved(&context.resolve(&options.now))?;
    let mut report = BenchCompareReport {
        before: options.before.to_string(),
        now: options.now.to_string(),
        changes: Vec::new(),
        gone: Vec::new(),
        added: Vec::new(),
        findings: news::unfinished([(&options.before, &before), (&options.now, &now)]),
    };
    if let Err(reason) = now.hold_against(&before) {
        report.findings.push(news::incomparable(reason));
        return Ok(report);
    }
    if let Some(comparison) = now.comparison {
        let outcomes = comparison.changes.iter().map(|change| (change.workload.as_str(), change.outcome));
        report.findings.extend(news::of_outcomes(&options.fail_on, outcomes, "than in the earlier run"));
        report.changes = comparison.changes.iter().map(news::change).collect();
        report.gone = comparison.gone;
        report.added = comparison.added;
    }
    Ok(report)
}
