//! What the page says of one workload, in words.

use serde::Serialize;

use super::document::{Check, CheckOutcome, WorkloadResult};
use super::plot::{Series, Strips, series, strips};
use super::words;
use crate::decision::{Bound, Outcome};

/// What the page says of one workload.
#[derive(Serialize)]
pub(super) struct Panel<'a> {
    name: &'a str,
    outcome: &'static str,
    word: &'static str,
    remark: String,
    shape: String,
    speedup: String,
    interval: String,
    baseline: String,
    candidate: String,
    memory: String,
    roof: Option<Share>,
    gates: Option<String>,
    open: bool,
    strips: Option<Strips>,
    series: Option<Series>,
    facts: Vec<(&'static str, String)>,
    causes: Vec<[String; 3]>,
    failed: Vec<&'a Check>,
    not_executed: Vec<&'a str>,
}

#[derive(Serialize)]
struct Share {
    text: String,
    baseline: f64,
    candidate: f64,
    bound: &'static str,
}

/// The panel of one workload.
pub(super) fn panel(result: &WorkloadResult) -> Panel<'_> {
    let verdict = &result.verdict;
    let effect = verdict.effect.as_ref();
    let times = verdict.times.as_ref();
    let checks = || result.correctness.iter().flat_map(|found| &found.gates).chain(&result.checks);
    let of = |outcome: CheckOutcome| checks().filter(move |check| check.outcome == outcome);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    Panel {
        name: &verdict.workload,
        outcome: words::class(verdict),
        word: words::outcome(verdict),
        remark: words::remark(verdict),
        shape: shape(result),
        speedup: or_dash(effect.map(|effect| words::ratio(effect.ratio))),
        interval: effect.map(words::interval).unwrap_or_default(),
        baseline: or_dash(times.map(|times| words::time(times.baseline.median))),
        candidate: or_dash(times.map(|times| words::time(times.candidate.median))),
        memory: or_dash(verdict.memory.as_ref().map(words::memory)),
        roof: share(result),
        gates: gates(result),
        open: !matches!(words::class(verdict), "faster" | "equivalent" | "absent"),
        strips: strips(result).filter(|_| verdict.outcome != Outcome::Invalid),
        series: series(&result.measurement).filter(|_| verdict.outcome != Outcome::Invalid),
        facts: facts(result),
        causes: causes(result),
        failed: of(CheckOutcome::Failed).collect(),
        not_executed: of(CheckOutcome::NotExecuted).map(|check| check.name.as_str()).collect(),
    }
}

fn shape(result: &WorkloadResult) -> String {
    let sizes: Vec<String> = result.shape.iter().map(|(name, size)| format!("{name}={size}")).collect();
    let parts = [sizes.join(" "), result.dtype.clone().unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn share(result: &WorkloadResult) -> Option<Share> {
    let roofline = result.roofline?;
    Some(Share {
        text: words::percent(roofline.share.candidate),
        baseline: (100.0 * roofline.share.baseline).clamp(0.0, 100.0).round(),
        candidate: (100.0 * roofline.share.candidate).clamp(0.0, 100.0).round(),
        bound: if roofline.bound == Bound::Memory { "memory" } else { "compute" },
    })
}

/// `14/14`; gates that could not run are not among them.
fn gates(result: &WorkloadResult) -> Option<String> {
    let gates = &result.correctness.as_ref()?.gates;
    let passed = gates.iter().filter(|gate| gate.outcome == CheckOutcome::Passed).count();
    let made = gates.iter().filter(|gate| gate.outcome != CheckOutcome::NotExecuted).count();
    Some(format!("{passed}/{made}"))
}

fn facts(result: &WorkloadResult) -> Vec<(&'static str, String)> {
    let verdict = &result.verdict;
    let mut facts: Vec<(&'static str, String)> = Vec::new();
    if let Some(times) = verdict.times {
        let row = |arm: crate::decision::Summary| {
            format!(
                "{} · {} · {} · {}",
                words::time(arm.least),
                words::time(arm.p05),
                words::time(arm.median),
                words::time(arm.p95)
            )
        };
        facts.push(("baseline: least · 5 % · median · 95 %", row(times.baseline)));
        facts.push(("kernel: least · 5 % · median · 95 %", row(times.candidate)));
    }
    if let Some(found) = &result.bottleneck {
        facts.push(("what limits the kernel", found.evidence.clone()));
    }
    if let Some(first) = result.first_call_ns {
        facts.push((
            "first call, baseline and kernel",
            format!("{}, {}", words::time(first.baseline), words::time(first.candidate)),
        ));
    }
    if let Some(noise) = &verdict.noise {
        let spread =
            format!("{} · {}", words::percent(noise.between_processes), words::percent(noise.between_blocks));
        facts.push(("spread between processes · between blocks", spread));
    }
    if let Some(detectable) = verdict.detectable {
        facts.push(("smallest effect seen four times in five", words::percent(detectable.effect)));
    }
    if let Some(memory) = &verdict.memory {
        facts.push((
            "peak memory, baseline and kernel",
            format!("{}, {}", words::bytes(memory.peak.baseline), words::bytes(memory.peak.candidate)),
        ));
    }
    if let Some(ran) = &result.implementation {
        let proof = if ran.proved { "" } else { " (not proved)" };
        facts.push(("what ran", format!("{}: {}{proof}", ran.loaded, ran.ran.join(", "))));
        facts.extend(ran.fallback.clone().map(|fallback| ("fallback", fallback)));
    }
    let how = [&result.timer, &result.cache].into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
    facts.extend(Some(("timer and cache", how)).filter(|(_, how)| !how.is_empty()));
    facts
}

fn causes(result: &WorkloadResult) -> Vec<[String; 3]> {
    let causes = result.verdict.noise.iter().flat_map(|noise| &noise.causes);
    causes
        .map(|cause| [cause.kind.name().to_owned(), cause.evidence.clone(), cause.kind.remedy().to_owned()])
        .collect()
}
