//! The functions of arithmetic, on numbers of every kind.

use crate::data::{Number, Rational};
use crate::machine::{Fault, Machine};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

const ONE: &[&str] = &[
    "-",
    "+",
    "abs",
    "sign",
    "min",
    "max",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "log",
    "log2",
    "float",
    "integer",
    "float_integer_part",
    "float_fractional_part",
    "truncate",
    "round",
    "ceiling",
    "floor",
    "\\",
    "msb",
    "succ",
    "random",
    "random_float",
    "rational",
    "rationalize",
    "numerator",
    "denominator",
    "ceil",
    "eval",
    "lgamma",
    "erf",
    "erfc",
    "cot",
    "acot",
];

const TWO: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "//",
    "mod",
    "rem",
    "div",
    "min",
    "max",
    "**",
    "^",
    ">>",
    "<<",
    "/\\",
    "\\/",
    "xor",
    "atan2",
    "atan",
    "copysign",
    "gcd",
    "lcm",
    "rdiv",
    "divmod",
    "log",
    "truncate",
    "cmpflags",
    "random",
    "trig",
    "nexttoward",
    "tdiv",
];

pub(super) fn is_function(name: &str, arity: usize) -> bool {
    match arity {
        1 => ONE.contains(&name) && !matches!(name, "min" | "max"),
        2 => {
            TWO.contains(&name)
                && !matches!(name, "divmod" | "truncate" | "cmpflags" | "random" | "trig" | "tdiv")
        }
        _ => false,
    }
}

pub(super) fn constant(m: &mut Machine, name: &str) -> Option<Number> {
    Some(match name {
        "pi" => Number::Float(std::f64::consts::PI),
        "e" => Number::Float(std::f64::consts::E),
        "inf" | "infinite" => Number::Float(f64::INFINITY),
        "nan" => Number::Float(f64::NAN),
        "epsilon" => Number::Float(f64::EPSILON),
        "max_integer" => Number::Int(i64::MAX),
        "min_integer" => Number::Int(i64::MIN),
        "max_tagged_integer" => Number::Int((1 << 60) - 1),
        "min_tagged_integer" => Number::Int(-(1 << 60)),
        "random" | "random_float" => Number::Float(m.next_random()),
        "cputime" | "realtime" => Number::Float(0.0),
        _ => return None,
    })
}

impl Machine {
    /// Between 0 and 1, the same in every run.
    pub(crate) fn next_random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let res = ((self.random >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        res
    }

    fn check_float(&mut self, value: f64) -> Result<Number, Fault> {
        if value.is_nan() {
            return Err(self.evaluation_error("undefined"));
        }
        if value.is_infinite() {
            return Err(self.evaluation_error("float_overflow"));
        }
        Ok(Number::Float(value))
    }

    fn float_of(&mut self, value: &Number) -> Result<f64, Fault> {
        let float = value.to_float();
        if float.is_infinite() && !matches!(value, Number::Float(_)) {
            return Err(self.evaluation_error("float_overflow"));
        }
        Ok(float)
    }

    fn need_integer(&mut self, value: &Number) -> Result<BigInt, Fault> {
        match value.to_big() {
            Some(big) => Ok(big),
            None => {
                let value = value.clone().store(&mut self.heap);
                Err(self.type_error("integer", value))
            }
        }
    }
}

pub(super) fn apply_one(m: &mut Machine, name: &str, x: Number) -> Result<Number, Fault> {
    match name {
        "+" | "eval" => return Ok(x),
        "-" => return negate(m, x),
        "abs" => return if x.sign() == Ordering::Less { negate(m, x) } else { Ok(absolute(x)) },
        "sign" => return Ok(sign(&x)),
        "succ" => {
            m.need_integer(&x)?;
            return apply_two(m, "+", x, Number::Int(1));
        }
        "float" => {
            let float = m.float_of(&x)?;
            return Ok(Number::Float(float));
        }
        "integer" | "truncate" | "round" | "ceiling" | "ceil" | "floor" => {
            return to_integer(m, name, x);
        }
        "\\" => {
            let value = m.need_integer(&x)?;
            return Ok(Number::integer(-value - 1));
        }
        "msb" => {
            let value = m.need_integer(&x)?;
            if !value.is_positive() {
                let value = x.store(&mut m.heap);
                return Err(m.type_error("not_less_than_one", value));
            }
            return Ok(Number::Int(i64::try_from(value.bits()).unwrap_or(i64::MAX) - 1));
        }
        "random" => {
            let limit = m.need_integer(&x)?;
            let float = m.next_random();
            #[expect(clippy::cast_possible_truncation, reason = "rounds down as the function does")]
            let res = (float * limit.to_f64().unwrap_or(0.0)).floor() as i64;
            return Ok(Number::Int(res));
        }
        "random_float" => return Ok(Number::Float(m.next_random())),
        "rational" => return exact(m, x),
        "rationalize" => return rationalize(m, x),
        "numerator" | "denominator" => {
            return match x.to_rational() {
                Some(it) if !matches!(x, Number::Float(_)) => {
                    Ok(Number::integer(if name == "numerator" {
                        it.numerator
                    } else {
                        it.denominator
                    }))
                }
                _ => {
                    let value = x.store(&mut m.heap);
                    Err(m.type_error("rational", value))
                }
            };
        }
        _ => {}
    }
    let float = m.float_of(&x)?;
    match name {
        "sqrt" if float < 0.0 => Err(m.evaluation_error("undefined")),
        "log" | "log2" if float <= 0.0 => Err(m.evaluation_error("undefined")),
        "asin" | "acos" if !(-1.0..=1.0).contains(&float) => Err(m.evaluation_error("undefined")),
        "acosh" if float < 1.0 => Err(m.evaluation_error("undefined")),
        "atanh" if !(-1.0..=1.0).contains(&float) => Err(m.evaluation_error("undefined")),
        _ => {
            let res = match name {
                "sqrt" => float.sqrt(),
                "sin" => float.sin(),
                "cos" => float.cos(),
                "tan" => float.tan(),
                "asin" => float.asin(),
                "acos" => float.acos(),
                "atan" => float.atan(),
                "sinh" => float.sinh(),
                "cosh" => float.cosh(),
                "tanh" => float.tanh(),
                "asinh" => float.asinh(),
                "acosh" => float.acosh(),
                "atanh" => float.atanh(),
                "exp" => float.exp(),
                "log" => float.ln(),
                "log2" => float.log2(),
                "cot" => 1.0 / float.tan(),
                "acot" => (1.0 / float).atan(),
                "float_integer_part" => match &x {
                    Number::Float(it) => it.trunc(),
                    Number::Int(_) | Number::Big(_) | Number::Rational(_) => return Ok(x),
                },
                "float_fractional_part" => match &x {
                    Number::Float(it) => it.fract(),
                    Number::Rational(it) => {
                        let whole = Rational::from_integer(&it.numerator / &it.denominator);
                        return Ok(Number::rational(it.sub(&whole)));
                    }
                    Number::Int(_) | Number::Big(_) => return Ok(Number::Int(0)),
                },
                _ => return Err(m.evaluation_error("undefined")),
            };
            m.check_float(res)
        }
    }
}

fn negate(m: &mut Machine, x: Number) -> Result<Number, Fault> {
    Ok(match x {
        Number::Int(it) => {
            it.checked_neg().map_or_else(|| Number::integer(-BigInt::from(it)), Number::Int)
        }
        Number::Big(it) => Number::integer(-it),
        Number::Rational(it) => Number::Rational(it.neg()),
        Number::Float(it) => return m.check_or_special(-it),
    })
}

impl Machine {
    /// Infinities and the like that were there before go through.
    fn check_or_special(&mut self, value: f64) -> Result<Number, Fault> {
        Ok(Number::Float(value))
    }
}

fn absolute(x: Number) -> Number {
    match x {
        Number::Float(it) => Number::Float(it.abs()),
        other @ Number::Int(_) | other @ Number::Big(_) | other @ Number::Rational(_) => other,
    }
}

fn sign(x: &Number) -> Number {
    let sign = match x.sign() {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    };
    match x {
        Number::Float(it) if it.is_nan() => Number::Float(*it),
        Number::Float(it) if *it == 0.0 => Number::Float(*it),
        Number::Float(_) => Number::Float(f64::from(sign)),
        Number::Int(_) | Number::Big(_) | Number::Rational(_) => Number::Int(i64::from(sign)),
    }
}

fn to_integer(m: &mut Machine, name: &str, x: Number) -> Result<Number, Fault> {
    match &x {
        Number::Int(_) | Number::Big(_) => Ok(x),
        Number::Float(it) => {
            if it.is_nan() || it.is_infinite() {
                return Err(m.evaluation_error("undefined"));
            }
            let rounded = match name {
                "truncate" => it.trunc(),
                "floor" => it.floor(),
                "ceiling" | "ceil" => it.ceil(),
                _ => it.round(),
            };
            Ok(Rational::from_float(rounded).map_or(Number::Int(0), Number::rational))
        }
        Number::Rational(it) => {
            let floor = it.floor();
            let half = Rational { numerator: BigInt::one(), denominator: BigInt::from(2) };
            Ok(Number::integer(match name {
                "floor" => floor,
                "ceiling" | "ceil" => floor + 1,
                "truncate" if it.numerator.is_negative() => floor + 1,
                "truncate" => floor,
                _ if it.numerator.is_negative() => -it.neg().add(&half).floor(),
                _ => it.add(&half).floor(),
            }))
        }
    }
}

fn exact(m: &mut Machine, x: Number) -> Result<Number, Fault> {
    match x {
        Number::Float(it) => match Rational::from_float(it) {
            Some(it) => Ok(Number::rational(it)),
            None => Err(m.evaluation_error("undefined")),
        },
        other @ Number::Int(_) | other @ Number::Big(_) | other @ Number::Rational(_) => Ok(other),
    }
}

/// The simplest fraction that is this float.
fn rationalize(m: &mut Machine, x: Number) -> Result<Number, Fault> {
    let Number::Float(float) = x else { return Ok(x) };
    let Some(target) = Rational::from_float(float) else {
        return Err(m.evaluation_error("undefined"));
    };
    // Continued fractions until the float is met.
    let (mut p0, mut q0, mut p1, mut q1) =
        (BigInt::zero(), BigInt::one(), BigInt::one(), BigInt::zero());
    let mut rest = target;
    loop {
        let whole = rest.floor();
        let (p2, q2) = (&whole * &p1 + &p0, &whole * &q1 + &q0);
        let Some(found) = Rational::new(p2.clone(), q2.clone()) else {
            return Ok(Number::rational(rest));
        };
        #[expect(clippy::float_cmp, reason = "the very float is wanted")]
        if found.to_float() == float {
            return Ok(Number::rational(found));
        }
        (p0, q0, p1, q1) = (p1, q1, p2, q2);
        let fraction = rest.sub(&Rational::from_integer(whole));
        match Rational::from_integer(BigInt::one()).div(&fraction) {
            Some(next) => rest = next,
            None => return Ok(Number::rational(found)),
        }
    }
}

pub(super) fn apply_two(
    m: &mut Machine,
    name: &str,
    x: Number,
    y: Number,
) -> Result<Number, Fault> {
    match name {
        "+" | "-" | "*" => basic(m, name, &x, &y),
        "/" => divide(m, &x, &y),
        "rdiv" => {
            let (Some(a), Some(b), true) =
                (x.to_rational(), y.to_rational(), !is_float(&x) && !is_float(&y))
            else {
                let culprit = if is_float(&x) { x } else { y };
                let culprit = culprit.store(&mut m.heap);
                return Err(m.type_error("rational", culprit));
            };
            a.div(&b).map(Number::rational).ok_or_else(|| m.evaluation_error("zero_divisor"))
        }
        "//" | "mod" | "rem" | "div" => integer_division(m, name, &x, &y),
        "min" | "max" => Ok(extreme(name, x, y)),
        "**" => power(m, &x, &y),
        "^" => caret(m, &x, &y),
        ">>" | "<<" => shift(m, name, &x, &y),
        "/\\" | "\\/" | "xor" => {
            let (a, b) = (m.need_integer(&x)?, m.need_integer(&y)?);
            Ok(Number::integer(match name {
                "/\\" => a & b,
                "\\/" => a | b,
                _ => a ^ b,
            }))
        }
        "gcd" | "lcm" => {
            let (a, b) = (m.need_integer(&x)?, m.need_integer(&y)?);
            Ok(Number::integer(if name == "gcd" { a.gcd(&b) } else { a.lcm(&b) }))
        }
        "log" => {
            let (base, of) = (m.float_of(&x)?, m.float_of(&y)?);
            if base <= 0.0 || of <= 0.0 {
                return Err(m.evaluation_error("undefined"));
            }
            m.check_float(of.ln() / base.ln())
        }
        _ => {
            let (a, b) = (m.float_of(&x)?, m.float_of(&y)?);
            match name {
                "atan2" | "atan" => m.check_float(a.atan2(b)),
                "copysign" => Ok(Number::Float(a.copysign(b))),
                _ => Ok(Number::Float(a)),
            }
        }
    }
}

fn is_float(x: &Number) -> bool {
    matches!(x, Number::Float(_))
}

fn basic(m: &mut Machine, name: &str, x: &Number, y: &Number) -> Result<Number, Fault> {
    match (x, y) {
        (Number::Int(a), Number::Int(b)) => {
            let small = match name {
                "+" => a.checked_add(*b),
                "-" => a.checked_sub(*b),
                _ => a.checked_mul(*b),
            };
            if let Some(small) = small {
                return Ok(Number::Int(small));
            }
        }
        (Number::Float(_), _) | (_, Number::Float(_)) => {
            let (a, b) = (m.float_of(x)?, m.float_of(y)?);
            let res = match name {
                "+" => a + b,
                "-" => a - b,
                _ => a * b,
            };
            if a.is_finite() && b.is_finite() {
                return m.check_float(res);
            }
            return if res.is_nan() && !a.is_nan() && !b.is_nan() {
                Err(m.evaluation_error("undefined"))
            } else {
                Ok(Number::Float(res))
            };
        }
        _ => {}
    }
    if let (Some(a), Some(b)) = (x.to_big(), y.to_big()) {
        m.check_memory(usize::try_from((a.bits() + b.bits()) / 8).unwrap_or(usize::MAX))?;
        return Ok(Number::integer(match name {
            "+" => a + b,
            "-" => a - b,
            _ => a * b,
        }));
    }
    let (Some(a), Some(b)) = (x.to_rational(), y.to_rational()) else { return Ok(Number::Int(0)) };
    Ok(Number::rational(match name {
        "+" => a.add(&b),
        "-" => a.sub(&b),
        _ => a.mul(&b),
    }))
}

/// Integers divide to an integer where that is exact, to a float otherwise.
fn divide(m: &mut Machine, x: &Number, y: &Number) -> Result<Number, Fault> {
    if is_float(x) || is_float(y) {
        let (a, b) = (m.float_of(x)?, m.float_of(y)?);
        if b == 0.0 {
            return if a == 0.0 || a.is_nan() {
                Err(m.evaluation_error("undefined"))
            } else {
                Err(m.evaluation_error("zero_divisor"))
            };
        }
        let res = a / b;
        return if a.is_finite() && b.is_finite() {
            m.check_float(res)
        } else {
            Ok(Number::Float(res))
        };
    }
    if let (Some(a), Some(b)) = (x.to_big(), y.to_big()) {
        if b.is_zero() {
            return Err(m.evaluation_error("zero_divisor"));
        }
        let (quotient, rest) = a.div_rem(&b);
        if rest.is_zero() {
            return Ok(Number::integer(quotient));
        }
        let exact = Rational::new(a, b).map_or(0.0, |it| it.to_float());
        return m.check_float(exact);
    }
    let (Some(a), Some(b)) = (x.to_rational(), y.to_rational()) else { return Ok(Number::Int(0)) };
    a.div(&b).map(Number::rational).ok_or_else(|| m.evaluation_error("zero_divisor"))
}

fn integer_division(m: &mut Machine, name: &str, x: &Number, y: &Number) -> Result<Number, Fault> {
    let (a, b) = (m.need_integer(x)?, m.need_integer(y)?);
    if b.is_zero() {
        return Err(m.evaluation_error("zero_divisor"));
    }
    Ok(Number::integer(match name {
        "//" => a / b,
        "rem" => a % b,
        "mod" => a.mod_floor(&b),
        _ => a.div_floor(&b),
    }))
}

/// Of equal ones, the second where their kinds differ, as SWI-Prolog compares.
fn extreme(name: &str, x: Number, y: Number) -> Number {
    let order = x.standard_order(&y).then_with(|| (!is_float(&x)).cmp(&!is_float(&y)));
    let first = if name == "max" { order.is_gt() } else { order.is_lt() };
    if first { x } else { y }
}

fn shift(m: &mut Machine, name: &str, x: &Number, y: &Number) -> Result<Number, Fault> {
    let (value, by) = (m.need_integer(x)?, m.need_integer(y)?);
    let left = (name == "<<") != by.is_negative();
    let by = by.abs().to_usize().unwrap_or(usize::MAX);
    if !left {
        return Ok(Number::integer(value >> by.min(1 << 40)));
    }
    if value.is_zero() {
        return Ok(Number::Int(0));
    }
    m.check_size(by / 8)?;
    Ok(Number::integer(value << by))
}

impl Machine {
    /// Integers beyond the memory budget are SWI-Prolog's resource errors.
    fn check_size(&mut self, bytes: usize) -> Result<(), Fault> {
        if self.check_memory(bytes).is_err() {
            return Err(self.resource_error("memory"));
        }
        Ok(())
    }
}

/// Unlike `^`, it leaves the integers where the result is none.
fn power(m: &mut Machine, x: &Number, y: &Number) -> Result<Number, Fault> {
    if let (true, Number::Int(exponent)) = (x.is_integer(), y)
        && *exponent < 0
        && !matches!(x, Number::Int(-1..=1))
    {
        let (a, b) = (m.float_of(x)?, m.float_of(y)?);
        return m.check_float(a.powf(b));
    }
    caret(m, x, y)
}

fn caret(m: &mut Machine, x: &Number, y: &Number) -> Result<Number, Fault> {
    if x.is_integer() && y.is_integer() {
        return integer_power(m, x, y);
    }
    if let (Number::Rational(base), Number::Int(exponent)) = (x, y) {
        let n = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
        m.check_size(
            n.saturating_mul(usize::try_from(base.numerator.bits() / 8 + 1).unwrap_or(usize::MAX)),
        )?;
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        let (p, q) = (base.numerator.pow(n), base.denominator.pow(n));
        let res = if *exponent < 0 { Rational::new(q, p) } else { Rational::new(p, q) };
        return res.map(Number::rational).ok_or_else(|| m.evaluation_error("zero_divisor"));
    }
    let (a, b) = (m.float_of(x)?, m.float_of(y)?);
    if a == 0.0 && b < 0.0 {
        return Err(m.evaluation_error("zero_divisor"));
    }
    if a < 0.0 && b.fract() != 0.0 && b.is_finite() {
        return Err(m.evaluation_error("undefined"));
    }
    m.check_float(a.powf(b))
}

fn integer_power(m: &mut Machine, x: &Number, y: &Number) -> Result<Number, Fault> {
    let (base, exponent) = (m.need_integer(x)?, m.need_integer(y)?);
    if exponent.is_negative() {
        if base.is_one() {
            return Ok(Number::Int(1));
        }
        if base == BigInt::from(-1) {
            return Ok(Number::Int(if exponent.is_even() { 1 } else { -1 }));
        }
        if base.is_zero() {
            return Err(m.evaluation_error("zero_divisor"));
        }
        let value = x.clone().store(&mut m.heap);
        return Err(m.type_error("float", value));
    }
    if base.is_zero() || base.is_one() {
        let zero_power = exponent.is_zero();
        return Ok(Number::integer(if zero_power { BigInt::one() } else { base }));
    }
    if base == BigInt::from(-1) {
        return Ok(Number::Int(if exponent.is_even() { 1 } else { -1 }));
    }
    let n = exponent.to_u32().unwrap_or(u32::MAX);
    let bits = usize::try_from(base.bits()).unwrap_or(usize::MAX).saturating_mul(n as usize);
    m.check_size(bits / 8)?;
    Ok(Number::integer(base.pow(n)))
}
