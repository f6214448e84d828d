//! What to run next: after a fault the cheapest command that shows whether it is mended, after success the next stage.

use kernel_spec::ExitClass;
use kernel_spec::report::bench::VariantBench;
use kernel_spec::report::validate::{RankedFinding, Step};

use super::ValidateOptions;
use super::run::Stop;
use crate::verbs::bench::next;

/// The command, argument by argument.
pub(super) fn after(
    stop: Option<&Stop>,
    findings: &[RankedFinding],
    variants: &[VariantBench],
    options: &ValidateOptions,
) -> Vec<String> {
    let project = options.build.plan.project.as_str();
    let command = |verb: &str, more: Vec<String>| -> Vec<String> {
        let mut words = vec!["kernel-builder".to_owned(), verb.to_owned()];
        words.extend((project != ".").then(|| project.to_owned()));
        words.extend(more);
        words
    };
    let python = || -> Vec<String> {
        let named = options.build.plan.python.iter();
        named.flat_map(|python| ["--python".to_owned(), python.clone()]).collect()
    };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let Some(stop) = stop else { return command("upload", words(&["--dry-run"])) };
    let variant =
        findings.iter().find(|one| one.step == stop.step).and_then(|one| one.finding.subject.variant.clone());
    let of_variant = variant.into_iter().flat_map(|variant| ["--variant".to_owned(), variant]);
    let mut more: Vec<String> = words(&["--json"]);
    if stop.class == ExitClass::Environment && stop.step != Step::Check {
        let doctor = words(&["kernel-builder", "doctor", "--json"]);
        return doctor.into_iter().chain(python()).collect();
    }
    match stop.step {
        Step::Check => command("check", more),
        Step::Build | Step::Artifact => {
            more.extend(of_variant.chain(python()));
            command("build", more)
        }
        Step::Test => {
            more.extend(of_variant.chain(python()));
            let failed = findings.iter().filter(|one| one.finding.code.id == "test/failed");
            let mut ids = failed.filter_map(|one| one.finding.message.split('`').nth(1));
            let id = ids.find(|id| !id.starts_with('-'));
            more.extend(id.into_iter().flat_map(|id| ["--".to_owned(), id.to_owned()]));
            command("test", more)
        }
        Step::Bench => {
            more.extend(of_variant.chain(python()));
            let named = findings.iter().filter(|one| one.step == Step::Bench);
            let workload = named.filter_map(|one| one.finding.message.split('`').nth(1)).find(|name| {
                variants.iter().flat_map(|variant| &variant.workloads).any(|it| it.workload == *name)
            });
            match workload {
                Some(workload) => more.extend(words(&["--workload", workload])),
                None => more.extend(next::options(variants, options.measuring.budget)),
            }
            command("bench", more)
        }
        Step::Card => command("card", more),
    }
}
