//! The roofline: how many operations a second each workload reaches at its intensity, under what the machine can do. An
//! arrow leads from the baseline to the kernel.

use serde::Serialize;

use super::forest::plain;
use super::scale::Scale;
use super::{Tick, pixel};
use crate::decision::Roof;
use crate::report::document::{Document, WorkloadResult};
use crate::report::words;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 940.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 336.0;

/// The roofline.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Roofs {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    across: Vec<Tick>,
    up: Vec<Tick>,
    lines: Vec<Vec<(f64, f64)>>,
    points: Vec<Point>,
    measured: bool,
}

#[derive(Debug, Serialize)]
struct Point {
    label: String,
    outcome: &'static str,
    baseline: (f64, f64),
    candidate: (f64, f64),
    /// Where the label is, and whether it ends there.
    place: (f64, f64),
    before: bool,
    title: String,
}

/// What one workload says of itself.
struct Known<'a> {
    result: &'a WorkloadResult,
    roof: Roof,
    intensity: f64,
    baseline: f64,
    candidate: f64,
}

/// The roofline of a document; nothing where no workload declares both its bytes and its operations.
pub(in crate::report) fn roofs(document: &Document) -> Option<Roofs> {
    let known: Vec<Known<'_>> = document.workloads.iter().filter_map(known).collect();
    if known.is_empty() {
        return None;
    }
    let mut roofs: Vec<(f64, f64)> = known
        .iter()
        .filter_map(|one| Some((one.roof.bytes_per_second?, one.roof.flop_per_second?)))
        .collect();
    roofs.sort_by(|left, right| left.1.total_cmp(&right.1));
    roofs.dedup();
    let ridges = roofs.iter().map(|(bytes, flop)| flop / bytes);
    let across = Scale::around(known.iter().map(|one| one.intensity).chain(ridges), 2.0, LEFT, RIGHT);
    let heights = known.iter().flat_map(|one| [one.baseline, one.candidate]);
    let up = Scale::around(heights.chain(roofs.iter().map(|(_, flop)| *flop)), 1.0, BOTTOM, TOP);
    let point = |one: &Known<'_>| Point {
        label: one.result.verdict.workload.clone(),
        outcome: one.result.verdict.outcome.word(),
        baseline: (across.at(one.intensity), up.at(one.baseline)),
        candidate: (across.at(one.intensity), up.at(one.candidate)),
        place: (0.0, 0.0),
        before: false,
        title: title(one),
    };
    let mut points: Vec<Point> = known.iter().map(point).collect();
    place_labels(&mut points);
    Some(Roofs {
        width: WIDTH,
        height: HEIGHT,
        left: LEFT,
        right: RIGHT,
        top: TOP,
        bottom: BOTTOM,
        across: across.ticks(6, plain),
        up: up.ticks(5, speed),
        lines: roofs.iter().map(|roof| line(*roof, &across, &up)).collect(),
        points,
        measured: known.iter().all(|one| one.roof.measured),
    })
}

/// Beside its circle, below what was placed there before.
#[expect(clippy::cast_precision_loss, reason = "names are short")]
fn place_labels(points: &mut [Point]) {
    points.sort_by(|left, right| left.baseline.1.total_cmp(&right.baseline.1));
    let mut taken: Vec<(f64, f64, f64)> = Vec::new();
    for point in points {
        let wide = 7.0 * point.label.chars().count() as f64;
        point.before = point.baseline.0 + wide + 20.0 > RIGHT;
        let x = if point.before { point.baseline.0 - 12.0 } else { point.baseline.0 + 12.0 };
        let (from, to) = if point.before { (x - wide, x) } else { (x, x + wide) };
        let mut y = point.baseline.1 + 5.0;
        while let Some((_, _, other)) =
            taken.iter().find(|(left, right, other)| *left < to && from < *right && (y - other).abs() < 15.0)
        {
            y = other + 15.0;
        }
        taken.push((from, to, y));
        point.place = (pixel(x), pixel(y));
    }
}

fn known(result: &WorkloadResult) -> Option<Known<'_>> {
    let work = result.measurement.work;
    let times = result.verdict.times?;
    let (bytes, flop) = (work.bytes.filter(|bytes| *bytes > 0.0)?, work.flop.filter(|flop| *flop > 0.0)?);
    let per_second = |nanoseconds: f64| flop * 1e9 / nanoseconds;
    Some(Known {
        result,
        roof: result.roof?,
        intensity: flop / bytes,
        baseline: per_second(times.baseline.median),
        candidate: per_second(times.candidate.median),
    })
}

/// The roof: bandwidth as far as it goes, then the peak.
fn line((bytes, flop): (f64, f64), across: &Scale, up: &Scale) -> Vec<(f64, f64)> {
    let ridge = flop / bytes;
    // On logarithmic axes both parts are straight; the first begins where the plot does.
    let mut intensity = ridge;
    while across.at(intensity) > LEFT && up.at(intensity * bytes) < BOTTOM {
        intensity /= 1.02;
    }
    vec![
        (across.at(intensity), up.at(intensity * bytes)),
        (across.at(ridge), up.at(flop)),
        (pixel(RIGHT), up.at(flop)),
    ]
}

fn title(one: &Known<'_>) -> String {
    let share = one.result.roofline.map_or_else(String::new, |roofline| {
        format!(
            "; {} of the roof, from {}",
            words::percent(roofline.share.candidate),
            words::percent(roofline.share.baseline)
        )
    });
    format!("{}: {}, from {}{share}", one.result.verdict.workload, speed(one.candidate), speed(one.baseline))
}

/// `1.2 TFLOP/s`.
fn speed(flop: f64) -> String {
    let (value, unit) = match flop {
        flop if flop >= 1e12 => (flop / 1e12, "TFLOP/s"),
        flop if flop >= 1e9 => (flop / 1e9, "GFLOP/s"),
        flop => (flop / 1e6, "MFLOP/s"),
    };
    format!("{} {unit}", words::three(value))
}
