//! The share of a program's time that its kernels' operations take, and by how much the program can gain at most: by
//! Amdahl's law a program of which the share `p` becomes `s` times as fast takes `1 - p + p / s` of its time.

use camino::Utf8Path;
use kernel_bench::report::Document;
use kernel_spec::report::bench::Speedup;
use kernel_spec::report::run::{Gain, OperationShare, Share};
use kernel_spec::{Finding, code};

use super::said::{Said, Timed};
use crate::bench::kept;
use crate::verbs::bench;

/// Of a program that ran so many seconds.
pub(super) fn share(said: &Said, seconds: f64) -> Share {
    let busiest = said.timed.values().max_by_key(|process| process.busy_ns);
    let busy = busiest.map_or(0.0, |process| from_nanoseconds(process.busy_ns));
    let span = busiest.map_or(0.0, |process| from_nanoseconds(process.span_ns));
    let of = |part: f64, whole: f64| if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 };
    let share = of(busy, seconds);
    Share {
        seconds: busy,
        share,
        share_between_calls: of(busy, span),
        largest_gain: largest_gain(share),
        operations: busiest.map_or_else(Vec::new, |process| operations(process, seconds)),
        processes: said.timed.values().filter(|process| !process.operations.is_empty()).count(),
        speedup: None,
        gain: None,
    }
}

fn operations(process: &Timed, seconds: f64) -> Vec<OperationShare> {
    let mut rows: Vec<OperationShare> = process
        .operations
        .iter()
        .map(|operation| {
            let own = from_nanoseconds(operation.ns);
            let share = (own / seconds).clamp(0.0, 1.0);
            OperationShare {
                operation: operation.name.clone(),
                implementation: operation.implementation.clone(),
                calls: operation.calls,
                seconds: own,
                share,
                largest_gain: largest_gain(share),
            }
        })
        .collect();
    rows.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    rows
}

/// By the operations taking no time.
fn largest_gain(share: f64) -> Option<f64> {
    (share < 1.0).then(|| 1.0 / (1.0 - share))
}

#[expect(clippy::cast_precision_loss, reason = "a program that runs for months loses a microsecond")]
fn from_nanoseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// What a document of `bench` says of the kernel as a whole.
pub(super) fn speedup(document: &Document) -> Option<Speedup> {
    document.suite.speedup.as_ref().map(bench::speedup)
}

/// The last result of `bench` beside the one variant that was loaded.
pub(super) fn beside(said: &Said) -> Result<Option<Document>, Box<Finding>> {
    let mut directories = said.directories.iter();
    let (Some(directory), None) = (directories.next(), directories.next()) else { return Ok(None) };
    let project = directory.parent().and_then(Utf8Path::parent);
    match (project, directory.file_name()) {
        (Some(project), Some(variant)) => kept(project, variant),
        _ => Ok(None),
    }
}

/// What a program gains of which this share becomes so much faster, or has become it.
fn of_program(speedup: Speedup, share: f64, is_had: bool) -> Speedup {
    let gain = |speedup: f64| {
        if is_had { (1.0 - share) + share * speedup } else { 1.0 / ((1.0 - share) + share / speedup) }
    };
    Speedup { ratio: gain(speedup.ratio), low: gain(speedup.low), high: gain(speedup.high) }
}

/// Adds what the program gains by this speed-up, where all of its operations ran in one implementation.
pub(super) fn add_gain(share: &mut Share, speedup: Speedup) {
    share.speedup = Some(speedup);
    let mut ran = share.operations.iter().map(|operation| operation.implementation.as_str());
    let Some(first) = ran.next() else { return };
    if ran.all(|implementation| implementation == first) {
        let is_had = first == "kernel";
        share.gain = Some(Gain { is_had, program: of_program(speedup, share.share, is_had) });
    }
}

/// What the numbers leave out.
pub(super) fn remarks(said: &Said) -> Vec<Finding> {
    let mut remarks = Vec::new();
    if said.timed.values().any(|process| process.backward) {
        let message = "gradients were computed, and the way back through operations is not in their share";
        remarks.push(Finding::note(&code::run::NOT_MEASURED, message));
    }
    if said.timed.values().any(|process| process.compiled) {
        let message = "`torch.compile` compiled something, and operations in it are not in the share";
        remarks.push(Finding::note(&code::run::NOT_MEASURED, message));
    }
    remarks
}
