//! The result as one page that needs nothing but itself: no script, no font, no picture from elsewhere. Templates escape
//! everything; what they are given is a view of the document in words.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};
use thiserror::Error;

use super::document::Document;
use super::panel::{Panel, panel};
use super::plot::{Theme, forest, roofs};
use super::words::{self, hidden};
use crate::decision::Outcome;

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
    // What a document leaves out may be asked about, but not printed.
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
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
