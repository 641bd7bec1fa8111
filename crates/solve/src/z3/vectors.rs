//! The theory of bit vectors: integers of a fixed width, chosen by the constants of the problem. Larger numbers are
//! left out, so "no solution" only means that there is none of this width.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not of bits is left out")]

use super::Theory;
use super::integers::to_big;
use super::rows::Arithmetic;
use crate::numbers::{Number, Problem, Row};
use ::z3::Model;
use ::z3::ast::{BV, Bool};
use num_bigint::BigInt;
use num_traits::{One, Signed};
use term::{Op, Term};

pub(super) struct Vectors {
    width: u32,
    unknowns: Vec<BV>,
}

impl Vectors {
    pub(super) fn of(problem: &Problem) -> Vectors {
        let bits = |it: &Term| to_big(it).map_or(0, |it| it.bits());
        let bits_of = |it: &Number| if let Number::Known(term) = it { bits(term) } else { 0 };
        let of_rows = problem.rows.iter().flat_map(|it| match it {
            Row::Is(result, _, args) => {
                args.iter().chain([result]).map(bits_of).collect::<Vec<_>>()
            }
            Row::Holds(_, args, _) => args.iter().map(bits_of).collect(),
        });
        let most = of_rows.max().unwrap_or(0).min(1000);
        let width = u32::try_from(most).unwrap_or(0).max(32) + 8;
        Vectors { width, unknowns: Vec::new() }
    }

    fn constant(&self, term: &Term) -> Option<BV> {
        let value = to_big(term)?;
        let all = BigInt::one() << self.width;
        if value.bits() >= u64::from(self.width) {
            return None;
        }
        let value = if value.is_negative() { value + all } else { value };
        BV::from_str(self.width, &value.to_string())
    }

    fn of_one(&self, op: Op, a: &BV) -> Option<BV> {
        match op {
            Op::Negate => Some(a.bvneg()),
            Op::BitNot => Some(a.bvnot()),
            Op::Absolute => Some(a.bvslt(BV::from_i64(0, self.width)).ite(&a.bvneg(), a)),
            _ => None,
        }
    }

    fn of_two(&self, op: Op, a: &BV, b: &BV, res: &mut Vec<Bool>) -> Option<BV> {
        let zero = BV::from_i64(0, self.width);
        match op {
            Op::Add => {
                res.extend([a.bvadd_no_overflow(b, true), a.bvadd_no_underflow(b)]);
                Some(a.bvadd(b))
            }
            Op::Subtract => {
                res.extend([a.bvsub_no_overflow(b), a.bvsub_no_underflow(b, true)]);
                Some(a.bvsub(b))
            }
            Op::Multiply => {
                res.extend([a.bvmul_no_overflow(b, true), a.bvmul_no_underflow(b)]);
                Some(a.bvmul(b))
            }
            Op::Quotient => {
                res.extend([b.eq(&zero).not(), a.bvsdiv_no_overflow(b)]);
                Some(a.bvsdiv(b))
            }
            Op::Remainder => {
                res.push(b.eq(&zero).not());
                Some(a.bvsrem(b))
            }
            Op::BitAnd => Some(a.bvand(b)),
            Op::BitOr => Some(a.bvor(b)),
            Op::BitXor => Some(a.bvxor(b)),
            Op::ShiftLeft => {
                let shifted = a.bvshl(b);
                res.extend([b.bvsge(&zero), shifted.bvashr(b).eq(a)]);
                res.push(b.bvslt(BV::from_i64(i64::from(self.width), self.width)));
                Some(shifted)
            }
            Op::ShiftRight => {
                res.push(b.bvsge(&zero));
                Some(a.bvashr(b))
            }
            _ => None,
        }
    }
}

impl Arithmetic for Vectors {
    type Value = BV;

    fn number(&self, number: &Number) -> Option<BV> {
        match number {
            Number::Known(term) => self.constant(term),
            Number::Unknown(place) => self.unknowns.get(place.0).cloned(),
        }
    }

    fn compare(op: Op, a: &BV, b: &BV) -> Bool {
        match op {
            Op::Less => a.bvslt(b),
            Op::LessEqual => a.bvsle(b),
            _ => a.eq(b),
        }
    }

    fn result(&self, op: Op, _args: &[Number], values: &[BV], when: &mut Vec<Bool>) -> Option<BV> {
        match values {
            [a] => self.of_one(op, a),
            [a, b] => self.of_two(op, a, b, when),
            _ => None,
        }
    }
}

impl Theory for Vectors {
    fn facts(&mut self, problem: &Problem) -> Vec<Bool> {
        let named = |it: usize| BV::new_const(format!("v{it}_{}", self.width), self.width);
        self.unknowns = (0..problem.unknowns.len()).map(named).collect();
        let mut res = Vec::new();
        for (unknown, vector) in problem.unknowns.iter().zip(&self.unknowns) {
            if let Some((low, is_strict)) = &unknown.low
                && let Some(bound) = self.constant(low)
            {
                res.push(if *is_strict { vector.bvsgt(&bound) } else { vector.bvsge(&bound) });
            }
            if let Some((high, is_strict)) = &unknown.high
                && let Some(bound) = self.constant(high)
            {
                res.push(if *is_strict { vector.bvslt(&bound) } else { vector.bvsle(&bound) });
            }
            let excluded = unknown.excluded.iter().filter_map(|it| self.constant(it));
            res.extend(excluded.map(|it| vector.eq(&it).not()));
        }
        res.extend(problem.rows.iter().filter_map(|it| self.statements(it)).flatten());
        res
    }

    fn small(&self, size: i64) -> Vec<Bool> {
        let (low, high) = (BV::from_i64(-size, self.width), BV::from_i64(size, self.width));
        self.unknowns.iter().flat_map(|it| [it.bvsge(&low), it.bvsle(&high)]).collect()
    }

    fn is(&self, place: usize, number: &Term) -> Option<Bool> {
        Some(self.unknowns.get(place)?.eq(&self.constant(number)?))
    }

    fn read(&self, model: &Model) -> Option<Vec<Term>> {
        let value = |it: &BV| {
            // Z3 prints a vector as `#b101` or `#x1f`.
            let text = model.eval(it, true)?.to_string();
            let value = match text.strip_prefix("#x") {
                Some(digits) => BigInt::parse_bytes(digits.as_bytes(), 16)?,
                None => BigInt::parse_bytes(text.strip_prefix("#b")?.as_bytes(), 2)?,
            };
            let is_negative = value.bit(u64::from(self.width) - 1);
            let all = BigInt::one() << self.width;
            Some(Term::integer(if is_negative { value - all } else { value }))
        };
        self.unknowns.iter().map(value).collect()
    }
}
