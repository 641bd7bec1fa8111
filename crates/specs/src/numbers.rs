//! Integer expressions in types: literals, characters and operators.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use std::ops::Neg;
use term::Term;

/// The value of an integer expression in abstract code; `None` if the form is not such an expression.
pub(crate) fn integer(form: &Term) -> Option<BigInt> {
    let parts = form.as_tuple()?;
    match (parts.first()?.as_atom()?, parts.get(2..)?) {
        ("integer" | "char", [Term::Int(value)]) => Some(BigInt::from(*value)),
        ("integer", [Term::Big(value)]) => Some((**value).clone()),
        ("op", [op, right]) => unary(op.as_atom()?, integer(right)?),
        ("op", [op, left, right]) => binary(op.as_atom()?, &integer(left)?, &integer(right)?),
        _ => None,
    }
}

fn unary(op: &str, right: BigInt) -> Option<BigInt> {
    match op {
        "+" => Some(right),
        "-" => Some(right.neg()),
        "bnot" => Some(!right),
        _ => None,
    }
}

fn binary(op: &str, left: &BigInt, right: &BigInt) -> Option<BigInt> {
    match op {
        "+" => Some(left + right),
        "-" => Some(left - right),
        "*" => Some(left * right),
        // Both Erlang's `div` and the division of `BigInt` round towards zero.
        "div" if !right.is_zero() => Some(left / right),
        "rem" if !right.is_zero() => Some(left % right),
        "band" => Some(left & right),
        "bor" => Some(left | right),
        "bxor" => Some(left ^ right),
        "bsl" => shift(left, right.to_i64()?),
        "bsr" => shift(left, right.to_i64()?.checked_neg()?),
        _ => None,
    }
}

/// Shifts to the left by `n` bits, or to the right by `-n` bits if `n` is negative. `None` if the shift is larger than
/// `MAX_SHIFT` bits.
fn shift(value: &BigInt, n: i64) -> Option<BigInt> {
    if n >= 0 {
        return (n <= MAX_SHIFT).then(|| value << n);
    }
    let n = n.checked_neg().filter(|it| *it <= MAX_SHIFT)?;
    Some(value.div_floor(&(BigInt::from(1) << n)))
}

/// The maximum shift in bits; no sensible type has larger integers.
const MAX_SHIFT: i64 = 1 << 20;
