//! Integers and their digits. Once the number of digits is known, the integer is a sum of digits times powers of the
//! base.

use super::facts::fact;
use super::range::Range;
use super::state::{Consistency, Contradiction, NodeId, Shape, State};
use super::value::Value;
use term::{Base, Kinds, Op, Term};

/// Longer texts are constructed from a known number only.
const MAX_DIGITS: usize = 40;

const PLUS: i64 = 43;
const MINUS: i64 = 45;
const ZERO: i64 = 48;

/// A range of digits: the first and last code point, and the value of the first digit.
type DigitRange = (i64, i64, i64);

fn ranges(base: Base, is_usual: bool) -> Vec<DigitRange> {
    let base = i64::from(base.get());
    let mut res = vec![(ZERO, ZERO + base.min(10) - 1, 0)];
    if base > 10 {
        let letters = base - 10;
        res.push((65, 64 + letters, 10));
        if !is_usual {
            res.push((97, 96 + letters, 10));
        }
    }
    res
}

impl<'q> State<'q> {
    /// Requires that the text spells the number: digits after an optional sign. The usual text is the one that
    /// `integer_to_list` prints (no plus sign, no leading zeros, upper-case letters). Returns `true` if the constraint
    /// is settled.
    pub(super) fn spell(
        &mut self,
        number: NodeId,
        text: NodeId,
        base: Base,
        is_usual: bool,
    ) -> Result<bool, Contradiction> {
        let ranges = ranges(base, is_usual);
        let (first, rest) = self.cons(text)?;
        let least = if is_usual { MINUS } else { PLUS };
        let mut firsts = ranges.clone();
        firsts.extend([(least, least, 0), (MINUS, MINUS, 0)]);
        firsts.dedup();
        self.is_digit_of(first, &mut firsts)?;
        let (chars, is_all) = self.digits(rest, &ranges)?;
        let is_signed = self.is_below(first, ZERO);
        if is_usual && let (Some(is_signed), Some(second)) = (is_signed, chars.first()) {
            let leading = if is_signed { *second } else { first };
            self.exclude(leading, &Value::own(Term::Int(ZERO)))?;
        }
        if !is_all || chars.len() >= MAX_DIGITS {
            return Ok(false);
        }
        self.bound_number(number, base, chars.len())?;
        let mut counts = Vec::with_capacity(chars.len());
        for char in &chars {
            counts.push(self.digit(*char, &ranges)?);
        }
        let base = self.literal_int(i64::from(base.get()));
        let leading = self.literal_int(ZERO);
        if is_signed != Some(true) && is_usual && !chars.is_empty() {
            self.push_fact(Op::Same, &[first, leading], false);
        }
        let mut either = Vec::new();
        if is_signed != Some(true) {
            // With a single range, the value of the first character is defined by an equation that a sign character
            // satisfies, too. Several ranges are a case distinction, which must have a case for the signs.
            let head_ranges = if ranges.len() == 1 { &ranges } else { &firsts };
            let head = self.digit(first, head_ranges)?;
            let whole = self.count(head, &counts, base)?;
            let is_digit = fact(Op::LessEqual, &[leading, first], true);
            either.push(vec![is_digit, fact(Op::Same, &[number, whole], true)]);
        }
        if let ([head, tail @ ..], true) = (counts.as_slice(), is_signed != Some(false)) {
            let size = self.count(*head, tail, base)?;
            let negative = self.define(Op::Negate, &[size])?;
            let minus = self.literal_int(MINUS);
            let mut below = vec![
                fact(Op::Same, &[first, minus], true),
                fact(Op::Same, &[number, negative], true),
            ];
            if is_usual {
                below.extend(chars.first().map(|it| fact(Op::Same, &[*it, leading], false)));
            } else {
                let plus = self.literal_int(PLUS);
                either.push(vec![
                    fact(Op::Same, &[first, plus], true),
                    fact(Op::Same, &[number, size], true),
                ]);
            }
            either.push(below);
        }
        if either.is_empty() {
            return Err(Contradiction);
        }
        self.either(either);
        Ok(true)
    }

    /// Bounds a number that has `n_others` digits after the first character.
    fn bound_number(&mut self, number: NodeId, base: Base, n_others: usize) -> Consistency {
        let power = |n: usize| i128::from(base.get()).checked_pow(u32::try_from(n).ok()?);
        match (power(n_others), power(n_others + 1)) {
            (Some(below), Some(above)) => {
                self.narrow_range(number, Range::new(1 - below, above - 1))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn literal_int(&mut self, value: i64) -> NodeId {
        self.literal(Value::own(Term::Int(value)))
    }

    fn is_below(&self, id: NodeId, value: i64) -> Option<bool> {
        let range = self.range(id);
        if range.high < i128::from(value) {
            return Some(true);
        }
        (range.low >= i128::from(value)).then_some(false)
    }

    /// Returns the cells of a list of digits, and whether the list is known to end there.
    fn digits(
        &mut self,
        list: NodeId,
        ranges: &[DigitRange],
    ) -> Result<(Vec<NodeId>, bool), Contradiction> {
        let mut res = Vec::new();
        let mut at = list;
        loop {
            self.restrict(at, Kinds::LIST)?;
            if matches!(&self.node(at).shape, Shape::Literal(value) if value.uncons().is_some()) {
                self.cons(at)?;
            }
            match self.node(at).shape.clone() {
                Shape::Cons(head, tail) => {
                    self.is_digit_of(head, &mut ranges.to_vec())?;
                    res.push(head);
                    at = tail;
                }
                Shape::Literal(_) => return Ok((res, true)),
                Shape::Open if self.kinds(at) == Kinds::NIL => return Ok((res, true)),
                Shape::Open => {
                    self.set_proper(at, true)?;
                    return Ok((res, false));
                }
                Shape::Tuple(_) | Shape::Map(_) | Shape::Pairs(_) | Shape::Fun(_) => {
                    return Err(Contradiction);
                }
            }
        }
    }

    /// Restricts the node to the code points of the ranges.
    fn is_digit_of(&mut self, id: NodeId, ranges: &mut [DigitRange]) -> Consistency {
        ranges.sort_unstable();
        let (Some(low), Some(high)) = (ranges.first(), ranges.last()) else {
            return Err(Contradiction);
        };
        self.restrict(id, Kinds::INT)?;
        self.narrow_range(id, Range::new(i128::from(low.0), i128::from(high.1)))?;
        for pair in ranges.windows(2) {
            let [(_, before, _), (after, ..)] = pair else { continue };
            for gap in before + 1..*after {
                self.exclude(id, &Value::own(Term::Int(gap)))?;
            }
        }
        Ok(())
    }

    /// Returns the value of a digit.
    fn digit(&mut self, char: NodeId, ranges: &[DigitRange]) -> Result<NodeId, Contradiction> {
        let mut either = Vec::new();
        let count = self.add(Kinds::INT);
        for (low, high, first) in ranges {
            let by = self.literal_int(low - first);
            let value = self.define(Op::Subtract, &[char, by])?;
            if ranges.len() == 1 {
                return Ok(value);
            }
            let (low, high) = (self.literal_int(*low), self.literal_int(*high));
            either.push(vec![
                fact(Op::LessEqual, &[low, char], true),
                fact(Op::LessEqual, &[char, high], true),
                fact(Op::Same, &[count, value], true),
            ]);
        }
        self.either(either);
        Ok(count)
    }

    fn count(
        &mut self,
        first: NodeId,
        others: &[NodeId],
        base: NodeId,
    ) -> Result<NodeId, Contradiction> {
        others.iter().try_fold(first, |sum, digit| {
            let shifted = self.define(Op::Multiply, &[sum, base])?;
            self.define(Op::Add, &[shifted, *digit])
        })
    }
}
