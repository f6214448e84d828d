//! Every formula against what SciPy and statsmodels answer, to nine digits. `make.py` beside this file writes the vectors.

#![allow(clippy::unwrap_used)]

use kernel_bench::statistics::{
    Estimate, autocorrelation, cumulative, detectable_errors, deviation, difference, hartung_knapp, holm,
    holm_adjusted, interquartile_range, mean, median, modes, quantile, student_quantile, survival, variance,
    welch,
};
use serde_json::Value;

fn vectors(part: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
    all[part].clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    let entries = value.as_array().unwrap();
    assert!(!entries.is_empty());
    entries.iter()
}

#[track_caller]
fn close(what: &str, got: f64, want: f64) {
    let allowed = 1e-9 * want.abs().max(1e-3);
    assert!((got - want).abs() <= allowed, "{what}: got {got:e}, want {want:e}");
}

#[test]
fn tails_and_quantiles_of_student_are_right() {
    let student = vectors("student");
    for entry in entries(&student["quantiles"]) {
        let [probability, freedom, want] = numbers(entry)[..] else { panic!("three numbers") };
        close(&format!("quantile {probability} {freedom}"), student_quantile(probability, freedom), want);
    }
    for entry in entries(&student["tails"]) {
        let [t, freedom, below, above] = numbers(entry)[..] else { panic!("four numbers") };
        close(&format!("cumulative {t} {freedom}"), cumulative(t, freedom), below);
        close(&format!("survival {t} {freedom}"), survival(t, freedom), above);
        // Small tails keep their digits.
        if above > 1e-200 {
            assert!((survival(t, freedom) / above - 1.0).abs() < 1e-8, "{t} {freedom}");
        }
    }
}

#[test]
fn estimates_are_right() {
    for entry in entries(&vectors("samples")) {
        let values = numbers(&entry["values"]);
        let estimate = Estimate::of(&values).unwrap();
        let (low, high) = estimate.interval(0.9875);
        for (what, got) in [
            ("mean", mean(&values)),
            ("variance", variance(&values)),
            ("median", median(&values)),
            ("quantile_0.3", quantile(&values, 0.3)),
            ("interquartile_range", interquartile_range(&values)),
            ("deviation", deviation(&values)),
            ("autocorrelation", autocorrelation(&values)),
            ("error", estimate.error),
            ("low", low),
            ("high", high),
            ("p_above", estimate.p_above(0.01)),
            ("p_below", estimate.p_below(-0.01)),
            ("p_differs", estimate.p_differs(0.005)),
            ("p_within", estimate.p_within(0.02)),
        ] {
            close(&format!("{what} of {values:?}"), got, number(&entry[what]));
        }
    }
}

#[test]
fn detectable_effects_are_right() {
    for entry in entries(&vectors("detectable")) {
        let [freedom, level, want] = numbers(entry)[..] else { panic!("three numbers") };
        close(&format!("detectable {freedom} {level}"), detectable_errors(freedom, level, 0.8), want);
    }
}

#[test]
fn two_runs_are_compared_right() {
    for entry in entries(&vectors("welch")) {
        let (first, second) = (numbers(&entry["first"]), numbers(&entry["second"]));
        let estimate = welch(&first, &second).unwrap();
        let (low, high) = estimate.interval(0.95);
        close("difference", estimate.value, number(&entry["difference"]));
        close("freedom", estimate.freedom, number(&entry["freedom"]));
        close("p", estimate.p_differs(0.0), number(&entry["p"]));
        close("low", low, number(&entry["low"]));
        close("high", high, number(&entry["high"]));
        assert_eq!(difference(&second, &first), Some(estimate));
    }
}

#[test]
fn several_hypotheses_are_adjusted_right() {
    for entry in entries(&vectors("holm")) {
        let probabilities = numbers(&entry["p"]);
        let want = numbers(&entry["adjusted"]);
        for (got, want) in holm_adjusted(&probabilities).iter().zip(&want) {
            close("adjusted", *got, *want);
        }
        let rejected: Vec<bool> = want.iter().map(|adjusted| *adjusted <= 0.05).collect();
        assert_eq!(holm(&probabilities, 0.05), rejected);
    }
    assert!(holm(&[], 0.05).is_empty());
}

#[test]
fn several_machines_are_pooled_right() {
    for entry in entries(&vectors("pooled")) {
        let pooled = hartung_knapp(&numbers(&entry["effects"]), &numbers(&entry["errors"])).unwrap();
        let (low, high) = pooled.mean.interval(0.95);
        close("mean", pooled.mean.value, number(&entry["mean"]));
        close("between", pooled.between, number(&entry["between"]));
        close("error", pooled.mean.error, number(&entry["error"]));
        close("low", low, number(&entry["low"]));
        close("high", high, number(&entry["high"]));
    }
    assert_eq!(hartung_knapp(&[0.1, 0.2], &[0.1, 0.1]), None);
    assert_eq!(hartung_knapp(&[0.1, 0.2, 0.3], &[0.1, 0.0, 0.1]), None);
}

#[test]
fn two_speeds_are_told_from_one() {
    for entry in entries(&vectors("modes")) {
        let modes = modes(&numbers(&entry["values"])).unwrap();
        close("explained", modes.explained, number(&entry["explained"]));
        close("gap", modes.gap, number(&entry["gap"]));
        close("smaller", modes.smaller, number(&entry["smaller"]));
    }
}

#[test]
fn what_cannot_be_estimated_is_not() {
    assert_eq!(Estimate::of(&[]), None);
    assert_eq!(Estimate::of(&[1.0]), None);
    assert_eq!(Estimate::of(&[1.0, f64::NAN]), None);
    assert_eq!(Estimate::of(&[1.0, f64::INFINITY]), None);
    let constant = Estimate::of(&[0.5, 0.5, 0.5]).unwrap();
    assert!(constant.p_above(0.4) < 1e-300 && constant.p_above(0.5) > 0.9 && constant.p_within(0.6) < 1e-300);
    assert_eq!(modes(&[1.0, 1.0, 1.0, 1.0]), None);
    assert!(student_quantile(0.5, 0.0).is_nan() && student_quantile(1.5, 3.0).is_nan());
}
