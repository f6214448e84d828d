//! What to measure next after a verdict that is not the hoped-for one.

use std::time::Duration;

use kernel_spec::report::bench::VariantBench;

use super::BenchOptions;

/// The command that shows more than a run did; none where there is nothing more to see.
pub(super) fn command(variants: &[VariantBench], asked: &BenchOptions) -> Vec<String> {
    let tells = |variant: &VariantBench| matches!(variant.verdict.as_str(), "REGRESSED" | "INCONCLUSIVE");
    if !variants.iter().any(tells) {
        return Vec::new();
    }
    let mut words = vec!["kernel-builder".to_owned(), "bench".to_owned()];
    words.extend((asked.project != ".").then(|| asked.project.to_string()));
    words.extend(asked.variants.iter().flat_map(|variant| ["--variant".to_owned(), variant.clone()]));
    words.extend(asked.python.iter().flat_map(|python| ["--python".to_owned(), python.clone()]));
    words.extend(options(variants, asked.measuring.budget));
    words
}

/// Options of `bench` that show more than this run did: where a kernel is slower, only what is slower, with all
/// measurements on a page; where the measurements do not tell, more time.
pub(crate) fn options(variants: &[VariantBench], budget: Duration) -> Vec<String> {
    let has = |verdict: &str| variants.iter().any(|variant| variant.verdict == verdict);
    if has("REGRESSED") {
        return slower(variants);
    }
    if has("INCONCLUSIVE") {
        return vec!["--budget".to_owned(), (4 * budget.as_secs().max(1)).to_string()];
    }
    vec!["--report".to_owned(), "html".to_owned()]
}

fn slower(variants: &[VariantBench]) -> Vec<String> {
    let mut names: Vec<&str> = variants
        .iter()
        .flat_map(|variant| &variant.workloads)
        .filter(|workload| workload.outcome == "slower")
        .map(|workload| workload.workload.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut options: Vec<String> =
        names.into_iter().flat_map(|name| ["--workload".to_owned(), name.to_owned()]).collect();
    options.extend(["--report".to_owned(), "html".to_owned()]);
    options
}
