//! Arithmetic: unbounded integers, and floats if an operand is a float.

use crate::expr::Op;
use crate::ground::Term;
use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};
use std::borrow::Cow;

/// The maximal size of a result in bits: no path of interest needs larger numbers, and they are expensive.
const MAX_BITS: u64 = 1 << 20;

#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no arithmetic")]
pub(super) fn of_one(op: Op, of: &Term) -> Option<Term> {
    match op {
        Op::Negate => match of {
            Term::Float(value) => Some(Term::Float(-value)),
            _ => integer(-&*to_big(of)?),
        },
        Op::Absolute => match of {
            // BEAM keeps the sign of -0.0.
            Term::Float(value) => Some(Term::Float(if *value < 0.0 { -value } else { *value })),
            _ => integer(to_big(of)?.abs()),
        },
        Op::BitNot => integer(!&*to_big(of)?),
        Op::ToFloat => to_float(of).map(Term::Float),
        Op::Truncate => whole(of, f64::trunc),
        // Rounds half away from zero.
        Op::Round => whole(of, f64::round),
        Op::Floor => whole(of, f64::floor),
        Op::Ceiling => whole(of, f64::ceil),
        _ => finite(function(op)?(to_float(of)?)),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others are of integers")]
pub(super) fn of_two(op: Op, left: &Term, right: &Term) -> Option<Term> {
    if let (Term::Int(left), Term::Int(right)) = (left, right)
        && let Some(value) = of_small(op, *left, *right)
    {
        return Some(Term::Int(value));
    }
    match op {
        Op::Add => arithmetic(left, right, |a, b| Some(a + b), |a, b| a + b),
        Op::Subtract => arithmetic(left, right, |a, b| Some(a - b), |a, b| a - b),
        Op::Multiply => {
            let product = |a: &BigInt, b: &BigInt| (a.bits() + b.bits() <= MAX_BITS).then(|| a * b);
            arithmetic(left, right, product, |a, b| a * b)
        }
        Op::Divide => {
            let (left, right) = (to_float(left)?, to_float(right)?);
            if right == 0.0 { None } else { finite(left / right) }
        }
        Op::Power => finite(to_float(left)?.powf(to_float(right)?)),
        Op::Modulo => finite(to_float(left)? % to_float(right)?),
        _ => of_integers(op, &*to_big(left)?, &*to_big(right)?),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no functions of one float")]
fn function(op: Op) -> Option<fn(f64) -> f64> {
    Some(match op {
        Op::SquareRoot => f64::sqrt,
        Op::Exponential => f64::exp,
        Op::Logarithm => f64::ln,
        Op::BinaryLogarithm => f64::log2,
        Op::DecimalLogarithm => f64::log10,
        Op::Sine => f64::sin,
        Op::Cosine => f64::cos,
        Op::Tangent => f64::tan,
        Op::WholeBelow => f64::floor,
        Op::WholeAbove => f64::ceil,
        _ => return None,
    })
}

/// Computes on small integers; `None` if the operator has no shortcut or the result is large.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have no shortcut")]
fn of_small(op: Op, left: i64, right: i64) -> Option<i64> {
    match op {
        Op::Add => left.checked_add(right),
        Op::Subtract => left.checked_sub(right),
        Op::Multiply => left.checked_mul(right),
        Op::Quotient => left.checked_div(right),
        Op::Remainder => left.checked_rem(right),
        Op::BitAnd => Some(left & right),
        Op::BitOr => Some(left | right),
        Op::BitXor => Some(left ^ right),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no operators of integers")]
fn of_integers(op: Op, left: &BigInt, right: &BigInt) -> Option<Term> {
    match op {
        // Both truncate towards zero, as Erlang does.
        Op::Quotient => integer(if right.is_zero() { return None } else { left / right }),
        Op::Remainder => integer(if right.is_zero() { return None } else { left % right }),
        Op::BitAnd => integer(left & right),
        Op::BitOr => integer(left | right),
        Op::BitXor => integer(left ^ right),
        Op::ShiftLeft => shift(left, right),
        Op::ShiftRight => shift(left, &-right),
        _ => None,
    }
}

/// Shifts to the left, or to the right if `by` is negative.
fn shift(of: &BigInt, by: &BigInt) -> Option<Term> {
    if of.is_zero() {
        return Some(Term::Int(0));
    }
    let count = by.magnitude().to_u64();
    if by.sign() == Sign::Minus {
        let vanished = if of.is_negative() { -1 } else { 0 };
        return match count.filter(|it| *it <= of.bits()) {
            Some(count) => integer(of >> count),
            None => Some(Term::Int(vanished)),
        };
    }
    let count = count.filter(|it| of.bits().saturating_add(*it) <= MAX_BITS)?;
    integer(of << count)
}

fn arithmetic(
    left: &Term,
    right: &Term,
    of_integers: fn(&BigInt, &BigInt) -> Option<BigInt>,
    of_floats: fn(f64, f64) -> f64,
) -> Option<Term> {
    if let (Some(left), Some(right)) = (to_big(left), to_big(right)) {
        return integer(of_integers(&left, &right)?);
    }
    finite(of_floats(to_float(left)?, to_float(right)?))
}

fn integer(value: BigInt) -> Option<Term> {
    (value.bits() <= MAX_BITS).then(|| Term::integer(value))
}

fn finite(value: f64) -> Option<Term> {
    value.is_finite().then_some(Term::Float(value))
}

/// Returns an integer unchanged, and a float rounded by `by`.
#[expect(clippy::wildcard_enum_match_arm, reason = "other terms are no numbers")]
fn whole(of: &Term, by: fn(f64) -> f64) -> Option<Term> {
    match of {
        Term::Float(value) => BigInt::from_f64(by(*value)).map(Term::integer),
        _ => to_big(of).map(|_| of.clone()),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other terms are no integers")]
pub(super) fn to_big(term: &Term) -> Option<Cow<'_, BigInt>> {
    match term {
        Term::Int(value) => Some(Cow::Owned(BigInt::from(*value))),
        Term::Big(value) => Some(Cow::Borrowed(value)),
        _ => None,
    }
}

/// Converts to a float as BEAM does, which adds 64-bit digits in floats, the most significant first. It rounds at every
/// step, so the result may differ from the nearest float.
#[expect(clippy::wildcard_enum_match_arm, reason = "other terms are no numbers")]
fn to_float(term: &Term) -> Option<f64> {
    const BASE: f64 = 18_446_744_073_709_551_616.0;
    match term {
        Term::Float(value) => Some(*value),
        #[expect(clippy::cast_precision_loss, reason = "rounds to nearest, as BEAM does")]
        Term::Int(value) => Some(*value as f64),
        Term::Big(value) => {
            #[expect(clippy::cast_precision_loss, reason = "rounds to nearest, as BEAM does")]
            let sum = value.iter_u64_digits().rev().fold(0.0, |sum, it| sum * BASE + it as f64);
            Some(if value.is_negative() { -sum } else { sum }).filter(|it| it.is_finite())
        }
        _ => None,
    }
}
