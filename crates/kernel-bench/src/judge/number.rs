//! Number formats of tensors: reading their bytes, and the distance from one number to the next.

use std::str::FromStr;

use thiserror::Error;

/// A number format, by torch's name for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Number {
    Float64,
    Float32,
    Float16,
    Bfloat16,
    Float8E4m3fn,
    Float8E5m2,
    Complex64,
    Complex128,
    Int64,
    Int32,
    Int16,
    Int8,
    Uint64,
    Uint32,
    Uint16,
    Uint8,
    Bool,
}

/// A format that outputs cannot be judged in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("values of type `{0}` cannot be judged")]
pub struct UnknownNumber(String);

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Float {
    /// Bits of the significand, the implicit one included.
    pub(super) precision: i32,
    /// Exponent of the smallest normal number.
    pub(super) smallest: i32,
    /// Largest finite number.
    pub(super) largest: f64,
    /// Whether numbers beyond it are infinite; NaN otherwise.
    pub(super) has_infinity: bool,
}

impl FromStr for Number {
    type Err = UnknownNumber;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "float64" => Number::Float64,
            "float32" => Number::Float32,
            "float16" => Number::Float16,
            "bfloat16" => Number::Bfloat16,
            "float8_e4m3fn" => Number::Float8E4m3fn,
            "float8_e5m2" => Number::Float8E5m2,
            "complex64" => Number::Complex64,
            "complex128" => Number::Complex128,
            "int64" => Number::Int64,
            "int32" => Number::Int32,
            "int16" => Number::Int16,
            "int8" => Number::Int8,
            "uint64" => Number::Uint64,
            "uint32" => Number::Uint32,
            "uint16" => Number::Uint16,
            "uint8" => Number::Uint8,
            "bool" => Number::Bool,
            _ => return Err(UnknownNumber(name.to_owned())),
        })
    }
}

impl Number {
    /// Bytes of one value; a complex number is two values.
    pub fn size(self) -> usize {
        match self {
            Number::Float64 | Number::Complex128 | Number::Int64 | Number::Uint64 => 8,
            Number::Float32 | Number::Complex64 | Number::Int32 | Number::Uint32 => 4,
            Number::Float16 | Number::Bfloat16 | Number::Int16 | Number::Uint16 => 2,
            _ => 1,
        }
    }

    /// Values of one element.
    pub fn parts(self) -> usize {
        if matches!(self, Number::Complex64 | Number::Complex128) { 2 } else { 1 }
    }

    /// The same format with the most digits, in which the exact reference is written.
    pub fn widest(self) -> Self {
        match self {
            Number::Float64
            | Number::Float32
            | Number::Float16
            | Number::Bfloat16
            | Number::Float8E4m3fn
            | Number::Float8E5m2 => Number::Float64,
            other => other,
        }
    }

    /// The floating-point format of one value; whole numbers have none.
    pub(super) fn float(self) -> Option<Float> {
        let float = |precision, smallest, largest, has_infinity| {
            Some(Float { precision, smallest, largest, has_infinity })
        };
        match self {
            Number::Float64 | Number::Complex128 => float(53, -1022, f64::MAX, true),
            Number::Float32 | Number::Complex64 => float(24, -126, f64::from(f32::MAX), true),
            Number::Float16 => float(11, -14, 65504.0, true),
            Number::Bfloat16 => float(8, -126, 3.389_531_389_251_535_5e38, true),
            Number::Float8E4m3fn => float(4, -6, 448.0, false),
            Number::Float8E5m2 => float(3, -14, 57344.0, true),
            _ => None,
        }
    }

    /// The values in these bytes. Whole numbers beyond 2^53 lose digits here; they are compared as bytes instead.
    pub fn values(self, bytes: &[u8]) -> Vec<f64> {
        fn each<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> f64) -> Vec<f64> {
            bytes.as_chunks::<N>().0.iter().map(|chunk| read(*chunk)).collect()
        }
        #[allow(clippy::cast_precision_loss, reason = "said above")]
        match self {
            Number::Float64 | Number::Complex128 => each(bytes, f64::from_le_bytes),
            Number::Float32 | Number::Complex64 => each(bytes, |b| f64::from(f32::from_le_bytes(b))),
            Number::Float16 => each(bytes, |b| small(u16::from_le_bytes(b).into(), 5, 10, true)),
            Number::Bfloat16 => {
                each(bytes, |b| f64::from(f32::from_bits(u32::from(u16::from_le_bytes(b)) << 16)))
            }
            Number::Float8E4m3fn => each(bytes, |[b]| small(b.into(), 4, 3, false)),
            Number::Float8E5m2 => each(bytes, |[b]| small(b.into(), 5, 2, true)),
            Number::Int64 => each(bytes, |b| i64::from_le_bytes(b) as f64),
            Number::Uint64 => each(bytes, |b| u64::from_le_bytes(b) as f64),
            Number::Int32 => each(bytes, |b| i32::from_le_bytes(b).into()),
            Number::Uint32 => each(bytes, |b| u32::from_le_bytes(b).into()),
            Number::Int16 => each(bytes, |b| i16::from_le_bytes(b).into()),
            Number::Uint16 => each(bytes, |b| u16::from_le_bytes(b).into()),
            Number::Int8 => each(bytes, |b| i8::from_le_bytes(b).into()),
            Number::Uint8 | Number::Bool => each(bytes, |[b]| b.into()),
        }
    }
}

/// A small floating-point number with this many bits of exponent and fraction.
fn small(bits: u32, exponent_bits: u32, fraction_bits: u32, has_infinity: bool) -> f64 {
    let fraction = bits & ((1 << fraction_bits) - 1);
    let top = (1 << exponent_bits) - 1;
    let exponent = (bits >> fraction_bits) & top;
    let sign = if bits >> (fraction_bits + exponent_bits) == 1 { -1.0 } else { 1.0 };
    let bias = top.cast_signed() >> 1;
    let one = f64::from(1_u32 << fraction_bits);
    let magnitude = match exponent {
        0 => f64::from(fraction) / one * power_of_two(1 - bias),
        _ if exponent == top && has_infinity => {
            if fraction == 0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        _ if exponent == top && fraction == (1 << fraction_bits) - 1 => f64::NAN,
        _ => (1.0 + f64::from(fraction) / one) * power_of_two(exponent.cast_signed() - bias),
    };
    sign * magnitude
}

pub(super) fn power_of_two(exponent: i32) -> f64 {
    if exponent >= -1022 {
        f64::from_bits(u64::from((exponent + 1023).unsigned_abs()) << 52)
    } else {
        f64::from_bits(1_u64 << (exponent + 1074).max(0))
    }
}

/// The exponent of a finite number: it lies in [2^e, 2^(e+1)).
pub(super) fn exponent(value: f64) -> i32 {
    let field = (value.to_bits() >> 52) & 0x7ff;
    i32::try_from(field).unwrap_or_default() - 1023
}

impl Float {
    /// The distance from a number to the next of this format.
    pub(super) fn step(self, value: f64) -> f64 {
        power_of_two(exponent(value).max(self.smallest) - self.precision + 1)
    }

    /// The nearest number of this format, ties to even.
    pub(super) fn round(self, value: f64) -> f64 {
        if !value.is_finite() || self.precision == 53 {
            return value;
        }
        let step = self.step(value);
        let rounded = (value / step).round_ties_even() * step;
        if rounded.abs() <= self.largest {
            rounded
        } else if self.has_infinity {
            f64::INFINITY.copysign(value)
        } else {
            f64::NAN
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "every expected value can be written exactly")]
mod tests {
    use super::*;

    #[test]
    fn small_formats_are_read_as_their_standards_say() {
        let half = |bits: u16| Number::Float16.values(&bits.to_le_bytes())[0];
        assert_eq!(
            [half(0x3c00), half(0xc000), half(0x0001), half(0x7bff)],
            [1.0, -2.0, 2f64.powi(-24), 65504.0]
        );
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
        let bfloat = |bits: u16| Number::Bfloat16.values(&bits.to_le_bytes())[0];
        assert_eq!([bfloat(0x3f80), bfloat(0x4049)], [1.0, 3.140_625]);
        let e4m3 = |bits: u8| Number::Float8E4m3fn.values(&[bits])[0];
        assert_eq!([e4m3(0x38), e4m3(0x7e), e4m3(0x01), e4m3(0xb8)], [1.0, 448.0, 2f64.powi(-9), -1.0]);
        assert!(e4m3(0x7f).is_nan());
        let e5m2 = |bits: u8| Number::Float8E5m2.values(&[bits])[0];
        assert_eq!([e5m2(0x3c), e5m2(0x7b), e5m2(0x01)], [1.0, 57344.0, 2f64.powi(-16)]);
        assert!(e5m2(0x7c).is_infinite());
    }

    #[test]
    fn rounding_agrees_with_the_machine() {
        let float = Number::Float32.float().expect("a float");
        for value in [0.1, 1.0 / 3.0, 1e-42, 3.3e38, -7.25e-30, 16_777_217.0, 0.0] {
            #[allow(clippy::cast_possible_truncation, reason = "this is the rounding in question")]
            let machine = f64::from(value as f32);
            assert_eq!(float.round(value).to_bits(), machine.to_bits(), "{value}");
        }
        assert!(float.round(1e39).is_infinite());
        assert!(Number::Float8E4m3fn.float().expect("a float").round(500.0).is_nan());
        assert_eq!(Number::Float16.float().expect("a float").step(1.0), 2f64.powi(-10));
    }
}
