//! The theory of unbounded integers. Rows that are not integer arithmetic are left out, which makes the problem weaker.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not arithmetic is left out")]

use super::Theory;
use super::rows::Arithmetic;
use crate::numbers::{Number, Problem};
use ::z3::Model;
use ::z3::ast::{Bool, Int};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};
use std::str::FromStr;
use term::{Op, Term};

#[derive(Default)]
pub(super) struct Integers {
    unknowns: Vec<Int>,
    is_float: Vec<bool>,
}

/// Whether the number is known and has the form `2^n - 1`, a mask of low bits.
pub(super) fn is_mask(number: &Number) -> bool {
    let Number::Known(term) = number else { return false };
    to_big(term).is_some_and(|it| is_low_bits(&it))
}

fn is_low_bits(value: &BigInt) -> bool {
    value.is_positive() && (value & (value + 1u8)) == BigInt::ZERO
}

pub(super) fn to_big(term: &Term) -> Option<BigInt> {
    if let Term::Big(value) = term {
        return Some((**value).clone());
    }
    term.as_int().map(BigInt::from)
}

/// The maximal size of a constant in bits: Z3 parses digits in quadratic time.
const MAX_BITS: u64 = 2048;

fn constant(value: &BigInt) -> Option<Int> {
    if value.bits() > MAX_BITS {
        return None;
    }
    if let Some(small) = value.to_i64() {
        return Some(Int::from_i64(small));
    }
    Int::from_str(&value.to_string()).ok()
}

impl Theory for Integers {
    fn facts(&mut self, problem: &Problem) -> Vec<Bool> {
        self.unknowns =
            (0..problem.unknowns.len()).map(|it| Int::new_const(format!("i{it}"))).collect();
        self.is_float = problem.unknowns.iter().map(|it| it.is_float).collect();
        let mut res = Vec::new();
        for (unknown, int) in problem.unknowns.iter().zip(&self.unknowns) {
            if unknown.is_float {
                continue;
            }
            if let Some((low, is_strict)) = &unknown.low
                && let Some(bound) = to_big(&whole(low, Op::Ceiling)).and_then(|it| constant(&it))
            {
                let is_strict = *is_strict && to_big(low).is_some();
                res.push(if is_strict { int.gt(&bound) } else { int.ge(&bound) });
            }
            if let Some((high, is_strict)) = &unknown.high
                && let Some(bound) = to_big(&whole(high, Op::Floor)).and_then(|it| constant(&it))
            {
                let is_strict = *is_strict && to_big(high).is_some();
                res.push(if is_strict { int.lt(&bound) } else { int.le(&bound) });
            }
            let excluded = unknown.excluded.iter().filter_map(|it| constant(&to_big(it)?));
            res.extend(excluded.map(|it| int.eq(&it).not()));
        }
        res.extend(problem.rows.iter().filter_map(|it| self.statements(it)).flatten());
        res
    }

    fn small(&self, size: i64) -> Vec<Bool> {
        let (low, high) = (Int::from_i64(-size), Int::from_i64(size));
        self.unknowns.iter().flat_map(|it| [it.ge(&low), it.le(&high)]).collect()
    }

    fn is(&self, place: usize, number: &Term) -> Option<Bool> {
        Some(self.unknowns.get(place)?.eq(&constant(&to_big(number)?)?))
    }

    fn read(&self, model: &Model) -> Option<Vec<Term>> {
        let value = |it: &Int| {
            let text = model.eval(it, true)?.to_string();
            // Z3 prints a negative number as `(- 5)`.
            let value = match text.strip_prefix("(- ").and_then(|it| it.strip_suffix(')')) {
                Some(digits) => -digits.parse::<BigInt>().ok()?,
                None => text.parse().ok()?,
            };
            Some(Term::integer(value))
        };
        self.unknowns.iter().map(value).collect()
    }
}

impl Arithmetic for Integers {
    type Value = Int;

    fn number(&self, number: &Number) -> Option<Int> {
        match number {
            Number::Known(term) => constant(&to_big(term)?),
            Number::Unknown(place) if self.is_float.get(place.0) == Some(&true) => None,
            Number::Unknown(place) => self.unknowns.get(place.0).cloned(),
        }
    }

    fn compare(op: Op, a: &Int, b: &Int) -> Bool {
        match op {
            Op::Less => a.lt(b),
            Op::LessEqual => a.le(b),
            _ => a.eq(b),
        }
    }

    fn result(&self, op: Op, args: &[Number], values: &[Int], when: &mut Vec<Bool>) -> Option<Int> {
        let by = || match args {
            [_, Number::Known(term)] => power(term.as_int()?),
            _ => None,
        };
        match (op, values) {
            (Op::Add, [a, b]) => Some(Int::add(&[a, b])),
            (Op::Subtract, [a, b]) => Some(Int::sub(&[a, b])),
            (Op::Multiply, [a, b]) => Some(Int::mul(&[a, b])),
            (Op::Negate, [a]) => Some(a.unary_minus()),
            (Op::BitNot, [a]) => Some(Int::sub(&[&a.unary_minus(), &Int::from_i64(1)])),
            (Op::Absolute, [a]) => Some(a.ge(Int::from_i64(0)).ite(a, &a.unary_minus())),
            (Op::Quotient | Op::Remainder, [a, b]) => {
                when.push(b.eq(Int::from_i64(0)).not());
                let quotient = truncated(a, b);
                Some(match op {
                    Op::Quotient => quotient,
                    _ => Int::sub(&[a, &Int::mul(&[b, &quotient])]),
                })
            }
            (Op::BitAnd, [a, b]) => match args {
                [_, mask] if is_mask(mask) => Some(low_bits(a, b)),
                [mask, _] if is_mask(mask) => Some(low_bits(b, a)),
                _ => None,
            },
            (Op::ShiftLeft, [a, _]) => Some(Int::mul(&[a, &by()?])),
            // Euclidean division by a positive number rounds down, as the shift does.
            (Op::ShiftRight, [a, _]) => Some(a.div(by()?)),
            _ => None,
        }
    }
}

fn low_bits(of: &Int, mask: &Int) -> Int {
    of.modulo(Int::add(&[mask, &Int::from_i64(1)]))
}

fn power(by: i64) -> Option<Int> {
    let by = u32::try_from(by).ok().filter(|it| *it <= 512)?;
    constant(&(BigInt::one() << by))
}

/// Divides towards zero; Z3 rounds so that the remainder is not negative.
fn truncated(a: &Int, b: &Int) -> Int {
    let opposite = a.unary_minus().div(b).unary_minus();
    a.ge(Int::from_i64(0)).ite(&a.div(b), &opposite)
}

fn whole(number: &Term, op: Op) -> Term {
    term::apply(op, &[number]).unwrap_or_else(|| number.clone())
}
