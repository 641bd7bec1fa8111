//! The arithmetic functions, on numbers of every type.

use crate::builtins::output::BYTES_PER_STEP;
use crate::data::{Number, Rational};
use crate::machine::{Fault, Machine, Stop};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use term::large_integers::{Work, divide as divide_integers, multiply, remainder};

/// The functions by arity: those of SWI-Prolog, except the ones that need its C library.
const FUNCTIONS: &[(usize, &[&str])] = &[
    (
        1,
        &[
            "-",
            "+",
            "abs",
            "sign",
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
            "log10",
            "float",
            "integer",
            "float_integer_part",
            "float_fractional_part",
            "truncate",
            "round",
            "ceiling",
            "ceil",
            "floor",
            "\\",
            "msb",
            "lsb",
            "popcount",
            "random",
            "rational",
            "rationalize",
            "numerator",
            "denominator",
            "eval",
            "lgamma",
            "erf",
            "erfc",
        ],
    ),
    (
        2,
        &[
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
            "nexttoward",
            "gcd",
            "lcm",
            "rdiv",
            "getbit",
        ],
    ),
    (3, &["powm"]),
];

pub(super) fn is_function(name: &str, arity: usize) -> bool {
    FUNCTIONS.iter().any(|(n, names)| *n == arity && names.contains(&name))
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
        "random_float" => {
            m.note_environment("random numbers");
            Number::Float(m.next_random())
        }
        "cputime" => {
            m.note_environment("the clock");
            Number::Float(0.0)
        }
        _ => return None,
    })
}

impl Machine {
    /// Returns a pseudo-random float between 0 and 1. The sequence is the same in every run.
    pub(crate) fn next_random(&mut self) -> f64 {
        self.run.random ^= self.run.random << 13;
        self.run.random ^= self.run.random >> 7;
        self.run.random ^= self.run.random << 17;
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let res = ((self.run.random >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
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

    /// Returns a number as a float; an error if it is infinite or NaN.
    fn float_of(&mut self, value: &Number) -> Result<f64, Fault> {
        let float = value.to_float();
        self.check_float(float)?;
        Ok(float)
    }

    fn need_integer(&mut self, value: &Number) -> Result<BigInt, Fault> {
        match value.to_big() {
            Some(big) => Ok(big),
            None => {
                if let Number::Float(float) = value {
                    self.check_float(*float)?;
                }
                let value = value.clone().store(&mut self.heap);
                Err(self.type_error("integer", value))
            }
        }
    }
}

pub(super) fn apply_one(m: &mut Machine, name: &str, x: Number) -> Result<Number, Fault> {
    match name {
        "+" | "eval" => return Ok(x),
        "-" => return Ok(negate(x)),
        "abs" => return Ok(if x.sign() == Ordering::Less { negate(x) } else { absolute(x) }),
        "sign" => return Ok(sign(&x)),
        "float" => {
            let float = m.float_of(&x)?;
            return Ok(Number::Float(float));
        }
        "integer" | "truncate" | "round" | "ceiling" | "ceil" | "floor" => {
            return to_integer(name, x);
        }
        "\\" => {
            let value = m.need_integer(&x)?;
            return Ok(Number::integer(-value - 1));
        }
        "msb" | "lsb" => {
            let value = m.need_integer(&x)?;
            if !value.is_positive() {
                return Err(too_small(m, "not_less_than_one", x));
            }
            let bit = match name {
                "msb" => value.bits() - 1,
                _ => value.trailing_zeros().unwrap_or(0),
            };
            return Ok(Number::Int(i64::try_from(bit).unwrap_or(i64::MAX)));
        }
        "popcount" => {
            let value = m.need_integer(&x)?;
            if value.is_negative() {
                return Err(too_small(m, "not_less_than_zero", x));
            }
            let ones: u64 = value.iter_u64_digits().map(|it| u64::from(it.count_ones())).sum();
            return Ok(Number::Int(i64::try_from(ones).unwrap_or(i64::MAX)));
        }
        "random" => {
            let limit = m.need_integer(&x)?;
            if !limit.is_positive() {
                return Err(too_small(m, "not_less_than_one", x));
            }
            m.note_environment("random numbers");
            let float = m.next_random();
            #[expect(clippy::cast_possible_truncation, reason = "rounds down as the function does")]
            let res = (float * limit.to_f64().unwrap_or(0.0)).floor() as i64;
            return Ok(Number::Int(res));
        }
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
        "float_integer_part" => return float_integer_part(m, x),
        "float_fractional_part" => {
            return match float_fractional_part(&x) {
                Number::Float(it) => m.check_float(it),
                other @ (Number::Int(_) | Number::Big(_) | Number::Rational(_)) => Ok(other),
            };
        }
        _ => {}
    }
    let float = m.float_of(&x)?;
    match name {
        "sqrt" if float < 0.0 => Err(m.evaluation_error("undefined")),
        "log" | "log10" if float == 0.0 => Err(m.evaluation_error("float_overflow")),
        "log" | "log10" if float < 0.0 => Err(m.evaluation_error("undefined")),
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
                "asinh" => area_sine(float),
                "acosh" => area_cosine(float),
                "atanh" => float.atanh(),
                "exp" => float.exp(),
                "log" => float.ln(),
                "log10" => float.log10(),
                "lgamma" if float <= 0.0 => f64::INFINITY,
                "lgamma" => libm::lgamma(float),
                "erf" => libm::erf(float),
                "erfc" => libm::erfc(float),
                _ => return Err(m.evaluation_error("undefined")),
            };
            m.check_float(res)
        }
    }
}

/// The inverse hyperbolic sine, with the formulas of C libraries for large, medium and small arguments, so
/// that results round as in C.
fn area_sine(x: f64) -> f64 {
    let (a, square) = (x.abs(), x * x);
    let res = if 268_435_456.0 < a {
        a.ln() + std::f64::consts::LN_2
    } else if 2.0 < a {
        (2.0 * a + 1.0 / ((square + 1.0).sqrt() + a)).ln()
    } else {
        (a + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    res.copysign(x)
}

fn area_cosine(x: f64) -> f64 {
    if 268_435_456.0 < x {
        x.ln() + std::f64::consts::LN_2
    } else if 2.0 < x {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else {
        let t = x - 1.0;
        (t + (2.0 * t + t * t).sqrt()).ln_1p()
    }
}

fn too_small(m: &mut Machine, least: &str, x: Number) -> Fault {
    let value = x.store(&mut m.heap);
    m.domain_error(least, value)
}

fn float_integer_part(m: &mut Machine, x: Number) -> Result<Number, Fault> {
    match x {
        Number::Float(it) => m.check_float(it.trunc()),
        Number::Rational(_) => to_integer("truncate", x),
        Number::Int(_) | Number::Big(_) => Ok(x),
    }
}

/// Returns the fractional part with the sign of the argument, even if it is zero.
fn float_fractional_part(x: &Number) -> Number {
    match x {
        Number::Float(it) if it.is_infinite() => Number::Float(0f64.copysign(*it)),
        Number::Float(it) => Number::Float(it.fract().copysign(*it)),
        Number::Rational(it) => {
            let whole = Rational::from_integer(&it.numerator / &it.denominator);
            Number::rational(it.sub(&whole))
        }
        Number::Int(_) | Number::Big(_) => Number::Int(0),
    }
}

fn negate(x: Number) -> Number {
    match x {
        Number::Int(it) => {
            it.checked_neg().map_or_else(|| Number::integer(-BigInt::from(it)), Number::Int)
        }
        Number::Big(it) => Number::integer(-it),
        Number::Rational(it) => Number::Rational(it.neg()),
        Number::Float(it) if it.is_nan() => Number::Float(it),
        Number::Float(it) => Number::Float(-it),
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
        Number::Float(_) => Number::Float(f64::from(sign)),
        Number::Int(_) | Number::Big(_) | Number::Rational(_) => Number::Int(i64::from(sign)),
    }
}

/// Rounds a number to an integer; infinities and NaN stay as they are.
fn to_integer(name: &str, x: Number) -> Result<Number, Fault> {
    match &x {
        Number::Int(_) | Number::Big(_) => Ok(x),
        Number::Float(it) => {
            if it.is_nan() || it.is_infinite() {
                return Ok(x);
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
            None => Err(no_fraction(m, it)),
        },
        other @ Number::Int(_) | other @ Number::Big(_) | other @ Number::Rational(_) => Ok(other),
    }
}

fn no_fraction(m: &mut Machine, float: f64) -> Fault {
    m.evaluation_error(if float.is_nan() { "undefined" } else { "rational_overflow" })
}

/// Returns the simplest fraction that rounds to this float.
fn rationalize(m: &mut Machine, x: Number) -> Result<Number, Fault> {
    let Number::Float(float) = x else { return Ok(x) };
    let Some(target) = Rational::from_float(float) else {
        return Err(no_fraction(m, float));
    };
    // Convergents of the continued fraction, until one rounds to the float.
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
            for it in [&x, &y] {
                if let Number::Float(float) = it {
                    m.check_float(*float)?;
                }
            }
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
        "**" | "^" => power(m, &x, &y),
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
        "getbit" => {
            let (value, bit) = (m.need_integer(&x)?, m.need_integer(&y)?);
            for (it, number) in [(&value, &x), (&bit, &y)] {
                if it.is_negative() {
                    return Err(too_small(m, "not_less_than_zero", number.clone()));
                }
            }
            let is_set = bit.to_u64().is_some_and(|it| value.bit(it));
            Ok(Number::Int(i64::from(is_set)))
        }
        "copysign" => {
            let of = y.to_float();
            let negative = if of.is_nan() { false } else { of.is_sign_negative() };
            Ok(match x {
                Number::Float(it) => Number::Float(it.copysign(of)),
                Number::Int(_) | Number::Big(_) | Number::Rational(_) => {
                    if negative == (x.sign() == Ordering::Less) { x } else { negate(x) }
                }
            })
        }
        "nexttoward" => {
            let (a, b) = (m.float_of(&x)?, y.to_float());
            m.check_float(if a < b {
                a.next_up()
            } else if b < a {
                a.next_down()
            } else {
                a
            })
        }
        _ => {
            let (a, b) = (m.float_of(&x)?, m.float_of(&y)?);
            m.check_float(a.atan2(b))
        }
    }
}

/// The only ternary function, `powm/3`: a power modulo a number.
pub(super) fn apply_three(m: &mut Machine, of: [Number; 3]) -> Result<Number, Fault> {
    let [base, exponent, modulus] = of;
    let integers = [m.need_integer(&base)?, m.need_integer(&exponent)?, m.need_integer(&modulus)?];
    let [base, power, ring] = &integers;
    if power.is_negative() {
        return Err(too_small(m, "not_less_than_zero", exponent));
    }
    if ring.is_zero() {
        return Err(m.evaluation_error("zero_divisor"));
    }
    Ok(Number::integer(base.modpow(power, ring)))
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
            let (a, b) = (x.to_float(), y.to_float());
            return m.check_float(match name {
                "+" => a + b,
                "-" => a - b,
                _ => a * b,
            });
        }
        _ => {}
    }
    if let (Some(a), Some(b)) = (x.to_big(), y.to_big()) {
        m.check_memory(usize::try_from((a.bits() + b.bits()) / 8).unwrap_or(usize::MAX))?;
        return Ok(Number::integer(match name {
            "+" => a + b,
            "-" => a - b,
            _ => m.metered(|it| multiply(it, &a, &b))?,
        }));
    }
    let (Some(a), Some(b)) = (x.to_rational(), y.to_rational()) else { return Ok(Number::Int(0)) };
    Ok(Number::rational(match name {
        "+" => a.add(&b),
        "-" => a.sub(&b),
        _ => a.mul(&b),
    }))
}

/// Divides two numbers. The quotient of integers is an integer if the division is exact, otherwise a float.
fn divide(m: &mut Machine, x: &Number, y: &Number) -> Result<Number, Fault> {
    if is_float(x) || is_float(y) {
        let (a, b) = (x.to_float(), y.to_float());
        if b == 0.0 {
            return if a == 0.0 || a.is_nan() {
                Err(m.evaluation_error("undefined"))
            } else {
                Err(m.evaluation_error("zero_divisor"))
            };
        }
        return m.check_float(a / b);
    }
    if let (Some(a), Some(b)) = (x.to_big(), y.to_big()) {
        if b.is_zero() {
            return Err(m.evaluation_error("zero_divisor"));
        }
        if m.metered(|it| remainder(it, &a, &b))?.is_zero() {
            return Ok(Number::integer(m.metered(|it| divide_integers(it, &a, &b))?));
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
    if name == "//" {
        return Ok(Number::integer(m.metered(|it| divide_integers(it, &a, &b))?));
    }
    let rest = m.metered(|it| remainder(it, &a, &b))?;
    if name == "rem" {
        return Ok(Number::integer(rest));
    }
    // `mod` has the sign of the divisor, so it differs from the remainder if the signs of the two differ.
    let is_other = !rest.is_zero() && rest.is_negative() != b.is_negative();
    let modulus = if is_other { rest + &b } else { rest };
    Ok(Number::integer(match name {
        "mod" => modulus,
        _ => m.metered(|it| divide_integers(it, &(a - modulus), &b))?,
    }))
}

/// Returns the maximum or minimum. Of equal numbers the float wins, NaN loses, and zero counts as greater
/// than negative zero.
fn extreme(name: &str, x: Number, y: Number) -> Number {
    let is_negative_zero =
        |it: &Number| matches!(it, Number::Float(f) if *f == 0.0 && f.is_sign_negative());
    let Some(order) = x.compare(&y) else {
        return if matches!(x, Number::Float(it) if it.is_nan()) { y } else { x };
    };
    let order = order.then_with(|| is_negative_zero(&y).cmp(&is_negative_zero(&x)));
    match order {
        Ordering::Equal if is_float(&x) => x,
        Ordering::Equal => y,
        Ordering::Less | Ordering::Greater => {
            if (name == "max") == order.is_gt() {
                x
            } else {
                y
            }
        }
    }
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
    /// Raises SWI-Prolog's resource error for an integer larger than the budget of memory.
    fn check_size(&mut self, bytes: usize) -> Result<(), Fault> {
        if self.check_memory(bytes).is_err() {
            return Err(self.resource_error("memory"));
        }
        // Computing with large integers is charged to the budget of steps.
        let left = self.limits.steps.saturating_sub(self.control.steps);
        if left < bytes as u64 / BYTES_PER_STEP { Err(Stop::Steps.into()) } else { Ok(()) }
    }
}

/// Computes a power: exact if both operands and the result are exact, otherwise a float.
fn power(m: &mut Machine, x: &Number, y: &Number) -> Result<Number, Fault> {
    let is_zero = |it: &Number| it.sign() == Ordering::Equal && it.to_float() == 0.0;
    if is_zero(y) || matches!(x, Number::Int(1)) {
        return Ok(Number::Int(1));
    }
    match (x, y) {
        (Number::Int(_) | Number::Big(_), Number::Int(_) | Number::Big(_))
            if y.sign() != Ordering::Less || matches!(x, Number::Int(-1..=1)) =>
        {
            return integer_power(m, x, y);
        }
        (Number::Rational(base), Number::Int(exponent)) => {
            return rational_power(m, base, *exponent);
        }
        (Number::Int(_) | Number::Big(_) | Number::Rational(_), Number::Rational(exponent)) => {
            return root_power(m, x, exponent);
        }
        _ => {}
    }
    let (a, b) = (m.float_of(x)?, m.float_of(y)?);
    float_power(m, a, b)
}

fn float_power(m: &mut Machine, a: f64, b: f64) -> Result<Number, Fault> {
    if a == 0.0 && b < 0.0 {
        return Err(m.evaluation_error("zero_divisor"));
    }
    if a < 0.0 && b.fract() != 0.0 {
        return Err(m.evaluation_error("undefined"));
    }
    m.check_float(a.powf(b))
}

fn rational_power(m: &mut Machine, base: &Rational, exponent: i64) -> Result<Number, Fault> {
    let n = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
    m.check_size(
        n.saturating_mul(usize::try_from(base.numerator.bits() / 8 + 1).unwrap_or(usize::MAX)),
    )?;
    let n = u32::try_from(n).unwrap_or(u32::MAX);
    let (p, q) = (base.numerator.pow(n), base.denominator.pow(n));
    let res = if exponent < 0 { Rational::new(q, p) } else { Rational::new(p, q) };
    res.map(Number::rational).ok_or_else(|| m.evaluation_error("zero_divisor"))
}

/// Computes a power with a rational exponent: exact if the root is exact. Odd roots of negative numbers
/// exist.
fn root_power(m: &mut Machine, x: &Number, exponent: &Rational) -> Result<Number, Fault> {
    let Some(base) = x.to_rational() else { return Ok(Number::Int(0)) };
    let is_odd = exponent.denominator.is_odd();
    if let (Some(n), Some(power)) = (exponent.denominator.to_u32(), exponent.numerator.to_i64())
        && (is_odd || !base.numerator.is_negative())
    {
        let (p, q) = (base.numerator.nth_root(n), base.denominator.nth_root(n));
        if p.pow(n) == base.numerator
            && q.pow(n) == base.denominator
            && let Some(root) = Rational::new(p, q)
        {
            return rational_power(m, &root, power);
        }
    }
    let (a, b) = (m.float_of(x)?, exponent.to_float());
    if a < 0.0 && is_odd {
        let res = (-a).powf(b);
        return m.check_float(if exponent.numerator.is_odd() { -res } else { res });
    }
    float_power(m, a, b)
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
    Ok(Number::integer(m.metered(|it| power_of(it, &base, n))?))
}

/// Returns the power of an integer, computed by repeated squaring.
fn power_of<W: Work>(work: &W, base: &BigInt, exponent: u32) -> Result<BigInt, W::Stopped> {
    let mut res = BigInt::one();
    for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
        res = multiply(work, &res, &res)?;
        if exponent >> bit & 1 == 1 {
            res = multiply(work, &res, base)?;
        }
    }
    Ok(res)
}
