//! Arithmetic. Whether the operands are numbers is a choice, and so is whether a divisor is zero.

use crate::lift::{Lifting, arg, own_expr};
use term::{Kind, Op};
use values::{Value, compare_value};

/// The loss where an operation fails although its operands are valid.
const BEYOND: &str = "a number beyond all floats or all integers";

fn binary(
    l: &mut Lifting<'_>,
    op: Op,
    kind: Kind,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let (a, b) = (arg(args, 0), arg(args, 1));
    if own_expr(a).is_none() && own_expr(b).is_none() {
        return found;
    }
    for (site_index, operand) in [(0, a), (1, b)] {
        let holds = if kind == Kind::Number { operand.is_number() } else { operand.is_integer() };
        if !l.test_kind(site_index, operand, kind, holds) {
            return found;
        }
    }
    if matches!(op, Op::Divide | Op::Quotient | Op::Remainder) && own_expr(b).is_some() {
        let (divisor, zero) = (l.expr(b)?, l.int(0));
        let is_zero = l.apply(Op::Equal, &[divisor, zero]);
        let holds = b.as_int() == Some(0) || is_float_zero(b);
        l.test(2, is_zero, holds);
        if holds {
            return found;
        }
    }
    if found.is_none() {
        l.concretise(BEYOND, args, |_| true);
    }
    let (a, b) = (l.expr(a)?, l.expr(b)?);
    Some(l.result(op, &[a, b], found?))
}

fn is_float_zero(value: Value) -> bool {
    matches!(value.view(), values::View::Float(float) if float == 0.0)
}

fn unary(
    l: &mut Lifting<'_>,
    op: Op,
    kind: Kind,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let a = arg(args, 0);
    let Some(expr) = own_expr(a) else { return found };
    let holds = if kind == Kind::Number { a.is_number() } else { a.is_integer() };
    if !l.test_kind(0, a, kind, holds) {
        return found;
    }
    if found.is_none() {
        l.concretise(BEYOND, args, |_| true);
    }
    Some(l.result(op, &[expr], found?))
}

/// A function of floats. Whether the operand is in the function's domain is a choice if the domain has a single bound;
/// results that exceed the range of floats are not followed symbolically.
fn of_floats(
    l: &mut Lifting<'_>,
    op: Op,
    kind: Kind,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    if args.iter().all(|it| own_expr(*it).is_none()) {
        return found;
    }
    let mut operands = Vec::new();
    for (site_index, operand) in (0..).zip(args) {
        if !l.test_kind(site_index, *operand, kind, operand.is_number()) {
            return found;
        }
        operands.push(l.expr(*operand)?);
    }
    let is_logarithm = matches!(op, Op::Logarithm | Op::BinaryLogarithm | Op::DecimalLogarithm);
    let least =
        if op == Op::SquareRoot { Some(Op::Less) } else { is_logarithm.then_some(Op::LessEqual) };
    if let (Some(below), [operand]) = (least, operands.as_slice()) {
        let zero = l.int(0);
        let is_outside = l.apply(below, &[*operand, zero]);
        let order = compare_value(l.heap, l.atoms, arg(args, 0), Value::int(0));
        let holds = order.is_lt() || order.is_eq() && below == Op::LessEqual;
        l.test(2, is_outside, holds);
        if holds {
            return found;
        }
    }
    if found.is_none() {
        l.concretise(BEYOND, args, |_| true);
    }
    Some(l.result(op, &operands, found?))
}

macro_rules! liftings {
    ($($name:ident = $shape:ident $op:ident $kind:ident;)*) => {
        $(pub(crate) fn $name(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            $shape(l, Op::$op, Kind::$kind, args, found)
        })*
    };
}

liftings! {
    add = binary Add Number;
    subtract = binary Subtract Number;
    multiply = binary Multiply Number;
    divide = binary Divide Number;
    quotient = binary Quotient Integer;
    remainder = binary Remainder Integer;
    bit_and = binary BitAnd Integer;
    bit_or = binary BitOr Integer;
    bit_xor = binary BitXor Integer;
    shift_left = binary ShiftLeft Integer;
    shift_right = binary ShiftRight Integer;
    bit_not = unary BitNot Integer;
    negate = unary Negate Number;
    absolute = unary Absolute Number;
    to_float = unary ToFloat Number;
    truncate = unary Truncate Number;
    round = unary Round Number;
    floor = unary Floor Number;
    ceiling = unary Ceiling Number;
    square_root = of_floats SquareRoot Number;
    exponential = of_floats Exponential Number;
    logarithm = of_floats Logarithm Number;
    binary_logarithm = of_floats BinaryLogarithm Number;
    decimal_logarithm = of_floats DecimalLogarithm Number;
    sine = of_floats Sine Number;
    cosine = of_floats Cosine Number;
    tangent = of_floats Tangent Number;
    whole_below = of_floats WholeBelow Number;
    whole_above = of_floats WholeAbove Number;
    power = of_floats Power Number;
    modulo = of_floats Modulo Number;
}

/// `+X`
pub(crate) fn plus(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let a = arg(args, 0);
    l.test_kind(0, a, Kind::Number, a.is_number());
    found
}
