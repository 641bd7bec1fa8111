//! The theory of IEEE doubles. Rows that are not float arithmetic are left out.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not arithmetic is left out")]

use super::Theory;
use super::rows::Arithmetic;
use crate::numbers::{Number, Problem};
use ::z3::Model;
use ::z3::ast::{Bool, Float, RoundingMode};
use term::{Op, Term};

#[derive(Default)]
pub(super) struct Floats {
    unknowns: Vec<Float>,
}

/// Returns the number as a float, if it is exactly representable.
fn constant(term: &Term) -> Option<Float> {
    let float = term::apply(Op::ToFloat, &[term])?;
    if float.cmp_value(term).is_ne() {
        return None;
    }
    if let Term::Float(value) = float { Some(Float::from_f64(value)) } else { None }
}

impl Arithmetic for Floats {
    type Value = Float;

    fn number(&self, number: &Number) -> Option<Float> {
        match number {
            Number::Known(term) => constant(term),
            Number::Unknown(place) => self.unknowns.get(place.0).cloned(),
        }
    }

    fn compare(op: Op, a: &Float, b: &Float) -> Bool {
        match op {
            Op::Less => a.lt(b),
            Op::LessEqual => a.le(b),
            _ => a.eq_fpa(b),
        }
    }

    fn result(
        &self,
        op: Op,
        _args: &[Number],
        values: &[Float],
        when: &mut Vec<Bool>,
    ) -> Option<Float> {
        let nearest = RoundingMode::round_nearest_ties_to_even();
        match (op, values) {
            (Op::Add, [a, b]) => Some(a.add_with_rounding_mode(b, &nearest)),
            (Op::Subtract, [a, b]) => Some(a.sub_with_rounding_mode(b, &nearest)),
            (Op::Multiply, [a, b]) => Some(a.mul_with_rounding_mode(b, &nearest)),
            (Op::Divide, [a, b]) => {
                when.push(b.is_zero().not());
                Some(a.div_with_rounding_mode(b, &nearest))
            }
            (Op::Negate, [a]) => Some(a.unary_neg()),
            (Op::ToFloat, [a]) => Some(a.clone()),
            _ => None,
        }
    }
}

impl Theory for Floats {
    fn facts(&mut self, problem: &Problem) -> Vec<Bool> {
        self.unknowns = (0..problem.unknowns.len())
            .map(|it| Float::new_const_double(format!("f{it}")))
            .collect();
        let mut res = Vec::new();
        for (unknown, float) in problem.unknowns.iter().zip(&self.unknowns) {
            res.extend([float.is_nan().not(), float.is_infinite().not()]);
            if let Some((low, is_strict)) = &unknown.low
                && let Some(bound) = constant(low)
            {
                res.push(if *is_strict { bound.lt(float) } else { bound.le(float) });
            }
            if let Some((high, is_strict)) = &unknown.high
                && let Some(bound) = constant(high)
            {
                res.push(if *is_strict { float.lt(&bound) } else { float.le(&bound) });
            }
            let excluded = unknown.excluded.iter().filter(|it| matches!(it, Term::Float(_)));
            res.extend(excluded.filter_map(constant).map(|it| float.eq_fpa(&it).not()));
        }
        res.extend(problem.rows.iter().filter_map(|it| self.statements(it)).flatten());
        res
    }

    fn small(&self, size: i64) -> Vec<Bool> {
        let (Some(low), Some(high)) = (constant(&Term::Int(-size)), constant(&Term::Int(size)))
        else {
            return Vec::new();
        };
        self.unknowns.iter().flat_map(|it| [low.le(it), it.le(&high)]).collect()
    }

    fn is(&self, place: usize, number: &Term) -> Option<Bool> {
        Some(self.unknowns.get(place)?.eq_fpa(&constant(number)?))
    }

    fn read(&self, model: &Model) -> Option<Vec<Term>> {
        let value = |it: &Float| {
            let bits = model.eval(&it.to_ieee_bv(), true)?.as_u64()?;
            Some(Term::Float(f64::from_bits(bits)))
        };
        self.unknowns.iter().map(value).collect()
    }
}
