//! Numbers outside the heap, for arithmetic on values that do not fit a machine word.

use crate::data::{Heap, Rational, Value, View};
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    Int(i64),
    /// Invariant: the integer does not fit an `i64`. Made by [`Number::integer`].
    Big(BigInt),
    /// Invariant: the fraction is not an integer. Made by [`Number::rational`].
    Rational(Rational),
    Float(f64),
}

impl Number {
    /// Returns a dereferenced value as a number; `None` if it is not one.
    pub fn of(heap: &Heap, value: Value) -> Option<Number> {
        match value.view() {
            View::Int(it) => Some(Number::Int(it)),
            View::Float(it) => Some(Number::Float(it)),
            View::Big(_) => heap.as_big(value).map(|it| Number::Big(it.as_ref().clone())),
            View::Rational(_) => {
                heap.as_rational(value).map(|it| Number::Rational(it.as_ref().clone()))
            }
            View::Var(_) | View::Atom(_) | View::Text(_) | View::Struct(..) => None,
        }
    }

    pub fn integer(value: BigInt) -> Number {
        value.to_i64().map_or(Number::Big(value), Number::Int)
    }

    pub fn rational(value: Rational) -> Number {
        if value.is_integer() {
            Number::integer(value.into_numerator())
        } else {
            Number::Rational(value)
        }
    }

    pub fn store(self, heap: &mut Heap) -> Value {
        match self {
            Number::Int(it) => Value::int(it),
            Number::Float(it) => Value::float(it),
            Number::Big(it) => heap.integer(it),
            Number::Rational(it) => heap.rational(it),
        }
    }

    pub fn is_integer(&self) -> bool {
        matches!(self, Number::Int(_) | Number::Big(_))
    }

    pub fn to_big(&self) -> Option<BigInt> {
        match self {
            Number::Int(it) => Some(BigInt::from(*it)),
            Number::Big(it) => Some(it.clone()),
            Number::Rational(_) | Number::Float(_) => None,
        }
    }

    pub fn to_rational(&self) -> Option<Rational> {
        match self {
            Number::Int(it) => Some(Rational::from_integer(BigInt::from(*it))),
            Number::Big(it) => Some(Rational::from_integer(it.clone())),
            Number::Rational(it) => Some(it.clone()),
            Number::Float(it) => Rational::from_float(*it),
        }
    }

    /// Returns the nearest float; an infinity if the number is out of the range of floats.
    #[expect(clippy::cast_precision_loss, reason = "rounds as the language does")]
    pub fn to_float(&self) -> f64 {
        match self {
            Number::Int(it) => *it as f64,
            Number::Big(it) => big_to_float(it),
            Number::Rational(it) => it.to_float(),
            Number::Float(it) => *it,
        }
    }

    pub fn sign(&self) -> Ordering {
        match self {
            Number::Int(it) => it.cmp(&0),
            Number::Big(it) => it.sign().cmp(&Sign::NoSign),
            Number::Rational(it) => it.numerator.cmp(&BigInt::zero()),
            Number::Float(it) => it.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
        }
    }

    /// Compares by value; `None` if one of the two is NaN.
    pub fn compare(&self, other: &Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
            (Number::Float(a), b) => compare_float(*a, b),
            (a, Number::Float(b)) => compare_float(*b, a).map(Ordering::reverse),
            (a, b) => Some(a.to_rational()?.compare(&b.to_rational()?)),
        }
    }

    /// Compares by value; NaN precedes all other numbers.
    pub(crate) fn standard_order(&self, other: &Number) -> Ordering {
        let nan = |it: &Number| matches!(it, Number::Float(it) if it.is_nan());
        self.compare(other).unwrap_or_else(|| nan(other).cmp(&nan(self)))
    }
}

fn compare_float(a: f64, b: &Number) -> Option<Ordering> {
    if a.is_nan() {
        return None;
    }
    if a.is_infinite() {
        return Some(if 0.0 < a { Ordering::Greater } else { Ordering::Less });
    }
    Some(Rational::from_float(a)?.compare(&b.to_rational()?))
}

/// Rounds an integer to the nearest float, ties to even.
fn big_to_float(value: &BigInt) -> f64 {
    const KEEP: u64 = 64;
    let bits = value.bits();
    if bits <= KEEP {
        return value.to_f64().unwrap_or(f64::NAN);
    }
    if 1100 < bits {
        return if value.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let shift = bits - KEEP;
    let magnitude = value.abs();
    let top = &magnitude >> shift;
    let sticky = (&top << shift) != magnitude;
    let top = top.to_u64().unwrap_or(0) | u64::from(sticky);
    #[expect(clippy::cast_precision_loss, reason = "the one rounding that is wanted")]
    let float = top as f64 * 2f64.powi(i32::try_from(shift).unwrap_or(i32::MAX));
    if value.is_negative() { -float } else { float }
}
