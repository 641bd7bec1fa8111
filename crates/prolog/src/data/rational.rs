//! Exact fractions, in SWI-Prolog's syntax `1r3`.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// Invariant: the denominator is positive and has no factor in common with the numerator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rational {
    pub numerator: BigInt,
    pub denominator: BigInt,
}

impl Rational {
    /// Returns the reduced fraction; `None` if the denominator is zero.
    pub fn new(numerator: BigInt, denominator: BigInt) -> Option<Rational> {
        if denominator.is_zero() {
            return None;
        }
        let gcd = numerator.gcd(&denominator);
        let sign = if denominator.is_negative() { -BigInt::one() } else { BigInt::one() };
        let by = gcd * sign;
        Some(Rational { numerator: numerator / &by, denominator: denominator / &by })
    }

    pub fn from_integer(value: BigInt) -> Rational {
        Rational { numerator: value, denominator: BigInt::one() }
    }

    /// Returns the exact value of a float; `None` for an infinity or NaN.
    pub fn from_float(value: f64) -> Option<Rational> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.to_bits();
        let exponent = i32::try_from(bits >> 52 & 0x7ff).unwrap_or(0);
        let mantissa = bits & ((1 << 52) - 1);
        let (mantissa, power) = match exponent {
            0 => (mantissa, -1074),
            _ => (mantissa | 1 << 52, exponent - 1075),
        };
        let mantissa = BigInt::from(mantissa) * if value < 0.0 { -1 } else { 1 };
        let scale = BigInt::one() << power.unsigned_abs();
        if power < 0 {
            Rational::new(mantissa, scale)
        } else {
            Some(Rational::from_integer(mantissa * scale))
        }
    }

    pub fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    pub fn into_numerator(self) -> BigInt {
        self.numerator
    }

    pub fn add(&self, other: &Rational) -> Rational {
        self.combine(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            other,
        )
    }

    pub fn sub(&self, other: &Rational) -> Rational {
        self.combine(
            &self.numerator * &other.denominator - &other.numerator * &self.denominator,
            other,
        )
    }

    pub fn mul(&self, other: &Rational) -> Rational {
        self.combine(&self.numerator * &other.numerator, other)
    }

    pub fn div(&self, other: &Rational) -> Option<Rational> {
        Rational::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }

    pub fn neg(&self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }

    pub fn floor(&self) -> BigInt {
        self.numerator.div_floor(&self.denominator)
    }

    pub fn compare(&self, other: &Rational) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }

    /// Returns the nearest float.
    pub fn to_float(&self) -> f64 {
        if let (Some(n), Some(d)) = (self.numerator.to_i64(), self.denominator.to_i64()) {
            const EXACT: u64 = 1 << 53;
            if n.unsigned_abs() < EXACT && d.unsigned_abs() < EXACT {
                #[expect(clippy::cast_precision_loss, reason = "both are exact below 2^53")]
                return n as f64 / d as f64;
            }
        }
        // Scales the numbers so that the quotient has 66 bits or more. Its last bit is sticky (set if there
        // is a remainder), so the conversion to a float is the only rounding.
        let shift = 66 - (bits(&self.numerator) - bits(&self.denominator));
        let (n, d) = if 0 <= shift {
            (self.numerator.abs() << shift.unsigned_abs(), self.denominator.clone())
        } else {
            (self.numerator.abs(), &self.denominator << shift.unsigned_abs())
        };
        let (mut quotient, rest) = n.div_rem(&d);
        if !rest.is_zero() {
            quotient |= BigInt::one();
        }
        let value = scaled(&quotient, -shift);
        if self.numerator.is_negative() { -value } else { value }
    }

    fn combine(&self, numerator: BigInt, other: &Rational) -> Rational {
        let denominator = &self.denominator * &other.denominator;
        Rational::new(numerator, denominator).unwrap_or_else(|| self.clone())
    }
}

fn bits(value: &BigInt) -> i64 {
    i64::try_from(value.bits()).unwrap_or(i64::MAX)
}

/// Returns `value * 2^power`. The power is split in two factors, so that neither overflows before the product
/// does.
fn scaled(value: &BigInt, power: i64) -> f64 {
    let value = value.to_f64().unwrap_or(f64::INFINITY);
    let half = power / 2;
    let of = |n: i64| 2f64.powi(i32::try_from(n.clamp(-2000, 2000)).unwrap_or(0));
    value * of(half) * of(power - half)
}
