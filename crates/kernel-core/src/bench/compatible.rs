//! The result with the keys of `kernels benchmark --json`, for tools that read those. It holds no verdict: that form has
//! no place for one.

use camino::{Utf8Path, Utf8PathBuf};
use kernel_bench::measurement::Measurement;
use kernel_bench::report::{CheckOutcome, Document, WorkloadResult};
use kernel_spec::identifier::hexadecimal;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::BenchError;
use crate::atomic;

/// How far beyond the quartiles a sample may lie, in distances between them, before that form counts it as an outlier.
const FENCE: f64 = 1.5;
const NANOSECONDS_IN_MS: f64 = 1e6;

/// Writes it.
pub fn write(document: &Document, scripts: &[Utf8PathBuf], path: &Utf8Path) -> Result<(), BenchError> {
    let mut digest = Sha256::new();
    for script in scripts {
        digest.update(fs_err::read(script)?);
    }
    let payload = payload(document, &hexadecimal(&digest.finalize()));
    let text = serde_json::to_string_pretty(&payload).map_err(std::io::Error::from)? + "\n";
    Ok(atomic::write(path, text.as_bytes())?)
}

fn payload(document: &Document, scripts: &str) -> Value {
    let mut results: Vec<&WorkloadResult> =
        document.workloads.iter().filter(|result| !result.measurement.processes.is_empty()).collect();
    results.sort_by(|one, other| one.verdict.workload.cmp(&other.verdict.workload));
    let machine = &document.machine;
    let known = |name: &str| machine.environment.get(name).cloned().unwrap_or_else(|| "N/A".to_owned());
    json!({
        "results": results.into_iter().map(result).collect::<Vec<Value>>(),
        "machineInfo": {
            "gpu": "N/A",
            "backend": machine.backend.to_uppercase(),
            "pytorchVersion": known("torch"),
            "os": known("system"),
            "cpu": machine.name,
        },
        "kernelCommitSha": document.subject.name.rsplit('_').next().unwrap_or_default(),
        "benchmarkScriptPath": "benchmarks",
        "benchmarkScriptSha": scripts,
    })
}

fn result(result: &WorkloadResult) -> Value {
    let mut entry = Map::new();
    entry.insert("workload".to_owned(), result.verdict.workload.clone().into());
    entry.insert("timingResults".to_owned(), timing(&result.measurement));
    let gates = result.correctness.iter().flat_map(|correctness| &correctness.gates);
    let executed: Vec<bool> = gates
        .filter(|gate| gate.outcome != CheckOutcome::NotExecuted)
        .map(|gate| gate.outcome == CheckOutcome::Passed)
        .collect();
    if !executed.is_empty() {
        entry.insert(
            "verified".to_owned(),
            (result.verdict.fault.is_none() && executed.iter().all(|passed| *passed)).into(),
        );
    }
    Value::Object(entry)
}

#[allow(clippy::cast_precision_loss, reason = "a run has few samples")]
fn timing(measurement: &Measurement) -> Value {
    let blocks = measurement.processes.iter().flat_map(|process| &process.blocks);
    let mut times: Vec<f64> = blocks.map(|block| block.candidate_ns / NANOSECONDS_IN_MS).collect();
    times.sort_by(f64::total_cmp);
    let count = times.len().max(1) as f64;
    let mean = times.iter().sum::<f64>() / count;
    let deviation = (times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / count).sqrt();
    let (lower, upper) = (percentile(&times, 0.25), percentile(&times, 0.75));
    let fence = FENCE * (upper - lower);
    let outliers = times.iter().filter(|time| **time < lower - fence || **time > upper + fence).count();
    json!({
        "mean_ms": rounded(mean),
        "std_ms": rounded(deviation),
        "min_ms": rounded(times.first().copied().unwrap_or_default()),
        "max_ms": rounded(times.last().copied().unwrap_or_default()),
        "q1_ms": rounded(lower),
        "q3_ms": rounded(upper),
        "iqr_ms": rounded(upper - lower),
        "outliers": outliers,
        "iterations": times.len(),
    })
}

/// Between the two nearest of a sorted list.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index"
)]
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

/// Tenths of a microsecond, as that form has it.
fn rounded(milliseconds: f64) -> f64 {
    (milliseconds * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_the_nearest() {
        let is = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(is(percentile(&[1.0, 2.0, 3.0, 4.0], 0.25), 1.75) && is(percentile(&[5.0], 0.75), 5.0));
        assert!((rounded(0.123_456) - 0.1235).abs() < 1e-12);
    }
}
