//! The samples themselves: the ratio of every block in its process, and every time in the order in which it was taken.

use serde::Serialize;

use super::forest::plain;
use super::scale::Scale;
use super::{Tick, pixel};
use crate::decision::Paired;
use crate::measurement::{Block, Measurement};
use crate::report::document::WorkloadResult;
use crate::report::words;
use crate::statistics::quantiles;

const WIDTH: f64 = 470.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 460.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 160.0;
/// What lies further out than nearly all is drawn at the edge.
const INNER: [f64; 2] = [0.02, 0.98];

/// The ratio of every block, process by process.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Strips {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    bottom: f64,
    one: Option<f64>,
    /// Interval of the mean, top and bottom, and the mean.
    mean: Option<(f64, f64, f64)>,
    ticks: Vec<Tick>,
    processes: Vec<Strip>,
}

#[derive(Debug, Serialize)]
struct Strip {
    number: usize,
    x: f64,
    half: f64,
    value: f64,
    title: String,
    points: Vec<(f64, f64)>,
}

/// Every time in its order, both arms.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Series {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    ticks: Vec<Tick>,
    baseline: Vec<(f64, f64)>,
    candidate: Vec<(f64, f64)>,
    /// Where a process begins.
    beginnings: Vec<f64>,
    /// Blocks that were disturbed, with what disturbed them.
    marks: Vec<(f64, &'static str)>,
}

/// The strips of a workload; nothing where nothing was measured.
#[expect(clippy::cast_precision_loss, reason = "a run has few processes and blocks")]
pub(in crate::report) fn strips(result: &WorkloadResult) -> Option<Strips> {
    let paired: Vec<Paired> = result.measurement.processes.iter().filter_map(Paired::of).collect();
    let all: Vec<f64> = paired.iter().flat_map(|process| process.blocks.iter().copied()).collect();
    if all.is_empty() {
        return None;
    }
    let effect = result.verdict.effect;
    let inner = quantiles(&all, INNER).map(f64::exp);
    let ends = effect.into_iter().flat_map(|effect| [effect.low, effect.high]);
    let scale = Scale::around(inner.into_iter().chain(ends), 0.02, BOTTOM, TOP);
    let wide = (RIGHT - LEFT) / paired.len() as f64;
    let strip = |(index, process): (usize, &Paired)| {
        let x = LEFT + wide * (index as f64 + 0.5);
        let step = 0.7 * wide / process.blocks.len() as f64;
        let along = |block: usize| x + step * (block as f64 - (process.blocks.len() - 1) as f64 / 2.0);
        let point = |(block, ratio): (usize, &f64)| (pixel(along(block)), scale.at(ratio.exp()));
        Strip {
            number: index + 1,
            x: pixel(x),
            half: pixel(0.42 * wide),
            value: scale.at(process.value.exp()),
            title: format!("process {}: {}", index + 1, words::ratio(process.value.exp())),
            points: process.blocks.iter().enumerate().map(point).collect(),
        }
    };
    Some(Strips {
        width: WIDTH,
        height: HEIGHT,
        left: LEFT,
        right: RIGHT,
        bottom: BOTTOM,
        one: scale.shows(1.0).then(|| scale.at(1.0)),
        mean: effect.map(|effect| (scale.at(effect.high), scale.at(effect.low), scale.at(effect.ratio))),
        ticks: scale.ticks(4, |value| format!("{}×", plain(value))),
        processes: paired.iter().enumerate().map(strip).collect(),
    })
}

/// The times of a workload; nothing where nothing was measured.
#[expect(clippy::cast_precision_loss, reason = "a run has few blocks")]
pub(in crate::report) fn series(measurement: &Measurement) -> Option<Series> {
    let blocks: Vec<&Block> = measurement.processes.iter().flat_map(|process| &process.blocks).collect();
    let times: Vec<f64> = blocks.iter().flat_map(|block| [block.baseline_ns, block.candidate_ns]).collect();
    if times.is_empty() {
        return None;
    }
    let scale = Scale::around(quantiles(&times, INNER).into_iter(), 0.05, BOTTOM, TOP);
    let x = |index: usize| pixel(LEFT + (RIGHT - LEFT) * (index as f64 + 0.5) / blocks.len() as f64);
    let points = |of: fn(&Block) -> f64| -> Vec<(f64, f64)> {
        blocks.iter().enumerate().map(|(index, block)| (x(index), scale.at(of(block)))).collect()
    };
    let mut beginnings = Vec::new();
    let mut begun = 0;
    for process in &measurement.processes {
        beginnings.push(x(begun));
        begun += process.blocks.len();
    }
    Some(Series {
        width: WIDTH,
        height: HEIGHT,
        left: LEFT,
        right: RIGHT,
        top: TOP,
        bottom: BOTTOM,
        ticks: scale.ticks(4, words::time),
        baseline: points(|block| block.baseline_ns),
        candidate: points(|block| block.candidate_ns),
        beginnings: beginnings.into_iter().skip(1).collect(),
        marks: blocks
            .iter()
            .enumerate()
            .filter_map(|(index, block)| Some((x(index), disturbance(block)?)))
            .collect(),
    })
}

fn disturbance(block: &Block) -> Option<&'static str> {
    match block.marks {
        marks if marks.throttled => Some("lowered clock"),
        marks if marks.migrated => Some("another processor"),
        marks if marks.preempted => Some("interrupted"),
        _ => None,
    }
}
