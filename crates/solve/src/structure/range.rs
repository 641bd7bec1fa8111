//! Intervals of integers, and the floats next to a number.

use super::value::Value;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use term::Term;

/// The integers from `low` to `high`. The extreme values of `i128` stand for no bound, and so do numbers beyond them:
/// an interval over-approximates the set it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
}

/// Sums and products of numbers below this limit do not overflow.
const LIMIT: i128 = 1 << 62;
const LIMIT_BITS: u64 = 120;

impl Range {
    pub(super) const ALL: Range = Range { low: i128::MIN, high: i128::MAX };

    pub(super) fn of(term: &Term) -> Range {
        Range::from(term, false).and(Range::up_to(term, false))
    }

    /// Returns the integers from a number on. Terms of other kinds are no lower bound.
    pub(super) fn from(term: &Term, is_strict: bool) -> Range {
        let low = match whole(term) {
            Some((value, is_exact)) if is_exact && !is_strict => value,
            // The floor plus one.
            Some((value, _)) => value + 1,
            None => return Range::ALL,
        };
        Range { low: clamp(&low).unwrap_or(i128::MIN), high: i128::MAX }
    }

    pub(super) fn up_to(term: &Term, is_strict: bool) -> Range {
        let high = match whole(term) {
            Some((value, is_exact)) if is_exact && is_strict => value - 1,
            Some((value, _)) => value,
            None => return Range::ALL,
        };
        Range { low: i128::MIN, high: clamp(&high).unwrap_or(i128::MAX) }
    }

    pub(super) fn new(low: i128, high: i128) -> Range {
        Range { low, high }
    }

    pub(super) fn and(self, other: Range) -> Range {
        Range { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    pub(super) fn or(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub(super) fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub(super) fn has(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    pub(super) fn has_low(self) -> bool {
        self.low != i128::MIN
    }

    pub(super) fn has_high(self) -> bool {
        self.high != i128::MAX
    }

    /// Returns the number of integers, if there are bounds and it fits in 64 bits.
    pub(super) fn count(self) -> Option<u64> {
        if !self.has_low() || !self.has_high() {
            return None;
        }
        u64::try_from(self.high.checked_sub(self.low)?.checked_add(1)?).ok()
    }

    pub(super) fn only<'q>(self) -> Option<Value<'q>> {
        if self.low == self.high { self.low_value() } else { None }
    }

    pub(super) fn low_value<'q>(self) -> Option<Value<'q>> {
        self.has_low().then(|| integer(self.low))
    }

    pub(super) fn high_value<'q>(self) -> Option<Value<'q>> {
        self.has_high().then(|| integer(self.high))
    }

    /// Adds two intervals.
    pub(super) fn add(self, other: Range) -> Range {
        Range {
            low: if self.has_low() && other.has_low() {
                keep_low(self.low.checked_add(other.low))
            } else {
                i128::MIN
            },
            high: if self.has_high() && other.has_high() {
                keep_high(self.high.checked_add(other.high))
            } else {
                i128::MAX
            },
        }
    }

    pub(super) fn negate(self) -> Range {
        Range {
            low: if self.has_high() { -self.high } else { i128::MIN },
            high: if self.has_low() { -self.low } else { i128::MAX },
        }
    }

    pub(super) fn multiply(self, other: Range) -> Range {
        if self == Range::new(0, 0) || other == Range::new(0, 0) {
            return Range::new(0, 0);
        }
        let is_small =
            |it: Range| it.has_low() && it.has_high() && -LIMIT < it.low && it.high < LIMIT;
        if is_small(self) && is_small(other) {
            let ends = [
                self.low * other.low,
                self.low * other.high,
                self.high * other.low,
                self.high * other.high,
            ];
            let low = ends.iter().copied().min().unwrap_or(i128::MIN);
            return Range { low, high: ends.iter().copied().max().unwrap_or(i128::MAX) };
        }
        // At least the sign of the product is known.
        if self.low >= 0 && other.low >= 0 {
            let low =
                if self.low < LIMIT && other.low < LIMIT { self.low * other.low } else { LIMIT };
            return Range { low, high: i128::MAX };
        }
        Range::ALL
    }
}

pub(super) fn integer<'q>(value: i128) -> Value<'q> {
    Value::own(match i64::try_from(value) {
        Ok(small) => Term::Int(small),
        Err(_) => Term::integer(BigInt::from(value)),
    })
}

fn keep_low(value: Option<i128>) -> i128 {
    value.filter(|it| it.unsigned_abs() < 1 << LIMIT_BITS).unwrap_or(i128::MIN)
}

fn keep_high(value: Option<i128>) -> i128 {
    value.filter(|it| it.unsigned_abs() < 1 << LIMIT_BITS).unwrap_or(i128::MAX)
}

fn clamp(value: &BigInt) -> Option<i128> {
    if value.bits() < LIMIT_BITS { value.to_i128() } else { None }
}

/// Returns the floor of a number, and whether the number is an integer.
fn whole(term: &Term) -> Option<(BigInt, bool)> {
    if let Term::Float(value) = term {
        let floor = value.floor();
        #[expect(clippy::float_cmp, reason = "whether it is whole")]
        return Some((BigInt::from_f64(floor)?, floor == *value));
    }
    if let Term::Big(value) = term {
        return Some(((**value).clone(), true));
    }
    term.as_int().map(|it| (BigInt::from(it), true))
}

/// Returns the least float that is not below the number (if strict: above it). `None` if the term is no number or the
/// float would be infinite.
pub(super) fn float_at_least(number: &Term, is_strict: bool) -> Option<f64> {
    let near = nearest(number)?;
    let order = Term::Float(near).cmp_value(number);
    let res = if order.is_lt() || order.is_eq() && is_strict { near.next_up() } else { near };
    res.is_finite().then_some(res)
}

pub(super) fn float_at_most(number: &Term, is_strict: bool) -> Option<f64> {
    let near = nearest(number)?;
    let order = Term::Float(near).cmp_value(number);
    let res = if order.is_gt() || order.is_eq() && is_strict { near.next_down() } else { near };
    res.is_finite().then_some(res)
}

fn nearest(number: &Term) -> Option<f64> {
    if let Term::Float(value) = number {
        // Both zeros are equal; the positive one represents them.
        return Some(if *value == 0.0 { 0.0 } else { *value });
    }
    if let Term::Big(value) = number {
        return value.to_f64().filter(|it| it.is_finite());
    }
    #[expect(clippy::cast_precision_loss, reason = "the caller compares exactly")]
    number.as_int().map(|it| it as f64)
}
