//! The steps, one after the other, and what each of them found.

use camino::Utf8PathBuf;
use kernel_spec::report::bench::VariantBench;
use kernel_spec::report::gates::{GateOutcome, Level};
use kernel_spec::report::validate::{Step, StepOutcome, StepResult};
use kernel_spec::report::{BuildReport, Work};
use kernel_spec::{Code, ExitClass, Finding, Severity, code};

use super::ValidateOptions;
use super::rank::worst_verdict;
use crate::check::built::{self, BuiltVariant, Overrides};
use crate::check::layout;
use crate::failure::describe;
use crate::gates;
use crate::toolchain::sysroot::Policy;
use crate::verbs::bench::targets::{self, Targets};
use crate::verbs::bench::{BenchOptions, bench};
use crate::verbs::build::build;
use crate::verbs::card::{CardOptions, card};
use crate::verbs::check::{Depth, check};
use crate::verbs::test::{TestOptions, test};
use crate::{Context, Result};

/// Why the loop ended.
pub(super) struct Stop {
    pub(super) step: Step,
    pub(super) code: String,
    pub(super) class: ExitClass,
}

/// The loop while it goes on.
pub(super) struct Run<'a> {
    context: &'a Context,
    options: &'a ValidateOptions,
    pub(super) steps: Vec<StepResult>,
    pub(super) findings: Vec<(Step, Finding)>,
    pub(super) variants: Vec<VariantBench>,
    targets: Targets,
}

impl<'a> Run<'a> {
    pub(super) fn new(context: &'a Context, options: &'a ValidateOptions, targets: Targets) -> Self {
        Self { context, options, steps: Vec::new(), findings: Vec::new(), variants: Vec::new(), targets }
    }

    pub(super) fn all(&mut self) -> Result<(), Stop> {
        self.check()?;
        let built = self.build()?;
        self.artifact(&built)?;
        let names: Vec<String> = built.variants.iter().map(|variant| variant.variant.clone()).collect();
        self.test(&names)?;
        self.bench(names)?;
        self.card()
    }

    fn project(&self) -> Utf8PathBuf {
        self.options.build.plan.project.clone()
    }

    fn check(&mut self) -> Result<(), Stop> {
        let report = check(self.context, &self.project(), Depth::Sources);
        let report = self.done(Step::Check, report)?;
        let class = report.exit();
        let summary = match report.findings.len() {
            0 => "nothing to complain about".to_owned(),
            count => format!("{count} findings"),
        };
        self.end(Step::Check, class, summary, report.findings)
    }

    fn build(&mut self) -> Result<BuildReport, Stop> {
        let report = build(self.context, &self.options.build);
        let report = self.done(Step::Build, report)?;
        let made = report.variants.iter().filter(|variant| variant.work != Work::UpToDate).count();
        let summary = format!("{made} built, {} up to date", report.variants.len() - made);
        self.end(Step::Build, ExitClass::Success, summary, report.findings.clone())?;
        Ok(report)
    }

    fn artifact(&mut self, built: &BuildReport) -> Result<(), Stop> {
        let policy = self.options.build.plan.policy;
        let overrides = Overrides {
            manylinux: policy.manylinux(),
            this_system: policy == Policy::Host,
            ..Overrides::default()
        };
        let judge = || -> Result<Vec<Finding>> {
            let mut findings = Vec::new();
            for variant in &built.variants {
                let variant = BuiltVariant {
                    name: variant.variant.clone(),
                    directory: Utf8PathBuf::from(&variant.directory),
                };
                findings.extend(layout::check(&variant));
                findings.extend(built::check(&variant, &overrides)?);
            }
            Ok(findings)
        };
        let findings = self.done(Step::Artifact, judge())?;
        let failing = findings.iter().filter(|finding| finding.severity == Severity::Error);
        let class = failing.map(|finding| finding.code.exit).min().unwrap_or(ExitClass::Success);
        let summary = match built.variants.len() {
            1 => "1 variant judged".to_owned(),
            several => format!("{several} variants judged"),
        };
        self.end(Step::Artifact, class, summary, findings)
    }

    fn test(&mut self, names: &[String]) -> Result<(), Stop> {
        let options = TestOptions {
            project: self.project(),
            variants: names.to_vec(),
            python: self.options.build.plan.python.clone(),
            pytest: Vec::new(),
            tests: self.project(),
            trust_remote_code: false,
            gates: gates::Options {
                level: Level::Ci,
                seed: self.options.measuring.seed,
                limit: self.options.measuring.limit,
            },
        };
        let report = test(self.context, &options);
        let report = self.done(Step::Test, report)?;
        let sum = |count: fn(&kernel_spec::report::test::TestCounts) -> usize| -> usize {
            report.variants.iter().map(|variant| count(&variant.counts)).sum()
        };
        let (passed, skipped) = (sum(|counts| counts.passed), sum(|counts| counts.skipped));
        let failed = sum(|counts| counts.failed + counts.errors);
        let operations = report.variants.iter().flat_map(|variant| &variant.operations);
        let gates: usize = operations.map(|operation| operation.count(GateOutcome::Passed)).sum();
        let gates = if gates == 0 { String::new() } else { format!(", {gates} gates passed") };
        let summary = format!("{passed} passed, {failed} failed, {skipped} skipped{gates}");
        self.end(Step::Test, report.exit(), summary, report.findings)
    }

    fn bench(&mut self, names: Vec<String>) -> Result<(), Stop> {
        let options = BenchOptions {
            project: self.project(),
            variants: names,
            python: self.options.build.plan.python.clone(),
            fail_on: self.options.fail_on.clone(),
            output: None,
            against: None,
            judge_from: None,
            compatible: None,
            forms: Vec::new(),
            measuring: self.options.measuring.clone(),
            trust_remote_code: false,
        };
        let report = bench(self.context, &options);
        let mut report = self.done(Step::Bench, report)?;
        let directory = self.context.resolve(&self.project());
        targets::add(&directory, std::mem::take(&mut self.targets), &self.options.fail_on, &mut report);
        let class = report.exit();
        let summary = worst_verdict(&report.variants);
        self.variants = report.variants;
        self.end(Step::Bench, class, summary, report.findings)
    }

    fn card(&mut self) -> Result<(), Stop> {
        let options = CardOptions { project: self.project(), output: None, check: false, preview: None };
        let report = card(self.context, &options);
        let report = self.done(Step::Card, report)?;
        let class = report.exit();
        self.end(Step::Card, class, report.path.unwrap_or_default(), report.findings)
    }

    /// A step that could not do its work ends the loop.
    fn done<T>(&mut self, step: Step, result: Result<T>) -> Result<T, Stop> {
        let error = match result {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let failure = describe(&error);
        let row = Code::find(&failure.code).unwrap_or(&code::internal::BUG);
        let found = if failure.findings.is_empty() {
            let mut finding = Finding::error(row, failure.message.clone()).help(failure.help);
            (finding.causes, finding.span) = (failure.causes, failure.span);
            vec![finding]
        } else {
            failure.findings
        };
        // A build that compiles and fails its checks has made a bad artifact.
        let step = if failure.code == code::build::CHECK.id {
            self.passed(Step::Build, "compiled and linked".to_owned());
            Step::Artifact
        } else {
            step
        };
        self.findings.extend(found.into_iter().map(|finding| (step, finding)));
        self.steps.push(StepResult { step, outcome: StepOutcome::Failed, summary: failure.message });
        Err(Stop { step, code: failure.code, class: row.exit })
    }

    /// A step that did its work, with good news or bad.
    fn end(
        &mut self,
        step: Step,
        class: ExitClass,
        summary: String,
        findings: Vec<Finding>,
    ) -> Result<(), Stop> {
        let cause = findings.iter().find(|finding| finding.code.exit == class);
        let code = cause.map_or_else(String::new, |finding| finding.code.id.to_owned());
        self.findings.extend(findings.into_iter().map(|finding| (step, finding)));
        if class == ExitClass::Success {
            self.passed(step, summary);
            return Ok(());
        }
        self.steps.push(StepResult { step, outcome: StepOutcome::Failed, summary });
        Err(Stop { step, code, class })
    }

    fn passed(&mut self, step: Step, summary: String) {
        self.steps.push(StepResult { step, outcome: StepOutcome::Passed, summary });
    }
}
