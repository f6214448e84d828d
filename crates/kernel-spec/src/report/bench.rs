//! What `bench` answers. The measurements themselves are in the document that each variant names.

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::Severity;
use crate::{ExitClass, Finding};

/// The answer of `bench`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BenchReport {
    /// The measured variants.
    pub variants: Vec<VariantBench>,
    /// What is wrong, and what `--fail-on` asked to be told.
    pub findings: Vec<Finding>,
    /// The command that shows more, argument by argument, where a verdict leaves something to be seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
}

impl BenchReport {
    /// The worst that happened.
    pub fn exit(&self) -> ExitClass {
        worst(&self.findings)
    }
}

/// What is wrong comes before what is slow.
pub(super) fn worst(findings: &[Finding]) -> ExitClass {
    const ORDER: [ExitClass; 7] = [
        ExitClass::Test,
        ExitClass::Suspect,
        ExitClass::Child,
        ExitClass::NothingVerified,
        ExitClass::Incomparable,
        ExitClass::Slower,
        ExitClass::Inconclusive,
    ];
    let has = |class| {
        findings.iter().any(|finding| finding.severity == Severity::Error && finding.code.exit == class)
    };
    ORDER.into_iter().find(|class| has(*class)).unwrap_or(ExitClass::Success)
}

/// What was decided about one variant.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VariantBench {
    /// The variant.
    pub variant: String,
    /// The kernel's id, as the loader used it.
    pub id: String,
    /// `IMPROVED`, `REGRESSED`, `UNCHANGED`, `INCONCLUSIVE` or `INVALID`.
    pub verdict: String,
    /// Why it is this one.
    pub reasons: Vec<String>,
    /// Geometric mean of the speed-ups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Speedup>,
    /// The workloads.
    pub workloads: Vec<WorkloadBench>,
    /// What changed against the earlier run that was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeBench>,
    /// Processes that were measured.
    pub processes: usize,
    /// Seconds that it took.
    pub seconds: f64,
    /// What it was measured on: processor, number of processors and of threads.
    pub machine: String,
    /// The document with all measurements.
    pub document: String,
    /// Its other forms that were asked for.
    pub reports: Vec<String>,
}

/// What changed in a workload against an earlier run, each run held against its own baseline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ChangeBench {
    /// The workload.
    pub workload: String,
    /// `faster`, `slower`, `equivalent`, `inconclusive` or `invalid`.
    pub outcome: String,
    /// Time then over time now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Speedup>,
}

/// A speed-up with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Speedup {
    /// Time of the baseline over time of the kernel.
    pub ratio: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end of the confidence interval.
    pub high: f64,
}

/// What was decided about one workload.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorkloadBench {
    /// Its name.
    pub workload: String,
    /// `faster`, `slower`, `equivalent`, `inconclusive`, or the fault: `incorrect`, `suspect`, `crashed`, `error`,
    /// `unsupported`.
    pub outcome: String,
    /// Why; for a fault, text that is partly the project's own: untrusted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Whether its outputs were held against a reference and are right.
    pub verified: bool,
    /// How the outputs were verified, for people.
    pub verification: String,
    /// Microseconds of a call of the baseline, in the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_us: Option<f64>,
    /// Microseconds of a call of the kernel, in the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_us: Option<f64>,
    /// The speed-up; never there with a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Speedup>,
    /// What limits the kernel, as far as that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<Bottleneck>,
}

/// What limits a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Bottleneck {
    /// `call` (what every call costs), `memory`, `compute`, or `kernel` where the machine could do more.
    pub kind: String,
    /// What was measured that says so.
    pub evidence: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::bench;

    #[test]
    fn what_is_wrong_comes_before_what_is_slow() {
        let exit =
            |findings: Vec<Finding>| BenchReport { variants: Vec::new(), findings, next: Vec::new() }.exit();
        assert_eq!(exit(vec![]), ExitClass::Success);
        assert_eq!(exit(vec![Finding::note(&bench::UNSUPPORTED, "x")]), ExitClass::Success);
        let all = [&bench::INCONCLUSIVE, &bench::SLOWER, &bench::CHILD, &bench::SUSPECT, &bench::INCORRECT];
        let classes: Vec<u8> = (1..=5)
            .map(|count| exit(all[..count].iter().map(|code| Finding::error(code, "x")).collect()).status())
            .collect();
        assert_eq!(classes, [13, 9, 14, 11, 7]);
    }
}
