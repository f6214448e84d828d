//! The forest: every workload's speed-up with its interval, around the line of no difference.

use serde::Serialize;

use super::scale::Scale;
use super::{Tick, pixel};
use crate::report::document::{Document, WorkloadResult};
use crate::report::words;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 300.0;
const RIGHT: f64 = 740.0;
const TOP: f64 = 34.0;
const ROW: f64 = 30.0;

/// The forest.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Forest {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    bottom: f64,
    /// Where there is no difference.
    one: f64,
    /// Where a difference does not count.
    margin: (f64, f64),
    ticks: Vec<Tick>,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    y: f64,
    label: String,
    outcome: &'static str,
    word: &'static str,
    text: String,
    interval: String,
    /// Estimate and interval; absent where there is none.
    mark: Option<(f64, f64, f64)>,
    whole: bool,
}

/// The forest of a document.
pub(in crate::report) fn forest(document: &Document) -> Forest {
    let effects = document.workloads.iter().filter_map(|workload| workload.verdict.effect);
    let shown =
        effects.chain(document.suite.speedup).flat_map(|effect| [effect.low, effect.high, effect.ratio]);
    let margin = 1.0 + document.settings.margin;
    let scale = Scale::around(shown.chain([1.0, 1.0 / margin, margin]), 0.08, LEFT, RIGHT);
    let mut rows: Vec<Row> = document
        .workloads
        .iter()
        .enumerate()
        .map(|(index, workload)| row(workload, place(index), &scale))
        .collect();
    rows.extend(whole(document, place(rows.len()) + 8.0, &scale));
    let bottom = rows.last().map_or(TOP, |row| row.y) + ROW / 2.0 + 4.0;
    Forest {
        width: WIDTH,
        height: bottom + 30.0,
        left: LEFT,
        right: RIGHT,
        bottom,
        one: scale.at(1.0),
        margin: (scale.at(1.0 / margin), scale.at(margin)),
        ticks: scale.ticks(7, |value| format!("{}×", plain(value))),
        rows,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a run has few workloads")]
fn place(index: usize) -> f64 {
    pixel(TOP + ROW * (index as f64 + 0.5))
}

fn row(workload: &WorkloadResult, y: f64, scale: &Scale) -> Row {
    let effect = workload.verdict.effect;
    Row {
        y,
        label: workload.verdict.workload.clone(),
        outcome: words::class(&workload.verdict),
        word: words::outcome(&workload.verdict),
        text: effect.map_or_else(String::new, |effect| words::ratio(effect.ratio)),
        interval: effect.as_ref().map_or_else(String::new, words::interval),
        mark: effect.map(|effect| (scale.at(effect.ratio), scale.at(effect.low), scale.at(effect.high))),
        whole: false,
    }
}

fn whole(document: &Document, y: f64, scale: &Scale) -> Option<Row> {
    let effect = document.suite.speedup?;
    Some(Row {
        y,
        label: "geometric mean".to_owned(),
        outcome: "whole",
        word: "",
        text: words::ratio(effect.ratio),
        interval: words::interval(&effect),
        mark: Some((scale.at(effect.ratio), scale.at(effect.low), scale.at(effect.high))),
        whole: true,
    })
}

/// A tick's value without needless digits.
pub(super) fn plain(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
