//! The result as one page that needs nothing but itself: no script, no font, no picture from elsewhere. Templates escape
//! everything; what they are given is a view of the document in words.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};
use serde::Serialize;
use thiserror::Error;

use super::document::{Check, CheckOutcome, Document, WorkloadResult};
use super::plot::{Series, Strips, Theme, forest, roofs, series, strips};
use super::words::{self, hidden};
use crate::decision::{Bound, Outcome};

/// A report that could not be made.
#[derive(Debug, Error)]
#[error("the template of the report does not render")]
pub struct ReportError(#[from] minijinja::Error);

/// One page with everything.
pub fn html(document: &Document) -> Result<String, ReportError> {
    let workloads: Vec<Panel<'_>> = document.workloads.iter().map(panel).collect();
    let view = context! {
        document => Value::from(Serde(document)),
        verdict => document.suite.verdict.word(),
        speedup => document.suite.speedup.map(|speedup| words::ratio(speedup.ratio)),
        interval => document.suite.speedup.as_ref().map(words::interval),
        confidence => words::percent(1.0 - document.settings.alpha),
        margin => words::percent(document.settings.margin),
        equivalence => words::percent(document.settings.equivalence),
        took => duration(document.run.seconds),
        key => document.machine.comparability.key(),
        reasons => document.suite.reasons.iter().map(|reason| words::pieces(reason)).collect::<Vec<_>>(),
        measured => document.workloads.iter().filter(|one| one.verdict.outcome != Outcome::Invalid).count(),
        adoption => adoption(document),
        looks => Value::from(Serde(looks(document))),
        forest => Value::from(Serde(forest(document))),
        roofs => Value::from(Serde(roofs(document))),
        workloads => Value::from(Serde(workloads)),
        changes => Value::from(Serde(changes(document))),
    };
    Ok(environment()?.get_template("report.html")?.render(view)?)
}

/// The forest alone, as a picture for cards and documents.
pub fn forest_svg(document: &Document, theme: Theme) -> Result<String, ReportError> {
    let view = context! {
        dark => theme == Theme::Dark,
        verdict => document.suite.verdict.word(),
        name => document.subject.name.clone(),
        forest => Value::from(Serde(forest(document))),
    };
    Ok(environment()?.get_template("forest.svg")?.render(view)?)
}

fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.expect("the usual syntax with other blanks"));
    // Control characters are no text in HTML or XML, and escaping leaves them alone.
    environment.set_formatter(|out, state, value| match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) if text.chars().any(hidden) => {
            let shown: String =
                text.chars().map(|one| if hidden(one) && one != '\n' { '\u{fffd}' } else { one }).collect();
            minijinja::escape_formatter(out, state, &Value::from(shown))
        }
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.add_template("report.html", include_str!("../../templates/report.html"))?;
    environment.add_template("report.css", include_str!("../../templates/report.css"))?;
    environment.add_template("plots.css", include_str!("../../templates/plots.css"))?;
    environment.add_template("plots.html", include_str!("../../templates/plots.html"))?;
    environment.add_template("forest.svg", include_str!("../../templates/forest.svg"))?;
    Ok(environment)
}

/// What the page says of one workload.
#[derive(Serialize)]
struct Panel<'a> {
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

fn panel(result: &WorkloadResult) -> Panel<'_> {
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

fn looks(document: &Document) -> Vec<[String; 5]> {
    document
        .looks
        .iter()
        .map(|look| {
            [
                look.number.to_string(),
                look.processes.to_string(),
                format!("{:.2} %", 100.0 * look.level),
                format!("{:.2} %", 100.0 * look.spent),
                look.open.to_string(),
            ]
        })
        .collect()
}

fn adoption(document: &Document) -> Option<String> {
    let adoption = document.adoption?;
    let size = adoption.bytes.map(words::bytes);
    let import = adoption.import_seconds.map(|seconds| format!("imported in {}", words::time(seconds * 1e9)));
    Some(size.into_iter().chain(import).collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
}

/// Against the saved run: workload, outcome, factor, interval.
fn changes(document: &Document) -> Vec<BTreeMap<&'static str, String>> {
    let changes = document.comparison.iter().flat_map(|comparison| &comparison.changes);
    changes
        .map(|change| {
            BTreeMap::from([
                ("workload", change.workload.clone()),
                ("outcome", change.outcome.word().to_owned()),
                ("ratio", change.effect.map_or_else(String::new, |effect| words::ratio(effect.ratio))),
                ("interval", change.effect.as_ref().map_or_else(String::new, words::interval)),
            ])
        })
        .collect()
}

fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{:.0} min {:.0} s", (seconds / 60.0).floor(), seconds % 60.0)
    }
}
