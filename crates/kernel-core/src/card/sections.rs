//! The parts of a card that only the tool can write: what was built, what was proved about it, what it lacks, and where
//! it comes from. Every sentence follows from a file; what is not known is said to be so.

use std::fmt::Write;

use kernel_spec::{Backend, code};

use super::built::{BenchmarkModel, BuiltModel};
use super::markdown::{span, text};
use super::model::Model;

/// Digits of a commit that people compare.
const SHORT: usize = 12;

/// The sections by the names of their variables, in the order in which a template that places none gets them.
pub(super) fn all(model: &Model) -> [(&'static str, String); 5] {
    [
        ("compatibility", compatibility(model)),
        ("evidence", evidence(model)),
        ("limitations", limitations(model)),
        ("provenance", provenance(model)),
        ("citation", citation(model)),
    ]
}

/// Warnings above everything else: variants that nobody should rely on as they are.
pub(super) fn banner(model: &Model) -> String {
    let all = |holds: &dyn Fn(&BuiltModel) -> bool| -> Vec<String> {
        model.variants.iter().filter(|variant| holds(variant)).map(|variant| span(&variant.name)).collect()
    };
    let mut banner = String::new();
    for (what, names) in [
        ("not what was built; do not use", all(&|variant| variant.damage.is_some())),
        ("built from sources with uncommitted changes", all(&|variant| variant.dirty == Some(true))),
        (
            "built from sources that no commit is known of",
            all(&|it| it.damage.is_none() && it.dirty.is_none()),
        ),
        ("not signed", all(&|variant| !variant.signed)),
    ] {
        if !names.is_empty() {
            writeln!(banner, "> **Warning:** {what}: {}.\n", names.join(", ")).expect(WRITES);
        }
    }
    banner
}

const WRITES: &str = "writing to a string cannot fail";

fn compatibility(model: &Model) -> String {
    let mut section = String::from("## Compatibility\n\n");
    if model.variants.is_empty() {
        section.push_str("No variant is built yet.");
        return section;
    }
    section.push_str("| variant | backend | framework | compute | system | Python | architectures |\n|---|---|---|---|---|---|---|\n");
    for variant in &model.variants {
        let any = || "any".to_owned();
        let architectures = match variant.architectures.as_slice() {
            [] => any(),
            some => text(&some.join(", ")),
        };
        writeln!(
            section,
            "| {} | {} | {} | {} | {} | {} | {architectures} |",
            span(&variant.name),
            variant.backend.map_or("unknown", |backend| backend.row().title),
            variant.framework.clone().unwrap_or_else(|| "unknown".to_owned()),
            variant.compute.clone().unwrap_or_else(any),
            variant.system.clone().unwrap_or_else(any),
            variant.python.as_ref().map_or_else(any, |python| format!("{python} and later")),
        )
        .expect(WRITES);
    }
    for (what, names) in
        [("Python packages", &model.python_depends), ("other kernels", &model.kernel_depends)]
    {
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| span(name)).collect();
            write!(section, "\nIt needs {what}: {}.\n", names.join(", ")).expect(WRITES);
        }
    }
    section.trim_end().to_owned()
}

fn evidence(model: &Model) -> String {
    let mut section = String::from("## Evidence\n\n");
    if model.variants.is_empty() {
        section.push_str("Nothing was tested.");
        return section;
    }
    for variant in &model.variants {
        writeln!(section, "- {}: {}", span(&variant.name), tests(variant)).expect(WRITES);
        let unmeasured = if variant.lacks(&code::bench::RECORD) {
            "the kept result cannot be read"
        } else {
            "not measured"
        };
        let measured = variant.benchmark.as_ref().map_or_else(|| unmeasured.to_owned(), benchmark);
        writeln!(section, "  - {measured}").expect(WRITES);
    }
    section.trim_end().to_owned()
}

fn tests(variant: &BuiltModel) -> String {
    let Some(tests) = &variant.tests else {
        let unread = variant.lacks(&code::test::RECORD);
        return if unread { "the kept result of its tests cannot be read" } else { "not tested" }.to_owned();
    };
    let counts = tests.counts;
    let with =
        |package: &str| tests.versions.get(package).map(|version| format!("{package} {}", text(version)));
    let versions: Vec<String> = ["torch", "apache-tvm-ffi", "kernels"].into_iter().filter_map(with).collect();
    format!(
        "{} tests passed, {} failed, {} were skipped, with {}",
        counts.passed,
        counts.failed + counts.errors,
        counts.skipped,
        versions.join(", ")
    )
}

fn benchmark(benchmark: &BenchmarkModel) -> String {
    let mut said = benchmark.verdict.clone();
    if let (Some(ratio), Some(low), Some(high)) = (benchmark.speedup, benchmark.low, benchmark.high) {
        write!(said, ", {ratio:.2}x ({low:.2} - {high:.2}) as a whole").expect(WRITES);
    }
    write!(said, ", against {} on {}", span(&benchmark.baseline), text(&benchmark.machine)).expect(WRITES);
    let workloads: Vec<String> = benchmark
        .workloads
        .iter()
        .map(|workload| {
            let dtype =
                workload.dtype.as_ref().map_or_else(String::new, |dtype| format!(" ({})", text(dtype)));
            let speedup = workload.speedup.map_or_else(String::new, |speedup| format!(" {speedup:.2}x"));
            format!("{}{dtype} {}{speedup}", span(&workload.name), workload.outcome)
        })
        .collect();
    if !workloads.is_empty() {
        write!(said, ": {}", workloads.join(", ")).expect(WRITES);
    }
    said
}

fn limitations(model: &Model) -> String {
    let mut known: Vec<String> = Vec::new();
    let built: Vec<Backend> = model.variants.iter().filter_map(|variant| variant.backend).collect();
    let universal = model.variants.iter().any(|variant| variant.name == "torch-universal");
    for backend in &model.backends {
        if !built.contains(backend) && !universal {
            known.push(format!("No variant for {} is built.", backend.row().title));
        }
    }
    for variant in &model.variants {
        let name = span(&variant.name);
        if let Some(damage) = &variant.damage {
            known.push(format!("{name} is not what was built: {}.", text(damage)));
            continue;
        }
        if variant.tests.as_ref().is_none_or(|tests| !tests.counts.all_passed()) {
            known.push(format!("{name} has not passed its tests."));
        }
        match &variant.benchmark {
            None if variant.lacks(&code::bench::RECORD) => {
                known.push(format!("{name} has a benchmark that cannot be read."));
            }
            None => known.push(format!("{name} was not measured.")),
            Some(benchmark) if benchmark.verdict != "IMPROVED" => {
                known.push(format!("{name} is not proven faster than its reference: {}.", benchmark.verdict));
            }
            Some(_) => {}
        }
        let Some(build) = &variant.build else { continue };
        if build.profile != "release" {
            known.push(format!("{name} is a {} build.", text(&build.profile)));
        }
        let Some(toolchain) = &build.toolchain else { continue };
        if build.sandbox == "off" {
            known.push(format!("{name} was compiled without a sandbox."));
        }
        if build.policy.as_deref() == Some("host") {
            known.push(format!("{name} runs on systems like the one it was built on."));
        }
        if !build.rebuildable {
            let compiler = text(&toolchain.compiler);
            known.push(format!(
                "{name} was compiled by a machine's own {compiler}, so others may not get the same bytes."
            ));
        }
    }
    let unknown: Vec<String> = model.api.unknown.iter().map(|part| span(part)).collect();
    if !unknown.is_empty() {
        known.push(format!("Some public names are only known at run time: {}.", unknown.join(", ")));
    }
    if known.is_empty() {
        known.push("None that the build, the tests and the benchmark show.".to_owned());
    }
    let lines: Vec<String> = known.into_iter().map(|line| format!("- {line}")).collect();
    format!("## Limitations\n\n{}", lines.join("\n"))
}

fn provenance(model: &Model) -> String {
    let mut section = String::from("## Provenance\n\n");
    if model.variants.is_empty() {
        section.push_str("Nothing is built yet.");
    }
    for variant in &model.variants {
        let mut facts = vec![sources(variant)];
        facts.extend(variant.builder.as_ref().map(|version| format!("kernel-builder {}", text(version))));
        if let Some(build) = &variant.build {
            facts.push(format!("engine {}", text(&build.engine)));
            facts.push(format!("sandbox {}", text(&build.sandbox)));
            facts.extend(build.toolchain.as_ref().map(|toolchain| text(&toolchain.compiler)));
            facts.extend(build.policy.as_ref().map(|policy| text(policy)));
        }
        facts.push(if variant.signed { "with a signature" } else { "not signed" }.to_owned());
        writeln!(section, "- {}: {}", span(&variant.name), facts.join(", ")).expect(WRITES);
    }
    section.trim_end().to_owned()
}

fn sources(variant: &BuiltModel) -> String {
    let Some(commit) = &variant.commit else {
        let reason = variant.build.as_ref().and_then(|build| build.provenance_unknown.as_ref());
        let reason = reason.map_or_else(String::new, |reason| format!(" ({})", text(reason)));
        return format!("commit unknown{reason}");
    };
    let short: String = commit.chars().take(SHORT).collect();
    match variant.dirty {
        Some(true) => format!("commit {} with uncommitted changes", span(&short)),
        _ => format!("commit {}", span(&short)),
    }
}

fn citation(model: &Model) -> String {
    let mut fields = vec![("title", model.name.clone()), ("version", model.version.to_string())];
    fields.extend(model.source.clone().or_else(|| model.upstream.clone()).map(|url| ("url", url)));
    let plain = |value: &str| value.replace(['{', '}', '\\', '\n'], "");
    let fields: String =
        fields.iter().map(|(key, value)| format!("  {key} = {{{}}},\n", plain(value))).collect();
    let mut section = format!("## Citation\n\n```bibtex\n@software{{{},\n{fields}}}\n```", model.name);
    if let Some(upstream) = &model.upstream {
        write!(section, "\n\nPlease cite the work it comes from too: {}", text(upstream)).expect(WRITES);
    }
    section
}
