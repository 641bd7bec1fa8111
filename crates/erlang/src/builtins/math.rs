//! Rounding floats to integers, and the `math` module.
//!
//! BEAM calls the C library, and so does `std`, except for the inverse hyperbolic functions.

use crate::builtins::arithmetic::{arg, integer, to_float};
use crate::builtins::{Builtin, Fault, on_host, pure};
use crate::lift;
use crate::machine::World;
use num_bigint::BigInt;
use num_traits::FromPrimitive;
use values::{Value, View};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "round", 1, |w, args| to_integer(w, args, f64::round))
        .own(lift::arithmetic::round),
    pure("erlang", "trunc", 1, |w, args| to_integer(w, args, f64::trunc))
        .own(lift::arithmetic::truncate),
    pure("erlang", "floor", 1, |w, args| to_integer(w, args, f64::floor))
        .own(lift::arithmetic::floor),
    pure("erlang", "ceil", 1, |w, args| to_integer(w, args, f64::ceil))
        .own(lift::arithmetic::ceiling),
    // Unlike arithmetic, this raises `badarg` for an integer that is too large.
    pure("erlang", "float", 1, |w, args| {
        to_float(&w.heap, arg(args, 0)).map(Value::float).map_err(|_| Fault::BADARG)
    })
    .own(lift::arithmetic::to_float),
    pure("math", "pi", 0, |_, _| Ok(Value::float(std::f64::consts::PI))),
    pure("math", "acos", 1, |w, args| call(w, args, f64::acos)),
    pure("math", "acosh", 1, |w, args| call(w, args, acosh)),
    pure("math", "asin", 1, |w, args| call(w, args, f64::asin)),
    pure("math", "asinh", 1, |w, args| call(w, args, asinh)),
    pure("math", "atan", 1, |w, args| call(w, args, f64::atan)),
    pure("math", "atanh", 1, |w, args| call(w, args, atanh)),
    pure("math", "ceil", 1, |w, args| call(w, args, f64::ceil)).own(lift::arithmetic::whole_above),
    pure("math", "cos", 1, |w, args| call(w, args, f64::cos)).own(lift::arithmetic::cosine),
    pure("math", "cosh", 1, |w, args| call(w, args, f64::cosh)),
    // Rust has no error function, and an approximation might round differently from the C library.
    on_host("math", "erf", 1),
    on_host("math", "erfc", 1),
    pure("math", "exp", 1, |w, args| call(w, args, f64::exp)).own(lift::arithmetic::exponential),
    pure("math", "floor", 1, |w, args| call(w, args, f64::floor))
        .own(lift::arithmetic::whole_below),
    pure("math", "log", 1, |w, args| call(w, args, f64::ln)).own(lift::arithmetic::logarithm),
    pure("math", "log10", 1, |w, args| call(w, args, f64::log10))
        .own(lift::arithmetic::decimal_logarithm),
    pure("math", "log2", 1, |w, args| call(w, args, f64::log2))
        .own(lift::arithmetic::binary_logarithm),
    pure("math", "sin", 1, |w, args| call(w, args, f64::sin)).own(lift::arithmetic::sine),
    pure("math", "sinh", 1, |w, args| call(w, args, f64::sinh)),
    pure("math", "sqrt", 1, |w, args| call(w, args, f64::sqrt)).own(lift::arithmetic::square_root),
    pure("math", "tan", 1, |w, args| call(w, args, f64::tan)).own(lift::arithmetic::tangent),
    pure("math", "tanh", 1, |w, args| call(w, args, f64::tanh)),
    pure("math", "atan2", 2, |w, args| call_two(w, args, f64::atan2)),
    pure("math", "fmod", 2, |w, args| call_two(w, args, |a, b| a % b))
        .own(lift::arithmetic::modulo),
    pure("math", "pow", 2, |w, args| call_two(w, args, f64::powf)).own(lift::arithmetic::power),
];

/// Rounds a float and converts it exactly to an integer; an integer is returned unchanged.
fn to_integer(w: &mut World, args: &[Value], whole: fn(f64) -> f64) -> Result<Value, Fault> {
    let value = arg(args, 0);
    match value.view() {
        View::Int(_) | View::Big(_) => Ok(value),
        View::Float(float) => {
            let whole = BigInt::from_f64(whole(float)).ok_or(Fault::BADARG)?;
            integer(w, whole)
        }
        _ => Err(Fault::BADARG),
    }
}

fn call(w: &mut World, args: &[Value], function: fn(f64) -> f64) -> Result<Value, Fault> {
    let x = operand(w, args, 0)?;
    result(function(x))
}

fn call_two(w: &mut World, args: &[Value], function: fn(f64, f64) -> f64) -> Result<Value, Fault> {
    let x = operand(w, args, 0)?;
    let y = operand(w, args, 1)?;
    result(function(x, y))
}

/// Returns an argument as a float. A term that is no number is a `badarg`, an integer too large for a float a
/// `badarith`.
fn operand(w: &World, args: &[Value], n: usize) -> Result<f64, Fault> {
    let value = arg(args, n);
    if value.is_number() { to_float(&w.heap, value) } else { Err(Fault::BADARG) }
}

fn result(float: f64) -> Result<Value, Fault> {
    super::arithmetic::finite(float)
}

// The inverse hyperbolic functions with the formulas of glibc, because those of `std` differ in the last bit.

/// For larger floats, adding 1 to the square changes nothing.
const GREAT: f64 = 268_435_456.0;
/// For smaller floats, the function equals its argument.
const TINY: f64 = 1.0 / GREAT;

fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let res = if a < TINY {
        return x;
    } else if a > GREAT {
        a.ln() + std::f64::consts::LN_2
    } else if a > 2.0 {
        (2.0 * a + 1.0 / ((a * a + 1.0).sqrt() + a)).ln()
    } else {
        let square = a * a;
        (a + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    res.copysign(x)
}

fn acosh(x: f64) -> f64 {
    if x > GREAT {
        x.ln() + std::f64::consts::LN_2
    } else if x > 2.0 {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else if x >= 1.0 {
        let t = x - 1.0;
        (t + (2.0 * t + t * t).sqrt()).ln_1p()
    } else {
        f64::NAN
    }
}

fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let res = if a < TINY {
        return x;
    } else if a < 0.5 {
        let t = a + a;
        0.5 * (t + t * a / (1.0 - a)).ln_1p()
    } else {
        0.5 * ((a + a) / (1.0 - a)).ln_1p()
    };
    res.copysign(x)
}
