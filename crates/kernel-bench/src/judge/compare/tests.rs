//! Wrong kernels that a fixed absolute tolerance of 0.01 lets pass, and honest ones that must pass here.

use super::*;
use crate::protocol::Random;

/// Numbers of about the size of a normal distribution.
#[allow(clippy::cast_precision_loss, reason = "53 bits are kept")]
fn normal(count: usize) -> Vec<f64> {
    let mut random = Random::new(3);
    let mut one = || (random.number() >> 11) as f64 / (1_u64 << 53) as f64;
    (0..count).map(|_| (0..12).map(|_| one()).sum::<f64>() - 6.0).collect()
}

#[allow(clippy::cast_possible_truncation, reason = "float32 is what the outputs are in")]
fn bytes32(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect()
}

fn bytes64(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[allow(clippy::cast_possible_truncation, reason = "this is the rounding in question")]
fn rounded(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| f64::from(*value as f32)).collect()
}

/// What is found about `output` where `exact` is right, both given in float64 and written in float32.
fn found(output: &[f64], exact: &[f64]) -> Judged {
    let (own, exact) = (bytes32(exact), bytes64(exact));
    let expected = Expected {
        number: Number::Float32,
        own: &own,
        own_number: Number::Float32,
        exact: Some(&exact),
        tolerance: Tolerance::of(Number::Float32),
    };
    judge(&bytes32(output), &expected)
}

fn in_half(value: f64) -> f64 {
    Number::Float16.float().expect("a float").round(value)
}

#[test]
fn the_right_values_and_honest_rounding_pass() {
    let exact: Vec<f64> = normal(4096).iter().map(|x| x.tanh()).collect();
    assert!(found(&exact, &exact).is_right());
    let one_off: Vec<f64> = rounded(&exact).iter().map(|x| x * (1.0 + 2f64.powi(-23))).collect();
    let judged = found(&one_off, &exact);
    assert!(judged.is_right() && judged.largest_ulp < 3.0, "{judged:?}");
}

#[test]
fn what_passes_a_fixed_tolerance_fails_here() {
    let x = rounded(&normal(4096));
    let relu: Vec<f64> = x.iter().map(|x| x.max(0.0)).collect();
    let wrong: [(&str, Vec<f64>); 4] = [
        ("computed in half precision", relu.iter().map(|x| in_half(*x)).collect()),
        ("a leaky slope", x.iter().map(|x| if *x > 0.0 { *x } else { 0.001 * x }).collect()),
        ("small bias", relu.iter().map(|x| x + 0.004).collect()),
        (
            "three times too large where small",
            relu.iter().map(|x| if *x < 0.004 { 3.0 * x } else { *x }).collect(),
        ),
    ];
    for (name, output) in wrong {
        let close =
            output.iter().zip(&relu).all(|(got, want)| (got - want).abs() <= 1e-2 + 1e-5 * want.abs());
        assert!(close, "{name} would pass a fixed tolerance");
        assert_eq!(found(&output, &relu).cause, Some(Cause::Value), "{name}");
    }
}

#[test]
fn small_outputs_in_a_narrower_type_are_seen_by_their_mean_error() {
    let exact: Vec<f64> = normal(4096).iter().map(|x| x * 1e-3).collect();
    let half: Vec<f64> = exact.iter().map(|x| in_half(*x)).collect();
    let judged = found(&half, &exact);
    assert_eq!(judged.cause, Some(Cause::Precision), "{judged:?}");
    assert!(judged.describe().expect("words").contains("narrower"));
}

#[test]
fn special_values_must_be_where_the_reference_has_them() {
    let exact = [1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    assert!(found(&exact, &exact).is_right());
    let judged = found(&[1.0, 0.0, f64::INFINITY, f64::NEG_INFINITY], &exact);
    assert_eq!((judged.cause, judged.wrong), (Some(Cause::Value), 1));
    let judged = found(&[f64::NAN, f64::NAN, f64::INFINITY, f64::INFINITY], &exact);
    assert_eq!((judged.cause, judged.wrong), (Some(Cause::NotWritten), 2));
    let text = serde_json::to_string(&judged).expect("JSON");
    assert!(text.contains("\"got\":\"NaN\""), "{text}");
}

#[test]
fn a_missing_tail_is_a_matter_of_size_and_integers_are_exact() {
    assert_eq!(found(&[1.0, 2.0], &[1.0, 2.0, 3.0]).cause, Some(Cause::Size));
    let exact = |own: &'static [u8]| Expected {
        number: Number::Int32,
        own,
        own_number: Number::Int32,
        exact: None,
        tolerance: Tolerance::of(Number::Int32),
    };
    assert!(judge(&[1, 0, 0, 0, 2, 0, 0, 0], &exact(&[1, 0, 0, 0, 2, 0, 0, 0])).is_right());
    let judged = judge(&[1, 0, 0, 0, 3, 0, 0, 0], &exact(&[1, 0, 0, 0, 2, 0, 0, 0]));
    assert_eq!((judged.wrong, judged.first.map(|first| first.index)), (1, Some(1)));
}

/// A sum in float32, one after the other, against torch's way of adding in parts: worse, but honest.
#[test]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "float32 is the point")]
fn a_long_sum_passes_with_its_length_declared() {
    let terms = 4096;
    let values = normal(terms * 64);
    let naive: Vec<f64> = values
        .chunks(terms)
        .map(|row| f64::from(row.iter().fold(0_f32, |sum, value| sum + *value as f32)))
        .collect();
    let exact: Vec<f64> =
        values.chunks(terms).map(|row| row.iter().map(|v| f64::from(*v as f32)).sum()).collect();
    let (own, wide) = (bytes32(&exact), bytes64(&exact));
    let tolerance = Tolerance::of(Number::Float32).with_sum(terms as f64, 64.0);
    let expected = Expected {
        number: Number::Float32,
        own: &own,
        own_number: Number::Float32,
        exact: Some(&wide),
        tolerance,
    };
    let judged = judge(&bytes32(&naive), &expected);
    assert!(judged.is_right(), "{judged:?}");
}
