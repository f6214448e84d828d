//! How the outputs of declared operations are compared: in which way, and how strictly.

use kernel_spec::workloads::{Compare, Metric};

use super::compare::{Cause, Expected, Judged, Values, judge, same};
use super::number::power_of_two;
use super::tolerance::Tolerance;

/// What one output is judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The way.
    pub compare: Compare,
    /// What is allowed beyond the ordinary.
    pub allowed: Option<Tolerance>,
    /// Terms of the longest sum in it; 1 where nothing is summed.
    pub terms: f64,
    /// Whether denormal numbers may count as zero.
    pub without_denormals: bool,
    /// Length of its last dimension.
    pub row: usize,
}

/// Judges an output by a rule.
pub fn judge_by(rule: &Rule, output: &[u8], expected: &Expected) -> Judged {
    if rule.compare == Compare::Ignore {
        return Judged::empty(0);
    }
    let mut values = match Values::read(output, expected) {
        Ok(values) => values,
        Err(judged) => return judged,
    };
    let expected = Expected { tolerance: rule.tolerance(expected, &values.exact), ..*expected };
    match rule.compare {
        Compare::Exact => exact(&values, &expected),
        Compare::Codes => near(&values, 1.0),
        Compare::Metric(metric) => whole(&values, metric),
        Compare::Permutation => {
            for list in [&mut values.got, &mut values.own, &mut values.exact] {
                list.chunks_mut(rule.row.max(1)).for_each(|row| row.sort_by(f64::total_cmp));
            }
            match expected.number.float() {
                Some(_) => values.judge(output, &expected),
                None => near(&values, 0.0),
            }
        }
        Compare::Ulp | Compare::Ignore => judge(output, &expected),
    }
}

impl Rule {
    fn tolerance(&self, expected: &Expected, exact: &[f64]) -> Tolerance {
        let finite = exact.iter().filter(|value| value.is_finite());
        let largest = finite.fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let mut tolerance = Tolerance::declared(expected.number, self.terms, largest);
        if let Some(allowed) = self.allowed {
            tolerance.ulp = tolerance.ulp.max(allowed.ulp);
            tolerance.relative = tolerance.relative.max(allowed.relative);
            tolerance.absolute = tolerance.absolute.max(allowed.absolute);
        }
        if let Some(float) = expected.number.float().filter(|_| self.without_denormals) {
            tolerance.absolute = tolerance.absolute.max(power_of_two(float.smallest));
        }
        tolerance
    }
}

/// Bit for bit the reference, rounded once.
fn exact(values: &Values, expected: &Expected) -> Judged {
    let mut judged = Judged::empty(values.got.len());
    for (index, (got, exact)) in values.got.iter().zip(&values.exact).enumerate() {
        let want = expected.number.float().map_or(*exact, |float| float.round(*exact));
        if !same(*got, want) {
            judged.refuse(Cause::Value, index, *got, want);
        }
    }
    judged
}

/// Whole numbers that may be off by so much.
fn near(values: &Values, by: f64) -> Judged {
    let mut judged = Judged::empty(values.got.len());
    for (index, (got, want)) in values.got.iter().zip(&values.own).enumerate() {
        judged.largest_error = judged.largest_error.max((got - want).abs());
        if (got - want).abs() > by {
            judged.refuse(Cause::Value, index, *got, *want);
        }
    }
    judged
}

/// Direction, distance and size of the whole: a direction alone is right for every multiple of the reference.
fn whole(values: &Values, metric: Metric) -> Judged {
    let mut judged = Judged::empty(values.got.len());
    let pairs = || values.got.iter().zip(&values.exact);
    if let Some((index, (got, want))) =
        pairs().enumerate().find(|(_, (got, want))| !got.is_finite() && !same(**got, **want))
    {
        judged.refuse(if got.is_nan() { Cause::NotWritten } else { Cause::Value }, index, *got, *want);
        return judged;
    }
    let finite = || pairs().filter(|(got, want)| got.is_finite() && want.is_finite());
    let sum = |of: fn(f64, f64) -> f64| -> f64 { finite().map(|(got, want)| of(*got, *want)).sum() };
    let (length, wanted) = (sum(|got, _| got * got), sum(|_, want| want * want));
    let (product, apart) = (sum(|got, want| got * want), sum(|got, want| (got - want).powi(2)));
    if length == 0.0 && wanted == 0.0 {
        return judged;
    }
    let agrees = product / (length * wanted).sqrt() >= metric.cosine
        && (apart / wanted).sqrt() <= metric.relative
        && (product / wanted - 1.0).abs() <= metric.scale;
    judged.error_ratio = (apart / wanted).sqrt();
    if !agrees {
        let furthest = finite()
            .enumerate()
            .max_by(|(_, one), (_, other)| (one.0 - one.1).abs().total_cmp(&(other.0 - other.1).abs()));
        if let Some((index, (got, want))) = furthest {
            judged.refuse(Cause::Whole, index, *got, *want);
        }
        judged.cause.get_or_insert(Cause::Whole);
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Number;

    fn rule(compare: Compare) -> Rule {
        Rule { compare, allowed: None, terms: 1.0, without_denormals: false, row: 3 }
    }

    fn judged(rule: &Rule, number: Number, output: &[u8], want: &[u8]) -> Option<Cause> {
        let tolerance = Tolerance::of(number);
        judge_by(rule, output, &Expected { number, own: want, own_number: number, exact: None, tolerance })
            .cause
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn outputs_are_compared_in_the_way_that_is_declared() {
        let codes = |compare| judged(&rule(compare), Number::Uint8, &[1, 3, 9], &[1, 2, 9]);
        assert_eq!([codes(Compare::Codes), codes(Compare::Ulp)], [None, Some(Cause::Value)]);
        let order = |output| judged(&rule(Compare::Permutation), Number::Uint8, output, &[3, 1, 2, 6, 5, 4]);
        assert_eq!(order(&[1, 2, 3, 4, 5, 6]), None);
        assert_eq!(order(&[1, 2, 4, 3, 5, 6]), Some(Cause::Value), "rows are apart");
        assert_eq!(
            judged(&rule(Compare::Ignore), Number::Float32, &floats(&[f32::NAN]), &floats(&[1.0])),
            None
        );
        let next = f32::from_bits(1.0_f32.to_bits() + 1);
        let bits = |compare| judged(&rule(compare), Number::Float32, &floats(&[next]), &floats(&[1.0]));
        assert_eq!([bits(Compare::Exact), bits(Compare::Ulp)], [Some(Cause::Value), None]);
    }

    #[test]
    fn a_multiple_of_the_reference_has_its_direction_and_not_its_size() {
        let want = [1.0, -2.0, 3.0, 0.5];
        let metric = rule(Compare::Metric(Metric::default()));
        let by = |factor: f32| {
            judged(&metric, Number::Float32, &floats(&want.map(|one| one * factor)), &floats(&want))
        };
        assert_eq!([by(1.0), by(1.005), by(3.0)], [None, None, Some(Cause::Whole)]);
        let zeros = judged(&metric, Number::Float32, &floats(&[0.0; 4]), &floats(&want));
        assert_eq!(zeros, Some(Cause::Whole));
    }

    #[test]
    fn small_values_have_no_absolute_excuse() {
        let want = [1e-8_f32, 1e-41];
        let flushed = |without_denormals| {
            let rule = Rule { without_denormals, ..rule(Compare::Ulp) };
            judged(&rule, Number::Float32, &floats(&[1e-8, 0.0]), &floats(&want))
        };
        assert_eq!([flushed(false), flushed(true)], [Some(Cause::Value), None]);
        let off = judged(&rule(Compare::Ulp), Number::Float32, &floats(&[1.1e-8, 1e-41]), &floats(&want));
        assert_eq!(off, Some(Cause::Value));
    }
}
