//! Arithmetic operators: a fast path on words, then big integers and floats with BEAM's results.

use crate::builtins::{Builtin, Fault, Stop, pure};
use crate::lift;
use crate::machine::World;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use values::{AtomId, Effort, Heap, MAX_INTEGER_BITS, Value, View, large_integers};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "+", 1, |w, args| plus(w, arg(args, 0))).own(lift::arithmetic::plus),
    pure("erlang", "-", 1, |w, args| negate(w, arg(args, 0))).own(lift::arithmetic::negate),
    pure("erlang", "+", 2, |w, args| add(w, arg(args, 0), arg(args, 1))).own(lift::arithmetic::add),
    pure("erlang", "-", 2, |w, args| subtract(w, arg(args, 0), arg(args, 1)))
        .own(lift::arithmetic::subtract),
    pure("erlang", "*", 2, |w, args| multiply(w, arg(args, 0), arg(args, 1)))
        .own(lift::arithmetic::multiply),
    pure("erlang", "/", 2, |w, args| divide(w, arg(args, 0), arg(args, 1)))
        .own(lift::arithmetic::divide),
    pure("erlang", "div", 2, |w, args| div(w, arg(args, 0), arg(args, 1)))
        .own(lift::arithmetic::quotient),
    pure("erlang", "rem", 2, |w, args| rem(w, arg(args, 0), arg(args, 1)))
        .own(lift::arithmetic::remainder),
    pure("erlang", "abs", 1, |w, args| absolute(w, arg(args, 0))).own(lift::arithmetic::absolute),
    pure("erlang", "band", 2, |w, args| bitwise(w, args, |a, b| a & b, |a, b| a & b))
        .own(lift::arithmetic::bit_and),
    pure("erlang", "bor", 2, |w, args| bitwise(w, args, |a, b| a | b, |a, b| a | b))
        .own(lift::arithmetic::bit_or),
    pure("erlang", "bxor", 2, |w, args| bitwise(w, args, |a, b| a ^ b, |a, b| a ^ b))
        .own(lift::arithmetic::bit_xor),
    pure("erlang", "bnot", 1, |w, args| bit_not(w, arg(args, 0))).own(lift::arithmetic::bit_not),
    pure("erlang", "bsl", 2, |w, args| shift(w, arg(args, 0), arg(args, 1), Side::Left))
        .own(lift::arithmetic::shift_left),
    pure("erlang", "bsr", 2, |w, args| shift(w, arg(args, 0), arg(args, 1), Side::Right))
        .own(lift::arithmetic::shift_right),
];

/// Returns the n-th argument, zero-based. The row's arity guarantees that it is there.
#[inline]
pub(super) fn arg(args: &[Value], n: usize) -> Value {
    args.get(n).copied().unwrap_or(Value::NIL)
}

#[inline]
pub(crate) fn add(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int())
        && let Some(sum) = a.checked_add(b)
    {
        return Ok(Value::int(sum));
    }
    number_op(w, left, right, |_, a, b| Ok(a + b), |a, b| a + b)
}

#[inline]
pub(crate) fn subtract(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int())
        && let Some(difference) = a.checked_sub(b)
    {
        return Ok(Value::int(difference));
    }
    number_op(w, left, right, |_, a, b| Ok(a - b), |a, b| a - b)
}

#[inline]
pub(crate) fn multiply(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int())
        && let Some(product) = a.checked_mul(b)
    {
        return Ok(Value::int(product));
    }
    number_op(w, left, right, product, |a, b| a * b)
}

fn plus(_: &mut World, value: Value) -> Result<Value, Fault> {
    if value.is_number() { Ok(value) } else { Err(Fault::BADARITH) }
}

fn negate(w: &mut World, value: Value) -> Result<Value, Fault> {
    match value.view() {
        View::Float(float) => Ok(Value::float(-float)),
        _ => subtract(w, Value::int(0), value),
    }
}

fn absolute(w: &mut World, value: Value) -> Result<Value, Fault> {
    match value.view() {
        View::Int(int) if int != i64::MIN => Ok(Value::int(int.abs())),
        View::Int(int) => Ok(w.heap.integer(BigInt::from(int).abs())),
        View::Big(at) => {
            let res = w.heap.big(at).abs();
            Ok(w.heap.integer(res))
        }
        // BEAM leaves the sign of -0.0 unchanged.
        View::Float(float) => Ok(Value::float(if float < 0.0 { -float } else { float })),
        _ => Err(Fault::BADARG),
    }
}

/// Divides as `/` does: the result is a float. Division by zero and integers too large for a float raise `badarith`.
pub(crate) fn divide(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    let (a, b) = (to_float(&w.heap, left)?, to_float(&w.heap, right)?);
    if b == 0.0 {
        return Err(Fault::BADARITH);
    }
    finite(a / b)
}

#[inline]
pub(crate) fn div(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int())
        && let Some(quotient) = a.checked_div(b)
    {
        return Ok(Value::int(quotient));
    }
    let (a, b) = integers(&w.heap, left, right)?;
    if b.is_zero() {
        return Err(Fault::BADARITH);
    }
    let quotient = large_integers::divide(&w.heap.effort, &a, &b)?;
    integer(w, quotient)
}

#[inline]
pub(crate) fn rem(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int())
        && let Some(remainder) = a.checked_rem(b)
    {
        return Ok(Value::int(remainder));
    }
    let (a, b) = integers(&w.heap, left, right)?;
    if b.is_zero() {
        return Err(Fault::BADARITH);
    }
    let left = large_integers::remainder(&w.heap.effort, &a, &b)?;
    integer(w, left)
}

fn bitwise(
    w: &mut World,
    args: &[Value],
    small: fn(i64, i64) -> i64,
    big: fn(BigInt, BigInt) -> BigInt,
) -> Result<Value, Fault> {
    let (left, right) = (arg(args, 0), arg(args, 1));
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
        return Ok(Value::int(small(a, b)));
    }
    let (a, b) = integers(&w.heap, left, right)?;
    integer(w, big(a, b))
}

fn bit_not(w: &mut World, value: Value) -> Result<Value, Fault> {
    if let Some(int) = value.as_int() {
        return Ok(Value::int(!int));
    }
    let big = w.heap.to_big(value).ok_or(Fault::BADARITH)?;
    integer(w, !big)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Shifts as `bsl` and `bsr` do; a negative count shifts in the opposite direction.
pub(crate) fn shift(w: &mut World, left: Value, right: Value, side: Side) -> Result<Value, Fault> {
    if !left.is_integer() || !right.is_integer() {
        return Err(Fault::BADARITH);
    }
    let is_negative = |value: Value| match value.view() {
        View::Big(at) => w.heap.big(at).is_negative(),
        _ => value.as_int().is_some_and(i64::is_negative),
    };
    let leftwards = (side == Side::Left) != is_negative(right);
    let count = right.as_int().map(i64::unsigned_abs);
    if leftwards {
        if left.as_int() == Some(0) {
            return Ok(left);
        }
        // BEAM raises `system_limit` for a count that no result could fit.
        let count = count.filter(|it| *it < MAX_INTEGER_BITS).ok_or(Fault::SYSTEM_LIMIT)?;
        if let Some(int) = left.as_int()
            && count < 63
            && (int << count) >> count == int
        {
            return Ok(Value::int(int << count));
        }
        let big = w.heap.to_big(left).ok_or(Fault::BADARITH)?;
        w.limits.check_integer(big.bits() + count)?;
        return integer(w, big << count);
    }
    let vanished = if is_negative(left) { -1 } else { 0 };
    let Some(count) = count else { return Ok(Value::int(vanished)) };
    if let Some(int) = left.as_int() {
        return Ok(Value::int(if count < 64 { int >> count } else { vanished }));
    }
    let big = w.heap.to_big(left).ok_or(Fault::BADARITH)?;
    integer(w, big >> count)
}

/// Multiplies big integers. A product that is too large is refused before the long computation.
fn product(effort: &Effort, a: &BigInt, b: &BigInt) -> Result<BigInt, Fault> {
    let least_bits = (a.bits() + b.bits()).saturating_sub(1);
    if least_bits > MAX_INTEGER_BITS {
        return Err(Fault::SYSTEM_LIMIT);
    }
    Ok(large_integers::multiply(effort, a, b)?)
}

fn number_op(
    w: &mut World,
    left: Value,
    right: Value,
    big: fn(&Effort, &BigInt, &BigInt) -> Result<BigInt, Fault>,
    float: fn(f64, f64) -> f64,
) -> Result<Value, Fault> {
    if left.is_integer() && right.is_integer() {
        let (a, b) = integers(&w.heap, left, right)?;
        let found = big(&w.heap.effort, &a, &b)?;
        return integer(w, found);
    }
    if left.is_number() && right.is_number() {
        return finite(float(to_float(&w.heap, left)?, to_float(&w.heap, right)?));
    }
    Err(Fault::BADARITH)
}

/// Converts any number to a float, as mixed arithmetic does.
pub(super) fn to_float(heap: &Heap, value: Value) -> Result<f64, Fault> {
    match value.view() {
        #[expect(clippy::cast_precision_loss, reason = "rounds to nearest, as BEAM does")]
        View::Int(int) => Ok(int as f64),
        View::Float(float) => Ok(float),
        View::Big(at) => big_to_float(heap.big(at)).ok_or(Fault::BADARITH),
        _ => Err(Fault::BADARITH),
    }
}

/// Converts a big integer as BEAM does: 64-bit digits are added up in floats, most significant first. This rounds at
/// every step, so the result may differ from the nearest float. Returns `None` if the integer is too large for a float.
fn big_to_float(big: &BigInt) -> Option<f64> {
    const BASE: f64 = 18_446_744_073_709_551_616.0;
    #[expect(clippy::cast_precision_loss, reason = "rounds to nearest, as BEAM does")]
    let sum = big.iter_u64_digits().rev().fold(0.0, |sum, digit| sum * BASE + digit as f64);
    let res = if big.is_negative() { -sum } else { sum };
    res.is_finite().then_some(res)
}

pub(super) fn finite(float: f64) -> Result<Value, Fault> {
    if float.is_finite() { Ok(Value::float(float)) } else { Err(Fault::BADARITH) }
}

fn integers(heap: &Heap, left: Value, right: Value) -> Result<(BigInt, BigInt), Fault> {
    heap.to_big(left).zip(heap.to_big(right)).ok_or(Fault::BADARITH)
}

/// Makes the integer value of a result, or an error if it is beyond the budget.
pub(super) fn integer(w: &mut World, value: BigInt) -> Result<Value, Fault> {
    w.heap.count_steps(usize::try_from(value.bits() / 64).unwrap_or(usize::MAX));
    w.limits.check_integer(value.bits())?;
    Ok(w.heap.integer(value))
}

impl crate::machine::Limits {
    pub(crate) fn check_integer(&self, bits: u64) -> Result<(), Fault> {
        if bits > MAX_INTEGER_BITS {
            return Err(Fault::SYSTEM_LIMIT);
        }
        if bits <= self.integer_bits { Ok(()) } else { Err(Stop::IntegerTooLarge.into()) }
    }
}

/// Returns `badarg` without a cause if the value is not of the expected type.
pub(super) fn badarg<T>(found: Option<T>) -> Result<T, Fault> {
    found.ok_or(Fault::Error(Value::atom(AtomId::BADARG)))
}
